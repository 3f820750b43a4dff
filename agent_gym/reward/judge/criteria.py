"""What a judge is asked: criteria as a user writes them in, `Criterion`s out.

A criterion is one statement about a conversation that is true or false. As a line of a text file it reads
`must: The agent …`, `nice 0.1: …`, `pitfall: …` or `pitfall reply: …`; a line without a kind is a must-have.
"""

import difflib
import hashlib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

from agent_gym.errors import OptionError
from agent_gym.types import Json

__all__ = ["Criterion", "CriterionLike", "Kind", "read_criteria", "short_name"]

Kind = Literal[
    "must",  # a conversation in which it is not shown is no success
    "nice",  # logged; lowers the score by `weight` where it is not shown
    "pitfall",  # a conversation in which it is shown is no success
]
_WEIGHTS: Mapping[Kind, float] = {"must": 1.0, "nice": 0.0, "pitfall": 1.0}
_SPELLINGS: Mapping[str, Kind] = {kind: kind for kind in get_args(Kind)} | {
    "must-have": "must",
    "nice-to-have": "nice",
}
_LINE = re.compile(r"(?P<kind>[A-Za-z-]+)(?:\s+(?P<weight>\d*\.?\d+))?(?P<reply>\s+reply)?\s*:\s*(?P<text>\S.*)")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One statement to be found true or false.

    `weight` is 1 for must-haves and pitfalls and 0 for what is nice to have; with 0 the finding is only logged.
    `reply` says that it can also be asked of a single reply. `context` is text that helps to understand it.
    """

    text: str
    kind: Kind = "must"
    weight: float | None = None
    id: str = ""
    reply: bool = False
    context: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise OptionError("criterion", self.text, ("a statement that is true or false",))
        if self.kind not in _WEIGHTS:
            raise OptionError("kind", self.kind, _WEIGHTS)
        if self.weight is not None and not (math.isfinite(self.weight) and 0.0 <= self.weight <= 1.0):
            raise OptionError("weight", self.weight, ("a number from 0 to 1",))

    @property
    def name(self) -> str:
        return self.id or short_name(self.text)

    @property
    def pull(self) -> float:
        """The weight given, or that of its kind."""
        return _WEIGHTS[self.kind] if self.weight is None else self.weight


def short_name(text: str) -> str:
    """The words it begins with, and a digest: the same text has the same name everywhere."""
    words = re.findall(r"[a-z0-9]+", text.lower())[:6]
    return "-".join([*words, hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=3).hexdigest()])


CriterionLike: TypeAlias = Criterion | Mapping[str, Json] | str


def read_criteria(given: Iterable[CriterionLike]) -> tuple[Criterion, ...]:
    """The criteria of a list or of a file's lines; blank lines and those that begin with # say nothing."""
    criteria = tuple(_criterion(one) for one in given if not _is_remark(one))
    names = [criterion.name for criterion in criteria]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError("criteria", twice, ("ids and texts that differ",), "occurs twice")
    return criteria


def _is_remark(given: CriterionLike) -> bool:
    return isinstance(given, str) and (not given.strip() or given.lstrip().startswith("#"))


def _criterion(given: CriterionLike) -> Criterion:
    if isinstance(given, Criterion):
        return given
    if isinstance(given, str):
        return _of_line(given.strip())
    known = [field.name for field in fields(Criterion)]
    for name in given:
        if name not in known:
            raise OptionError("criterion", name, known, "is no field of a criterion")
    kind, text = str(given.get("kind", "must")), str(given.get("text", ""))
    return Criterion(**{**given, "text": text, "kind": _SPELLINGS.get(kind, kind)})


def _of_line(line: str) -> Criterion:
    found = _LINE.fullmatch(line)
    word = found["kind"].lower() if found else ""
    if found and word in _SPELLINGS:
        weight = float(found["weight"]) if found["weight"] else None
        return Criterion(found["text"], _SPELLINGS[word], weight, reply=bool(found["reply"]))
    if difflib.get_close_matches(word, _SPELLINGS, n=1, cutoff=0.7):
        # A pitfall that is misspelt must not become a must-have: it would mean the opposite.
        raise OptionError("criterion", word, _SPELLINGS)
    return Criterion(line)
