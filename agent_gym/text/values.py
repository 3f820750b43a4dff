"""The checkable values a sentence holds: emails, ids, amounts, dates, times, numbers, names.

Two texts that say the same thing in other words hold the same values; a text with one digit changed does
not. `Value.norm` is what to compare: `$1,200.50` and `1200.5 USD` are one amount, `#W12` and `w12` one id.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Literal, NamedTuple

__all__ = ["Kind", "Value", "kept_values", "may_hold_values", "values_in"]

Kind = Literal["email", "url", "date", "time", "amount", "percent", "phone", "id", "number", "name"]


class Value(NamedTuple):
    """One value as it stands in a text, and in the form to compare."""

    kind: Kind
    text: str
    norm: str
    start: int


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"  # noqa: E501  one pattern, one line

# A log may hold megabytes without a space, so no pattern may begin in the middle of what it looks for: scanning the
# same digits from each of them would never end. `x(?<!\wx)` is a word boundary before x; unlike `\bx` it lets the
# engine jump to the next x.
_NUMBER = r"\d(?<!\d\d)(?<!\d[.,]\d)[\d,]*(?:\.\d+)?"
_FIRST_DIGIT = r"\d(?<!\w\d)"
_NEW_WORD = r"\b(?<![A-Za-z0-9][_-])"

Where = Literal["text", "around", "word"]  # all of it, around its digits, or only in its words with digits


@dataclass(frozen=True, slots=True)
class _Pattern:
    """`signs`: unless the text, in lower case, holds one of them, the pattern has nothing to find."""

    kind: Kind
    where: Where
    regex: re.Pattern[str]
    signs: tuple[str, ...] = ()

    def may_be_in(self, low: str) -> bool:
        return not self.signs or any(map(low.__contains__, self.signs))


_NAME = re.compile(r"[A-Z](?<!\w[A-Z])[a-zà-ÿ]+(?:[ '-][A-Z][a-zà-ÿ]+)+\b")
# Earlier patterns win over later ones where they overlap: an email is not also an id.
_PATTERNS = (
    _Pattern("url", "text", re.compile(r"https?://[^\s<>\"')\]]+"), ("://",)),
    _Pattern("email", "text", re.compile(r"(?<![\w.%+-])[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"), ("@",)),
    _Pattern(
        "date",
        "word",
        re.compile(
            rf"{_FIRST_DIGIT}(?:\d{{3}}-\d{{2}}-\d{{2}}(?:T\d{{2}}:\d{{2}}(?::\d{{2}})?)?|\d?/\d{{1,2}}/\d{{2,4}})\b"
        ),
        ("-", "/"),
    ),
    _Pattern(
        "date",
        "around",
        re.compile(rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b", re.IGNORECASE),
        _MONTHS,
    ),
    _Pattern(
        "date",
        "around",
        re.compile(rf"{_FIRST_DIGIT}\d?(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? \d{{4}})?\b", re.IGNORECASE),
        _MONTHS,
    ),
    _Pattern(
        "time",
        "around",
        re.compile(
            rf"{_FIRST_DIGIT}\d?(?::\d{{2}}(?::\d{{2}})?(?:\s?[ap]\.?m\b\.?)?|\s?[ap]\.?m\b)",
            re.IGNORECASE,
        ),
        (":", "am", "pm", ".m"),
    ),
    _Pattern("percent", "around", re.compile(rf"{_NUMBER}\s?(?:%|percent\b)"), ("%", "percent")),
    _Pattern("amount", "text", re.compile(r"[$€£]\s?[-−]?\d[\d,]*(?:\.\d+)?"), ("$", "€", "£")),
    _Pattern(
        "amount",
        "around",
        re.compile(rf"{_NUMBER}\s?(?:[€£]|(?:USD|EUR|GBP|dollars?|euros?)\b)", re.IGNORECASE),
        ("€", "£", "usd", "eur", "gbp", "dollar"),
    ),
    _Pattern(
        "phone",
        "around",
        re.compile(
            r"[+\d](?:(?<=\+)\d{1,3}+|(?<=\d)\d{0,2}+)[ -]\(?\d{2,4}\)?[ -]\d{3,4}(?:[ -]\d{2,4})?\b"
            rf"|{_FIRST_DIGIT}\d{{2}}-\d{{3}}-\d{{4}}\b"
        ),
    ),
    _Pattern(
        "id", "word", re.compile(rf"#?{_NEW_WORD}(?:[A-Za-z]+[_-])*[A-Za-z]*\d[A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*\b")
    ),
    _Pattern("id", "text", re.compile(r"#\w+\b"), ("#",)),
    _Pattern("id", "word", re.compile(rf"{_FIRST_DIGIT}\d{{4,}}\b")),
    _Pattern("number", "word", re.compile(rf"{_FIRST_DIGIT}[\d,]*(?:\.\d+)?\b")),
    _Pattern("name", "text", _NAME),
)
_MARK = re.compile(r"[\d@#]|://")  # no value but a name is without
_DIGIT_WORD = re.compile(r"\d\S*")
_BEFORE, _BEHIND = 16, 24  # how far from a word with digits a value can begin and end: `September. 4`, `4 September, `
_NO_ID = re.compile(r"\d+(?:st|nd|rd|th)|\d{1,4}|\d+(?:-\d+)+", re.IGNORECASE)  # ordinals, short numbers, ranges
_SIGNED = ("percent", "amount", "number")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}\D*$)")


def values_in(text: str) -> list[Value]:
    """Every value of the text, in order of place."""
    found = _found(text) if may_hold_values(text) else _names(text)
    found.sort(key=attrgetter("start"))
    return found


# Of what is said in a conversation several ask, one after the other.
@lru_cache(maxsize=8192)
def kept_values(text: str) -> tuple[Value, ...]:
    return tuple(values_in(text))


def may_hold_values(text: str) -> bool:
    """Whether it can hold any but names: most sentences cannot, and to see that is quick."""
    return _MARK.search(text) is not None


def _names(text: str) -> list[Value]:
    taken = bytearray(len(text))
    return [found for match in _NAME.finditer(text) if (found := _value("name", text, match, taken))]


def _found(text: str) -> list[Value]:
    found: list[Value] = []
    taken = bytearray(len(text))
    low = text.lower()
    words = _words_with_digits(text)
    everywhere = {"text": [(0, len(text))], "word": words, "around": _around(words)}
    for pattern in _PATTERNS:
        places = everywhere[pattern.where]
        if not places or not pattern.may_be_in(low):
            continue
        for begin, end in places:
            matches = pattern.regex.finditer(text, begin, end)
            found += [value for match in matches if (value := _value(pattern.kind, text, match, taken))]
    return found


def _value(kind: Kind, text: str, match: re.Match[str], taken: bytearray) -> Value | None:
    """The match as a value, unless an earlier one has taken its place."""
    start, end = match.span()
    start -= kind in _SIGNED and _minus_before(text, start)
    if taken.find(1, start, end) >= 0:
        return None
    word = text[start:end]
    if kind == "id" and _NO_ID.fullmatch(word):
        return None
    taken[start:end] = b"\1" * (end - start)
    return Value(kind, word, _norm(kind, word), start)


def _words_with_digits(text: str) -> list[tuple[int, int]]:
    found = []
    end = 0
    for match in _DIGIT_WORD.finditer(text):
        at = match.start()
        start = max(end, text.rfind(" ", end, at) + 1, text.rfind("\n", end, at) + 1)
        end = match.end()
        found.append((start, end))
    return found


def _around(words: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The words with what is near them; where that overlaps, as one."""
    found: list[tuple[int, int]] = []
    for start, end in words:
        begin = max(0, start - _BEFORE)
        if found and begin <= found[-1][1]:
            begin = found.pop()[0]
        found.append((begin, end + _BEHIND))
    return found


def _minus_before(text: str, start: int) -> bool:
    """Whether a minus belongs to the number; after a letter or digit it is a dash: `10-20`, `plan-5`."""
    return text[max(0, start - 1) : start] in ("-", "−") and not text[max(0, start - 2) : start - 1].isalnum()


def _norm(kind: Kind, word: str) -> str:
    low = word.lower()
    match kind:
        case "amount" | "number" | "percent":
            return _number(low)
        case "id":
            return low.lstrip("#")
        case "phone":
            return re.sub(r"\D", "", low)
        case "date":
            return _date(low)
        case "time":
            return _time(low)
        case _:
            return low


def _number(low: str) -> str:
    sign = "-" if "-" in low or "−" in low else ""
    digits = re.sub(r"[^\d.]", "", low if "." in low else _DECIMAL_COMMA.sub(".", low)).rstrip(".")
    return sign + f"{float(digits):.10g}" if digits else low


def _date(low: str) -> str:
    month = re.search(r"[a-z]{3}", re.sub(r"(?<=\d)(?:st|nd|rd|th)|of", "", low))
    if not month or month.group() not in _MONTHS:
        return low
    numbers = re.findall(r"\d+", low)
    year = next((n for n in numbers if len(n) == 4), "")
    day = next((n for n in numbers if len(n) <= 2), "")
    tail = (
        f"{_MONTHS.index(month.group()) + 1:02d}-{int(day):02d}" if day else f"{_MONTHS.index(month.group()) + 1:02d}"
    )
    return f"{year}-{tail}" if year else tail


def _time(low: str) -> str:
    numbers = [int(n) for n in re.findall(r"\d+", low)]
    hour, minute = numbers[0], numbers[1] if len(numbers) > 1 else 0
    if "p" in low and hour < 12:
        hour += 12
    if "a" in low and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}"
