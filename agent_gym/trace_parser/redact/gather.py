"""Traces in, one after the other; out of them all comes the dictionary of their personal values: the first pass.

What is kept grows with the number of different people, not with the length of the log.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from agent_gym.trace_parser.redact.dates import date_in
from agent_gym.trace_parser.redact.dictionary import Dictionary
from agent_gym.trace_parser.redact.fields import field_kind, names_a_person
from agent_gym.trace_parser.redact.kinds import Kind, fold, split_key, token_texts, tokens, words
from agent_gym.trace_parser.redact.patterns import Hit, pattern_hits
from agent_gym.trace_parser.redact.people import Name, name_words, names_in
from agent_gym.trace_parser.redact.prose import values_said
from agent_gym.trace_parser.redact.walk import Leaf, walked_trace
from agent_gym.types import Json, Trace

__all__ = ["Gathering", "Joined", "Known", "NameFinder", "Own", "Place", "forms", "is_wide", "kind_of"]

NameFinder = Callable[[str], Iterable[str]]  # a text → the names of people in it
Place = tuple[str, tuple[str, ...]]  # where names may be: a tool, and the words of a key

_LOWER = re.compile(r"(?<![\w@.#/-])[^\W\d_A-Z]{2,20}(?![\w@/]|[-.]\w)")
_TELLING = ("email", "birth_date", "national_id")
_PERSON_SHARE = 0.2  # of the different values of a field, to call all of them names
_ENOUGH = 300  # different values after which a field's share is settled
_VOCABULARY = 300_000  # words kept; beyond it those met once are forgotten


@dataclass(slots=True)
class Known:
    """The result. `words`: to replace wherever they stand; `common`: words of names that are everyday words as well."""

    entries: Dictionary
    words: Mapping[str, Kind]
    joined: Mapping[str, "Joined"]  # names run together, as sign-in names often are
    common: frozenset[str]
    births: frozenset[date]
    people: frozenset[Place]  # fields that turned out to hold names
    cities: frozenset[str]
    values: Mapping[Kind, tuple[str, ...]]  # all that fields and forms gave, as written, in order
    vocabulary: frozenset[str]


class Joined(NamedTuple):
    """A first and a last name without a space; `kept`: how many letters of the first."""

    first: str
    last: str
    kept: int


@dataclass(slots=True)
class Own:
    """What one conversation's own records say: short numbers and common words are theirs only there."""

    entries: Dictionary = field(default_factory=Dictionary)
    words: set[str] = field(default_factory=set)


def kind_of(leaf: Leaf, people: Iterable[Place]) -> Kind | None:
    """The kind of a field, once it is known which fields hold names."""
    kind = field_kind(leaf.keys, leaf.value)
    if kind == "maybe_name":
        return "name" if _surely_a_name(leaf) or _place(leaf) in people else None
    return kind if kind != "city" or _is_home(leaf) else None


def _surely_a_name(leaf: Leaf) -> bool:
    """A plain `name` is a person's where a person's other data stand beside it; `venue_name` is not."""
    told = len(split_key(leaf.keys[-1])) == 1 and any(kind in _TELLING for kind, _ in leaf.beside)
    return told or names_a_person(leaf.keys[:-1])


def _is_home(leaf: Leaf) -> bool:
    return any(kind in ("street", "postcode") for kind, _ in leaf.beside)


def _whole_name(leaf: Leaf) -> Name:
    """The parts of a name that a record keeps in fields of their own, as one."""
    parts = [name_words(str(value)) for kind, value in leaf.beside if kind == "name"]
    return tuple(word for part in parts for word in part) if 1 < len(parts) <= 3 else ()


def _place(leaf: Leaf) -> Place:
    return leaf.where, split_key(leaf.keys[-1])


class Gathering:
    """`find_names`: a plug-in that sees names in prose, beside our own rules."""

    def __init__(self, find_names: NameFinder | None = None) -> None:
        self._find_names = find_names
        self._values: dict[Kind, set[str]] = {}
        self._names: Counter[Name] = Counter()  # conversations of each
        self._said: Counter[Name] = Counter()  # the same for names only met in prose
        self._maybe: dict[Place, dict[str, int]] = {}
        self._settled: set[Place] = set()
        self._lower: Counter[str] = Counter()  # lower-case words of prose, by conversations in which they name nobody
        self._public: set[str] = set()
        self._fixed: set[str] = set()  # words of tool names, which stay

    def add(self, trace: Trace) -> None:
        names: set[Name] = set()
        said: set[Name] = set()
        lower: set[str] = set()

        def visit(leaf: Leaf) -> Json:
            self._look_at(leaf, names, said, lower)
            return leaf.value

        walked_trace(trace, visit)
        for kind, value in values_said(trace.messages):
            self._values.setdefault(kind, set()).add(value)
        self._fixed.update(
            word for message in trace.messages for c in message.tool_calls for word in token_texts(c.name)
        )
        self._names.update(names)
        self._said.update(said - names)
        self._lower.update(lower - {word for name in (*names, *said) for word in name})
        if len(self._lower) > _VOCABULARY:
            self._lower = Counter({word: n for word, n in self._lower.items() if n > 1})

    def _look_at(self, leaf: Leaf, names: set[Name], said: set[Name], lower: set[str]) -> None:
        kind = field_kind(leaf.keys, leaf.value)
        text = str(leaf.value)
        if kind == "maybe_name":
            if _surely_a_name(leaf):
                kind = "name"
            else:
                self._note_maybe(_place(leaf), text)
        if kind == "name":
            names.update((name_words(text), _whole_name(leaf)))
        elif kind == "city" and not _is_home(leaf):
            self._public.add(fold(text))  # a place that is asked about, not somebody's home
        elif kind is not None and kind != "maybe_name":
            self._values.setdefault(kind, set()).add(text)
        if isinstance(leaf.value, str):
            for hit in pattern_hits(text):
                self._note_hit(hit, text)
            if kind is None or kind == "maybe_name":
                lower.update(map(fold, _LOWER.findall(text)))
                if " " in text:
                    said.update(names_in(text))
                    if self._find_names is not None:
                        said.update(map(name_words, self._find_names(text)))

    def _note_hit(self, hit: Hit, text: str) -> None:
        self._values.setdefault(hit.kind, set()).add(text[hit.start : hit.end])

    def _note_maybe(self, place: Place, value: str, times: int = 1) -> None:
        if place in self._settled:
            return
        seen = self._maybe.setdefault(place, {})
        seen[value] = seen.get(value, 0) + times
        if len(seen) >= _ENOUGH and not _are_people(seen):
            self._settled.add(place)
            del self._maybe[place]

    def merge(self, other: "Gathering") -> None:
        """Add what another process has gathered from other traces."""
        for kind, found in other._values.items():
            self._values.setdefault(kind, set()).update(found)
        for counter, more in ((self._names, other._names), (self._said, other._said), (self._lower, other._lower)):
            counter.update(more)  # type: ignore[arg-type]  # both of a pair count the same things
        for place, seen in other._maybe.items():
            for value, n in seen.items():
                self._note_maybe(place, value, n)
        self._settled |= other._settled
        self._public |= other._public
        self._fixed |= other._fixed

    def known(self) -> Known:
        """All that was found, ordered so that the same log gives the same stand-ins."""
        people = frozenset(place for place, seen in self._maybe.items() if _are_people(seen))
        counts = Counter(self._names)
        for place in people:
            counts.update({name_words(value): n for value, n in self._maybe[place].items()})
        by_word: Counter[str] = Counter()
        for name, n in (*counts.items(), *self._said.items()):
            for word in name:
                by_word[word] += n
        common = frozenset(word for word, n in by_word.items() if self._is_common(word, n))
        for name, n in self._said.items():
            counts[_without_common_tail(name, common)] += n
        entries = Dictionary()
        single: dict[str, Kind] = {}
        joined: dict[str, Joined] = {}
        for name in sorted(counts):
            _add_name(name, entries, single, common)
            joined |= {text: how for text, how in _run_together(name) if not self._is_common(text, 1)}
        cities = frozenset(fold(city) for city in self._values.get("city", ())) - self._public
        self._add_values(entries, single, common, cities)
        births = frozenset(found.day for text in self._values.get("birth_date", ()) if (found := date_in(text.strip())))
        return Known(
            entries=entries,
            words=single,
            joined=joined,
            common=common,
            births=births,
            people=people,
            cities=cities,
            values={kind: tuple(sorted(found)) for kind, found in sorted(self._values.items())},
            vocabulary=frozenset(self._lower),
        )

    def _is_common(self, word: str, named: int) -> bool:
        """Whether the word is mostly met in lower case where nobody of that name is in sight."""
        if len(word) < 3 or word in words().everyday or word in self._fixed:
            return True
        sure = 10 if word in words().given else 2
        return self._lower[word] > max(2, sure * named)

    def _add_values(
        self, entries: Dictionary, single: dict[str, Kind], common: frozenset[str], cities: frozenset[str]
    ) -> None:
        for kind in sorted(self._values):
            for value in sorted(self._values[kind]):
                if kind in ("ip", "secret") and pattern_hits(value):
                    continue  # such a one is found by its own form
                if kind == "city" and fold(value) not in cities:
                    continue
                for found in forms(kind, value):
                    if len(found) == 1 and found[0].isalpha():
                        if found[0] not in common and not self._is_common(found[0], 1):
                            single.setdefault(found[0], kind)
                    elif is_wide(kind, found):
                        entries.add(found, kind)


def is_wide(kind: Kind, found: tuple[str, ...]) -> bool:
    """Whether a value is looked for in every conversation; a short number only in those whose records hold it."""
    if kind == "card_part":
        return False
    return len("".join(found)) >= 5 and (len(found) > 1 or kind != "street")


def _are_people(seen: Mapping[str, int]) -> bool:
    given = words().given
    named = sum(any(word in given for word in name_words(value)) for value in seen)
    return named >= max(1, _PERSON_SHARE * len(seen))


def _without_common_tail(name: Name, common: frozenset[str]) -> Name:
    kept = list(name)
    while kept and kept[-1] in common:
        kept.pop()
    return tuple(kept)


def _add_name(name: Name, entries: Dictionary, single: dict[str, Kind], common: frozenset[str]) -> None:
    """The whole name in both orders, and each of its words that is nothing else."""
    for word in name:
        if word not in common and len(word) > 2:
            single.setdefault(word, "name")
    if len(name) > 1:
        entries.add(name, "name")
        entries.add((name[-1], *name[:-1]), "name")


def _run_together(name: Name) -> Iterator[tuple[str, Joined]]:
    """`miagarcia`, `garciamia` and `mgarcia`."""
    if len(name) > 1 and len(name[-1]) > 3 and name[0].isascii():
        yield name[0] + name[-1], Joined(name[0], name[-1], len(name[0]))
        yield name[-1] + name[0], Joined(name[-1], name[0], len(name[-1]))
        yield name[0][0] + name[-1], Joined(name[0], name[-1], 1)


def forms(kind: Kind, value: str) -> list[tuple[str, ...]]:
    """The sequences by which a value may be met in a text."""
    if kind == "email":
        value = value.strip().rpartition("@")[0]  # the whole address is found by its own form
        found = tuple(token.text for token in tokens(value))
        return [found] if len(found) > 1 or not value.isalpha() else []
    whole = tuple(token.text for token in tokens(value))
    forms = [whole]
    if kind == "street":
        first = tuple(token.text for token in tokens(value.partition(",")[0]))
        forms += [first, _without_place(first)]
    return [form for form in dict.fromkeys(forms) if form]


def _without_place(found: tuple[str, ...]) -> tuple[str, ...]:
    """`537 Main` of `537 Main Street`: people write `St.`, or nothing."""
    if len(found) > 2 and found[0].isdigit() and found[-1] in words().places:
        return found[:-1]
    return ()
