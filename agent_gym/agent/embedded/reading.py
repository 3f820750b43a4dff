"""A text in, its words and values out, worked out once: a conversation is read again at every turn of it."""

from functools import lru_cache

from agent_gym.text import Value
from agent_gym.text import tokens as _tokens
from agent_gym.text import values_in as _values_in

__all__ = ["MONTHS", "tokens", "values_in"]

MONTHS = "january february march april may june july august september october november december".split()

_KEPT = 1 << 15  # texts: some thousand conversations' worth


@lru_cache(maxsize=_KEPT)
def values_in(text: str) -> tuple[Value, ...]:
    return tuple(_values_in(text))


@lru_cache(maxsize=_KEPT)
def tokens(text: str) -> tuple[str, ...]:
    return tuple(_tokens(text))
