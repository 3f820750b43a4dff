"""How a customer's words are read: a text in, marks out that words, values and the names of things leave behind.

"Put NETSAVE10 on my line" tells by its code what it is about, and each customer has another code. So a value leaves its
kind, and what the business knows by name leaves the field it is known in: `the code`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from agent_gym.agent.embedded.catalogue import LONGEST, Catalogue
from agent_gym.agent.embedded.reading import tokens, values_in

__all__ = ["Lexicon"]

_STEM = 5  # letters a word is known by
_SHORTEST = 3
_KEPT = 1 << 13  # texts: each is read again at every later turn


class Lexicon:
    """What the words of a log's customers can tell."""

    def __init__(self, catalogue: Catalogue | None = None) -> None:
        fields: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for field, name in _named(catalogue or Catalogue()):
            words = tokens(name)
            # A single plain word (`internet`) is read as a word.
            if words and not (len(words) == 1 and words[0].isalpha()):
                fields[words].add(field)
        self._fields = {words: tuple(sorted(names)) for words, names in fields.items()}
        self._called = _by_first_word(catalogue or Catalogue())
        self.marks = lru_cache(maxsize=_KEPT)(self._marks)
        self.named = lru_cache(maxsize=_KEPT)(self._named)

    def _marks(self, text: str) -> tuple[str, ...]:
        """The beginnings of its words, the kinds of its values and the fields of the things it names, each once."""
        values = [value for value in values_in(text) if value.kind != "name"]
        plain = text
        for value in reversed(values):
            plain = f"{plain[: value.start]} {plain[value.start + len(value.text) :]}"
        stems = [word[:_STEM] for word in tokens(plain) if word.isalpha() and len(word) >= _SHORTEST]
        kinds = [f"a {value.kind}" for value in values]
        return tuple(dict.fromkeys([*stems, *kinds, *(f"the {field}" for field in self._things(tokens(text)))]))

    def _things(self, words: Sequence[str]) -> Iterator[str]:
        if self._fields:
            for start in range(len(words)):
                for end in range(start + 1, min(start + LONGEST, len(words)) + 1):
                    yield from self._fields.get(tuple(words[start:end]), ())

    def _named(self, text: str) -> frozenset[tuple[str, str]]:
        """The (field, norm) of the values that the text speaks of, be it in the plural."""
        words = _singular(tokens(text))
        return frozenset(
            (field, norm)
            for start, word in enumerate(words)
            for called, field, norm in self._called.get(word, ())
            if words[start : start + len(called)] == called
        )


def _singular(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word.rstrip("s") for word in words)


def _by_first_word(catalogue: Catalogue) -> Mapping[str, Sequence[tuple[tuple[str, ...], str, str]]]:
    """By the first of its words: each plain value of the business, word by word, its field and its norm."""
    called: dict[str, list[tuple[tuple[str, ...], str, str]]] = defaultdict(list)
    for field, values in catalogue.values.items():
        for norm, value in values.items():
            words = _singular(tokens(value)) if isinstance(value, str) else ()
            if words and all(word.isalpha() and len(word) >= _SHORTEST for word in words):
                called[words[0]].append((words, field, norm))
    return called


def _named(catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """(field, value) of all that is known by name."""
    for field, values in catalogue.values.items():
        yield from ((field, value) for value in values.values() if isinstance(value, str))
    for names in catalogue.names.values():
        yield from names.items()
