"""Recorded replies as templates: a reply in, its sentences out, with the places their values came from."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from agent_gym.agent.embedded.leaves import Leaf, arguments_of, norm_of
from agent_gym.agent.embedded.points import Point
from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.agent.embedded.sources import Source, log_odds, marks_of
from agent_gym.agent.embedded.talk import State, is_over
from agent_gym.types import ToolCall

__all__ = ["LIST_MARK", "Origin", "Reply", "ReplyBook", "Sentence", "Slot", "held", "roles_of"]

_SENTENCE = re.compile(r"(?<!\d\.)(?<=[.!?])\s+|(?<=:)\s+(?=[A-Z*#-])|\n+")
LIST_MARK = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s+")
_CAPITAL = re.compile(r"(?<=[a-z,;:)] )[A-Z][\w'-]+")
_COMMON = 3  # conversations in which agents use a word unprompted: then it is a word, not a value


@dataclass(frozen=True, slots=True)
class Origin:
    """A place a value may have come from: there it was number `place` of `among`; `listed` if the reply tells
    all of them, so that it is an enumeration. `roles` are the fields in which the tools know it, `thing` says whether
    it is what some thing is called."""

    source: Source
    place: int
    among: int
    listed: bool = False
    roles: frozenset[str] = frozenset()
    thing: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """A span of a recorded sentence that states a value, and the places it may have come from. `over`: it is a day that
    was over then, or one that was not; None for all else."""

    start: int
    end: int
    text: str
    origins: tuple[Origin, ...]
    over: bool | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    end: str  # the white space that follows
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """A recorded reply, ready to be said again; `topics` are words it took from its conversation."""

    sentences: tuple[Sentence, ...]
    topics: frozenset[str]


class ReplyBook:
    """Which of the agents' words are theirs, and which they took from the conversation: learned once."""

    def __init__(self, points: Sequence[Point], things: frozenset[str] = frozenset()) -> None:
        """`things`: the norms of what things are called."""
        unprompted: dict[str, set[str]] = defaultdict(set)
        for conversation, replies in _by_conversation(points).items():
            for word in {w for p in replies for w in tokens(p.reply)} - held(replies[-1].state):
                unprompted[word].add(conversation)
        self._words = frozenset(word for word, where in unprompted.items() if len(where) >= _COMMON)
        self.prefers = _told_rows(points)
        self.things = things
        self._used = frozenset(word for point in points if point.reply for word in tokens(point.reply))
        self._pairs = frozenset(pair for point in points if point.reply for pair in pairwise(tokens(point.reply)))

    def can_stand(self, before: str, word: str, after: str) -> bool:
        """Whether agents who used the word ever used it so: they speak of what is online, but of nothing that "stays
        online after the restart". Of a word that none of them used nobody knows."""
        if word not in self._used:
            return True
        around = (*tokens(before)[-1:], word, *tokens(after)[:1])
        return all(pair in self._pairs for pair in pairwise(around))

    def reply_of(self, point: Point) -> Reply:
        """The point's reply with the places of its values. `point.then` are calls it prepared."""
        coming = [leaf for call in point.then for leaf in _argument_leaves(call)]
        leaves = [*point.state.leaves, *coming]
        sentences, begin = [], 0
        for match in [*_SENTENCE.finditer(point.reply), None]:
            end = match.start() if match else len(point.reply)
            text = point.reply[begin:end]
            if text.strip():
                gap = match.group() if match else ""
                sentences.append(Sentence(text, gap, tuple(self._slots(text, point.state, leaves))))
            begin = match.end() if match else end
        topics = (set(tokens(point.reply)) & held(point.state)) - self._words
        sentences = _enumerating(sentences)
        return Reply(tuple(sentences), frozenset(word for word in topics if len(word) > 3 and word.isalpha()))

    def _slots(self, text: str, state: State, leaves: Sequence[Leaf]) -> list[Slot]:
        spans: dict[tuple[int, int], str] = {}
        mark = LIST_MARK.match(text)
        body = mark.end() if mark else 0
        for value in values_in(text[body:]):
            start = value.start + body
            spans[start, start + len(value.text)] = value.norm
        low = text.lower()
        for leaf in leaves:
            if (phrase := self._phrase(leaf)) and phrase in low:
                for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", low):
                    spans[match.span()] = leaf.norm
        for match in _CAPITAL.finditer(text):
            if match.group().lower() not in self._words:
                spans.setdefault(match.span(), match.group().lower())
        chosen: list[Slot] = []
        for (start, end), norm in sorted(spans.items(), key=lambda row: (row[0][0] - row[0][1], row[0])):
            if all(end <= slot.start or start >= slot.end for slot in chosen):
                origins = _origins(norm, state, leaves, norm in self.things)
                chosen.append(Slot(start, end, text[start:end], origins, is_over(norm, state.talk.today)))
        return sorted(chosen, key=lambda slot: slot.start)

    def _phrase(self, leaf: Leaf) -> str:
        """The leaf as a phrase to look for in a reply; empty for what is an ordinary word."""
        if not isinstance(leaf.value, str) or not 3 <= len(leaf.value) <= 60:
            return ""
        phrase = leaf.value.lower()
        return "" if phrase in self._words else phrase


def _enumerating(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences with those origins marked of which the reply tells all."""
    told: dict[Source, set[int]] = defaultdict(set)
    for origin in (origin for sentence in sentences for slot in sentence.slots for origin in slot.origins):
        told[origin.source].add(origin.place)

    def marked(slot: Slot) -> Slot:
        origins = (replace(o, listed=len(told[o.source]) == o.among) for o in slot.origins)
        return replace(slot, origins=tuple(origins))

    return [replace(sentence, slots=tuple(marked(slot) for slot in sentence.slots)) for sentence in sentences]


def held(state: State) -> set[str]:
    """The words the customer and the tools have used."""
    spoken = {word for at, _ in state.turns for word in state.words_at(at)}
    return spoken | {word for leaf in state.leaves if isinstance(leaf.value, str) for word in tokens(leaf.value)}


def _told_rows(points: Sequence[Point]) -> Mapping[tuple[str, str], Mapping[str, float]]:
    """By place in a tool's result: what the rows that replies told of had, and the others had not, as log odds."""
    told: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    passed: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for point in points:
        said = {value.norm for value in values_in(point.reply)} if point.reply else set()
        places = {(leaf.tool, leaf.path) for leaf in point.state.leaves if leaf.result and leaf.norm in said}
        for place in sorted(places):
            rows = point.state.at_place(*place, True)
            rows = list({leaf.norm: leaf for leaf in rows if leaf.call == rows[-1].call}.values())
            chosen = [leaf for leaf in rows if leaf.norm in said]
            if 0 < len(chosen) < len(rows):
                for leaf, marks in zip(rows, marks_of([leaf.holder for leaf in rows]), strict=True):
                    (told if leaf.norm in said else passed)[place].update(marks)
    return {place: log_odds(told[place], passed[place]) for place in sorted(told)}


def _by_conversation(points: Iterable[Point]) -> dict[str, list[Point]]:
    groups: dict[str, list[Point]] = defaultdict(list)
    for point in points:
        if point.reply:
            groups[point.conversation_id].append(point)
    return groups


def _argument_leaves(call: ToolCall) -> list[Leaf]:
    rows = [(n, v) for n, value in arguments_of(call).items() for v in (value if isinstance(value, list) else [value])]
    return [Leaf(-1, -1, call.name, name, False, value, norm_of(value), None) for name, value in rows]


def _origins(norm: str, state: State, leaves: Sequence[Leaf], thing: bool) -> tuple[Origin, ...]:
    """The places that held the value: results first, the latest first, then arguments, then the customer."""
    found: dict[Source, tuple[int, int]] = {}
    holding = [leaf for leaf in reversed(leaves) if leaf.norm == norm]
    for leaf in sorted(holding, key=lambda leaf: not leaf.result):
        source = Source("found" if leaf.result else "argument", leaf.tool, leaf.path)
        if source not in found:
            beside = state.at_place(leaf.tool, leaf.path, leaf.result)
            found[source] = _rank(norm, [other.norm for other in beside if other.call == leaf.call] or [norm])
    for said in reversed(state.said):
        if said.value.norm == norm:
            source = Source("said", path=said.value.kind)
            same_kind = [s.value.norm for s in state.said if s.value.kind == said.value.kind]
            found.setdefault(source, _rank(norm, same_kind))
    roles = roles_of(norm, state)
    return tuple(Origin(source, place, among, roles=roles, thing=thing) for source, (place, among) in found.items())


def roles_of(norm: str, state: State) -> frozenset[str]:
    """The fields in which the conversation's tools know a value: what kind of thing it is."""
    return frozenset(leaf.path.rsplit(".", 1)[-1] for leaf in state.talk.by_norm.get(norm, ()))


def _rank(norm: str, norms: Sequence[str]) -> tuple[int, int]:
    distinct = list(dict.fromkeys(norms))
    return distinct.index(norm), len(distinct)
