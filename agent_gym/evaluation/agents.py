"""What `--agent` may say in, who plays an episode out."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from agent_gym.agent import is_policy_spec, make_agent
from agent_gym.environment import Environment, Episode
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.errors import OptionError
from agent_gym.evaluation.metering import metered
from agent_gym.llm import MODEL_SPECS, is_model_spec
from agent_gym.types import Agent, Json, Message, ToolCall

__all__ = ["AGENT_SPECS", "AgentSource", "agent_source"]

AGENT_SPECS = (
    "embedded",
    "POLICY.json",
    *MODEL_SPECS,
    "replay",
    "scripted:do-nothing",
    "scripted:random",
    "module:callable",
)
AgentSource = Callable[[Episode], Agent]  # who plays this episode: most agents play them all


def agent_source(spec: str, environment: Environment) -> AgentSource:
    """The agent a spec names: one for all episodes, or one for each where it has to know the episode.

    `replay` acts as the recorded agent did; `scripted:do-nothing` and `scripted:random` are floors to measure
    against; `module:callable` is the user's own: an agent, something that makes one, or a function
    `(messages, tools) -> message`.
    """
    if spec == "replay":
        return lambda episode: ReplayAgent(environment.corpus[episode.scenario.conversation_id])
    if spec == "scripted:do-nothing":
        idle = DoNothing()
        return lambda _: idle
    if spec == "scripted:random":
        return lambda episode: RandomAgent(episode.seed)
    named = spec == "embedded" or is_policy_spec(spec) or is_model_spec(spec)
    if not named and ":" in spec and not spec.startswith("scripted:"):
        own = _imported(spec)
        return lambda _: own
    if not named:
        raise OptionError("agent", spec, AGENT_SPECS)
    mocker = environment.tool_mocker
    agent = make_agent(spec, corpus=environment.corpus, write_tools=mocker.write_tools, policy=environment.policy)
    return lambda _: metered(agent)


class DoNothing:
    """Polite, and no help: what a reward must not pay for."""

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message:
        del messages, tools
        return Message("assistant", "Thank you for your patience. Is there anything else I can help you with?")


class RandomAgent:
    """Calls a tool with values that were mentioned, or says something said before: chance, not noise."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message:
        dice = Random(f"{self._seed} {len(messages)}")  # noqa: S311  play, not secrecy
        if not tools or dice.random() < 0.4:
            return Message(
                "assistant", dice.choice(("Could you tell me more?", "One moment, please.", "That is done."))
            )
        function = dice.choice(list(tools))["function"]
        heard = " ".join(m.text for m in messages if m.role == "user").split() or [""]
        wanted = function.get("parameters", {}).get("properties", {})
        return Message(
            "assistant", tool_calls=(ToolCall(function["name"], {name: dice.choice(heard) for name in wanted}),)
        )


@dataclass(frozen=True, slots=True)
class _Function:
    """A plain function as an agent."""

    answer: Callable[[Sequence[Message], Sequence[Mapping[str, Json]]], Message | Mapping[str, Json] | str]

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message:
        said = self.answer(messages, tools)
        return Message("assistant", said) if isinstance(said, str) else Message.of(said, "assistant")


def _imported(spec: str) -> Agent:
    module_name, _, name = spec.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # a user's own module stands beside where the command is run
    try:
        found = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError) as error:
        raise OptionError("agent", spec, AGENT_SPECS, why=f"cannot be imported: {error}") from error
    if isinstance(found, type):
        found = found()
    if isinstance(found, Agent):
        return found
    if callable(found):
        return _Function(found)
    raise OptionError("agent", spec, AGENT_SPECS, why="is neither an agent nor a function")
