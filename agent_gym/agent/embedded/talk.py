"""A conversation as places and values: messages in, what was said, called and found out, each with its place.

A value is known by its norm, so that `#W12`, `w12` and a tool's `"#W12"` are one value. A path inside a
result names the field and not the row: `items.*.price` for every item of every order.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from agent_gym.agent.embedded.manner import consents, corrects, goes_on, offers_more
from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.text import Value, parsed
from agent_gym.types import Json, Message, ToolCall, paired_calls

__all__ = [
    "Call",
    "Leaf",
    "Names",
    "Said",
    "State",
    "Talk",
    "arguments_of",
    "failed",
    "is_specific",
    "norm_of",
    "says",
    "scalars",
    "text_of",
    "words_of",
]

Names = Mapping[str, Mapping[str, str]]

_DEEP, _MANY = 12, 3000  # a result is read this deep and this far: what an agent looks at, not a data dump
_FEW_WORDS = 4  # a shorter turn is an answer and no wish
_PHONE_LIKE = re.compile(r"(?=.*\d)[+(\d].*[ ()-]")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?:\D|$)")
_SENTENCES = 400  # characters; a longer text is a document
_TOLD_INSIDE = ("amount", "date", "number", "time")
_SHORT = 2  # digits: so few may be anything
_LETTERS = "abcdefghijklmnopqrstuvwxyz-_"
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
class Said:
    """A value in the customer's words."""

    at: int
    value: Value


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


def says(value: Value, norm: str) -> bool:
    """Whether a said value is the one meant: a date may be said without its year, a number without its
    leading zeros, an id without the letters that all ids of its kind begin with."""
    if value.norm == norm:
        return True
    if value.kind == "date" and "/" in value.norm:
        return sorted(f"{int(n):02d}" for n in value.norm.split("/")) == sorted(norm.split("-"))
    if value.kind == "date":
        return norm[:4].isdigit() and norm[4:] == f"-{value.norm}"
    if value.kind in ("id", "number") and len(value.norm) > _SHORT:
        return value.norm in (norm.lstrip("0"), norm.lstrip(_LETTERS))
    return False


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


class Talk:
    """The values of a conversation, each with the place from which on it is known."""

    __slots__ = ("_tokens", "by_norm", "calls", "leaves", "messages", "said")

    def __init__(self, messages: Sequence[Message], names: Names | None = None) -> None:
        """`names`: norm of an id → by field, what everybody calls it."""
        self.messages = tuple(messages)
        self.calls = tuple(_calls(self.messages))
        places = {id(message): at for at, message in enumerate(self.messages)}
        self.leaves = tuple(leaf for n, call in enumerate(self.calls) for leaf in _leaves(n, call, places, names or {}))
        self.said = tuple(
            Said(at, value)
            for at, message in enumerate(self.messages)
            if message.role == "user"
            for value in values_in(message.text)
        )
        self.by_norm: dict[str, list[Leaf]] = {}
        for leaf in self.leaves:
            self.by_norm.setdefault(leaf.norm, []).append(leaf)
        self._tokens = {at: tokens(m.text) for at, m in enumerate(self.messages) if m.role == "user"}

    def tokens_at(self, at: int) -> Sequence[str]:
        return self._tokens[at]


class State:
    """What an agent knows just before the message at place `at`; nothing later shows through."""

    def __init__(self, talk: Talk, at: int) -> None:
        self.talk, self.at = talk, at
        self.calls = tuple(c for c in talk.calls if c.at < at)
        self.leaves = tuple(leaf for leaf in talk.leaves if leaf.at < at)
        self.said = tuple(said for said in talk.said if said.at < at)
        before = talk.messages[:at]
        self.turns = tuple((i, m.text) for i, m in enumerate(before) if m.role == "user")
        self.opener = self.turns[0][1] if self.turns else ""
        self.words = self.turns[-1][1] if self.turns else ""
        since = self.turns[-1][0] if self.turns else at
        self.asked = next((m.text for m in reversed(before[:since]) if m.role == "assistant" and m.text), "")
        self.event = _event(before, self.calls)
        self._errands = _errands(before)
        self.errand_at = self.errand_of(at)
        # What the customer wants now: their turns of more than a few words about it, the latest three.
        errand = [text for at, text in self.turns if at >= self.errand_at and len(text.split()) > _FEW_WORDS]
        self.story = "\n".join(errand[-3:])

    def words_at(self, at: int) -> Sequence[str]:
        """The words of the customer turn at this place."""
        return self.talk.tokens_at(at)

    def at_place(self, tool: str, path: str, result: bool) -> Sequence[Leaf]:
        """The leaves at this place of this tool's calls so far, in order."""
        return self._places.get((tool, path, result), ())

    @cached_property
    def _places(self) -> Mapping[tuple[str, str, bool], Sequence[Leaf]]:
        places: dict[tuple[str, str, bool], list[Leaf]] = {}
        for leaf in self.leaves:
            places.setdefault((leaf.tool, leaf.path, leaf.result), []).append(leaf)
        return places

    @cached_property
    def called_short(self) -> Mapping[str, str]:
        """The ids that tools have shown, by what is left without the letters they begin with: the short way to say them."""
        shown = {leaf.norm for leaf in self.leaves if leaf.result}
        short = ((norm.lstrip(_LETTERS), norm) for norm in sorted(shown) if norm[:1] in _LETTERS)
        return {bare: norm for bare, norm in short if bare.isdigit() and len(bare) > _SHORT}

    @cached_property
    def agreed(self) -> frozenset[str]:
        """The values of the proposal to which the customer has just said yes."""
        return frozenset(v.norm for v in values_in(self.asked)) if consents(self.words) else frozenset()

    @property
    def tools_done(self) -> frozenset[str]:
        return frozenset(c.call.name for c in self.calls if not c.failed)

    def errand_of(self, at: int) -> int:
        """Where the customer began with what is spoken of at this place."""
        return max((start for start in self._errands if start <= at), default=-1)

    def errand_ends(self, at: int) -> int:
        """Where the customer began with the next thing after this place; past the end if with nothing."""
        return min((start for start in self._errands if start > at), default=len(self.talk.messages) + 1)

    @property
    def spoke(self) -> int:
        """Where the customer last spoke; -1 if they have not."""
        return self.turns[-1][0] if self.turns else -1

    @cached_property
    def errand_done(self) -> frozenset[str]:
        """The tools called with success for what the customer wants now."""
        return frozenset(c.call.name for c in self.calls if not c.failed and c.at > self.errand_at)

    @property
    def raised(self) -> bool:
        """Whether the customer has just begun with something, if they are not about to go."""
        return self.event == "user" and self.spoke == self.errand_at

    def is_due(self, tool: str, write_tools: frozenset[str]) -> bool:
        """Whether the tool was not called yet for what the customer wants now; what was found out stays known."""
        return tool not in (self.errand_done if tool in write_tools else self.tools_done)

    @property
    def replies(self) -> list[str]:
        return [m.text for m in self.talk.messages[: self.at] if m.role == "assistant" and m.text]


def _errands(before: Sequence[Message]) -> Sequence[int]:
    """Where the customer began with something: their first words, answers to "anything else?", and "one more thing"."""
    starts, asked = list[int](), ""
    for at, message in enumerate(before):
        if message.role == "assistant" and message.text:
            asked = message.text
        elif message.role == "user" and (not starts or _begins(message.text, asked)):
            starts.append(at)
    return starts


def _begins(text: str, asked: str) -> bool:
    return len(text.split()) > _FEW_WORDS and (offers_more(asked) or goes_on(text) or (corrects(text) and not values_in(text)))


def _event(before: Sequence[Message], calls: Sequence[Call]) -> str:
    """What the agent reacts to: the customer, a tool's answer or refusal, itself, or nothing yet."""
    last = next((m for m in reversed(before) if m.role != "system"), None)
    if last is None:
        return "start"
    if last.role != "tool" or not calls:
        return last.role
    return f"{calls[-1].call.name} {'failed' if calls[-1].failed else 'answered'}"


def _calls(messages: Sequence[Message]) -> Iterator[Call]:
    places = [at for at, m in enumerate(messages) if m.role == "assistant" for _ in m.tool_calls]
    for at, (call, answer) in zip(places, paired_calls(messages), strict=True):
        yield Call(at, call, answer, answer is not None and failed(answer))


def _leaves(number: int, made: Call, places: Mapping[int, int], names: Names) -> Iterator[Leaf]:
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
