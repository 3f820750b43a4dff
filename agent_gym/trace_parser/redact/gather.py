"""Traces in, one after the other; out of them all comes the dictionary of their personal values: the first pass.

What is kept grows with the number of different people, not with the length of the log.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from agent_gym.trace_parser.redact.dates import date_in
from agent_gym.trace_parser.redact.dictionary import Dictionary
from agent_gym.trace_parser.redact.fields import field_kind
from agent_gym.trace_parser.redact.forms import Joined, forms, is_wide, run_together
from agent_gym.trace_parser.redact.kinds import Kind, fold, split_key, token_texts, words
from agent_gym.trace_parser.redact.known import Known, Place, is_home, place_of, surely_a_name
from agent_gym.trace_parser.redact.patterns import Hit, pattern_hits
from agent_gym.trace_parser.redact.people import Name, name_words, names_in
from agent_gym.trace_parser.redact.prose import values_said
from agent_gym.trace_parser.redact.walk import Leaf, tool_names, walked_trace
from agent_gym.types import Json, Trace

__all__ = ["Gathering", "NameFinder"]

NameFinder = Callable[[str], Iterable[str]]  # a text → the names of people in it

_LOWER = re.compile(r"(?<![\w@.#/-])[^\W\d_A-Z]{2,20}(?![\w@/]|[-.]\w)")
_PERSON_SHARE = 0.2  # of the different values of a field, to call all of them names
_ENOUGH = 300  # different values after which a field's share is settled
_VOCABULARY = 300_000  # words kept; beyond it those met once are forgotten


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
        self._keys: set[str] = set()  # words of keys: no name that only prose gives is one of them

    def add(self, trace: Trace) -> None:
        names: set[Name] = set()
        said: set[Name] = set()
        lower: set[str] = set()
        seen: set[str] = set()  # keys and texts, which say the same every time

        def visit(leaf: Leaf) -> Json:
            if leaf.keys or leaf.value not in seen:
                self._look_at(leaf, names, said, lower)
                if not leaf.keys:
                    seen.add(leaf.value)
            return leaf.value

        walked_trace(trace, visit)
        for kind, value in values_said(trace.messages):
            self._values.setdefault(kind, set()).add(value)
        self._fixed.update(word for name in tool_names(trace) for word in token_texts(name))
        self._names.update(names)
        self._said.update(said - names)
        self._lower.update(lower - {word for name in (*names, *said) for word in name})
        if len(self._lower) > _VOCABULARY:
            self._lower = Counter({word: n for word, n in self._lower.items() if n > 1})

    def _look_at(self, leaf: Leaf, names: set[Name], said: set[Name], lower: set[str]) -> None:
        kind = field_kind(leaf.keys, leaf.value)
        text = str(leaf.value)
        if kind == "maybe_name":
            if surely_a_name(leaf):
                kind = "name"
            else:
                self._note_maybe(place_of(leaf), text)
        if kind == "name":
            names.update((name_words(text), _whole_name(leaf)))
        elif kind == "city" and not is_home(leaf):
            self._public.add(fold(text))  # a place that is asked about, not somebody's home
        elif kind is not None and kind != "maybe_name":
            self._values.setdefault(kind, set()).add(text)
        self._keys.update(word for key in leaf.keys[-1:] for word in split_key(key) if word.isalpha())
        if isinstance(leaf.value, str):
            for hit in pattern_hits(text):
                self._values.setdefault(hit.kind, set()).add(text[hit.start : hit.end])
                said.update(_in_email(hit, text))
            if kind is None or kind == "maybe_name":
                lower.update(map(fold, _LOWER.findall(text)))
                if " " in text:
                    said.update(names_in(text))
                    if self._find_names is not None:
                        said.update(map(name_words, self._find_names(text)))

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
        for place in other._settled:
            self._maybe.pop(place, None)
        self._public |= other._public
        self._fixed |= other._fixed
        self._keys |= other._keys

    def known(self) -> Known:
        """All that was found, ordered so that the same log gives the same stand-ins."""
        people = frozenset(place for place, seen in self._maybe.items() if _are_people(seen))
        counts = Counter(self._names)
        for place in people:
            counts.update({name_words(value): n for value, n in self._maybe[place].items()})
        recorded = _by_word(counts)
        everywhere = recorded + _by_word(self._said)
        common = frozenset(
            word
            for word, n in everywhere.items()
            if self._is_common(word, n) or (word in self._keys and not recorded[word])
        )
        for name, n in self._said.items():
            counts[_without_common_tail(name, common)] += n
        entries = Dictionary()
        single: dict[str, Kind] = {}
        joined: dict[str, Joined] = {}
        for name in sorted(counts):
            _add_name(name, entries, single, common)
            joined |= {text: how for text, how in run_together(name) if not self._is_common(text, 1)}
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


def _by_word(names: Counter[Name]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for name, n in names.items():
        for word in name:
            counts[word] += n
    return counts


def _in_email(hit: Hit, text: str) -> Iterator[Name]:
    """`Zoltan Kocsis <zoltan.kocsis@mail.test>`: an address whose words stand in the same text is somebody's name."""
    if hit.kind == "email":
        local = tuple(token_texts(hit.norm.partition("@")[0]))
        if (
            len(local) == 2
            and all(word.isalpha() and len(word) > 2 for word in local)
            and " ".join(local) in fold(text)
        ):
            yield local


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


def _whole_name(leaf: Leaf) -> Name:
    """The parts of a name that a record keeps in fields of their own, as one."""
    parts = [name_words(str(value)) for kind, value in leaf.beside if kind == "name"]
    return tuple(word for part in parts for word in part) if 1 < len(parts) <= 3 else ()
