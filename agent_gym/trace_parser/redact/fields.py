"""A field of a JSON object in, the kind of personal value in it out: by the words of its key and the value's shape."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from agent_gym.trace_parser.redact.dates import date_in
from agent_gym.trace_parser.redact.kinds import Kind, split_key, tokens, words
from agent_gym.types import Json

__all__ = ["MaybeName", "field_kind", "looks_like_name", "names_a_person"]

MaybeName = Literal["maybe_name"]

_NAME = re.compile(r"[^\W\d_](?:[^\W\d_]|[ .,'’-])*")
_LONGEST = 200  # a value beyond this is prose, whatever its key says


def field_kind(keys: Sequence[str], value: Json) -> Kind | MaybeName | None:
    """`keys`: the way to the value, outermost first; items of a list have the list's own key."""
    kind = _key_kind(keys[-1], keys[-2] if len(keys) > 1 else "") if keys else None
    if kind is None or isinstance(value, bool | float | dict | list) or value is None:
        return None  # no personal number is a fraction
    text = str(value).strip()
    if not text or len(text) > _LONGEST:
        return None
    if kind == "maybe_name":
        return kind if looks_like_name(text) else None
    if kind == "username" and text[:1].isupper() and " " in text and looks_like_name(text):
        return "name"  # how somebody is called, not how they sign in
    return kind if _SHAPES[kind](text) else None


@lru_cache(maxsize=65_536)
def _key_kind(name: str, above: str) -> Kind | MaybeName | None:
    known, key, parent = words(), split_key(name), split_key(above)
    numbered = tuple(word.rstrip("0123456789") or word for word in key)
    for form in (key, numbered, parent + key):
        for size in range(min(4, len(form)), 0, -1):
            if kind := known.at_the_end.get(form[-size:]):
                return kind
    for form in (key, numbered):
        for size in range(min(4, len(form)), 0, -1):
            for start in range(len(form) - size + 1):
                if kind := known.anywhere.get(form[start : start + size]):
                    return kind
    if (kind := known.whole.get(numbered[-1:])) and all(_is_person((word,)) for word in numbered[:-1]):
        return kind
    if numbered and numbered[-1] in known.maybe_name:
        return "name" if _is_person(numbered[:-1]) else "maybe_name"
    return "maybe_name" if numbered and _is_person(numbered[-1:]) else None


def _is_person(key: Iterable[str]) -> bool:
    people = words().people
    return any(word in people or word.rstrip("s") in people for word in key)


def names_a_person(keys: Sequence[str]) -> bool:
    """Whether one of the keys on the way says that what lies below it is a person."""
    return any(_is_person(split_key(key)[-1:]) for key in keys)


def looks_like_name(text: str) -> bool:
    """One to five words of letters; a sentence, a code or a number is no name."""
    return len(text) <= 60 and len(text.split()) <= 5 and _NAME.fullmatch(text) is not None


def _digits(text: str) -> int:
    return sum(c.isdigit() for c in text)


def _is_street(text: str) -> bool:
    found = [token.text for token in tokens(text)]
    letters = [token for token in found if token.isalpha()]
    return bool(letters) and (len(found) >= 2 or len(letters[0]) > 6) and "@" not in text and "://" not in text


_SHAPES: Mapping[Kind, Callable[[str], bool]] = {
    "name": looks_like_name,
    "username": lambda text: len(text) <= 64 and len(text.split()) <= 2 and any(c.isalpha() for c in text),
    "email": lambda text: "@" in text,
    "phone": lambda text: 6 <= _digits(text) <= 15 and _digits(text) > len(text) / 2,
    "street": _is_street,
    "city": looks_like_name,
    "postcode": lambda text: len(text) <= 10 and _digits(text) >= 2,
    "birth_date": lambda text: date_in(text) is not None,
    "card": lambda text: _digits(text) >= 12 and not any(c.isalpha() for c in text),
    "card_part": lambda text: 3 <= len(text) <= 6 and text.isdigit(),
    "national_id": lambda text: 5 <= len(text) <= 30 and _digits(text) >= 3 and len(text.split()) <= 4,
    "bank_account": lambda text: 5 <= len(text) <= 42 and _digits(text) >= 4,
    "ip": lambda _: False,  # an address is known by its own shape, never by a key
    "secret": lambda text: len(text) >= 3 and len(text.split()) <= 3,
}
