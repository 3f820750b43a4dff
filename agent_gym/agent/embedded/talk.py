"""A conversation as places and values: messages in, what was said, called and found out, each with its place."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from agent_gym.agent.embedded.leaves import Call, Leaf, Names, failed, leaves_of
from agent_gym.agent.embedded.manner import consents, corrects, goes_on, offers_more, refuses
from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.text import Value
from agent_gym.types import Message, paired_calls

__all__ = ["DAY", "Said", "State", "Talk", "day_of", "is_over", "says"]

_FEW_WORDS = 4  # a shorter turn is an answer and no wish
_SHORT = 2  # digits: so few may be anything
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TODAY = re.compile(r"\b(?:today|current|now)\b", re.IGNORECASE)
_BEFORE = 40  # letters before a date in which it is said to be today's
_KEPT = 64  # policies
_LETTERS = "abcdefghijklmnopqrstuvwxyz-_"


@dataclass(frozen=True, slots=True)
class Said:
    """A value in the customer's words."""

    at: int
    value: Value


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


@lru_cache(maxsize=_KEPT)
def day_of(policy: str) -> str:
    """The day it is, by what an agent was told: the one date in it, or the one told as today's. Empty if none is."""
    dates = [value for value in values_in(policy) if value.kind == "date" and DAY.fullmatch(value.norm[:10])]
    if len({value.norm[:10] for value in dates}) > 1:
        dates = [value for value in dates if _TODAY.search(policy[max(0, value.start - _BEFORE) : value.start])]
    return dates[0].norm[:10] if dates else ""


def is_over(norm: str, today: str) -> bool | None:
    """Whether a day is before this one; None for what is no day, or where nobody knows what day it is."""
    return norm[:10] < today if today and DAY.match(norm) else None


class Talk:
    """The values of a conversation, each with the place from which on it is known."""

    __slots__ = ("_tokens", "by_norm", "calls", "leaves", "messages", "said", "today", "told_by")

    def __init__(self, messages: Sequence[Message], names: Names | None = None, policy: str = "") -> None:
        """`names`: norm of an id → by field, what everybody calls it. `policy`: what the agent was told, where the
        messages do not say."""
        self.messages = tuple(messages)
        told = "\n".join(m.text for m in self.messages if m.role == "system") or policy
        self.today = day_of(told)
        self.calls = tuple(_calls(self.messages))
        places = {id(message): at for at, message in enumerate(self.messages)}
        self.leaves = tuple(
            leaf for n, call in enumerate(self.calls) for leaf in leaves_of(n, call, places, names or {})
        )
        self.said = tuple(
            Said(at, value)
            for at, message in enumerate(self.messages)
            if message.role == "user"
            for value in values_in(message.text)
        )
        self.told_by: dict[int, frozenset[str]] = {}  # the words of the records the leaves stand in, as they are read
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
    def shown(self) -> frozenset[str]:
        """The norms of all that tools have answered."""
        return frozenset(leaf.norm for leaf in self.leaves if leaf.result)

    @cached_property
    def called_short(self) -> Mapping[str, str]:
        """The ids that tools have shown, by what is left without the letters they begin with: often said so."""
        short = ((norm.lstrip(_LETTERS), norm) for norm in sorted(self.shown) if norm[:1] in _LETTERS)
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

    def answered_by(self, turn: int) -> int:
        """The place of the agent's words before a customer turn; -1 if there are none."""
        places = range(turn - 1, -1, -1)
        return next((at for at in places if (m := self.talk.messages[at]).role == "assistant" and _speaks(m)), -1)

    @cached_property
    def turned_down(self) -> tuple[int, ...]:
        """The places of the agent's words to which the customer said no."""
        answered = (self.answered_by(turn) for turn, text in self.turns if refuses(text))
        return tuple(place for place in answered if place >= 0)

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
    """Whether the customer, asked this, begins with something: also who says that it was something else they wanted."""
    return len(text.split()) > _FEW_WORDS and (
        offers_more(asked) or goes_on(text) or (corrects(text) and not values_in(text))
    )


def _speaks(message: Message) -> bool:
    return bool(message.text) and not message.tool_calls


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
