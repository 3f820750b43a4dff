"""What a model said in verifiers in, what our Episode makes of it out: the part of the generated package that is ours.

An episode is a function of its case and its actions. The tools run in a process of their own, which knows the calls
so far; the customer lives in the environment's process, which sees every message; the reward has the finished trace.
Each plays the same Episode, and nothing but calls and messages passes between them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.adapters.chat import chat_message, chat_messages
from agent_gym.environment import Environment
from agent_gym.environment.calls import answered
from agent_gym.environment.episode import Episode
from agent_gym.environment.rollout import Rollout, rolled_out
from agent_gym.llm import ChatRequest
from agent_gym.llm.turns import ToolNames, arguments_of, function_of
from agent_gym.types import Json, Message, ToolCall

__all__ = ["Called", "Tools", "follow", "openers", "replay", "report"]


@dataclass(frozen=True, slots=True)
class Called:
    """A tool's answer as the model reads it, and whether it ends the conversation."""

    text: str
    is_error: bool
    over: bool


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of one case, under names that every model's service takes."""

    environment: Environment
    conversation_id: str
    seed: int

    def listed(self) -> list[dict[str, Json]]:
        """name, description and parameters of each."""
        scenario = self.environment.scenario(self.conversation_id)
        names = _names(scenario.tools).wire
        functions = [function_of(tool) for tool in scenario.tools]
        return [
            {
                "name": names[function["name"]],
                "description": function.get("description") or "",
                "parameters": function.get("parameters") or {"type": "object", "properties": {}},
            }
            for function in functions
        ]

    def answer(self, calls: Sequence[Mapping[str, Json]]) -> Called:
        """What the last of the calls is answered, after the others."""
        names = _names(self.environment.scenario(self.conversation_id).tools)
        session = self.environment.tool_mocker.session(self.conversation_id, seed=self.seed)
        *before, last = [ToolCall(names.original(call["name"]), call["arguments"]) for call in calls]
        for call in before:
            session.call(call.name, call.arguments)
        ((_, answer, told),) = answered(Message("assistant", tool_calls=(last,)), session)
        ends = last.name in self.environment.tool_mocker.end_tools and not answer.is_error
        return Called(chat_message(told)["content"], answer.is_error, ends)


def openers(episode: Episode) -> list[dict[str, Json]]:
    """What the model reads before it first speaks: a greeting, if one was given, and the customer's first words."""
    return chat_messages(message for message in episode.messages if message.role != "system")


def follow(episode: Episode, said: Iterable[Mapping[str, Json]]) -> str | None:
    """Carry out what the model did; what it hears of the customer next, or None where the conversation is over.

    `said` are assistant messages as verifiers writes them, tool calls with arguments as JSON text.
    """
    heard = ""
    names = _names(episode.tools)
    for message in said:
        if episode.over:
            return None
        since = len(episode.messages) + 1  # behind the action itself
        episode.step(_action(message, names))
        heard = "\n".join(chat_message(told)["content"] for told in episode.messages[since:])
    return None if episode.over else heard


def replay(
    environment: Environment, conversation_id: str, seed: int, max_turns: int, said: Iterable[Mapping[str, Json]]
) -> Rollout:
    """The episode that these messages of the model make, scored as far as it came."""
    episode = environment.episode(conversation_id, seed=seed, max_turns=max_turns)
    follow(episode, said)
    if episode.score is None:
        episode.score = episode.score_now()
    return rolled_out(episode)


def report(rollout: Rollout) -> dict[str, float]:
    """The parts of the score, where they apply, and what a training run should watch."""
    score = rollout.score
    parts = {name: part.raw for name, part in score.parts.items() if part.raw is not None} if score is not None else {}
    return {
        **parts,
        "success": float(score is not None and score.success),
        "off_support": float(rollout.off_support),
        "customer_errors": float(len(rollout.user_errors)),
    }


def _action(message: Mapping[str, Json], names: ToolNames) -> dict[str, Json]:
    calls = [
        {"id": call["id"], "name": names.original(call["name"]), "arguments": arguments_of(call["arguments"])}
        for call in message.get("tool_calls") or ()
    ]
    return {"role": "assistant", "content": message.get("content"), "tool_calls": calls}


def _names(tools: Sequence[Mapping[str, Json]]) -> ToolNames:
    return ToolNames.of(ChatRequest((), tools=tuple(tools)))
