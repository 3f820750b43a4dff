"""A text in, the personal values that their own form gives away out: each with a checksum or rule that it must pass.

E-mail addresses, payment cards (issuer ranges and Luhn), IBANs (length and modulo 97), social security numbers,
telephone numbers, IP addresses, and secrets: keys with known prefixes, JWTs, private keys.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from agent_gym.trace_parser.redact.kinds import Kind

__all__ = ["Hit", "iban_holds", "is_issued_ssn", "luhn_digit", "luhn_holds", "pattern_hits"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A personal value at its place. `norm` is equal for every way to write the same value."""

    kind: Kind
    start: int
    end: int
    norm: str


def pattern_hits(text: str) -> list[Hit]:
    """All of them in order of place; where two overlap, the surer kind is taken."""
    return list(_remembered(text)) if len(text) <= _SHORT else _searched(text)


# Keys, ids and enumerated values come thousands of times; whole messages do not.
_SHORT = 80


@lru_cache(maxsize=50_000)
def _remembered(text: str) -> tuple[Hit, ...]:
    return tuple(_searched(text))


def _searched(text: str) -> list[Hit]:
    if len(text) < 7 or not ("@" in text or _DIGIT.search(text) or "-----" in text):
        return []
    found: list[Hit] = []
    low = text.lower()
    shaped: dict[re.Pattern[str], bool] = {}
    for pattern in _PATTERNS:
        if pattern.signs and not any(sign in low for sign in pattern.signs):
            continue
        if pattern.shape is not None:
            if pattern.shape not in shaped:
                shaped[pattern.shape] = pattern.shape.search(text) is not None
            if not shaped[pattern.shape]:
                continue
        for match in pattern.regex.finditer(text):
            norm = pattern.norm(match.group())
            start, end = match.span()
            if norm and all(end <= other.start or start >= other.end for other in found):
                found.append(Hit(pattern.kind, start, end, norm))
    return sorted(found, key=lambda hit: hit.start)


def luhn_holds(digits: str) -> bool:
    return luhn_digit(digits[:-1]) == digits[-1]


def luhn_digit(body: str) -> str:
    """The check digit that makes `body` a card number."""
    total = 0
    for at, digit in enumerate(reversed(body)):
        doubled = int(digit) * (2 if at % 2 == 0 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return str(-total % 10)


def iban_holds(iban: str) -> bool:
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _Pattern:
    """`norm` gives "" for what only looks like one. A text without any of the `signs`, or without the `shape`, which
    is quicker to look for than the pattern, holds none."""

    kind: Kind
    regex: re.Pattern[str]
    norm: Callable[[str], str]
    signs: tuple[str, ...] = ()
    shape: re.Pattern[str] | None = None


# What every number of its kind holds. They begin with what is rare, which is what makes a search quick.
_SEVEN_DIGITS = re.compile(r"\d(?:[ ./()-]{0,2}\d){6}")
_CODED_COUNTRY = re.compile(r"\d\d(?<=[A-Za-z]{2}\d\d)")
_DOTTED = re.compile(r"\.\d{1,3}\.\d")
_COLONS = re.compile(r":[0-9A-Fa-f]{0,4}:")


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


_ISSUERS = re.compile(r"(?:4|5[1-5]|2(?:2[2-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[689])|35|6(?:011|4[4-9]|5)|62)")


def _card(text: str) -> str:
    digits = _digits(text)
    return digits if _ISSUERS.match(digits) and luhn_holds(digits) and len(set(digits)) > 2 else ""


# The length of an IBAN by country; others are not taken for one.
_IBAN_LENGTHS = dict(
    pair.split(":")
    for pair in """
    AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 CH:21 CR:22 CY:28 CZ:24 DE:22 DK:18 DO:28 EE:20 EG:29
    ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 IE:22 IL:23 IS:26 IT:27 JO:30 KW:30 KZ:20
    LB:28 LI:21 LT:20 LU:20 LV:21 MC:27 MD:24 ME:22 MK:19 MT:31 MU:30 NL:18 NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24
    RS:22 SA:24 SE:24 SI:19 SK:24 SM:27 TN:24 TR:26 UA:29 VA:22 XK:20
    """.split()
)


def _iban(text: str) -> str:
    iban = text.replace(" ", "").upper()
    return iban if _IBAN_LENGTHS.get(iban[:2]) == str(len(iban)) and iban_holds(iban) else ""


def is_issued_ssn(digits: str) -> bool:
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return len(digits) == 9 and area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _ssn(text: str) -> str:
    digits = _digits(text)
    return digits if is_issued_ssn(digits) else ""


def _ip(text: str) -> str:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    return "" if address.is_loopback or address.is_unspecified else address.compressed


def _phone(text: str) -> str:
    digits = _digits(text)
    return digits[-9:] if 8 <= len(digits) <= 15 and len(set(digits)) > 2 else ""


_SECRETS = (
    r"(?:sk|pk|rk)[-_](?:live|test|ant|proj|or|svcacct)[-_][\w-]{16,}|sk-[A-Za-z0-9]{20,}|(?:AKIA|ASIA)[A-Z0-9]{16}|gh[pousr]_\w{20,}|github_pat_\w{20,}"
    r"|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}|whsec_\w{20,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"
)
_PEM = r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"

# Surer kinds first. No pattern begins in the middle of a word: the same run would be scanned from each of its letters.
_PATTERNS = (
    _Pattern("secret", re.compile(_PEM, re.DOTALL), lambda text: text, ("-----begin",)),
    _Pattern(
        "secret",
        re.compile(rf"(?<![\w-])(?:{_SECRETS})"),
        lambda text: text,
        (
            "sk-",
            "pk-",
            "rk-",
            "k_",
            "akia",
            "asia",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "xox",
            "aiza",
            "ya29",
            "glpat",
            "hf_",
            "npm_",
            "pypi",
            "sg.",
            "whsec",
            "eyj",
        ),
    ),
    _Pattern(
        "email",
        re.compile(r"(?<![\w.%+-])[\w.%+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
        lambda text: text.lower().strip("'"),
        ("@",),
    ),
    _Pattern(
        "bank_account",
        re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?(?!\w)"),
        _iban,
        shape=_CODED_COUNTRY,
    ),
    _Pattern("card", re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-])"), _card, shape=_SEVEN_DIGITS),
    _Pattern("national_id", re.compile(r"(?<![\w-])\d{3}([- ])\d{2}\1\d{4}(?![\w-])"), _ssn, shape=_SEVEN_DIGITS),
    _Pattern("ip", re.compile(r"(?<![\w.])(?<!version )\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)"), _ip, shape=_DOTTED),
    _Pattern(
        "ip",
        re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){2,7}(?::?[0-9A-Fa-f]{1,4}){1,6}(?![\w:])"),
        _ip,
        shape=_COLONS,
    ),
    _Pattern("phone", re.compile(r"(?<![\w+])\+\d(?:[ ./()-]{0,2}\d){7,14}(?![\w-])"), _phone, ("+",)),
    _Pattern(
        "phone",
        re.compile(r"(?<![\w.-])(?:1[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-]|\.\d)"),
        _phone,
        shape=_SEVEN_DIGITS,
    ),
    _Pattern(
        "phone",
        re.compile(r"(?<![\w.-])0\d{1,4}[ /-]\d{5,9}(?![\w-]|\.\d)|(?<![\w.-])0\d(?:[ .]\d{2}){4}(?![\w-]|\.\d)"),
        _phone,
        shape=_SEVEN_DIGITS,
    ),
)
