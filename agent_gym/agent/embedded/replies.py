"""Recorded replies as templates: a reply and where its values came from in, the same reply for this conversation out.

A sentence is said only if each value in it can be taken from the same place of this conversation, or stands in
this conversation anyway; other sentences are left out, and a reply of which nothing is left is no reply.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.agent.embedded.points import Point
from agent_gym.agent.embedded.shape import form_of
from agent_gym.agent.embedded.sources import Source
from agent_gym.agent.embedded.talk import Leaf, State, arguments_of, norm_of
from agent_gym.text import Value, tokens, values_in
from agent_gym.types import Json, ToolCall

__all__ = ["Filled", "Reply", "ReplyBook", "fill", "known_in"]

_SENTENCE = re.compile(r"(?<!\d\.)(?<=[.!?:])\s+(?=[\"'(A-Z*#-])|\n+")
_LIST_MARK = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s+")
_CAPITAL = re.compile(r"(?<=[a-z,;:)] )[A-Z][\w'-]+")
_HAS_VALUE = re.compile(r"\d.* | .*\d")
_COMMON = 3  # conversations in which agents use a word unprompted: then it is a word, not a value


@dataclass(frozen=True, slots=True)
class Slot:
    """A span of a recorded sentence that states a value, and the places it may have come from.

    `place` is its rank among the `among` values that stood at the source's place."""

    start: int
    end: int
    text: str
    sources: tuple[tuple[Source, int, int], ...]


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


@dataclass(frozen=True, slots=True)
class Filled:
    """A reply for this conversation: the share of the record's that is kept, the share of its values that are
    the same, and the share of its topics of which nobody here has spoken."""

    text: str
    kept: float = 1.0
    same: float = 1.0
    foreign: float = 0.0


class ReplyBook:
    """Which of the agents' words are theirs, and which they took from the conversation: learned once."""

    def __init__(self, points: Sequence[Point]) -> None:
        unprompted: dict[str, set[str]] = defaultdict(set)
        for conversation, replies in _by_conversation(points).items():
            held = _held(replies[-1].state)
            for word in {w for p in replies for w in tokens(p.reply)} - held:
                unprompted[word].add(conversation)
        self._words = frozenset(word for word, where in unprompted.items() if len(where) >= _COMMON)

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
        topics = (set(tokens(point.reply)) & _held(point.state)) - self._words
        return Reply(tuple(sentences), frozenset(word for word in topics if len(word) > 3 and word.isalpha()))

    def _slots(self, text: str, state: State, leaves: Sequence[Leaf]) -> list[Slot]:
        spans: dict[tuple[int, int], str] = {}
        mark = _LIST_MARK.match(text)
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
                chosen.append(Slot(start, end, text[start:end], _origins(norm, state, leaves)))
        return sorted(chosen, key=lambda slot: slot.start)

    def _phrase(self, leaf: Leaf) -> str:
        """The leaf as a phrase to look for in a reply; empty for what is an ordinary word."""
        if not isinstance(leaf.value, str) or not 3 <= len(leaf.value) <= 60:
            return ""
        phrase = leaf.value.lower()
        return "" if phrase in self._words else phrase


def _held(state: State) -> set[str]:
    """The words the customer and the tools have used."""
    spoken = {word for at, _ in state.turns for word in state.words_at(at)}
    return spoken | {word for leaf in state.leaves if isinstance(leaf.value, str) for word in tokens(leaf.value)}


def _by_conversation(points: Iterable[Point]) -> dict[str, list[Point]]:
    groups: dict[str, list[Point]] = defaultdict(list)
    for point in points:
        if point.reply:
            groups[point.conversation_id].append(point)
    return groups


def _argument_leaves(call: ToolCall) -> list[Leaf]:
    rows = [(n, v) for n, value in arguments_of(call).items() for v in (value if isinstance(value, list) else [value])]
    return [Leaf(-1, -1, call.name, name, False, value, norm_of(value), None) for name, value in rows]


def _origins(norm: str, state: State, leaves: Sequence[Leaf]) -> tuple[tuple[Source, int, int], ...]:
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
    return tuple((source, place, among) for source, (place, among) in found.items())


def _rank(norm: str, norms: Sequence[str]) -> tuple[int, int]:
    distinct = list(dict.fromkeys(norms))
    return distinct.index(norm), len(distinct)


def known_in(state: State) -> frozenset[str]:
    """The values and words that stand in the conversation: the customer's and the tools'.

    The agent's own earlier words are not among them: a mistake must not vouch for itself."""
    texts = [text for _, text in state.turns]
    texts += [leaf.value for leaf in state.leaves if isinstance(leaf.value, str) and _HAS_VALUE.search(leaf.value)]
    known = {leaf.norm for leaf in state.leaves}
    known |= _held(state)
    return frozenset(known | {value.norm for text in texts for value in values_in(text)})


def _grounded(text: str, known: frozenset[str], policy: str) -> bool:
    return all(
        _stands(value, known, policy) for line in text.split("\n") for value in values_in(_LIST_MARK.sub("", line))
    )


def _stands(value: Value, known: frozenset[str], policy: str) -> bool:
    if value.norm in known or value.text in policy:
        return True
    if value.kind == "name":  # two values side by side read as one name
        return all(word in known for word in tokens(value.text))
    return False


def fill(reply: Reply, state: State, known: frozenset[str], bound: Mapping[str, Mapping[str, Json]]) -> Filled | None:
    """The reply with this conversation's values. `known` are the norms and words that stand in it;
    `bound` are arguments, by tool, of calls the reply prepares."""
    policy = "\n".join(m.text for m in state.talk.messages[: state.at] if m.role == "system")
    here = _Here(state, known, policy, bound)
    said = [here.say(sentence) for sentence in reply.sentences]
    # A lead-in whose list could not be said leads nowhere.
    for i in reversed(range(len(said))):
        if reply.sentences[i].text.rstrip().endswith(":") and not any(said[i + 1 : i + 2]):
            said[i] = None
    kept = [text + (s.end or " ") for text, s in zip(said, reply.sentences, strict=True) if text]
    text = "".join(kept).strip()
    if len(tokens(text)) < 2:
        return None
    size = sum(len(sentence.text) for sentence in reply.sentences)
    whole = sum(len(s.text) for t, s in zip(said, reply.sentences, strict=True) if t)
    foreign = len(reply.topics - known) / max(3, len(reply.topics))
    return Filled(text, whole / size, here.same_share(), foreign)


class _Here:
    """The present conversation as the source of a reply's values; the same recorded value is the same here."""

    def __init__(
        self, state: State, known: frozenset[str], policy: str, bound: Mapping[str, Mapping[str, Json]]
    ) -> None:
        self._state, self._known, self._policy, self._bound = state, known, policy, bound
        self._standing: dict[str, str] = {}  # recorded norm → present norm
        self._same: list[bool] = []

    def say(self, sentence: Sentence) -> str | None:
        """The sentence with present values, or None if one of them is not to be had."""
        text = sentence.text
        for slot in reversed(sentence.slots):
            value = self._value(slot)
            if value is None:
                return None
            said = _styled(value, slot.text)
            self._same.append(norm_of(said) == norm_of(slot.text))
            text = text[: slot.start] + said + text[slot.end :]
        return text if not sentence.slots or _grounded(text, self._known, self._policy) else None

    def same_share(self) -> float:
        return sum(self._same) / len(self._same) if self._same else 1.0

    def _value(self, slot: Slot) -> Json:
        recorded = norm_of(slot.text)
        for source, place, among in slot.sources:
            values = self._values(source, form_of(slot.text))
            if len(values) == 1 or (values and len(values) == among):
                value = values[0] if len(values) == 1 else values[place]
                # Two things of the record must not become one thing here.
                others = {norm for old, norm in self._standing.items() if old != recorded}
                if norm_of(value) in others:
                    continue
                self._standing[recorded] = norm_of(value)
                return value
        if slot.sources:
            return None
        stands = recorded in self._known or slot.text in self._policy
        return slot.text if stands or any(_stands(v, self._known, self._policy) for v in values_in(slot.text)) else None

    def _values(self, source: Source, form: str) -> list[Json]:
        if source.kind == "argument" and source.path in self._bound.get(source.tool, {}):
            value = self._bound[source.tool][source.path]
            return value if isinstance(value, list) else [value]
        if source.kind == "said":
            said = [s.value for s in self._state.said if s.value.kind == source.path and form_of(s.value.text) == form]
            return list({value.norm: value.text for value in said}.values())
        leaves = self._state.at_place(source.tool, source.path, source.kind == "found")
        return list({leaf.norm: leaf.value for leaf in leaves if leaf.call == leaves[-1].call}.values())


def _styled(value: Json, like: str) -> str:
    """The value written as the record wrote its own: money with its sign and cents, words with their case."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        cents = bool(re.search(r"\.\d\d\b", like)) or not float(value).is_integer()
        number = f"{abs(value):,.2f}" if cents else f"{abs(int(value))}"
        sign = next((c for c in like if c in "$€£"), "")
        return ("-" if value < 0 else "") + (sign + number if like.lstrip("-")[:1] == sign else number)
    text = str(value)
    if like[:1].isupper() and text.islower() and " " not in like and text.isalpha():
        return text.capitalize()
    return text
