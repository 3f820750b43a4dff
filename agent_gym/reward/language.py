"""Words in, their language out: what each language claims, leaves open and denies with. The words are a data file."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Language", "auxiliaries", "how_much", "language_of", "negators", "perfects", "refusing"]


@dataclass(frozen=True, slots=True)
class Language:
    """`done`, `acts` and `alone` are beginnings of words: participles bend."""

    common: frozenset[str]
    perfect: frozenset[str]  # what goes before a deed just done
    own: frozenset[str]  # and before one of the speaker's own
    present: frozenset[str]  # what goes before a state
    done: tuple[str, ...]
    acts: tuple[str, ...]  # deeds of service, for agents whose tools have English names
    alone: frozenset[str]  # deeds that need nothing before them
    open: frozenset[str]  # what is asked, planned or conditional claims nothing
    negators: frozenset[str]
    gap: int  # how far behind its auxiliary a deed may stand
    auxiliaries: frozenset[str]  # perfect and present


def language_of(words: Sequence[str]) -> Language:
    """The language most of whose commonest words are there; English if none is."""
    return max(_languages().values(), key=lambda language: sum(map(language.common.__contains__, words)))


@cache
def negators() -> frozenset[str]:
    """Of all languages."""
    return frozenset(word for language in _languages().values() for word in language.negators)


@cache
def auxiliaries() -> frozenset[str]:
    """Of all languages."""
    return frozenset(word for language in _languages().values() for word in language.auxiliaries)


@cache
def perfects() -> frozenset[str]:
    """What goes before a deed just done, in all languages."""
    return frozenset(word for language in _languages().values() for word in language.perfect)


@cache
def how_much() -> re.Pattern[str]:
    """What asks for a sum, in any language."""
    return re.compile(rf"\b(?:{_any_of('how much')})\b")


@cache
def refusing() -> re.Pattern[str]:
    """What says no to a wish, in any language."""
    return re.compile(rf"\b(?:{_any_of('refuses')})")


def _any_of(name: str) -> str:
    phrases = {phrase for entry in _entries().values() for phrase in str(entry[name]).split("|")}
    return "|".join(map(re.escape, sorted(phrases)))


@cache
def _languages() -> Mapping[str, Language]:
    return {name: _language(entry) for name, entry in _entries().items()}


@cache
def _entries() -> Mapping[str, Mapping[str, str | int]]:
    entries: Mapping[str, Mapping[str, str | int]] = json.loads(
        files("agent_gym.reward").joinpath("words/languages.json").read_text("utf-8")
    )
    return entries


def _language(entry: Mapping[str, str | int]) -> Language:
    words = {name: str(value).split() for name, value in entry.items()}
    return Language(
        common=frozenset(words["common"]),
        perfect=frozenset(words["perfect"]),
        own=frozenset(str(entry["own"]).split("|")),
        present=frozenset(words["present"]),
        done=tuple(words["done"]),
        acts=tuple(words["acts"]),
        alone=frozenset(words["alone"]),
        open=frozenset(words["open"]),
        negators=frozenset(words["negators"]),
        gap=int(entry["gap"]),
        auxiliaries=frozenset(words["perfect"] + words["present"]),
    )
