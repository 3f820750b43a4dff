"""How words are meant: a sentence in, whether it agrees, refuses, takes leave or asks for a yes out."""

import re
from functools import lru_cache

from agent_gym.agent.embedded.reading import tokens

__all__ = ["asks_for_yes", "consents", "corrects", "goes_on", "offers_more", "refuses", "takes_leave"]

_YES = frozenset(
    "yes yeah yep yup sure ok okay alright fine correct confirm confirmed confirming absolutely definitely proceed"
    " agreed".split()
)
_YES_PHRASES = (
    "go ahead",
    "please do",
    "sounds good",
    "of course",
    "that's fine",
    "do it",
    "do that",
    "if it has to be",
    "that works",
    "that's right",
)
_HEAD = 12  # words in which a yes or a no is said
_KEPT = 1 << 13  # texts: each is asked about at every later turn
_NO = frozenset("no nope not don't wait stop cannot can't won't but".split())
_NO_PHRASES = (
    "do not",
    "don't",
    "not do it",
    "rather not",
    "changed my mind",
    "never mind",
    "nevermind",
    "forget it",
    "forget about it",
    "leave it",
    "leave things",
    "leave everything",
    "keep it",
    "not worth",
    "isn't worth",
    "not paying",
    "won't pay",
    "on second thought",
)
_PARTING = frozenset("thanks thank bye goodbye".split())
_ASKS_FOR_YES = re.compile(
    r"confirm|correct|proceed|go ahead|right\?|shall i|want me to|like me to|look (?:right|good)", re.IGNORECASE
)
_SAYS_MORE = 4  # words of a sentence that say what is wanted
_OFFERS_MORE = re.compile(
    r"\b(?:else|further|other (?:questions?|matters?)|more (?:questions?|help))\b[^.?!]*\?", re.IGNORECASE
)
_GOES_ON = re.compile(
    r"(?:^|[.!?;,]\s+|\s-+\s)(?:(?:oh|and|but|so|ok|okay)\W+)*"
    r"(?:(?:there'?s|there is|i(?:'?ve| have)(?: got)?|i had|just) )?"
    r"(?:also|additionally|besides|in addition|furthermore|on top of (?:that|it)|by the way|one more|one other"
    r"|another (?:thing|question|matter|request|issue)|(?:some|any)thing else|a second (?:thing|question)"
    r"|while (?:i'?m|we'?re|i am|i have|i'?ve) |since i(?:'m| have|'ve)|(?:i )?(?:almost|nearly) forgot|and then:)",
    re.IGNORECASE,
)


@lru_cache(maxsize=_KEPT)
def consents(text: str) -> bool:
    """Whether the customer's words are a plain yes."""
    words = tokens(text.replace("’", "'"))[:_HEAD]
    head = " ".join(words)
    agreed = any(word in _YES for word in words) or any(phrase in head for phrase in _YES_PHRASES)
    return agreed and not any(word in _NO for word in words[:4])


@lru_cache(maxsize=_KEPT)
def refuses(text: str) -> bool:
    """Whether the words turn down what was asked."""
    words = tokens(text.replace("’", "'"))
    head = " ".join(words[:_HEAD])
    return bool(words) and (words[0] in _NO or "no" in words[:3] or any(phrase in head for phrase in _NO_PHRASES))


@lru_cache(maxsize=_KEPT)
def corrects(text: str) -> bool:
    """Whether the words turn something down and go on with what is wanted instead."""
    sentences = re.split(r"(?<=[.!?])\s+", text.strip())
    return refuses(text) and any(len(tokens(sentence)) > _SAYS_MORE for sentence in sentences[1:])


@lru_cache(maxsize=_KEPT)
def takes_leave(text: str) -> bool:
    """Whether the words thank or part, and do nothing else: no question, no value."""
    words = tokens(text)
    return bool(_PARTING & set(words)) and len(words) < 16 and not re.search(r"[?@\d]", text)


@lru_cache(maxsize=_KEPT)
def asks_for_yes(text: str) -> bool:
    return bool(_ASKS_FOR_YES.search(text))


@lru_cache(maxsize=_KEPT)
def offers_more(text: str) -> bool:
    """Whether the agent is done with what was asked, and asks for anything else."""
    return bool(_OFFERS_MORE.search(text))


@lru_cache(maxsize=_KEPT)
def goes_on(text: str) -> bool:
    """Whether the customer begins with another matter by themselves."""
    return bool(_GOES_ON.search(text.replace("’", "'")))
