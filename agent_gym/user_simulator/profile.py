"""The customer of one recorded conversation, as plain values: what it wanted, knew, decided and how it spoke."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from agent_gym.user_simulator.acts import Act, AgentTurn
from agent_gym.user_simulator.nearness import Nearness

__all__ = ["CustomerProfile", "Decision", "Ending", "Fact", "Matter", "Persona", "Request", "Sentence", "Spoken"]

Ending = Literal["satisfied", "handed_over", "gave_up", "open"]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the customer said first: nobody else in the conversation had said it before.

    `kind` is that of `agent_gym.text.Value`, or "phrase" for a short answer without a checkable value.
    `labels` are the customer's own words around it, `slots` those of the question that brought it up.
    """

    kind: str
    text: str
    norm: str
    turn: int
    asked: bool
    labels: frozenset[str]
    slots: frozenset[str]
    sentence: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A yes or no to what the agent put to the customer; `words`: how it was said, if that fits elsewhere.

    `over`: the values of the offer that were named with it, as in "not for $15".
    """

    turn: int
    offer: str
    accepted: bool
    words: str
    over: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Matter:
    """A sentence of the wish that asks for something; `words`: those of it that the recorded agent took up."""

    text: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Request:
    """A turn that opened something new, and what the agent had just done when it came."""

    turn: int
    text: str
    trigger: frozenset[Act]

    @property
    def is_reaction(self) -> bool:
        """Whether it came up because something was refused."""
        return "refuses" in self.trigger and self.trigger.isdisjoint(("closes", "claims_done"))


@dataclass(frozen=True, slots=True)
class Persona:
    """How the customer speaks; `patience` is how many repeats it puts up with before it leaves."""

    words_per_turn: float
    short_rate: float
    polite_rate: float
    patience: int
    typo_rate: float = 0.0  # of longer words: a letter off from a word that the conversation knows
    foreign: bool = False  # speaks another language than our own plain words: the record's are preferred then


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a recorded turn. `learned`: its values that the customer had from the agent."""

    text: str
    learned: frozenset[str]


@dataclass(frozen=True, slots=True)
class Spoken:
    """One recorded turn: what was heard, as read, and the words that answered it."""

    heard: AgentTurn
    said: str
    sentences: tuple[Sentence, ...]
    words: frozenset[str]
    values: frozenset[str]  # the norms of every value in it, known before or not
    closing: bool
    consents: bool  # a yes or no and nothing that could be checked
    changes: bool = False  # asked for a yes, it wanted something else instead


@dataclass(frozen=True, slots=True)
class CustomerProfile:
    """All that the simulated customer is made of. Hidden from the agent, except what the customer says."""

    conversation_id: str
    opener: str
    wish: str  # the first words that say what is wanted; the opener may be a mere hello
    matters: tuple[Matter, ...]
    facts: tuple[Fact, ...]
    decisions: tuple[Decision, ...]
    requests: tuple[Request, ...]
    persona: Persona
    ending: Ending
    last_words: str
    lingers: bool  # after its farewell it let the agent have the last word
    spoken: Sequence[Spoken] = field(repr=False)
    spoken_of: frozenset[str] = field(repr=False)  # the words by which both sides said what it was about
    # All that agent and tools said, in lower case: what stands there the customer cannot call wrong.
    record: str = field(repr=False)
    near: Nearness = field(repr=False, compare=False)  # to what was heard before each turn of `spoken`

    def __str__(self) -> str:
        lines = [f"customer of {self.conversation_id}, ended {self.ending}", f"  opens: {self.opener}"]
        lines += [f"  knows: {f.text} ({f.kind}, turn {f.turn}, {_how(f)})" for f in self.facts]
        lines += [f"  {'takes' if d.accepted else 'declines'}: {d.offer}" for d in self.decisions]
        lines += [f"  later wants: {r.text} (after the agent {', '.join(sorted(r.trigger))})" for r in self.requests]
        p = self.persona
        manner = f"{p.words_per_turn:.1f} words a turn, {p.short_rate:.0%} short, {p.polite_rate:.0%} polite"
        manner += f", {p.typo_rate:.0%} typos"
        return "\n".join([*lines, f"  speaks: {manner}; puts up with {p.patience} repeats"])


def _how(fact: Fact) -> str:
    return f"asked for {' '.join(sorted(fact.slots))}" if fact.asked else "volunteered"
