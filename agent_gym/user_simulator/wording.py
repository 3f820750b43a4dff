"""A customer's move in, its words out: the record's where they say just that, else what others say, else plain ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from agent_gym.user_simulator.crowd import LONELY, Crowd
from agent_gym.user_simulator.profile import Fact, Persona

__all__ = ["Move", "MoveKind", "is_check", "is_not_known", "worded"]

MoveKind = Literal[
    "recall",  # say what was said in the recorded conversation
    "tell",
    "tell_again",
    "correct",
    "agree",
    "decline",
    "not_known",
    "not_understood",
    "acknowledge",
    "wait",
    "check",  # was it really done?
    "insist",  # come back to what was asked for
    "object",  # to a refusal without a reason
    "leave_satisfied",
    "leave_refused",
    "leave_handed_over",
    "leave_annoyed",
    "hang_up",  # without a word
]


@dataclass(frozen=True, slots=True)
class Move:
    """What the customer does next. `facts` are all it may give away by it; `recorded` are words to use.

    `before` is a sentence that comes first, whatever the move.
    """

    kind: MoveKind
    facts: tuple[Fact, ...] = ()
    recorded: str = ""
    before: str = ""

    @property
    def leaves(self) -> bool:
        return self.kind.startswith("leave_")


# For each move: what a customer of few words says, and what others say.
_PHRASES: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "recall": (("{recorded}",), ("{recorded}",)),
    "tell": (("{facts}",), ("It's {facts}.", "That would be {facts}.", "Sure, here it is: {facts}.")),
    "tell_again": (("{facts}, as I said.",), ("As I said, it's {facts}.", "I already gave you that, it's {facts}.")),
    "correct": (
        ("No, {facts}.",),
        ("No, that's not right. It should be {facts}.", "That's not correct, it has to be {facts}."),
    ),
    "agree": (
        ("Yes.", "Yes, go ahead."),
        ("Yes, that's right, please go ahead with it.", "Yes, please do that for me.", "Yes, I'm fine with that."),
    ),
    "decline": (("No.", "No, thanks."), ("No, that is not what I want.", "No, thank you, I'd rather not do that.")),
    "not_known": (
        ("No idea.", "Don't know."),
        ("I'm sorry, but I don't know that.", "I don't have that at hand right now.", "I'm really not sure."),
    ),
    "not_understood": (("What?",), ("Sorry, I didn't get that.", "I don't understand what you mean by that.")),
    "acknowledge": (("Okay.", "Ok."), ("Okay, thanks for letting me know.", "All right, I see what you mean.")),
    "wait": (("Ok.", "Okay."), ("Okay, I'll wait.", "Sure, go ahead.", "All right, take your time.")),
    "check": (
        ("Sure it went through?",),
        ("Could you check that this really went through?", "Are you sure that everything I asked for is done?"),
    ),
    "insist": (
        ("As I said: {recorded}",),
        ("There is still what I asked for: {recorded}", "Let me say it again: {recorded}"),
    ),
    "object": (("Why not?",), ("Why is that? Is there really no way to do it?", "Can you tell me why not?")),
    "leave_satisfied": (
        ("Thanks.", "Thanks, bye."),
        ("Thank you, that's all I needed today.", "Great, thanks for your help. Bye."),
    ),
    "leave_refused": (
        ("Fine, leave it then.",),
        ("All right, then I'll leave it at that. Bye.", "Okay, I understand. That's it then, bye."),
    ),
    "leave_handed_over": (("Okay.",), ("Okay, thank you, I'll wait for them.", "All right, thanks for passing me on.")),
    "leave_annoyed": (
        ("Forget it.",),
        ("This is going nowhere. I'll try another time.", "I've had enough of this, goodbye."),
    ),
}  # fmt: skip

_MANY = 3  # phrases of others


def is_not_known(words: str) -> bool:
    """Whether the customer has said with these words that it does not know."""
    return any(words in phrases for phrases in _PHRASES["not_known"])


def is_check(words: str) -> bool:
    """Whether the customer has asked with these words if it was really done."""
    return any(words in phrases for phrases in _PHRASES["check"])


def worded(move: Move, persona: Persona, rng: Random, crowd: Crowd = LONELY) -> str:
    """The words for the move; the same move, persona, crowd and random state give the same words."""
    return f"{move.before} {_plainly(move, persona, rng, crowd)}".strip()


def _plainly(move: Move, persona: Persona, rng: Random, crowd: Crowd) -> str:
    if move.recorded and (move.kind != "insist" or persona.foreign):
        return move.recorded
    phrase = rng.choice(_ways(move, persona, rng, crowd))
    return phrase.format(facts=_listed([fact.text for fact in move.facts]), recorded=move.recorded)


def _ways(move: Move, persona: Persona, rng: Random, crowd: Crowd) -> Sequence[str]:
    """What may be said: what others of the log say, and our own plain words where that is little."""
    others = crowd.phrases.get(move.kind, ())
    if move.kind == "tell" and len(move.facts) == 1 and (frame := crowd.frame(move.facts[0])):
        return (frame,)
    if len(others) >= _MANY or (others and persona.foreign):
        return others
    terse, full = _PHRASES[move.kind]
    return (*others, *(terse if rng.random() < persona.short_rate else full))


def _listed(texts: Sequence[str]) -> str:
    kept = list(dict.fromkeys(text.rstrip(".!") for text in texts))
    return kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} and {kept[-1]}" if kept else ""
