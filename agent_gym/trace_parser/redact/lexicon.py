"""A personal value as words and digits in, what stands for it out: word by word where it is made of words, so that a
name, its parts, an e-mail address and an id that embed it all change alike."""

from collections.abc import Iterable, Sequence

from agent_gym.trace_parser.redact.dates import dates_in
from agent_gym.trace_parser.redact.kinds import Kind, Token, fold, tokens, words
from agent_gym.trace_parser.redact.known import Known
from agent_gym.trace_parser.redact.patterns import iban_holds, is_issued_ssn, luhn_holds, pattern_hits
from agent_gym.trace_parser.redact.stand_ins import StandIns

__all__ = ["Lexicon", "relaid"]

_WHOLE = ("phone", "card", "bank_account", "national_id", "secret")  # not made of words that mean anything alone
_PREFIX = 4  # characters of a secret that tell what kind it is


class Lexicon:
    """All stand-ins, drawn in sorted order first: clashes are settled alike in any order and in every process."""

    def __init__(self, known: Known, key: bytes) -> None:
        self._joined = known.joined
        originals = {*known.words, *known.joined, *known.common, *(fold(v) for of in known.values.values() for v in of)}
        self._made = StandIns(key, known.vocabulary | originals | {"".join(entry) for entry in known.entries.kinds})
        self.day = self._made.day
        self._draw_all(known)

    def _draw_all(self, known: Known) -> None:
        for word in sorted({*known.words, *known.common}):
            self.word(word)
        for entry, kind in sorted(known.entries.kinds.items()):
            self.words(kind, entry)
        for day in sorted(known.births):
            self._made.day(day)
        for kind, values in known.values.items():
            for value in values if kind != "birth_date" else ():
                hits = pattern_hits(value)
                for hit in hits:
                    self.by_form(hit.kind, value[hit.start : hit.end], hit.norm)
                if not hits:
                    self.words(kind, [token.text for token in tokens(value)])

    def word(self, word: str) -> str:
        if how := self._joined.get(word):
            return self._made.word(how.first)[: how.kept] + self._made.word(how.last)
        return self._made.word(word)

    def words(self, kind: Kind, found: Sequence[str]) -> list[str]:
        """One stand-in for each of the value's words."""
        joined = "".join(found)
        if kind not in _WHOLE or joined.isalpha():
            return [self._word(kind, word) for word in found]
        return _split(self._whole(kind, joined), found)

    def _word(self, kind: Kind, word: str) -> str:
        if word.isdigit():
            return self._made.number(word)
        means_nothing = words().places if kind == "street" else words().particles
        return word if word in means_nothing or (len(word) == 1 and word < "\u0500") else self.word(word)

    def _whole(self, kind: Kind, joined: str) -> str:
        if kind == "bank_account" and joined[:2].isalpha() and joined.isascii() and iban_holds(joined):
            return self._made.iban(joined.upper()).lower()
        if not joined.isdigit():
            return self._made.code(joined)
        if kind == "phone":
            return joined[:-9] + self._made.phone(joined[-9:])
        if kind == "card" and len(joined) > 12 and luhn_holds(joined):
            return self._made.card(joined)
        if kind == "national_id" and is_issued_ssn(joined):
            return self._made.ssn(joined)
        return self._made.number(joined)

    def by_form(self, kind: Kind, text: str, norm: str) -> str:
        """For a value that was found by its form, in the layout of the text."""
        if kind == "email":
            return self._email(text, norm)
        if kind == "ip":
            return self._made.ip(norm)
        if kind == "secret":
            return self._made.code(norm, _PREFIX) if not norm.startswith("-----") else self._pem(norm)
        found = tokens(text)
        return relaid(text, found, self.words(kind, [token.text for token in found]))

    def _email(self, text: str, norm: str) -> str:
        found = tokens(norm.rpartition("@")[0])
        new = self.words("email", [token.text for token in found])
        local = relaid(norm.rpartition("@")[0], found, new)
        made = self._made.email(norm, local)
        written = text.rpartition("@")[0]
        if len(written) != len(local):  # quotation marks around it
            return made
        return (
            "".join(c.upper() if old.isupper() else c for c, old in zip(local, written, strict=True))
            + made[len(local) :]
        )

    def _pem(self, text: str) -> str:
        head, dashes, body = text[5:].partition("-----")
        inner, tail_dashes, tail = body.partition("-----")
        return "-----" + head + dashes + self._made.code(inner) + tail_dashes + tail

    def made(self, kind: Kind, text: str) -> bool:
        """Whether the text is one of our own stand-ins."""
        found = [token.text for token in tokens(text)]
        joined = "".join(found)
        if kind == "birth_date":
            return any(self._made.issued("day", written.day.isoformat()) for written in dates_in(text))
        if self._made.issued("email", text.lower()):
            return True
        if kind == "email":
            return False
        if kind == "secret" and text.startswith("-----"):
            return self._made.issued("code", text[5:].partition("-----")[2].partition("-----")[0])
        runs = [joined]
        if joined.isdigit():  # a number that happens to stand beside a stand-in can look like more of it
            runs += ["".join(found[:at]) for at in range(1, len(found))]
            runs += ["".join(found[at:]) for at in range(1, len(found))]
        forms = {text, joined.upper(), *runs, *(run[-9:] for run in runs)}  # of a phone number nine digits are ours
        domains = ("phone", "card", "iban", "ssn", "code", "number", "ip", "word")
        return any(self._made.issued(domain, form) for domain in domains for form in forms) or all(
            self._made.issued("word", word) or self._made.issued("number", word) or self._word(kind, word) == word
            for word in found
        )


def relaid(text: str, found: Sequence[Token], new: Iterable[str]) -> str:
    """The text with its words changed and all that stands between them, and their case, as it was."""
    out, at = [], 0
    for token, word in zip(found, new, strict=True):
        out += [text[at : token.start], _cased(word, text[token.start : token.end])]
        at = token.end
    return "".join([*out, text[at:]])


def _cased(word: str, like: str) -> str:
    if len(word) == len(like):
        return "".join(c.upper() if old.isupper() else c for c, old in zip(word, like, strict=True))
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[:1].isupper() else word


def _split(made: str, found: Sequence[str]) -> list[str]:
    out, at = [], 0
    for word in found:
        out.append(made[at : at + len(word)])
        at += len(word)
    return out
