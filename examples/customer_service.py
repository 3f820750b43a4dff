"""From a conversation log to an environment: read this file from top to bottom.

    python scripts/run_example.py          (sets everything up, then runs this)

It runs offline and without a key; with GOOGLE_API_KEY or GEMINI_API_KEY set, Gemini plays the agent.
"""

import sys
from pathlib import Path

from rich.console import Console

from agent_gym import create_environment
from agent_gym.cli.show import show_corpus, show_fidelity, show_rollout, show_score, show_tools
from agent_gym.environment import play
from agent_gym.errors import LlmError
from agent_gym.fidelity import measure_tools
from agent_gym.sample import generate
from agent_gym.sample import play as play_for_real

HERE = Path(__file__).resolve().parent.parent


def main(console: Console) -> None:
    # 1. A log. This one is of a business that exists only here, so that we know the truth about it;
    #    yours is a file of your own conversations in the same schema (README, "The trace format").
    log = HERE / "data" / "processed" / "conversations.jsonl"
    policy = (HERE / "data" / "processed" / "policy.md").read_text(encoding="utf-8")

    # 2. The environment. A fifth of the customers is held out: nothing is learned from them.
    console.rule("1. A conversation log becomes an environment")
    environment = create_environment(log, policy=policy, test_fraction=0.2)
    query_agent, tool_mocker, reward_fn = environment
    show_corpus(console, environment.corpus)
    show_tools(console, tool_mocker)
    console.print(str(tool_mocker.explain("cancel_subscription")), markup=False, highlight=False)

    # 3. The founding three: an agent that answers, tools that answer, a reward that says why.
    console.rule("2. Ask the agent, call a tool, score a reply")
    response = query_agent("Hello, I want to cancel my subscription")
    console.print(f"agent: {response}", markup=False)
    console.print(tool_mocker("list_plans", {"kind": "mobile"}))
    right = "Your plan Mobile M is cancelled, it ends on 2025-04-01."
    wrong = "Your plan Mobile M is not cancelled, it ends on 2025-04-01."
    console.print(
        f"the right answer scores {reward_fn(right, ground_truth=right):.2f}, its negation "
        f"{reward_fn(wrong, ground_truth=right):.2f}"
    )

    # 4. An episode: the customer of a recorded case, tools with state, an agent that may leave the recorded path.
    console.rule("3. An episode")
    rollout = play(environment.episode(seed=0), environment.agent)
    show_rollout(console, rollout)

    # 5. What cannot be gamed: an agent that claims to be done and does nothing.
    console.rule("4. Words alone")
    idle = [message for message in rollout.messages if message.role == "user"][:1]
    claim = {"role": "assistant", "content": "All done! Everything you asked for has been taken care of."}
    show_score(console, reward_fn.score([*idle, claim], reference=rollout.conversation_id))

    # 6. How far to trust the tools. Other agents act in the recorded cases, on the real backend of the sample
    #    business; the mined tools are asked the same calls and never see the answers. (Customers that no log
    #    has ever shown are another matter: nobody can know their records. `python -m benchmarks.tools` has both.)
    console.rule("5. How true is it?")
    elsewhere = [
        play_for_real(conversation.case, skill="careful", seed=1).trace
        for conversation in generate()
        if conversation.skill != "careful" and environment.corpus.split(conversation.trace.conversation_id) == "train"
    ]
    found = measure_tools(tool_mocker, elsewhere, anchor=lambda trace: trace.conversation_id)
    show_fidelity(console, found, "of another agent in the recorded cases, against the real backend")


if __name__ == "__main__":
    try:
        main(Console())
    except LlmError as error:
        sys.exit(f"the remote model did not answer: {error}\nAGENT_GYM_OFFLINE=1 runs this with the embedded agent")
