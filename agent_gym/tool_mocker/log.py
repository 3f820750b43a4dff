"""The log: every answered call of the traces in order, its result parsed, errors told apart.

Also what all else needs of its values: how deep they are looked at, what their form is, and which of them name things.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from agent_gym.text import canonical, digest, parsed
from agent_gym.types import Json, Trace

__all__ = [
    "DEEPEST",
    "LEAVES",
    "PLAIN",
    "Form",
    "Recorded",
    "Shared",
    "by_tool",
    "copied",
    "find_forms",
    "fingerprint",
    "is_deep",
    "is_refusal",
    "linking_values",
    "plain",
    "recorded_calls",
    "shallow",
]


DEEPEST = 100  # levels, as far as values are told apart at all
# What nearly all values are; to see that one is of these is many times faster than to ask whether it is a Mapping.
LEAVES = frozenset({str, int, float, bool, type(None)})
_BELOW = "…"


def copied(value: Json, deeper: int = DEEPEST) -> Json:
    """A value of its own: whoever changes it changes nothing else."""
    if type(value) in LEAVES or not deeper:
        return value
    if isinstance(value, Mapping):
        return {name: copied(inner, deeper - 1) for name, inner in value.items()}
    return [copied(inner, deeper - 1) for inner in value] if isinstance(value, list) else value


def is_deep(value: Json) -> bool:
    layer = [value]
    for _ in range(DEEPEST):
        layer = [
            inner
            for outer in layer
            for inner in (outer.values() if isinstance(outer, Mapping) else outer)
            if type(inner) not in LEAVES and isinstance(inner, dict | list | tuple | Mapping)
        ]
        if not layer:
            return False
    return True


def shallow(value: Json) -> Json:
    """The value itself, or a copy without what lies too deep."""
    return _cut(value, DEEPEST) if isinstance(value, Mapping | list) and is_deep(value) else value


def _cut(value: Json, deeper: int) -> Json:
    if isinstance(value, Mapping):
        return {name: _cut(inner, deeper - 1) for name, inner in value.items()} if deeper else _BELOW
    if isinstance(value, list | tuple):
        return [_cut(inner, deeper - 1) for inner in value] if deeper else _BELOW
    return value


@dataclass(frozen=True, slots=True)
class Recorded:
    """One answered call. `raw` is the result as the log has it, `result` the same with JSON text parsed."""

    conversation_id: str
    name: str
    arguments: Mapping[str, Json]
    key: bytes  # digest of the arguments
    raw: Json
    result: Json
    is_error: bool
    at: int = 0  # its place among the conversation's calls


def recorded_calls(trace: Trace) -> list[Recorded]:
    """The conversation's answered calls, in the order they were made."""
    found: list[Recorded] = []
    for call, answer in trace.calls():
        if answer is None:
            continue
        raw = answer.result if answer.result is not None else answer.content
        result = shallow(parsed(raw))
        is_error = answer.is_error or is_refusal(result)
        found.append(
            Recorded(
                trace.conversation_id,
                call.name,
                shallow(call.arguments),
                digest(call.arguments),
                raw,
                result,
                is_error,
                len(found),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Form:
    """How a tool's logs dress what it tells: what is the same around every answer, and which texts are refusals."""

    listed: bool = False  # a list of just one object, or of none
    envelope: tuple[str, Mapping[str, Json]] | None = None  # the one field that tells something, and all others
    encoded: bool = False  # JSON kept as a string
    tells_objects: bool = False  # never texts: a text is a refusal
    refusals: frozenset[str] = frozenset()  # texts that calls of all kinds got
    spelt: frozenset[str] = frozenset()  # arguments whose numbers are also given as text, and mean the same

    def bare(self, result: Json) -> Json:
        """What a result tells, without its dress."""
        if self.listed and isinstance(result, list) and len(result) == 1:
            return result[0]
        if self.envelope is not None and isinstance(result, Mapping):
            return result.get(self.envelope[0], result)
        return result

    def dressed(self, result: Json) -> Json:
        if self.listed and isinstance(result, Mapping):
            result = [result]
        elif self.envelope is not None and isinstance(result, Mapping | list):
            name, others = self.envelope
            result = {**others, name: result}
        if self.encoded and isinstance(result, Mapping | list):
            return _as_text(result)
        return result

    def encoded_only(self, result: Json) -> Json:
        return _as_text(result) if self.encoded and isinstance(result, Mapping | list) else result

    def key(self, arguments: Mapping[str, Json]) -> bytes:
        """The digest of a call's arguments, however their numbers are spelt."""
        if self.spelt:
            arguments = {name: str(v) if name in self.spelt and type(v) is int else v for name, v in arguments.items()}
        return digest(arguments)

    def refuses(self, result: Json) -> bool:
        return isinstance(result, str) and ((self.tells_objects and " " in result) or result in self.refusals)


PLAIN = Form()


def _as_text(result: Json) -> str:
    try:
        return orjson.dumps(result).decode()
    except TypeError:  # integers beyond 64 bits and lone surrogates, which an agent may have sent
        return json.dumps(result, default=repr)


def find_forms(calls: Iterable[Recorded]) -> dict[str, Form]:
    """tool → the form of its answers."""
    tools = by_tool(calls)
    good = {name: [call for call in some if not call.is_error] for name, some in tools.items()}
    envelopes = _envelopes(good)
    return {
        name: Form(
            listed=_is_listed([call.result for call in some]),
            envelope=envelopes.get(name),
            encoded=2 * sum(isinstance(c.raw, str) and not isinstance(c.result, str) for c in some) > len(some),
            tells_objects=_tells_objects(some),
            refusals=_refusing_texts(some),
            spelt=_spelt_twice(some),
        )
        for name, some in sorted(good.items())
    }


def plain(calls: Iterable[Recorded], forms: Mapping[str, Form]) -> list[Recorded]:
    """The same calls, their answers without the form of the tool's logs, and refusals marked as such."""
    found = []
    for call in calls:
        form = forms.get(call.name, PLAIN)
        bare = call.result if call.is_error else form.bare(call.result)
        key = form.key(call.arguments) if form.spelt else call.key
        if not call.is_error and form.refuses(call.result):
            found.append(replace(call, is_error=True, key=key))
        else:
            found.append(call if bare is call.result and key is call.key else replace(call, result=bare, key=key))
    return found


def _is_listed(results: Sequence[Json]) -> bool:
    lists = [result for result in results if isinstance(result, list) and len(result) <= 1]
    objects = sum(len(result) == 1 and isinstance(result[0], Mapping) for result in lists)
    return bool(results) and len(lists) == len(results) and 2 * objects > len(results)


def _envelopes(tools: Mapping[str, Sequence[Recorded]]) -> dict[str, tuple[str, Mapping[str, Json]]]:
    """tool → the field around which all else is the same in every answer of it and of most tools."""
    found: dict[str, dict[tuple[str, bytes], tuple[str, Mapping[str, Json]]]] = {}
    for name, calls in tools.items():
        first = calls[0].result if calls else None
        for field in first if isinstance(first, Mapping) else ():
            rest = _around(first, field)
            if rest and all(canonical(_around(call.result, field)) == canonical(rest) for call in calls):
                found.setdefault(name, {})[field, canonical(rest)] = (field, rest)
    seen = Counter(key for some in found.values() for key in some)
    best = {name: max(some, key=lambda key: (seen[key], key)) for name, some in found.items()}
    answering = sum(bool(calls) for calls in tools.values())
    return {name: found[name][key] for name, key in best.items() if seen[key] > max(1, answering // 2)}


def _around(result: Json, field: str) -> Mapping[str, Json] | None:
    """All but the field, if that holds an object or a list and all else does not."""
    if not isinstance(result, Mapping) or not isinstance(result.get(field), Mapping | list):
        return None
    rest = {name: value for name, value in result.items() if name != field}
    return rest if not any(isinstance(value, Mapping | list) for value in rest.values()) else None


def _tells_objects(calls: Sequence[Recorded]) -> bool:
    return 2 * sum(isinstance(call.result, Mapping | list) for call in calls) > len(calls)


def _spelt_twice(calls: Sequence[Recorded]) -> frozenset[str]:
    """Arguments of which some calls give a number that others give as text."""
    numbers: set[tuple[str, str]] = set()
    texts: set[tuple[str, str]] = set()
    for call in calls:
        numbers.update((name, str(value)) for name, value in call.arguments.items() if type(value) is int)
        texts.update((name, value) for name, value in call.arguments.items() if isinstance(value, str))
    return frozenset(name for name, _ in numbers & texts)


def _refusing_texts(calls: Sequence[Recorded]) -> frozenset[str]:
    """Sentences that different calls got, where most calls got something else."""
    got: dict[str, set[bytes]] = {}
    for call in calls:
        if isinstance(call.result, str) and call.result.count(" ") > 1:
            got.setdefault(call.result, set()).add(call.key)
    different = len({call.key for call in calls})
    return frozenset(text for text, keys in got.items() if len(keys) > 1 and 2 * len(keys) < different)


def by_tool(calls: Iterable[Recorded]) -> dict[str, list[Recorded]]:
    tools: dict[str, list[Recorded]] = {}
    for call in calls:
        tools.setdefault(call.name, []).append(call)
    return tools


_ERROR_TEXT = re.compile(r"\s*(?:error|exception|traceback|failed|failure|invalid)\b", re.IGNORECASE)
_ERROR_KEYS = ("error", "errors", "exception", "error_message")
_ERROR_STATUS = ("error", "failed", "failure")


def is_refusal(result: Json) -> bool:
    """Whether a result reports an error, for logs that do not mark it."""
    if isinstance(result, str):
        return _ERROR_TEXT.match(result) is not None
    if isinstance(result, Mapping):
        if any(result.get(key) for key in _ERROR_KEYS):
            return True
        return result.get("success") is False or str(result.get("status", "")).lower() in _ERROR_STATUS
    return False


class Shared:
    """The arguments and results met so far, by their very bytes: 2 and 2.0, or another order of keys, are not equal."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._arguments: dict[bytes, Recorded] = {}
        self._results: dict[bytes, Recorded] = {}

    def calls(self, calls: Iterable[Recorded]) -> list[Recorded]:
        return [self._call(call) for call in calls]

    def _call(self, call: Recorded) -> Recorded:
        name = self._names.setdefault(call.name, call.name)
        asked = self._arguments.setdefault(fingerprint(call.arguments), call)
        told = self._results.setdefault(fingerprint(call.raw), call)
        return Recorded(
            call.conversation_id, name, asked.arguments, asked.key, told.raw, told.result, call.is_error, call.at
        )


def fingerprint(value: Json) -> bytes:
    """16 bytes that stand for the value as it is written; what cannot be written at once is written whole."""
    try:
        written = orjson.dumps(value)
    except TypeError:  # integers beyond 64 bits, lone surrogates, or more levels than it goes down
        return hashlib.blake2b(b"\0".join(_pieces(value)), digest_size=16).digest()
    return hashlib.blake2b(written, digest_size=16).digest()


def _pieces(value: Json) -> Iterator[bytes]:
    """Every piece of a value in order, however deep it is."""
    left = [value]
    while left:
        piece = left.pop()
        if isinstance(piece, Mapping):
            yield f"{{{len(piece)}".encode()
            left.extend(part for pair in piece.items() for part in pair)
        elif isinstance(piece, list | tuple):
            yield f"[{len(piece)}".encode()
            left.extend(piece)
        else:
            yield repr(piece).encode(errors="surrogatepass")


_DATE = re.compile(r"\d{4}-\d\d-\d\d")  # calls about different things often name the same day


def linking_values(value: Json) -> frozenset[str]:
    """Every text and whole number in a value, as calls name things by them."""
    values: set[str] = set()
    _collect(value, values, DEEPEST)
    return frozenset(values)


def _collect(value: Json, values: set[str], deeper: int) -> None:
    kind = type(value)
    if kind is str:
        if len(value) > 1 and not _DATE.match(value):
            values.add(value)
    elif kind is int:
        values.add(str(value))
    elif kind not in LEAVES and deeper:
        for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
            _collect(inner, values, deeper - 1)
