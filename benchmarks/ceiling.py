"""A split and the answers it got in, an upper bound out: how many answers the training conversations hold at all.

An answer counts as beyond the record if the tool was never recorded; if it is an error whose words, apart from
numbers and the call's own values, no recorded error has; or if it shows a text (an id, a name, an address) that
neither a training conversation nor the call itself has. Numbers do not count: they may follow from others. So the
bound is generous: a record may be unknown though each of its words is known from elsewhere, and whether a refusal
that is known would apply may depend on a record that is not.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from agent_gym.fidelity.tools import Asked
from agent_gym.text import canonical
from agent_gym.tool_mocker.log import Recorded, recorded_calls
from agent_gym.types import Json, Trace

__all__ = ["Ceiling"]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What the training conversations show."""

    tools: frozenset[str]
    errors: frozenset[str]
    texts: frozenset[str]

    @classmethod
    def of(cls, train: Iterable[Trace]) -> "Ceiling":
        calls = [call for trace in train for call in recorded_calls(trace)]
        texts = {text for call in calls for value in (call.result, dict(call.arguments)) for text in _texts(value)}
        errors = frozenset(_masked(call) for call in calls if call.is_error)
        return cls(frozenset(call.name for call in calls), errors, frozenset(texts))

    def beyond(self, row: Asked) -> str | None:
        """Why nothing in the record could have given the real answer; None where it could, or where we were right."""
        call = row.recorded
        if row.found.exact:
            return None
        if call.name not in self.tools:
            return "of tools never recorded"
        if call.is_error:
            return None if _masked(call) in self.errors else "errors in words never recorded"
        known = self.texts.union(_texts(dict(call.arguments)))
        return None if all(text in known for text in _texts(call.result)) else "showing texts never recorded"

    def reasons(self, rows: Iterable[Asked]) -> str:
        """How many answers are beyond the record, and why."""
        found = Counter(why for row in rows if (why := self.beyond(row)) is not None)
        return ", ".join(f"{n} {why}" for why, n in sorted(found.items())) or "none"


def _masked(call: Recorded) -> str:
    """An error without the call's own values and without numbers, in small letters."""
    text = canonical(call.result).decode().lower()
    for value in sorted(set(_texts(dict(call.arguments))), key=len, reverse=True):
        text = text.replace(value.lower(), "…") if len(value) > 1 else text
    return re.sub(r"[\d.]+", "0", text)


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value
