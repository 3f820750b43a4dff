"""Messages in, the personal values they announce out: `my zip is 46229`, `born on 3 May 1980`, `12 Elm Street`."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from agent_gym.trace_parser.redact.dates import dates_in
from agent_gym.trace_parser.redact.kinds import Kind, words
from agent_gym.types import Message

__all__ = ["values_said"]

_ANSWERED: tuple[Kind, ...] = ("birth_date", "postcode")  # what customers are asked for to prove who they are
_DIGIT = re.compile(r"\d")
_NEAR = 32  # characters between an announcement and its value
_FORMS: dict[Kind, re.Pattern[str]] = {
    "phone": re.compile(r"(?<![\w#.-])\+?\d[\d ()./-]{5,16}\d(?![\w-])"),
    "postcode": re.compile(
        r"(?<![\w#.-])(?:\d{4,6}(?:-\d{3,4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)(?![\w-])"
    ),
    "national_id": re.compile(r"(?<![\w#.])(?=[A-Z\d-]*\d{3})[A-Z\d][A-Z\d-]{4,14}(?!\w)"),
    "card_part": re.compile(r"(?<![\w#.$-])\d{3,6}(?![\w-])"),
}


def values_said(messages: Iterable[Message]) -> Iterator[tuple[Kind, str]]:
    """What customer and agent say; an answer needs no announcement of its own: `And your date of birth?`"""
    asked = ""
    for message in messages:
        if message.role in ("user", "assistant") and message.content:
            if _DIGIT.search(message.content):
                yield from _announced(message.content, asked if message.role == "user" else "")
            asked = message.content


def _announced(text: str, asked: str) -> Iterator[tuple[Kind, str]]:
    for match in _streets().finditer(text):
        yield "street", match.group()
    low, asked_low = text.lower(), asked.lower()
    for kind, announcement in _announcements().items():
        phrases = words().announced[kind]
        places = [match.end() for match in announcement.finditer(text)] if _says(low, phrases) else []
        if not places and kind in _ANSWERED and _says(asked_low, phrases) and announcement.search(asked):
            places = [0] if _one_only(kind, text) else []
        for place in places:
            if (value := _next(kind, text, place)) is not None:
                yield kind, value


def _says(low: str, phrases: Iterable[str]) -> bool:
    """Whether one of the phrases may stand in the text: looking for them one by one is quicker than the pattern."""
    return any(phrase in low for phrase in phrases)


def _one_only(kind: Kind, text: str) -> bool:
    """Of two numbers in an answer nobody knows which is which."""
    return kind == "birth_date" or len(_FORMS[kind].findall(text)) == 1


def _next(kind: Kind, text: str, place: int) -> str | None:
    """The first value of the kind behind the place, if it is near."""
    if kind == "birth_date":
        reach = len(text) if place == 0 else place + _NEAR
        near = (written for written in dates_in(text) if place <= written.start <= reach)
        return next((text[written.start : written.end] for written in near), None)
    match = _FORMS[kind].search(text, place)
    return match.group() if match and (place == 0 or match.start() <= place + _NEAR) else None


@cache
def _announcements() -> dict[Kind, re.Pattern[str]]:
    return {
        kind: re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(phrase) for phrase in phrases)})(?!\w)", re.IGNORECASE)
        for kind, phrases in words().announced.items()
    }


@cache
def _streets() -> re.Pattern[str]:
    """A number, one to three words and a kind of street; or, as in German, the number last."""
    kinds = "|".join(sorted((place for place in words().places if len(place) > 3), key=len, reverse=True))
    before = rf"\d{{1,5}}[a-z]? (?:[A-Z][\w'’.-]+ ){{1,3}}(?i:{kinds}|st|rd|ave|ln|dr|blvd)\b"
    behind = r"[A-ZÄÖÜ]\w+(?:straße|strasse|str\.|weg|platz|allee|gasse|straat|laan) \d{1,4}[a-z]?\b"
    return re.compile(rf"(?<![\w#.-])(?:{before}|{behind})")
