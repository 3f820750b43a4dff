"""The agenda customer: a profile and a conversation in, the customer's next words out.

A list of decisions, each with its reason, chooses a `Move`; `wording` puts it into words. The customer
answers what it is asked, knows what it told, and is no oracle: that something was done counts only once
the agent has said so, and words alone satisfy only a customer who believes them.
"""

from collections.abc import Callable, Sequence
from copy import copy
from random import Random
from typing import Self

from agent_gym.goals import Goal
from agent_gym.text import values_in
from agent_gym.types import Message, MessageLike, WorldView
from agent_gym.user_simulator.acts import in_a_row
from agent_gym.user_simulator.audit import user_errors
from agent_gym.user_simulator.crowd import LONELY, Crowd
from agent_gym.user_simulator.noise import QUIET, Noise, noisy_move, noisy_words
from agent_gym.user_simulator.profile import CustomerProfile, Fact
from agent_gym.user_simulator.recall import (
    asked_facts,
    change_of_mind,
    choice,
    concerns,
    contradictions,
    decided,
    left_open,
    named_wishes,
    next_request,
    recall,
    takes_up,
    unsaid_wish,
)
from agent_gym.user_simulator.replies import says_goodbye, says_thanks
from agent_gym.user_simulator.situation import Reader, Situation
from agent_gym.user_simulator.wording import Move, is_check, is_not_known, worded

__all__ = ["AgendaCustomer"]

Voice = Callable[[Move, str, Situation], str]  # the plain words of a move in, the words that are spoken out


class AgendaCustomer:
    """A `User` that pursues what the customer of a recorded conversation wanted."""

    def __init__(
        self,
        profile: CustomerProfile,
        goal: Goal | None = None,
        seed: int = 0,
        *,
        noise: Noise = QUIET,
        voice: Voice | None = None,
        crowd: Crowd = LONELY,
    ) -> None:
        self.profile = profile
        self.noise = noise
        self._voice = voice
        self._crowd = crowd
        # A goal that nothing can be told from would never hold: the agent's word is all there is then.
        self._goal = goal if goal is None or goal.checkable else None
        self._seed = seed
        self._reader = Reader(profile)
        self.patience_left = self.patience
        self.at_a_loss = False  # whether it was asked what nobody asked in the record: the real one may have known

    def open(self) -> Message:
        return Message("user", self.profile.opener)

    def reply(self, messages: Sequence[MessageLike], world: WorldView | None = None) -> Message | None:
        now = self._reader.situation([Message.of(m) for m in messages])
        if not now.own:
            return self.open()
        self.patience_left = max(0, self.patience - self._strain(now))
        move = noisy_move(self.decide(now, world), now, self.noise, self._random)
        self.at_a_loss |= move.kind == "not_known"
        if move.kind == "hang_up":
            return None
        rng = self._random(f"words {len(now.own)}")
        words = noisy_words(worded(move, self.profile.persona, rng, self._crowd), self.noise, rng)
        if self._voice is not None:
            words = self._voice(move, words, now)
        return Message("user", words, final=move.leaves and not self._lingers(move))

    def fork(self) -> Self:
        twin = copy(self)
        twin._reader = Reader(self.profile)
        return twin

    def errors(self, messages: Sequence[MessageLike], world: WorldView | None, *, left: bool) -> tuple[str, ...]:
        """What this customer did wrong in a finished conversation; made difficult on purpose, it is not judged."""
        if self.noise != QUIET:
            return ()
        return user_errors(messages, self.profile, self._goal, world, left=left)

    @property
    def patience(self) -> int:
        """How many repeats this customer puts up with."""
        return self.noise.patience(self.profile.persona.patience)

    def decide(self, now: Situation, world: WorldView | None) -> Move:
        """What to do next. The first rule that applies decides."""
        acts = now.heard.acts
        if "hands_over" in acts:
            return Move("leave_handed_over")
        if self._has_had_enough(now):
            return Move("leave_annoyed")
        if "confirms" in acts and (wrong := contradictions(self.profile, now)):
            return Move("correct", tuple(dict.fromkeys(fact for _, fact in wrong)))
        if self._parted(now):
            return Move("hang_up")
        if acts == {"holds"}:
            return Move("wait")
        if not now.heard.wants_answer:
            if not acts.isdisjoint(("greets", "invites")):
                words = unsaid_wish(self.profile, now)
                return Move("recall", recorded=words) if words else self._insist(now)
            if not acts.isdisjoint(("claims_done", "closes")):
                return self._after_claim(now, world)
        asked = asked_facts(self.profile, now.heard)
        found = recall(self.profile, now, asked)
        if not found.sure:
            return self._fresh(now, asked, world)
        said = self.profile.spoken[found.turn]
        if said.closing:
            return self._after_claim(now, world)
        if said.consents and (change := change_of_mind(self.profile, now, found.turn)):
            return Move("recall", recorded=change)
        return Move("recall", recorded=self._completed(found.words, now, asked))

    def _completed(self, words: str, now: Situation, asked: tuple[Fact, ...]) -> str:
        """The recorded words, and what else is asked for now that was not asked for then."""
        missing = _of_one_turn([fact for fact in asked if not now.has_said(fact) and fact.text not in words])
        return in_a_row([words, self._sentences_of(missing, now)]) if missing else words

    def _fresh(self, now: Situation, asked: tuple[Fact, ...], world: WorldView | None) -> Move:
        """A move for what the record has no like of."""
        acts = now.heard.acts
        put = not acts.isdisjoint(("confirms", "offers"))
        if "asks" in acts and (asked or not put):
            return self._answer(now, asked)
        if put:
            takes = self._takes(now)
            if takes and (change := change_of_mind(self.profile, now)):
                return Move("recall", recorded=change)
            return Move("agree" if takes else "decline", recorded=self._own_words(takes, now))
        if "unclear" in acts:
            return Move("not_understood")
        if "refuses" in acts:
            return self._after_refusal(now)
        if self._answered(now, world):
            return self._after_claim(now, world)
        # Told something that leads nowhere, it goes on to what else it came for.
        request = next_request(self.profile, now)
        return Move("recall", recorded=request) if request else Move("acknowledge")

    def _answer(self, now: Situation, asked: tuple[Fact, ...]) -> Move:
        if unsaid := _of_one_turn([fact for fact in asked if not now.has_said(fact)]):
            return Move("tell", unsaid, recorded=self._sentences_of(unsaid, now))
        if asked:
            return Move("tell_again", _of_one_turn(asked[::-1]))
        if picked := choice(self.profile, now):
            return Move("recall", recorded=picked)
        # A question for no kind of value in particular is about what the customer wants: said twice is enough.
        return Move("not_known") if now.heard.kinds or self._insisted(now) else self._insist(now)

    def _sentences_of(self, facts: Sequence[Fact], now: Situation) -> str:
        """The recorded sentences that hold these facts, or nothing if they would give away more."""
        words = in_a_row(list(dict.fromkeys(fact.sentence for fact in facts)))
        known = now.known.union(fact.norm for fact in facts)
        more = any(value.norm not in known for value in values_in(words)) or any(
            fact.text in words for fact in self.profile.facts if fact not in facts and not now.has_said(fact)
        )
        return "" if more else words

    def _after_claim(self, now: Situation, world: WorldView | None) -> Move:
        """Something is said to be done: on to the next wish, out, or back to what is missing."""
        if request := next_request(self.profile, now):
            return Move("recall", recorded=request)
        if not (now.was_told_done() or self._answered(now, world)):
            if now.was_refused():
                return Move("leave_refused")
            return Move("leave_satisfied") if self._settles_for(now) else self._insist(now)
        agrees = self._agrees(now, world)
        if not (agrees and self._wants_deeds) and (matter := left_open(self.profile, now)):
            return Move("insist", recorded=matter)
        if not agrees and "refuses" in now.heard.acts:  # done in part, and it says so
            return self._after_refusal(now)
        if agrees or self._believes():
            return Move("leave_satisfied", recorded=self._farewell(now))
        # It asks once, then names its wishes again, then takes the agent's word for it.
        if not any(is_check(turn.text) for turn in now.own):
            return Move("check")
        over = self._insisted(now) >= len(named_wishes(self.profile, now))
        return Move("leave_satisfied") if over else self._insist(now)

    def _after_refusal(self, now: Situation) -> Move:
        if request := next_request(self.profile, now):
            return Move("recall", recorded=request)
        return Move("leave_refused") if now.was_refused() else Move("object")

    def _insist(self, now: Situation) -> Move:
        if not now.has_uttered(self.profile.wish):  # the opener was a mere hello
            return Move("recall", recorded=self.profile.wish)
        if self._insisted(now) >= self.patience:
            return Move("leave_annoyed")
        named = named_wishes(self.profile, now)
        # What came up last is the likeliest not to have been seen to; then the others in turn.
        return Move("insist", recorded=min(reversed(named), key=lambda wish: named[wish]))

    def _insisted(self, now: Situation) -> int:
        """How often a wish was named again."""
        return sum(times - 1 for times in named_wishes(self.profile, now).values())

    def _answered(self, now: Situation, world: WorldView | None) -> bool:
        """Whether a customer who only had a question has been told the answer."""
        goal = self._goal
        if goal is None:
            return now.heard.acts >= {"informs", "closes"} and takes_up(self.profile, now)
        return not goal.writes and not goal.hands_over and goal.holds(world, now.messages)

    @property
    def _wants_deeds(self) -> bool:
        return self._goal is not None and bool(self._goal.writes)

    def _agrees(self, now: Situation, world: WorldView | None) -> bool:
        """Whether what the agent says is so; without a goal nothing speaks against it."""
        return self._goal is None or self._goal.holds(world, now.messages)

    def _believes(self) -> bool:
        return self._random("belief").random() < self._crowd.believes

    def _settles_for(self, now: Situation) -> bool:
        """Whether it leaves with what it is told, though that is not what it came for."""
        told = now.heard.acts >= {"informs", "closes"} and bool(now.values)
        return told and self._random("settling").random() < self._crowd.settles

    def _lingers(self, move: Move) -> bool:
        """Whether it waits for the agent's goodbye after its own."""
        return move.kind == "leave_satisfied" and self.profile.lingers

    def _parted(self, now: Situation) -> bool:
        """Whether both sides have taken their leave."""
        last = now.own[-1].text
        if says_goodbye(last):
            return "closes" in now.heard.acts or not now.heard.wants_answer
        if last == self.profile.last_words and self.profile.ending == "satisfied" and "?" not in now.heard.text:
            return "closes" in now.heard.acts
        waited = now.earlier[-1].acts == {"holds"}  # thanks for a moment's work are no farewell
        return says_thanks(last) and not waited and "closes" in now.heard.acts and "?" not in now.heard.text

    def _farewell(self, now: Situation) -> str:
        last = self.profile.spoken[-1]
        return last.said if last.closing and last.values <= now.known and not now.has_uttered(last.said) else ""

    def _own_words(self, accepted: bool, now: Situation) -> str:
        """How this customer once said yes or no."""
        known = [d.words for d in self.profile.decisions if d.accepted == accepted and d.words]
        return self._random(f"decision {len(now.own)}").choice(known) if known else ""

    def _takes(self, now: Situation) -> bool:
        """Whether it agrees to what is put to it: as it did to the like, else as it mostly did."""
        decision = decided(self.profile, now)
        if decision is not None:
            return decision.accepted
        if not concerns(self.profile, now):
            return False
        taken = [one.accepted for one in self.profile.decisions if one.accepted or not one.over]
        return any(taken) or not taken if "confirms" in now.heard.acts else 2 * sum(taken) >= len(taken)

    def _has_had_enough(self, now: Situation) -> bool:
        """Repeats, questions it cannot answer and sheer length wear a customer out."""
        return self._strain(now) >= self.patience or len(now.own) >= max(20, 3 * len(self.profile.spoken))

    def _strain(self, now: Situation) -> int:
        lost = sum(is_not_known(turn.text) for turn in now.own)
        return now.repeats + max(0, lost - 2)

    def _random(self, purpose: str) -> Random:
        """Randomness that depends on seed, customer and purpose alone: a fork draws the same."""
        return Random(f"{self._seed} {self.profile.conversation_id} {purpose}")  # noqa: S311  play, not secrecy


def _of_one_turn(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Of facts that go by one name, those of the first one's turn: a customer says one version at a time."""
    turns: dict[frozenset[str], int] = {}
    for fact in facts:
        turns.setdefault(fact.labels, fact.turn)
    return tuple(fact for fact in facts if turns[fact.labels] == fact.turn)
