"""An agent's words in, what they do to the customer out: ask, confirm, offer, claim, refuse and so on.

Rules over sentences, English first. Elsewhere a question mark still tells a question from a statement,
and the customer leans on the nearest turns of its own recorded conversation instead.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent_gym.text import parsed, tokens
from agent_gym.types import Json
from agent_gym.user_simulator import english

__all__ = [
    "WANTING",
    "Act",
    "AgentTurn",
    "content_words",
    "count_repeats",
    "in_a_row",
    "read_turn",
    "repeats",
    "sentences",
    "telling_words",
]

Act = Literal[
    "asks",  # for a value or a description
    "confirms",  # puts something to the customer and wants a yes
    "offers",  # proposes something the customer may take or leave
    "claims_done",  # says that something has been carried out
    "refuses",
    "hands_over",
    "closes",  # "anything else?"
    "invites",  # "how can I help?"
    "greets",
    "holds",  # "one moment, please"
    "informs",
    "unclear",  # nothing that can be read
]

_ASIDES: tuple[Act, ...] = ("greets", "holds")
WANTING: frozenset[Act] = frozenset({"asks", "confirms", "offers"})  # an answer


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """What one turn of the agent does. `slots` are the content words of its questions for a value."""

    text: str
    acts: frozenset[Act]
    slots: frozenset[str]
    kinds: frozenset[str]  # the kinds of value its questions are for, as far as their words tell
    words: frozenset[str]

    @property
    def wants_answer(self) -> bool:
        return not self.acts.isdisjoint(WANTING)


def read_turn(text: str) -> AgentTurn:
    acts: set[Act] = set()
    slots: set[str] = set()
    kinds: set[str] = set()
    for sentence in sentences(_readable(text)):
        act = _act_of(sentence)
        acts.add(act)
        if act == "asks":
            slots |= content_words(sentence)
            kinds |= {kind for kind, cue in english.KINDS if cue.search(sentence.lower())}
    acts.discard("unclear")
    for aside in _ASIDES:
        if len(acts) > 1:  # a hello before the matter, and a moment's wait beside it
            acts.discard(aside)
    return AgentTurn(
        text=text,
        acts=frozenset(acts or {"unclear"}),
        slots=frozenset(slots),
        kinds=frozenset(kinds),
        words=frozenset(tokens(text)),
    )


def _readable(text: str) -> str:
    """Of a reply that an agent wrote as JSON, the texts, a line each: what a chat window would show of it."""
    value = parsed(text.strip())
    if isinstance(value, str):
        return text
    found: list[str] = []
    left: list[Json] = [value]
    while left:
        value = left.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict | list):
            left += reversed(value.values() if isinstance(value, dict) else value)
    return "\n".join(found)


def count_repeats(turns: Sequence[AgentTurn]) -> int:
    """How many of the turns say, or ask, what an earlier one did."""
    return sum(repeats(turn, turns[:i]) for i, turn in enumerate(turns))


def repeats(turn: AgentTurn, earlier: Sequence[AgentTurn]) -> bool:
    return any(_repeats(turn, before) for before in earlier)


def _repeats(turn: AgentTurn, before: AgentTurn) -> bool:
    if turn.text == before.text or (turn.slots and _alike(turn.slots, before.slots, 0.8)):
        return True
    return _alike(turn.words, before.words, 0.9)


def _alike(one: frozenset[str], other: frozenset[str], share: float) -> bool:
    small, large = sorted((len(one), len(other)))
    return small >= share * large and len(one & other) >= share * len(one | other)


def sentences(text: str) -> list[str]:
    return [s for s in (part.strip() for part in _BREAK.split(text)) if s]


def in_a_row(parts: Sequence[str]) -> str:
    """Sentences put together, each with its stop: two names without one between them would read as one."""
    return " ".join(f"{part}." if part[-1:].isalnum() and part != parts[-1] else part for part in parts if part)


def content_words(text: str) -> frozenset[str]:
    """The words that say what a sentence is about, without their endings."""
    return frozenset(word for word in telling_words(text) if not word.isdigit())


def telling_words(text: str) -> frozenset[str]:
    """The same with numbers, which tell one thing from another of its kind."""
    return frozenset(_stem(word) for word in tokens(text) if word not in english.EMPTY)


def _stem(word: str) -> str:
    """Crude on purpose: enough that "refunding orders" and "refund the order" share their words."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


def _act_of(sentence: str) -> Act:
    # "To proceed with the return, I need …" is not about whether to proceed.
    low = english.PURPOSE.sub("", sentence.lower().replace("’", "'"))
    if not any(c.isalnum() for c in low):
        return "unclear"
    question = low.rstrip(" \"')*_").endswith(("?", "？", "؟")) or bool(english.REQUEST.search(low))
    if english.HANDS_OVER.search(low):
        return "offers" if question or english.MAYBE.search(low) else "hands_over"
    if english.CLOSES.search(low):
        return "closes"
    if question:
        return _question(low)
    if english.REFUSES.search(low):
        return "refuses"
    if english.DONE.search(low) and not english.NOT_YET.search(low):
        return "claims_done"
    if english.GREETS.match(low):
        return "greets"
    return "holds" if english.HOLDS.search(low) else "informs"


def _question(low: str) -> Act:
    if english.INVITES.search(low):
        return "invites"
    if english.CONFIRMS.search(low):
        return "confirms"
    # "Confirm your zip code" asks for it; "confirm the zip code is 10001" wants a yes.
    if "confirm" in low and not english.WH.search(low):
        named = any(c.isdigit() for c in low) or "yes" in low or "confirm your" not in low
        return "confirms" if named else "asks"
    if english.WH.search(low):
        return "asks"
    if english.OFFERS.search(low):
        return "offers"
    return "confirms" if english.YES_OR_NO.match(low) else "asks"


_BREAK = re.compile(r"(?<=[.!?。？！؟])\s+|\n+|(?<=[。？！])")
