"""Dataset rows in, SkyRL environments out: a `BaseTextEnv` in which a model's text is read, and a customer answers.

SkyRL knows texts only, so the tools stand in the system prompt, calls are read between `<tool_call>` tags, and results
come back between `<tool_response>` tags, as the chat templates of most open models have them.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import orjson

from agent_gym.adapters.chat import chat_message, chat_messages, chat_tools
from agent_gym.adapters.datasets.export import Export, write_rows
from agent_gym.corpus import Split
from agent_gym.environment import Environment, open_environment
from agent_gym.environment.episode import Episode
from agent_gym.environment.rollout import rolled_out
from agent_gym.environment.written_calls import written_action
from agent_gym.errors import AgentGymError, MissingExtra
from agent_gym.types import Json, Message

__all__ = ["ENV_CLASS", "export_skyrl", "register", "skyrl_rows"]

ENV_CLASS = "agent_gym"
_CALLING = """

# Tools
You may call one or more tools. These are their signatures:
<tools>
{signatures}
</tools>
To call one, write its name and arguments as JSON between tags, and nothing for the customer in the same message:
<tool_call>
{{"name": "…", "arguments": {{…}}}}
</tool_call>"""


def register() -> None:
    """Make the environment known to SkyRL, under the name that the rows have in `env_class`."""
    try:
        found = metadata.version("skyrl-gym")
    except metadata.PackageNotFoundError:
        raise MissingExtra("skyrl", "skyrl-gym is not installed") from None
    if found.split(".")[:2] != ["0", "4"]:
        raise MissingExtra("skyrl", f"skyrl-gym {found} is installed, and this adapter supports skyrl-gym>=0.4,<0.5")
    from skyrl_gym.envs import registration  # noqa: PLC0415  an optional extra

    if ENV_CLASS not in registration.registry:
        registration.register(id=ENV_CLASS, entry_point=f"{__name__}:AgentGymEnv")


def export_skyrl(environment: Environment, folder: Path) -> Export:
    """Write the rows of each split, and beside them the gym that they name by its place."""
    folder.mkdir(parents=True, exist_ok=True)
    gym = folder.resolve() / "conversations.gym"
    splits: tuple[Split, ...] = ("train", "test")
    rows = {split: list(skyrl_rows(environment, str(gym), split, environment.seed)) for split in splits}
    rows = {split: found for split, found in rows.items() if found}
    if not rows:
        raise AgentGymError("no conversation has a goal to play for: training needs recorded successes")
    environment.save(gym)
    files = [write_rows(folder / f"{split}.jsonl", found) for split, found in sorted(rows.items())]
    return Export(folder, "skyrl", {split: len(found) for split, found in rows.items()}, (*files, gym.name))


def skyrl_rows(environment: Environment, gym: str, split: Split, seed: int = 0) -> Iterator[dict[str, Json]]:
    """A row for every case that can be scored; `gym` is the file that whoever plays them opens."""
    for scenario in environment.scenarios(split, shuffled=seed):
        if scenario.scorable:
            episode = environment.episode(scenario.conversation_id, seed=seed)
            yield {
                "prompt": _prompt(episode),
                "env_class": ENV_CLASS,
                "reward_spec": {"method": "rule", "ground_truth": ""},
                "extra_info": {"gym": gym, "conversation_id": scenario.conversation_id, "seed": seed},
            }


def _prompt(episode: Episode) -> list[dict[str, Json]]:
    """The conversation so far; its system message tells how to call the tools."""
    rules = "\n\n".join(message.text for message in episode.messages if message.role == "system")
    signatures = "\n".join(orjson.dumps(tool, default=dict).decode() for tool in chat_tools(episode.tools))
    calling = _CALLING.format(signatures=signatures) if signatures else ""
    system = [{"role": "system", "content": (rules + calling).strip()}] if rules or calling else []
    return system + chat_messages(message for message in episode.messages if message.role != "system")


def __getattr__(name: str) -> Any:
    """`AgentGymEnv`, made when SkyRL first asks for it: its base class is an extra."""
    if name == "AgentGymEnv":
        return _env_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _env_class() -> type:
    from skyrl_gym.envs.base_text_env import BaseTextEnv  # noqa: PLC0415  an optional extra

    class AgentGymEnv(BaseTextEnv):  # type: ignore[misc]  # the framework's types are not installed
        """One case. `extras` is its row: `gym`, `conversation_id` and `seed` in `extra_info`, and `max_turns`."""

        def __init__(self, env_config: Json = None, extras: Mapping[str, Json] | None = None) -> None:
            super().__init__()
            del env_config  # the row says it all
            case: Mapping[str, Json] = (extras or {})["extra_info"]
            most = (extras or {}).get("max_turns")
            gym = _opened(case["gym"])
            self.episode = gym.episode(case["conversation_id"], seed=case["seed"], max_turns=most)
            self.max_turns = self.episode.max_turns

        def step(self, action: str) -> dict[str, Json]:
            self.turns += 1
            since = len(self.episode.messages) + 1  # behind the action itself
            step = self.episode.step(written_action(action))
            return {
                "observations": _told(self.episode.messages[since:]),
                "reward": step.reward,
                "done": step.terminated or step.truncated,
                "metadata": {"ending": self.episode.ending},
            }

        def get_metrics(self) -> dict[str, Json]:
            rollout, score = rolled_out(self.episode), self.episode.score
            return {
                "success": score is not None and score.success,
                "off_support": rollout.off_support,
                "customer_errors": len(rollout.user_errors),
                "malformed": "malformed_action" in rollout.flags,
                "tool_calls": len(rollout.answers),
                "turns": self.turns,
            }

    return AgentGymEnv


def _told(messages: Sequence[Message]) -> list[dict[str, str]]:
    """What the model reads next, all of it as turns of the user's: not every template knows a role for tools."""
    return [
        {
            "role": "user",
            "content": f"<tool_response>\n{chat_message(message)['content']}\n</tool_response>"
            if message.role == "tool"
            else message.text,
        }
        for message in messages
    ]


@cache
def _opened(path: str) -> Environment:
    """Once in each process: a rollout opens an environment of its own."""
    return open_environment(path, agent="embedded")
