"""Words of our own, for where the record has none that fit: plain, and of nothing but this conversation."""

from collections.abc import Mapping

from agent_gym.agent.embedded.talk import State, scalars, words_of
from agent_gym.text import parsed
from agent_gym.types import Json

__all__ = ["confirmation", "plain_replies", "question"]


def question(tool: str, path: str) -> str:
    return f"Could you give me your {_field(path)}, please, so that I can {words_of(tool)}?"


def confirmation(tool: str, arguments: Mapping[str, Json]) -> str:
    named = ", ".join(f"{_field(path)} {_told(value)}" for path, value, _ in scalars(arguments))
    return f"I am about to {words_of(tool)}{f' ({named})' if named else ''}. Shall I go ahead?"


def plain_replies(state: State, write_tools: frozenset[str]) -> list[str]:
    """What can always be said, the most telling first."""
    replies = []
    if state.event.endswith(" failed") and state.calls:
        replies.append(f"I am sorry, that did not work: {_refusal(state)}.")
    elif state.event.endswith(" answered") and state.calls:
        told = _told_fields(state)
        lead = "Done" if state.calls[-1].call.name in write_tools else "Here is what I found"
        replies.append(f"{lead}: {told}." if told else f"{lead}.")
    if not state.turns:
        replies.append("Hello! How can I help you today?")
    return [
        *replies,
        "Is there anything else I can help you with?",
        "Could you tell me a little more about what you need?",
        "I am sorry, I cannot do more about this here. Is there something else you need?",
    ]


def _field(path: str) -> str:
    return words_of(path.replace(".*", "").rsplit(".", 1)[-1])


def _told(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.2f}" if isinstance(value, float) and not value.is_integer() else str(value)


def _told_fields(state: State) -> str:
    """The first few short fields of the last answer."""
    answer = state.calls[-1].answer
    result = parsed(answer.result) if answer is not None else None
    if not isinstance(result, Mapping):
        return _told(result) if isinstance(result, str | int | float) else ""
    fields = [
        f"{_field(path)} is {_told(value)}"
        for path, value, _ in scalars(result)
        if "*" not in path and len(str(value)) <= 60
    ]
    return ", ".join(fields[:4])


def _refusal(state: State) -> str:
    answer = state.calls[-1].answer
    result = parsed(answer.result) if answer is not None else None
    if isinstance(result, Mapping):
        said = [str(value) for _, value, _ in scalars(result) if isinstance(value, str)]
        return " ".join(said[:2]).rstrip(".") or "the request was refused"
    return str(result).removeprefix("Error:").strip().rstrip(".") or "the request was refused"
