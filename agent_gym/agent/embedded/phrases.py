"""Words of our own, for where the record has none that fit: plain, and of nothing but this conversation."""

import re
from collections.abc import Mapping

from agent_gym.agent.embedded.leaves import scalars, text_of, words_of
from agent_gym.agent.embedded.talk import State
from agent_gym.text import parsed
from agent_gym.types import Json

__all__ = ["PARTING", "confirmation", "last_resorts", "proposes", "question", "refusal", "report"]

PARTING = "You are welcome. Goodbye!"


def question(tool: str, path: str) -> str:
    return f"Could you give me your {_field(path)}, please, so that I can {words_of(tool)}?"


def confirmation(tool: str, arguments: Mapping[str, Json], refused: str = "") -> str:
    """A request for a yes; `refused`: why the tool would not do it the way it was asked for."""
    named = ", ".join(f"{_field(path)} {_told(value)}" for path, value, _ in scalars(arguments))
    note = f"Please note: {refused}. " if refused else ""
    return f"{note}{_about_to(tool)}{f' ({named})' if named else ''}. Shall I go ahead?"


def proposes(text: str, tool: str) -> bool:
    """Whether the text is our own request for a yes to this tool."""
    return bool(re.search(rf"(?:^|\. ){re.escape(_about_to(tool))}(?: \(|\.)", text))


def _about_to(tool: str) -> str:
    return f"I am about to {words_of(tool)}"


def report(state: State, write_tools: frozenset[str]) -> str:
    """What the last tool answered, told plainly; empty if no tool has just answered."""
    if not state.calls or not state.event.endswith((" failed", " answered")):
        return ""
    if state.event.endswith(" failed"):
        return f"I am sorry, that did not work: {refusal(state)}."
    lead = "Done" if state.calls[-1].call.name in write_tools else "Here is what I found"
    told = _told_fields(state)
    return f"{lead}: {told}." if told else f"{lead}."


def last_resorts(state: State) -> list[str]:
    """What can always be said, the most telling first."""
    if not state.turns:
        return ["Hello! How can I help you today?"]
    more = "Could you tell me a little more about what you need?"
    if len(state.turns) == 1 and not state.calls:
        return [more]
    told = _told_fields(state) if state.calls else ""
    return [
        *([f"As far as I can see, {told}. Is there anything else?"] if told else []),
        "Is there anything else I can help you with?",
        more,
        "I am sorry, I cannot do more about this here. Is there something else you need?",
    ]


def _field(path: str) -> str:
    return words_of(path.replace(".*", "").rsplit(".", 1)[-1])


def _told(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.2f}" if isinstance(value, float) and not value.is_integer() else str(value)


def _told_fields(state: State) -> str:
    """The first few short fields of the last answer, and the first few rows of the lists in it."""
    answer = state.calls[-1].answer
    result = parsed(answer.result) if answer is not None else None
    if not isinstance(result, Mapping):
        return _told(result) if isinstance(result, str | int | float) else ""
    fields = [f"{_field(p)} is {_told(v)}" for p, v, _ in scalars(result) if "*" not in p and len(str(v)) <= 60]
    lists = [f"{_field(name)}: {rows}" for name, value in result.items() if (rows := _told_rows(value))]
    return "; ".join([*([", ".join(fields[:5])] if fields else []), *lists])


def _told_rows(value: Json) -> str:
    if not isinstance(value, list):
        return ""
    rows = [" ".join(_told(item) for _, item, _ in scalars(row) if len(str(item)) <= 60) for row in value[:6]]
    return ", ".join(row for row in rows if row)


def refusal(state: State) -> str:
    """The tool's own words, without its codes."""
    made = state.calls[-1]
    result = parsed(made.answer.result) if made.answer is not None else None
    told = [str(value) for _, value, _ in scalars(result) if isinstance(value, str) and " " in value.strip()]
    text = told[0] if told else text_of(made)
    return re.sub(r"^error:\s*", "", text, flags=re.IGNORECASE).strip().rstrip(".") or "the request was refused"
