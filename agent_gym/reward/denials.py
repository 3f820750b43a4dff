"""A conversation in, what the agent denies against its own tools out: a write it made, or what a tool answered.

The record of the very conversation is what a statement is held against, so the wording of no success is needed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.language import Language, language_of
from agent_gym.reward.reports import Reports
from agent_gym.reward.sentences import Sentence
from agent_gym.reward.support import Record
from agent_gym.reward.turns import failed, result_of
from agent_gym.reward.worded import LONGEST, Worded, worded
from agent_gym.text import Value
from agent_gym.types import Json, Message, ToolCall

__all__ = ["denied_answer", "denied_deed"]

_NAMING = frozenset({"id", "amount", "date", "email", "phone"})  # values that tell which deed is meant
_NEAR = 5  # words behind a "not" that a value may stand
_STATED = frozenset({"amount", "date"})  # values that are the whole of a statement


def denied_deed(talk: Conversation, denials: Sequence[Sentence]) -> Sentence | None:
    """What it says to be undone though it has written it."""
    written = frozenset(call.name for call in talk.deeds.writes)
    if not written:
        return None
    reports = talk.customs.reports if talk.customs else Reports()
    made = [(call, answer) for call, answer in talk.calls if call.name in written]
    done = Record(
        [message for call, answer in made if answer and not failed(answer) for message in (_of(call), answer)]
    )
    refused = any({call.name: failed(answer) for call, answer in made}.values())  # by the last call of a tool
    language = _language(denials)
    for sentence in denials:
        named = [value for value in sentence.values if value.kind in _NAMING]
        # Of two orders one may be cancelled and the other not.
        is_meant = any(done.holds(value) or done.shows(value.text.lower()) for value in named) if named else not refused
        if is_meant and reports.denies(worded(sentence), written, language):
            return sentence
    return None


def denied_answer(talk: Conversation, denials: Sequence[Sentence]) -> Sentence | None:
    """What it says not to be so though a tool answered that it is: `The total is not $20`, `W12 is not shipped`."""
    language = _language(denials)
    stated = [(one, said, gaps) for one in denials if (gaps := list((said := worded(one)).denials(language)))]
    answers = [message for message in (talk.messages if stated else ()) if message.role == "tool"]
    shown = Record(answers)
    for sentence, said, gaps in stated:
        states = _states(said.values, answers)
        for gap in gaps:
            if not states.isdisjoint(said.words[gap : gap + LONGEST]):
                return sentence
            value = _stated_behind(said, gap, language)
            if value is not None and shown.holds(value):
                return sentence
    return None


def _stated_behind(said: Worded, gap: int, language: Language) -> Value | None:
    """The value that is denied; none where something is done with it: who has not been charged $20 denies no price."""
    behind = range(gap, min(gap + _NEAR, len(said.words)))
    if not language.perfect.isdisjoint(said.words[gap : gap + _NEAR]):
        return None
    values = (said.value_at(place) for place in behind)
    return next((value for value in values if value and value.kind in _STATED), None)


def _states(values: Iterable[Value], answers: Sequence[Message]) -> frozenset[str]:
    """The words that are fields of the records which the values name, as the tools showed them last."""
    found: set[str] = set()
    for norm in {value.norm for value in values if value.kind == "id"}:
        holding = (
            record for answer in reversed(answers) for record in _records(result_of(answer)) if _names(record, norm)
        )
        latest = next(holding, {})
        found.update(str(field).lower() for field in latest.values() if isinstance(field, str))
    return frozenset(found)


def _names(record: Mapping[str, Json], norm: str) -> bool:
    return any(str(field).lower().lstrip("#") == norm for field in record.values() if isinstance(field, str | int))


def _records(value: Json) -> Iterator[Mapping[str, Json]]:
    if isinstance(value, Mapping):
        yield value
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _records(inner)


def _of(call: ToolCall) -> Message:
    return Message("assistant", tool_calls=(call,))


def _language(said: Iterable[Sentence]) -> Language:
    return language_of([word for sentence in said for word in sentence.words])
