"""The kinds of personal values, and the words by which fields and sentences betray them, read once from data files."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

__all__ = ["KINDS", "Kind", "Token", "Words", "fold", "split_key", "token_texts", "tokens", "words"]

Kind = Literal[
    "name", "username", "email", "phone", "street", "city", "postcode", "birth_date", "card", "card_part",
    "national_id", "bank_account", "ip", "secret",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts that put no space between words: a character is a token
_TOKEN = re.compile(rf"[{_CJK}]|[^\W\d_{_CJK}]+|\d+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")


class Token(NamedTuple):
    """A run of letters or of digits, folded, and where it stands."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """Lower case without accents, so that `José` and `jose` are one word."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in apart if not unicodedata.combining(c)))


def tokens(text: str) -> list[Token]:
    """`mia_li3668` holds three: what joins words in an id is as good as a space."""
    if text.isascii():  # then folding moves nothing
        return [Token(match.group(), *match.span()) for match in _TOKEN.finditer(text.lower())]
    return [Token(fold(match.group()), *match.span()) for match in _TOKEN.finditer(text)]


def token_texts(text: str) -> list[str]:
    """The same without their places, for a quick look."""
    return _TOKEN.findall(fold(text))


@lru_cache(maxsize=65_536)  # a log may use ids as keys
def split_key(key: str) -> tuple[str, ...]:
    """The words of a key, however it joins them: `customerEmail`, `customer_email`, `Customer E-mail`."""
    return tuple(fold(word) for word in _HUMP.split(key) if word)


@dataclass(frozen=True, slots=True)
class Words:
    """The data files. Entries of keys are tuples of words; all words are folded."""

    anywhere: Mapping[tuple[str, ...], Kind]
    at_the_end: Mapping[tuple[str, ...], Kind]
    whole: Mapping[tuple[str, ...], Kind]
    maybe_name: frozenset[str]
    people: frozenset[str]
    places: frozenset[str]
    towns: frozenset[str]
    given: frozenset[str]
    particles: frozenset[str]
    everyday: frozenset[str]
    sure: tuple[str, ...]
    likely: tuple[str, ...]
    announced: Mapping[Kind, tuple[str, ...]]
    months: tuple[tuple[str, ...], ...]  # a language each, January first


@cache
def words() -> Words:
    keys, people = (
        tomllib.loads((files(__package__) / "words" / f"{name}.toml").read_text(encoding="utf-8"))
        for name in ("keys", "people")
    )
    months = people["months"].split()
    return Words(
        anywhere=_entries(keys["anywhere"]),
        at_the_end=_entries(keys["at_the_end"]),
        whole=_entries(keys["whole"]),
        maybe_name=_folded(keys["maybe_name"]["words"]),
        people=_folded(keys["people"]["words"]),
        places=_folded(keys["places"]["words"]),
        towns=_folded(keys["towns"]["words"]),
        given=_folded(people["given"].split()),
        particles=_folded(people["particles"].split()),
        everyday=_folded([*people["everyday"].split(), *months, *(month[:3] for month in months)]),
        sure=tuple(people["sure"]),
        likely=tuple(people["likely"]),
        announced={kind: tuple(people["announced"][kind]) for kind in KINDS if kind in people["announced"]},
        months=tuple(tuple(line.split()) for line in people["months"].strip().splitlines()),
    )


def _entries(table: Mapping[str, Iterable[str]]) -> dict[tuple[str, ...], Kind]:
    return {split_key(entry): kind for kind in KINDS for entry in table.get(kind, ())}


def _folded(given: Iterable[str]) -> frozenset[str]:
    return frozenset(map(fold, given))
