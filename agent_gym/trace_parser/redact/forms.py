"""A personal value in, the sequences of words and digits by which it may be met in a text out."""

from collections.abc import Iterator
from typing import NamedTuple

from agent_gym.trace_parser.redact.kinds import Kind, token_texts, words
from agent_gym.trace_parser.redact.people import Name

__all__ = ["Joined", "forms", "is_wide", "run_together"]


class Joined(NamedTuple):
    """A first and a last name without a space; `kept`: how many letters of the first."""

    first: str
    last: str
    kept: int


def forms(kind: Kind, value: str) -> list[tuple[str, ...]]:
    """The sequences by which a value may be met in a text."""
    if kind == "email":
        value = value.strip().rpartition("@")[0]  # the whole address is found by its own form
        found = tuple(token_texts(value))
        return [found] if len(found) > 1 or not value.isalpha() else []
    whole = tuple(token_texts(value))
    forms = [whole]
    if kind == "street":
        first = tuple(token_texts(value.partition(",")[0]))
        forms += [first, _without_place(first)]
    return [form for form in dict.fromkeys(forms) if form]


def _without_place(found: tuple[str, ...]) -> tuple[str, ...]:
    """`537 Main` of `537 Main Street`: people write `St.`, or nothing."""
    if len(found) > 2 and found[0].isdigit() and found[-1] in words().places:
        return found[:-1]
    return ()


def is_wide(kind: Kind, found: tuple[str, ...]) -> bool:
    """Whether a value is looked for in every conversation; a short number only in those whose records hold it."""
    if kind == "card_part":
        return False
    return len("".join(found)) >= 5 and (len(found) > 1 or kind != "street")


def run_together(name: Name) -> Iterator[tuple[str, Joined]]:
    """`miagarcia`, `garciamia` and `mgarcia`."""
    if len(name) > 1 and len(name[-1]) > 3 and name[0].isascii():
        yield name[0] + name[-1], Joined(name[0], name[-1], len(name[0]))
        yield name[-1] + name[0], Joined(name[-1], name[0], len(name[-1]))
        yield name[0][0] + name[-1], Joined(name[0], name[-1], 1)
