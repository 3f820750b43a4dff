"""How difficult a customer is, in; what it does instead of its plain move, out.

Every knob is a chance from 0 to 1, drawn from the customer's own seeded dice: the same seed gives the same
difficult customer. With all knobs at 0 nothing changes.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from random import Random

from agent_gym.errors import OptionError
from agent_gym.text import tokens
from agent_gym.user_simulator.profile import CustomerProfile, Fact
from agent_gym.user_simulator.situation import Situation
from agent_gym.user_simulator.wording import Move

__all__ = ["QUIET", "Noise", "misspoken", "noisy_move", "noisy_words"]

_WITHHELD = "Why do you need that?"
_FALSE_CLAIM = "One of your colleagues already agreed to this."
_SLIP = "Sorry, I got that wrong before: it's {facts}."
Dice = Callable[[str], Random]  # for a purpose, the customer's own random numbers


@dataclass(frozen=True, slots=True)
class Noise:
    """The knobs. `impatience` shortens patience; the others are chances a turn, a fact or a word."""

    withhold: float = 0.0  # asks why, once, before it tells a fact
    typos: float = 0.0  # of words
    terse: float = 0.0  # says the least that will do
    wrong_fact: float = 0.0  # tells a fact wrong, and corrects itself at its next turn
    false_claim: float = 0.0  # says that something was agreed which was not
    impatience: float = 0.0

    def __post_init__(self) -> None:
        for knob in fields(self):
            value = getattr(self, knob.name)
            if not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
                raise OptionError(knob.name, value, ("a chance from 0 to 1",), why="is not a chance")

    def patience(self, usual: int) -> int:
        return max(1, round(usual * (1 - self.impatience)))


QUIET = Noise()


def noisy_move(move: Move, now: Situation, noise: Noise, dice: Dice) -> Move:
    """The move as a difficult customer makes it: a fact withheld, told wrong, or put right."""
    if noise == QUIET:
        return move
    if slipped := _slipped(now, noise, dice):
        return replace(move, before=_SLIP.format(facts=slipped.text))
    if told := _told(move, now):
        if dice(f"withhold {told[0].norm}").random() < noise.withhold and not _said(now, _WITHHELD):
            return Move("recall", recorded=_WITHHELD)
        for fact in told:
            if wrong := _wrong(fact, noise, dice):
                return _misstated(move, fact, wrong)
    claims = dice(f"claim {len(now.own)}").random() < noise.false_claim and not _said(now, _FALSE_CLAIM)
    stays = not move.leaves and move.kind != "hang_up"
    return replace(move, before=_FALSE_CLAIM) if claims and stays else move


def noisy_words(words: str, noise: Noise, rng: Random) -> str:
    """The words as a difficult customer types them; what can be checked in them stays as it is."""
    if noise.terse and rng.random() < noise.terse:
        first = words.split(". ", maxsplit=1)[0]
        words = first if any(c.isdigit() or c == "@" for c in first) or len(tokens(first)) > 2 else words
    if not noise.typos:
        return words
    return " ".join(_typo(word, rng) if rng.random() < noise.typos else word for word in words.split(" "))


def misspoken(profile: CustomerProfile, noise: Noise, dice: Dice) -> dict[str, Fact]:
    """What this customer says wrong when it comes to it: the wrong text, and the fact it should be."""
    return {wrong: fact for fact in profile.facts if (wrong := _wrong(fact, noise, dice))}


def _told(move: Move, now: Situation) -> list[Fact]:
    """The facts that the move would tell for the first time."""
    if move.kind not in ("tell", "recall"):
        return []
    named = [fact for fact in now.profile.facts if fact in move.facts or fact.text in move.recorded]
    return [fact for fact in named if not now.has_said(fact)]


def _misstated(move: Move, fact: Fact, wrong: str) -> Move:
    facts = tuple(replace(one, text=wrong, norm=wrong.lower()) if one == fact else one for one in move.facts)
    return replace(move, facts=facts, recorded=move.recorded.replace(fact.text, wrong))


def _slipped(now: Situation, noise: Noise, dice: Dice) -> Fact | None:
    """The fact told wrong at the turn before, if it was."""
    if not noise.wrong_fact or not now.own:
        return None
    last = now.own[-1].text
    wrong = misspoken(now.profile, noise, dice)
    return next((fact for text, fact in wrong.items() if text in last and fact.text not in last), None)


def _wrong(fact: Fact, noise: Noise, dice: Dice) -> str:
    """The fact with one digit changed, if the dice say so; a fact without a digit is told right."""
    rng = dice(f"wrong {fact.norm}")
    places = [at for at, c in enumerate(fact.text) if c.isdigit()]
    if not places or rng.random() >= noise.wrong_fact:
        return ""
    at = rng.choice(places)
    return f"{fact.text[:at]}{(int(fact.text[at]) + rng.randint(1, 9)) % 10}{fact.text[at + 1 :]}"


def _typo(word: str, rng: Random) -> str:
    if len(word) < 4 or not word.isalpha():
        return word
    at = rng.randrange(1, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _said(now: Situation, words: str) -> bool:
    return any(words in turn.text for turn in now.own)
