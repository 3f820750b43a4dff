"""What was heard in, what this customer knows or once said to the like out."""

from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz

from agent_gym.text import Value
from agent_gym.user_simulator.acts import AgentTurn, content_words
from agent_gym.user_simulator.facts import stands_in
from agent_gym.user_simulator.profile import CustomerProfile, Fact, Spoken
from agent_gym.user_simulator.situation import Situation

__all__ = ["Recalled", "asked_facts", "choice", "contradictions", "next_request", "recall"]

_SURE = 0.35  # above this the recorded reply fits more often than a fresh one does
_ENOUGH = 1.5  # of the points in `_fit`: one strong sign, or two weak ones


@dataclass(frozen=True, slots=True)
class Recalled:
    """The recorded turn that best answers what was heard."""

    turn: int
    score: float
    words: str = ""  # of that turn, what can be said here

    @property
    def sure(self) -> bool:
        return self.score >= _SURE


def recall(profile: CustomerProfile, now: Situation, asked: Iterable[Fact]) -> Recalled:
    """The best recorded turn after the opener: alike in words and acts, not yet used, next in order."""
    near = profile.near(now.heard.text)
    wanted = {fact.norm for fact in asked}
    best = Recalled(0, 0.0)
    for turn, spoken in enumerate(profile.spoken[1:], start=1):
        words = _speakable(spoken, now)
        if not words or (spoken.closing and now.heard.wants_answer):
            continue
        score = near[turn] + 0.1 / (1 + abs(turn - len(now.own)))
        if wanted & spoken.values:
            score += 0.15
        if turn in now.used:
            score -= 0.8
        if now.heard.wants_answer and not now.heard.acts & spoken.heard.acts:
            score -= 0.2
        if score > best.score:
            best = Recalled(turn, score, words)
    return best


def _speakable(spoken: Spoken, now: Situation) -> str:
    """The recorded words without the sentences that rest on what this agent has not said."""
    kept = [sentence.text for sentence in spoken.sentences if sentence.learned <= now.known]
    return spoken.said if len(kept) == len(spoken.sentences) else " ".join(kept)


def next_request(profile: CustomerProfile, now: Situation) -> str:
    """The words of the next request that has not come up yet, or nothing."""
    for request in profile.requests:
        # What was said to a refusal makes sense after another one only.
        if request.is_reaction and "refuses" not in now.heard.acts:
            continue
        if request.turn not in now.used and (words := _speakable(profile.spoken[request.turn], now)):
            return words
    return ""


def choice(profile: CustomerProfile, now: Situation) -> str:
    """The recorded sentence, not said yet, that picks one of the values just heard; or nothing."""
    offered = {value.norm for value in now.values}
    for turn, spoken in enumerate(profile.spoken):
        if turn not in now.used:
            for sentence in spoken.sentences:
                if sentence.learned & offered and sentence.learned <= now.known:
                    return sentence.text
    return ""


def asked_facts(profile: CustomerProfile, heard: AgentTurn) -> tuple[Fact, ...]:
    """The customer's facts that the agent's questions are for, in the order they were told."""
    if "asks" not in heard.acts:
        return ()
    return tuple(fact for fact in profile.facts if _fit(fact, heard) >= _ENOUGH)


def _fit(fact: Fact, heard: AgentTurn) -> float:
    """How many signs say that this fact is what is asked for."""
    named = len(fact.labels & heard.slots)
    points = min(2.0, 1.5 * named)
    if fact.slots:
        shared = len(fact.slots & heard.slots) / len(fact.slots | heard.slots)
        points += 2 * shared if not fact.labels else shared
    if fact.kind in ("email", "phone"):  # these go by their own names only
        return 2.0 if fact.kind in heard.kinds else 0.0
    if fact.kind in heard.kinds:
        # "Which code?" is not for a value the customer calls something else, nor for any bare number.
        points += 0.5 if not named and (fact.labels or fact.kind in ("id", "number")) else 1.5
    return points


def contradictions(profile: CustomerProfile, now: Situation) -> list[tuple[Value, Fact]]:
    """The values put to the customer that are not what it knows, each with what it should be."""
    wrong = []
    known = {fact.norm for fact in profile.facts} | now.told
    offered = {value.norm for value in now.values}
    for value in now.values:
        if value.norm in known or stands_in(value, profile.record):
            continue
        meant = next((fact for fact in profile.facts if _meant(value, fact, now.heard.text)), None)
        if meant is not None and meant.norm not in offered:
            wrong.append((value, meant))
    return wrong


def _meant(value: Value, fact: Fact, text: str) -> bool:
    if value.kind != fact.kind:
        return False
    if value.kind in ("email", "phone") or fuzz.ratio(value.norm, fact.norm) >= 75:
        return True
    before = content_words(text[max(0, value.start - 40) : value.start])
    return bool(fact.labels and fact.labels <= before)
