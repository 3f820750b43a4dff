"""A tool's name in, what it suggests out: a prior, for where the record shows nothing to compare."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["Kind", "commands", "kind_by_name", "words_of"]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a tool does, and why we think so."""

    writes: bool
    ends: bool
    why: str


def kind_by_name(name: str) -> Kind:
    """What the name alone suggests."""
    words, verbs = words_of(name), _verbs()
    if verbs["hands_over"].intersection(words) and verbs["to_whom"].intersection(words):
        return Kind(False, True, "its name hands the customer over")
    verb = next((word for word in words if word in verbs["reads"] or word in verbs["writes"]), None)
    if verb is None:
        return Kind(False, False, "nothing says that it changes anything")
    return Kind(verb in verbs["writes"], False, f"its name says {verb!r}; no record to compare")


def commands(name: str) -> bool:
    """Whether the name opens with a verb that changes something, and asks for nothing: not `order_status`."""
    words, verbs = words_of(name.rpartition(".")[2]), _verbs()
    return bool(words) and words[0] in verbs["writes"] and not (verbs["reads"] | verbs["asked_for"]) & set(words)


@cache
def _verbs() -> Mapping[str, frozenset[str]]:
    table = resources.files("agent_gym.tool_mocker.mining").joinpath("verbs.toml").read_text("utf-8")
    return {name: frozenset(words.split()) for name, words in tomllib.loads(table).items()}


def words_of(name: str) -> list[str]:
    """The words of a tool's name, whatever joins them."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
