"""Dates as people and records write them: found in a text with their layout, so that another day can take the place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

from agent_gym.trace_parser.redact.kinds import fold, words

__all__ = ["Written", "date_in", "dates_in"]

_NUMERIC = re.compile(
    r"(?<![\w.-])(?:(?P<year>\d{4})(?P<a>[-/.])(?P<month>\d{1,2})(?P=a)(?P<day>\d{1,2})"
    r"|(?P<first>\d{1,2})(?P<b>[-/.])(?P<second>\d{1,2})(?P=b)(?P<last>\d{4}|\d{2}))(?!\d|[-/]\d)"
)
_CJK = re.compile(r"(?P<year>\d{4})\s?年\s?(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?日")
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er|º|°)?"
_DIGITS = re.compile(r"\d\d")
_TURN = 30  # a year of two digits up to this is of this century


@dataclass(frozen=True, slots=True)
class Written:
    """One reading of a date in a text. `parts`: where "year", "month" and "day" stand, in order."""

    day: date
    start: int
    end: int
    parts: tuple[tuple[str, int, int], ...]

    def rewritten(self, text: str, new: date) -> str:
        """The date's own text with another day in it, in the same layout."""
        out, at = [], self.start
        for part, start, end in self.parts:
            out += [text[at:start], _part(part, text[start:end], new)]
            at = end
        return "".join([*out, text[at : self.end]])


def date_in(text: str) -> Written | None:
    """The date that a value is, with or without a time behind it."""
    found = next(dates_in(text), None)
    return found if found is not None and found.start == 0 else None


def dates_in(text: str) -> Iterator[Written]:
    """Every whole date (day, month and year) in each of its readings: 02/03/1990 has two."""
    if not _DIGITS.search(text):
        return
    for pattern in (_NUMERIC, _CJK, *_worded()):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            if groups.get("first"):
                yield from _reading(match, "last", "first", "second")
                yield from _reading(match, "last", "second", "first")
            else:
                yield from _reading(match, "year", "month", "day")


def _reading(match: re.Match[str], year: str, month: str, day: str) -> Iterator[Written]:
    try:
        found = date(_year(match[year]), _month(match[month]), int(match[day]))
    except ValueError:  # no such day: not a date
        return
    named = (("year", year), ("month", month), ("day", day))
    parts = sorted(((part, *match.span(group)) for part, group in named), key=lambda part: part[1])
    yield Written(found, match.start(), match.end(), tuple(parts))


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else int(text) + (2000 if int(text) <= _TURN else 1900)


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _named(text)[1] + 1


def _part(part: str, old: str, new: date) -> str:
    if part == "year":
        return f"{new.year:04d}"[-len(old) :]
    if not old.isdigit():
        language, at, short = _named(old)
        assert at < 12
        name = language[new.month - 1][:3] if short else language[new.month - 1]
        return name.upper() if old.isupper() else name.capitalize() if old[:1].isupper() else name
    value = new.month if part == "month" else new.day
    return f"{value:02d}" if len(old) == 2 else str(value)


@cache
def _named(month: str) -> tuple[tuple[str, ...], int, bool]:
    """The language of a month's name, its place in the year, and whether it is cut to three letters."""
    low = fold(month)
    for short in (False, True):
        for language in words().months:
            for at, name in enumerate(language):
                if low == (fold(name)[:3] if short else fold(name)):
                    return language, at, short
    raise ValueError(month)


@cache
def _worded() -> tuple[re.Pattern[str], ...]:
    names = {form for language in words().months for name in language for form in (name, fold(name), name[:3])}
    month = rf"(?P<month>{'|'.join(sorted(names, key=lambda name: (-len(name), name)))})\b\.?"
    return (
        re.compile(rf"\b{month}\s{_DAY},?\s(?P<year>\d{{4}})\b", re.IGNORECASE),
        re.compile(rf"\b{_DAY}\s(?:(?:of|de|di)\s)?{month},?\s(?:(?:de|del)\s)?(?P<year>\d{{4}})\b", re.IGNORECASE),
    )
