"""How words are meant: a sentence in, whether it agrees, refuses, takes leave or asks for a yes out."""

import re
from functools import lru_cache

from agent_gym.agent.embedded.reading import tokens

__all__ = ["asks_for_yes", "consents", "refuses", "takes_leave"]

_YES = frozenset(
    "yes yeah yep yup sure ok okay correct confirm confirmed confirming absolutely definitely proceed agreed".split()
)
_YES_PHRASES = (
    "go ahead",
    "please do",
    "sounds good",
    "of course",
    "that's fine",
    "do it",
    "that works",
    "that's right",
)
_KEPT = 1 << 13  # texts: each is asked about at every later turn
_NO = frozenset("no nope not don't wait stop cannot can't won't but".split())
_PARTING = frozenset("thanks thank bye goodbye".split())
_ASKS_FOR_YES = re.compile(
    r"confirm|correct|proceed|go ahead|right\?|shall i|want me to|like me to|look (?:right|good)", re.IGNORECASE
)


@lru_cache(maxsize=_KEPT)
def consents(text: str) -> bool:
    """Whether the customer's words are a plain yes."""
    words = tokens(text.replace("’", "'"))[:8]
    head = " ".join(words)
    agreed = any(word in _YES for word in words) or any(phrase in head for phrase in _YES_PHRASES)
    return agreed and not any(word in _NO for word in words[:4])


@lru_cache(maxsize=_KEPT)
def refuses(text: str) -> bool:
    return next(iter(tokens(text.replace("’", "'"))), "") in _NO


@lru_cache(maxsize=_KEPT)
def takes_leave(text: str) -> bool:
    """Whether the words thank or part, and do nothing else: no question, no value."""
    words = tokens(text)
    return bool(_PARTING & set(words)) and len(words) < 16 and not re.search(r"[?@\d]", text)


@lru_cache(maxsize=_KEPT)
def asks_for_yes(text: str) -> bool:
    return bool(_ASKS_FOR_YES.search(text))
