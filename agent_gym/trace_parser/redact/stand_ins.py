"""A personal value in, another of the same shape out: by a keyed hash, the same for the same value, never one for two.

Without the key nobody can tell which value a stand-in stands for, nor check a guess.
"""

import hmac
import ipaddress
from collections import defaultdict
from collections.abc import Callable, Container
from datetime import date, timedelta

from agent_gym.errors import RedactionError
from agent_gym.trace_parser.redact.patterns import iban_holds, luhn_digit

__all__ = ["StandIns"]

_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnprstvwz"
_CYRILLIC_VOWELS, _CYRILLIC = "аеиоу", "бвгдзклмнпрст"
_YEARS = 3  # a birthday moves by less than this: a grown-up stays one
# Draws that avoid the values of others, then all draws. When nine house numbers of one digit are in use, the last one
# left may be the number itself: of all that is short enough for that, the words beside it change.
_PREFER, _OTHER, _TRIES = 200, 2_000, 200_000


class StandIns:
    """The one place that knows the key. `avoid` holds words and values that no stand-in should be."""

    def __init__(self, key: bytes, avoid: Container[str]) -> None:
        self._key, self._avoid = key, avoid
        self._made: defaultdict[str, dict[str, str]] = defaultdict(dict)  # by domain
        self._used: defaultdict[str, set[str]] = defaultdict(set)

    def issued(self, domain: str, made: str) -> bool:
        """Whether the value is a stand-in of ours."""
        return made in self._used[domain]

    def word(self, word: str) -> str:
        """A word of the same length and rhythm, for a folded word of letters."""
        return self._of("word", word, lambda draw: draw.spelled(word))

    def number(self, digits: str) -> str:
        """As many digits; a leading zero stays, none appears."""
        return self._of("number", digits, lambda draw: "".join(draw.digit(c, at) for at, c in enumerate(digits)))

    def code(self, code: str, keep: int = 0) -> str:
        """Letters for letters and digits for digits behind the first `keep` characters: document numbers, secrets."""
        hexadecimal = len(code) >= 16 and all(c in "0123456789abcdefABCDEF-" for c in code)
        return self._of(
            "code", code, lambda draw: code[:keep] + "".join(draw.like(c, hexadecimal) for c in code[keep:])
        )

    def phone(self, norm: str) -> str:
        """For the last nine digits; all but the last seven stay, so that a country or an area stays."""
        kept = max(0, len(norm) - 7)
        return self._of(
            "phone", norm, lambda draw: norm[:kept] + "".join(draw.digit(c, at) for at, c in enumerate(norm[kept:]))
        )

    def card(self, digits: str) -> str:
        """A valid card of the same issuer; it ends as the stand-in of its last four digits does."""
        end = self.number(digits[-4:])

        def drawn(draw: _Draw) -> str:
            front = digits[:6] + "".join(draw.digit(c, 1) for c in digits[6:-5])
            return next(made for d in "0123456789" if luhn_digit((made := front + d + end)[:-1]) == made[-1])

        return self._of("card", digits, drawn)

    def iban(self, iban: str) -> str:
        """A valid IBAN of the same country."""

        def drawn(draw: _Draw) -> str:
            body = "".join(draw.like(c, False) for c in iban[4:])
            return next(made for n in range(2, 99) if iban_holds(made := f"{iban[:2]}{n:02d}{body}"))

        return self._of("iban", iban, drawn)

    def ssn(self, digits: str) -> str:
        def drawn(draw: _Draw) -> str:
            return f"{1 + draw.below(665):03d}{1 + draw.below(99):02d}{1 + draw.below(9999):04d}"

        return self._of("ssn", digits, drawn)

    def ip(self, address: str) -> str:
        """An address of a range that is nobody's."""
        if ":" in address:
            return self._of(
                "ip", address, lambda draw: str(ipaddress.IPv6Address((0x20010DB8 << 96) + draw.below(2**64)))
            )
        return self._of("ip", address, lambda draw: str(ipaddress.IPv4Address((10 << 24) + 1 + draw.below(2**24 - 2))))

    def day(self, day: date) -> date:
        """Another day, some years away at most."""
        span = 365 * _YEARS
        made = self._of(
            "day", day.isoformat(), lambda draw: (day + timedelta(days=draw.below(2 * span + 1) - span)).isoformat()
        )
        return date.fromisoformat(made)

    def email(self, email: str, local: str) -> str:
        """`local`: the part before the @ as it is to be; a domain always becomes the same one under `.example`."""
        labels = email.rpartition("@")[2].split(".")
        domain = ".".join([*(self._label(label) for label in labels[:-1]), "example"])
        made = f"{local}@{domain}"
        return self._of(
            "email", email, lambda draw: made if draw.attempt == 0 else f"{local}{draw.below(10**6)}@{domain}"
        )

    def _label(self, label: str) -> str:
        return self._of("label", label, lambda draw: draw.spelled(label))

    def _of(self, domain: str, value: str, shape: "Callable[[_Draw], str]") -> str:
        made = self._made[domain].get(value)
        if made is None:
            made = self._made[domain][value] = self._drawn(domain, value, shape)
            self._used[domain].add(made)
        return made

    def _drawn(self, domain: str, value: str, shape: "Callable[[_Draw], str]") -> str:
        for attempt in range(_TRIES):
            made = shape(_Draw(self._key, domain, value, attempt))
            free = made not in self._used[domain] and (made != value or attempt >= _OTHER)
            if free and (attempt >= _PREFER or made not in self._avoid):
                return made
        raise RedactionError(f"there are no values left to stand for all {domain} values of {len(value)} characters")


class _Draw:
    """One attempt's stream of pseudorandom choices."""

    def __init__(self, key: bytes, domain: str, value: str, attempt: int) -> None:
        self.attempt = attempt
        self._key, self._seed = key, f"{domain}\0{value}\0{attempt}".encode()
        self._left, self._block = 0, 0

    def below(self, n: int) -> int:
        """A number from 0 to n - 1. What is left of a block serves the next choices."""
        if self._left < n * 2**32:
            block = self._seed + self._block.to_bytes(4)
            self._block += 1
            self._left = int.from_bytes(hmac.digest(self._key, block, "sha256"))
        self._left, choice = divmod(self._left, n)
        return choice

    def digit(self, old: str, at: int) -> str:
        if at == 0:
            return "0" if old == "0" else str(1 + self.below(9))
        return str(self.below(10))

    def spelled(self, word: str) -> str:
        """Letters for letters; one more where all words as short as this one are taken."""
        made = "".join(self.letter(c) if c.isalnum() else c for c in word)
        return made if self.attempt < _OTHER else made + self.letter("a")

    def letter(self, old: str) -> str:
        """A vowel for a vowel, a consonant for a consonant; of a script without either, a neighbour of the letter."""
        low = old.lower()
        if old.isdigit():
            return str(self.below(10))
        if low.isascii():
            made = self._one(_VOWELS if low in "aeiouy" else _CONSONANTS)
        elif "а" <= low <= "я":
            made = self._one(_CYRILLIC_VOWELS if low in "аеиоуыэюя" else _CYRILLIC)
        elif low < "\u0250":  # Latin with a mark that folding leaves on
            made = self._one(_VOWELS)
        else:
            near = [c for c in map(chr, range(ord(old) & ~63, (ord(old) | 63) + 1)) if c.isalpha()]
            return self._one(near)
        return made.upper() if old.isupper() else made

    def like(self, old: str, hexadecimal: bool) -> str:
        """Any letter for a letter, any digit for a digit; hexadecimal digits stay such; signs stay."""
        if hexadecimal and old != "-":
            return self._one("0123456789ABCDEF" if old.isupper() else "0123456789abcdef")
        if old.isdigit():
            return str(self.below(10))
        if old.isascii() and old.isalpha():
            return self._one("ABCDEFGHIJKLMNOPQRSTUVWXYZ" if old.isupper() else "abcdefghijklmnopqrstuvwxyz")
        return self.letter(old) if old.isalpha() else old

    def _one(self, choices: "str | list[str]") -> str:
        return choices[self.below(len(choices))]
