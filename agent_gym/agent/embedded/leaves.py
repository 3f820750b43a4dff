"""Calls and what they found: a call and its answer in, its scalars out, each with its place.

A value is known by its norm, so that `#W12`, `w12` and a tool's `"#W12"` are one value. A path inside a
result names the field and not the row: `items.*.price` for every item of every order. What stands inside a text has
a path of its own: `expected_end~time`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.text import Value, parsed
from agent_gym.types import Json, Message, ToolCall

__all__ = [
    "Call",
    "Leaf",
    "Names",
    "arguments_of",
    "failed",
    "is_specific",
    "leaves_of",
    "norm_of",
    "scalars",
    "text_of",
    "words_of",
]

Names = Mapping[str, Mapping[str, str]]  # the norm of an id → by field, what everybody calls it

_DEEP, _MANY = 12, 3000  # a result is read this deep and this far: what an agent looks at, not a data dump
_SENTENCES = 400  # characters; a longer text is a document
_TOLD_INSIDE = ("amount", "date", "number", "time")
_PHONE_LIKE = re.compile(r"(?=.*\d)[+(\d].*[ ()-]")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?:\D|$)")
_MIXED = re.compile(r"(?=.*[\d@])")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One scalar of a call: an argument (`result` False) or a field of its result."""

    at: int
    call: int
    tool: str
    path: str
    result: bool
    value: Json
    norm: str
    holder: Json  # the object it stands in: what describes it


@dataclass(frozen=True, slots=True)
class Call:
    """A call made, where it stands, and what came back; `failed` where the tool refused."""

    at: int
    call: ToolCall
    answer: Message | None
    failed: bool


def norm_of(value: Json) -> str:
    """The form in which values compare."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.10g}"
    return _norm_of_text(str(value))


@lru_cache(maxsize=1 << 15)
def _norm_of_text(value: str) -> str:
    text = " ".join(value.split())
    if len(text) < 40 and _PHONE_LIKE.match(text) and not _ISO_DATE.match(text):
        found = values_in(text)
        if len(found) == 1 and len(found[0].text) == len(text):
            return found[0].norm
    return text.lower().lstrip("#")


def is_specific(value: Json) -> bool:
    """Whether the value names one thing (an id, an address, an account): such a value is never made up."""
    return isinstance(value, str) and bool(_MIXED.match(value))


def failed(answer: Message) -> bool:
    """Whether a tool refused: logs often say so in the result alone."""
    result = parsed(answer.result)
    if answer.is_error:
        return True
    if isinstance(result, Mapping):
        return bool(result.get("error"))
    return isinstance(result, str) and result.lower().startswith("error")


def arguments_of(call: ToolCall) -> Mapping[str, Json]:
    """The call's arguments; none where the log holds something else in their place."""
    arguments: Json = parsed(call.arguments)
    return arguments if isinstance(arguments, Mapping) else {}


def text_of(made: Call) -> str:
    """All words of a call's answer, as one text."""
    result = parsed(made.answer.result) if made.answer is not None else ""
    return " ".join(str(value) for _, value, _ in scalars(result))


def words_of(name: str) -> str:
    """`findUser_id` as words: find user id."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.rsplit(".", 1)[-1])
    return " ".join(tokens(spaced))


def leaves_of(number: int, made: Call, places: Mapping[int, int], names: Names) -> Iterator[Leaf]:
    """Of the call of this number: its arguments, and what came back. `places`: where each message stands, by its id."""
    name = made.call.name
    for path, value, holder in scalars(arguments_of(made.call)):
        yield Leaf(made.at, number, name, path, False, value, norm_of(value), holder)
    if made.answer is None:
        return
    at = places[id(made.answer)]
    result = parsed(made.answer.result)
    for count, (path, value, holder) in enumerate(scalars(_called(result, names) if names else result)):
        if count == _MANY:
            return
        if not made.failed:  # what a refused call was about is no finding; why it was refused is
            yield Leaf(at, number, name, path, True, value, norm_of(value), holder)
        for inner, part in _within(value, made.failed) if isinstance(value, str) else ():
            yield Leaf(at, number, name, f"{path}~{inner}", True, part, norm_of(part), holder)


def _within(text: str, word_by_word: bool) -> Iterator[tuple[str, Json]]:
    """What stands inside a text, by name: the day and the hour of a moment, the dates and sums of a sentence, and, of a
    refusal, its words, for tools refuse with sentences in which a word or two are different each time."""
    if moment := _MOMENT.match(text):
        yield from zip(("day", "time"), moment.groups(), strict=True)
    elif " " in text and len(text) <= _SENTENCES and any(map(str.isdigit, text)):
        seen = Counter[str]()
        for value in values_in(text):
            if value.kind in _TOLD_INSIDE:
                seen[value.kind] += 1
                yield f"{value.kind} {seen[value.kind]}", _plain(value)
    if word_by_word and " " in text and len(text) <= _SENTENCES:
        yield from ((f"word {place}", word) for place, word in enumerate(tokens(text)) if word.isalpha())


def _plain(value: Value) -> Json:
    try:
        return float(value.norm) if value.kind in ("amount", "number") else value.norm
    except ValueError:
        return value.text


def _called(value: Json, names: Names, depth: int = 0) -> Json:
    """The result with the name of every thing beside its id."""
    if depth > _DEEP or not isinstance(value, Mapping | list | tuple):
        return value
    if not isinstance(value, Mapping):
        return [_called(item, names, depth + 1) for item in value]
    told = {key: _called(item, names, depth + 1) for key, item in value.items()}
    for key, item in value.items():
        if isinstance(item, str) and (known := names.get(norm_of(item))):
            told |= {f"{key}~{name}": text for name, text in known.items() if text not in value.values()}
    return told


def scalars(value: Json, path: str = "", holder: Json = None, depth: int = 0) -> Iterator[tuple[str, Json, Json]]:
    """(path, scalar, the object it stands in), keys that are themselves values included."""
    if depth > _DEEP or value is None:
        return
    if isinstance(value, Mapping):
        rows = len(value) > 30 or any(re.search(r"[\d ]", str(key)) for key in value)
        for key, item in value.items():
            inner = f"{path}.*" if rows else f"{path}.{key}"
            around = {key: item} if rows and not isinstance(item, Mapping) else value
            if rows:
                yield f"{inner}~key".lstrip("."), key, {key: item}
            yield from scalars(item, inner.lstrip("."), around, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from scalars(item, f"{path}.*".lstrip("."), holder if holder is not None else item, depth + 1)
    else:
        yield path, value, holder
