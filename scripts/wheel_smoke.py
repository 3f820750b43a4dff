"""An installed wheel in, exit code 0 out if its public face works; run by the wheel's own Python."""

import subprocess
import sys
from pathlib import Path

import agent_gym
from agent_gym import create_environment
from agent_gym.environment import QueryAgent
from agent_gym.reward import RewardFunction
from agent_gym.tool_mocker import ToolMocker

TRACES = [
    {
        "conversation_id": "c1",
        "messages": [
            {"role": "user", "content": "Please cancel my plan, I am user 123."},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"name": "lookup_account", "arguments": {"user_id": "123"}}],
            },
            {"role": "tool", "name": "lookup_account", "result": {"user_id": "123", "status": "active"}},
            {"role": "assistant", "content": "Your account is active. Shall I cancel it?"},
            {"role": "user", "content": "Yes."},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"name": "cancel", "arguments": {"user_id": "123"}}],
            },
            {"role": "tool", "name": "cancel", "result": {"user_id": "123", "status": "cancelled"}},
            {"role": "assistant", "content": "Done: your plan is cancelled."},
        ],
        "outcome": "resolved",
        "satisfaction_score": 5,
    }
]


def main() -> None:
    assert Path(agent_gym.__file__).is_relative_to(sys.prefix), f"not the wheel: {agent_gym.__file__}"
    query_agent, tool_mocker, reward_fn = create_environment(TRACES)
    assert isinstance(query_agent, QueryAgent)
    assert isinstance(tool_mocker, ToolMocker)
    assert isinstance(reward_fn, RewardFunction)
    response = query_agent("I want to cancel my subscription")
    assert response, "the agent said nothing"
    assert tool_mocker("lookup_account", {"user_id": "123"}) == {"user_id": "123", "status": "active"}
    assert 0.0 <= reward_fn(response, ground_truth="Which account should I cancel?") <= 1.0

    program = Path(sys.executable).with_name("agent-gym" + Path(sys.executable).suffix)
    shown = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    if "demo" in shown:
        subprocess.run([program, "demo"], check=True, stdout=subprocess.DEVNULL)
    print(f"agent-gym {agent_gym.__version__} works from its wheel")


if __name__ == "__main__":
    main()
