"""Where a value can come from: a source and a state in, the value to use out, or nothing.

Every source reads this conversation alone: the customer's words, the tools' results, earlier arguments. The one
exception, a constant, is for words and switches of the tool itself and never for what names a thing.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agent_gym.agent.embedded import spoken
from agent_gym.agent.embedded.leaves import Leaf, is_specific, norm_of
from agent_gym.agent.embedded.manner import consents
from agent_gym.agent.embedded.reading import MONTHS, tokens, values_in
from agent_gym.agent.embedded.shape import Shape
from agent_gym.agent.embedded.talk import State
from agent_gym.types import Json

__all__ = ["Around", "Pick", "Source", "described", "fitting", "log_odds", "marks_of", "preferred", "resolve"]

SourceKind = Literal["said", "found", "argument", "mention", "constant", "words"]
_KEPT = 1 << 10  # texts
_RECENT = 3  # customer turns back to which a description still points
_ALL = frozenset("all everything both entire whole every".split())
_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-\d\d")


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """`said` has a kind of value as its path, `found` and `argument` a tool and a path; `part` says how to read it."""

    kind: SourceKind
    tool: str = ""
    path: str = ""
    part: spoken.Part = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """A value; not `certain` where others would have done as well."""

    value: Json
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Around:
    """What else bears on a choice: values this argument has had before (`used`), values the call's other
    arguments have (`taken`), the calls that speak of the same thing as those (`focus`), and the conversations that
    recorded habits are not to be taken from (`hidden`), values it cannot have (`barred`), values that only hidden
    conversations tell of (`unknown`): they are read as any other, but not known again; and how many values a list has
    to have beside another of the call (`many`; 0: as many as are meant)."""

    used: frozenset[str] = frozenset()
    taken: frozenset[str] = frozenset()
    focus: frozenset[int] = frozenset()
    hidden: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    many: int = 0


def resolve(source: Source, shape: Shape, state: State, around: Around, prefers: Mapping[str, float]) -> Pick | None:
    """The value this source gives now. A constant is known only to the points that use it: not here.

    `prefers`: what the chosen of several records had that the others had not, mark → how telling.
    """
    taken = around.barred | (around.taken if shape.alone else frozenset[str]())
    match source.kind:
        case "said":
            return _spoken(spoken.said(source.path, source.part, shape, state, taken), shape)
        case "mention":
            return _spoken(spoken.mentioned(shape, state, taken, around.unknown), shape)
        case "found" | "argument":
            leaves = state.at_place(source.tool, source.path, source.kind == "found")
            return _from_calls([leaf for leaf in leaves if leaf.norm not in taken], shape, state, around, prefers)
        case "words":
            words = spoken.own_words(state)
            return Pick(words) if words else None
        case "constant":
            return None


def _spoken(spots: Sequence[spoken.Spot], shape: Shape) -> Pick | None:
    if spots and shape.is_list:
        latest = max(spot.at for spot in spots)
        return Pick(list({norm_of(s.value): s.value for s in spots if s.at == latest}.values()))
    meant = spoken.told(spots, shape)
    return Pick(meant[0].value, meant[1]) if meant else None


def _from_calls(
    leaves: Sequence[Leaf], shape: Shape, state: State, around: Around, prefers: Mapping[str, float]
) -> Pick | None:
    if around.focus & {leaf.call for leaf in leaves}:
        leaves = [leaf for leaf in leaves if leaf.call in around.focus]
    distinct = list({leaf.norm: leaf for leaf in leaves}.values())
    distinct.sort(key=lambda leaf: -leaf.call)
    if not distinct:
        return None
    if len(distinct) == 1:
        return _pick(distinct, shape, certain=True)
    for told in (state.agreed, {said.value.norm for said in state.said}):
        named = [leaf for leaf in distinct if leaf.norm in told]
        if len(named) == 1 or (named and shape.is_list and _enough(named, shape, around)):
            return _pick(named, shape, certain=True)
        distinct = named or distinct
    pointed = described(distinct, state, several=shape.is_list)
    if pointed and _enough(pointed, shape, around):
        return _pick(pointed, shape, certain=True)
    pointed = fitting(distinct, state) or distinct
    if around.many < 2 and (best := preferred(distinct, prefers, pointed)):
        return _pick([best], shape, certain=True)
    fresh = [leaf for leaf in pointed if leaf.norm not in around.used]
    return _pick((fresh or pointed)[: around.many or 1], shape, certain=False)


def _enough(leaves: Sequence[Leaf], shape: Shape, around: Around) -> bool:
    """Whether so many may be meant: as many as the list beside it has, or no more than recorded lists had."""
    return not shape.is_list or (len(leaves) == around.many if around.many else len(leaves) <= shape.longest)


def preferred(leaves: Sequence[Leaf], prefers: Mapping[str, float], among: Sequence[Leaf]) -> Leaf | None:
    """Of those `among` all the leaves, the one whose record has clearly more of what chosen ones had."""
    open_ = {leaf.norm for leaf in among}
    points = [
        sum(prefers.get(mark, 0.0) for mark in marks) if leaf.norm in open_ else -math.inf
        for leaf, marks in zip(leaves, marks_of([leaf.holder for leaf in leaves]), strict=True)
    ]
    ranked = sorted(points, reverse=True)
    return leaves[points.index(ranked[0])] if ranked[0] - ranked[1] > 1.0 else None


def marks_of(holders: Sequence[Json]) -> list[list[str]]:
    """What can be said of each of several records: of itself, and against the others."""
    rows = [holder if isinstance(holder, Mapping) else {} for holder in holders]
    marks = [_own_marks(row) for row in rows]
    if len(rows) > 1:
        marks[0].append("first")
        marks[-1].append("last")
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [norm_of(row[name]) if _is_scalar(row.get(name)) else "" for row in rows]
        for n, value in enumerate(values):
            if value and values.count(value) == 2 and len(values) > 2:
                marks[n].append(f"{name} as {'before' if value in values[:n] else 'after'}")
        for word, n in _extremes([row.get(name) for row in rows]):
            marks[n].append(f"{name} {word}")
    return marks


def _extremes(values: Sequence[Json]) -> Iterator[tuple[str, int]]:
    """Which of several amounts, or of several days, stands alone at either end."""
    amounts = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    if len(values) > 1 and (amounts or all(isinstance(value, str) and _DAY.match(value) for value in values)):
        for word, end in (("highest", max(values)), ("lowest", min(values))):
            if values.count(end) == 1:
                yield word, values.index(end)


def _is_scalar(value: Json) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _own_marks(holder: Json) -> list[str]:
    """What can be said of a record in a word: `status=offline`, `leased=True`."""
    if not isinstance(holder, Mapping):
        return []
    marks = []
    for name, value in holder.items():
        if isinstance(value, bool) or (isinstance(value, str) and value.isalpha()):
            marks.append(f"{name}={value}")
        elif isinstance(value, str) and len(value) < 60:
            marks += [f"{name}~{word}" for word in dict.fromkeys(tokens(value)) if word.isalpha()]
    return marks


def log_odds(chosen: Counter[str], passed: Counter[str]) -> dict[str, float]:
    """How telling each mark is of what was chosen."""
    picked, left = 1 + chosen.total(), 1 + passed.total()
    marks = sorted(chosen.keys() | passed.keys())
    return {m: math.log((chosen[m] + 1) / picked) - math.log((passed[m] + 1) / left) for m in marks}


def _pick(leaves: Sequence[Leaf], shape: Shape, *, certain: bool) -> Pick | None:
    values = [shape.cast(leaf.value) for leaf in leaves]
    if any(value is None for value in values):
        return None
    return Pick(values if shape.is_list else values[0], certain)


def described(leaves: Sequence[Leaf], state: State, *, several: bool) -> list[Leaf]:
    """The leaves whose record the customer has agreed to or spoken of; empty where the words fit several or none."""
    if several and not consents(state.words) and _ALL & set(tokens(state.words)):
        return list(leaves)
    for chosen in _by_words(leaves, state, 0.6 if several else 1.0):
        if several or len({leaf.norm for leaf in chosen}) == 1:
            return chosen
    return []


def fitting(leaves: Sequence[Leaf], state: State) -> list[Leaf]:
    """The leaves whose records the customer's words fit best, however many they are."""
    return next(_by_words(leaves, state, 1.0), [])


def _by_words(leaves: Sequence[Leaf], state: State, enough: float) -> Iterator[list[Leaf]]:
    """What the words single out: what was agreed to, then what was said of late, then all that was said."""
    recent, ever = (" ".join(text for _, text in turns) for turns in (state.turns[-_RECENT:], state.turns))
    records = [_told_by(leaf.holder, state.talk.told_by) for leaf in leaves]
    for text in (state.words, state.asked, recent, ever) if consents(state.words) else (recent, ever):
        if chosen := _spoken_of(leaves, records, _words_in(text), enough):
            yield chosen


def _told_by(holder: Json, known: dict[int, frozenset[str]]) -> frozenset[str]:
    """The words of a record, by its id in what is `known` of this conversation: many of its fields are looked at."""
    if id(holder) not in known:
        known[id(holder)] = frozenset(_stems(_record_words(holder)))
    return known[id(holder)]


@lru_cache(maxsize=_KEPT)
def _words_in(text: str) -> frozenset[str]:
    return frozenset(_stems(tokens(text))).union(value.norm for value in values_in(text))


def _spoken_of(
    leaves: Sequence[Leaf], records: Sequence[frozenset[str]], words: frozenset[str], enough: float
) -> list[Leaf]:
    """A word counts for a record the more, the fewer of the others have it too."""
    shared = Counter(word for record in records for word in record)
    points = [sum(1 / shared[w] for w in sorted(r & words) if shared[w] < len(records)) for r in records]
    least = enough * max(points)
    return [leaf for leaf, point in zip(leaves, points, strict=True) if point >= least > 0]


def _record_words(holder: Json, depth: int = 0) -> Sequence[str]:
    if isinstance(holder, str):
        # The 12 of a day or an id is not any other 12.
        if day := _DAY.match(holder):  # spoken of by its month
            return [norm_of(holder), MONTHS[int(day[1]) - 1]]
        return [norm_of(holder)] if is_specific(holder) and " " not in holder else tokens(holder)
    if depth > 4 or not isinstance(holder, Mapping | list | tuple):
        # A number is one word: the 12 of a date is not the 12 of 12.99.
        return [norm_of(holder)] if isinstance(holder, int | float) and not isinstance(holder, bool) else []
    items: Iterable[Json] = holder
    if isinstance(holder, Mapping):
        items = [*holder.values(), *(key for key in holder if " " in str(key))]
    return [word for item in items for word in _record_words(item, depth + 1)]


def _stems(words: Iterable[str]) -> list[str]:
    """Words of some weight, cut so that singular and plural meet."""
    return [word[:6].rstrip("s") for word in words if len(word) > 1 or word.isdigit()]
