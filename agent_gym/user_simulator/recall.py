"""What was heard in, what this customer knows or once said to the like out."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from agent_gym.text import Value
from agent_gym.user_simulator import english
from agent_gym.user_simulator.acts import WANTING, AgentTurn, content_words, in_a_row, sentences, telling_words
from agent_gym.user_simulator.facts import stands_in
from agent_gym.user_simulator.profile import CustomerProfile, Decision, Fact, Spoken
from agent_gym.user_simulator.replies import says_thanks
from agent_gym.user_simulator.situation import Situation

__all__ = [
    "Recalled",
    "asked_facts",
    "change_of_mind",
    "choice",
    "concerns",
    "contradictions",
    "decided",
    "hinted",
    "left_open",
    "named_wishes",
    "next_request",
    "recall",
    "takes_up",
    "unsaid_wish",
]

_SURE = 0.28  # above this the recorded reply fits more often than a fresh one does
_HARDLY = 0.5  # of the words by which the recorded agent took a matter up
_ALIKE = 0.3  # of the words of two offers
_TELLS = 2  # words: with fewer, nobody can say what "Is that correct?" is about
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
    wants = now.heard.acts & WANTING
    foreign = profile.persona.foreign
    best = Recalled(0, -1.0 if foreign else 0.0)
    for turn, spoken in enumerate(profile.spoken[1:], start=1):
        if turn in now.used or (spoken.closing and wants) or not (words := _speakable(spoken, now)):
            continue
        alike = shared(now.heard.slots, spoken.heard.slots)
        score = near[turn] + 0.2 / (1 + abs(turn - len(now.own))) + 0.2 * alike
        if wanted & spoken.values:
            score += 0.15
        elif spoken.values and spoken.values <= now.told:  # nothing that was not said before
            score -= 0.3
        elif not alike and now.heard.slots and (spoken.heard.slots or (spoken.consents and wants == {"asks"})):
            score -= 0.2  # it answers something else
        if wants and not wants & spoken.heard.acts:
            score -= 0.15
        if score > best.score:
            best = Recalled(turn, score, words)
    if foreign and best.words:  # our own words would be in the wrong language
        best = replace(best, score=max(best.score, _SURE))
    if not wanted or not best.sure:
        return best
    return replace(best, words=_trimmed(best, profile, now))


def _trimmed(found: Recalled, profile: CustomerProfile, now: Situation) -> str:
    """The recorded words without the clauses that answer what was asked then and is not asked now."""
    then = profile.spoken[found.turn].heard
    spare = [f for f in profile.facts if f.turn == found.turn and _fit(f, then) and not hinted(f, now.heard)]
    if not spare:
        return found.words
    kept = [clause for clause in english.PART.split(found.words) if not any(fact.text in clause for fact in spare)]
    return " ".join(kept).rstrip(" ,;") or found.words


def hinted(fact: Fact, heard: AgentTurn) -> bool:
    """Whether anything at all that was heard may ask for the fact."""
    cued = any(kind == fact.kind and cue.search(heard.text.lower()) for kind, cue in english.KINDS)
    return cued or not content_words(heard.text).isdisjoint(fact.labels | fact.slots)


def _speakable(spoken: Spoken, now: Situation) -> str:
    """The recorded words without the sentences that rest on what this agent has not said."""
    kept = [sentence.text for sentence in spoken.sentences if sentence.learned <= now.known]
    return spoken.said if len(kept) == len(spoken.sentences) else in_a_row(kept)


def next_request(profile: CustomerProfile, now: Situation) -> str:
    """The words of the next request that has not come up yet, or nothing."""
    for request in profile.requests:
        # What was said to a refusal makes sense after another one only.
        if request.is_reaction and "refuses" not in now.heard.acts:
            continue
        if request.turn in now.used or now.dealt_with(request.text):
            continue
        if words := _speakable(profile.spoken[request.turn], now):
            return words
    return ""


def named_wishes(profile: CustomerProfile, now: Situation) -> dict[str, int]:
    """What the customer has said that it wants, in the order it came up, and how often it has named each."""
    later = [request.text for request in profile.requests if request.turn in now.used]
    wishes = [profile.wish, *(_without_thanks(text) for text in later)]
    return {wish: max(1, sum(wish in turn.text for turn in now.own)) for wish in wishes}


def _without_thanks(text: str) -> str:
    return in_a_row([sentence for sentence in sentences(text) if not says_thanks(sentence)]) or text


def unsaid_wish(profile: CustomerProfile, now: Situation) -> str:
    """What the customer said when it was invited to speak, if it has not said it yet; or nothing."""
    for turn, spoken in enumerate(profile.spoken[1:], start=1):
        if turn not in now.used and not spoken.closing and "invites" in spoken.heard.acts:
            return _speakable(spoken, now)
    return ""


def left_open(profile: CustomerProfile, now: Situation) -> str:
    """The first sentence of the wish that this agent has hardly spoken of and the customer has not said again."""
    heard = telling_words(" ".join(turn.text for turn in (*now.earlier[1:], now.heard)))
    for matter in profile.matters:
        again = sum(matter.text in turn.text for turn in now.own) > 1
        if not again and len(matter.words & heard) <= _HARDLY * len(matter.words):
            return matter.text
    return ""


def takes_up(profile: CustomerProfile, now: Situation) -> bool:
    """Whether the agent has said anything of the wish, or what the recorded agent told: polite words alone are none."""
    heard = [turn.text for turn in (*now.earlier[1:], now.heard)]
    if not telling_words(profile.wish).isdisjoint(telling_words(" ".join(heard))):
        return True
    return any(near >= _SURE for text in heard for near in profile.near(text)[1:])


def decided(profile: CustomerProfile, now: Situation) -> Decision | None:
    """What the customer once said to the like of what it is asked now: by what was named with it, else by its words.

    A no that named its reason ("not for $15") is one to that reason alone.
    """
    put = {value.norm for value in now.values}
    if named := [one for one in profile.decisions if one.over & put]:
        return named[0]
    words = content_words(now.heard.text)
    plain = [one for one in profile.decisions if one.accepted or not one.over]
    near = [(shared(words, content_words(one.offer)), -one.turn, one) for one in plain]
    best = max(near, key=lambda found: found[:2], default=None)
    return best[2] if best is not None and best[0] >= _ALIKE else None


def concerns(profile: CustomerProfile, now: Situation) -> bool:
    """Whether what the agent puts to the customer has anything to do with what its conversation was about."""
    words = telling_words(now.heard.text)
    return len(words) < _TELLS or not words.isdisjoint(profile.spoken_of)


def choice(profile: CustomerProfile, now: Situation) -> str:
    """The recorded sentence, not said yet, that picks one of the values just heard; or nothing."""
    offered = {value.norm for value in now.values}
    for turn, spoken in enumerate(profile.spoken):
        if turn not in now.used:
            for sentence in spoken.sentences:
                if sentence.learned & offered and sentence.learned <= now.known:
                    return sentence.text
    return ""


def change_of_mind(profile: CustomerProfile, now: Situation, before: int | None = None) -> str:
    """What the customer said instead of a first yes, if it has not said it yet; or nothing."""
    for turn, spoken in enumerate(profile.spoken[:before]):
        if spoken.changes and turn not in now.used:
            return _speakable(spoken, now)
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
        alike = shared(fact.slots, heard.slots)
        if fact.kind in heard.kinds:  # asked for by itself, or among others: both are the same question
            points += 2 * len(fact.slots & heard.slots) / (min(len(fact.slots), len(heard.slots)) or 1)
        else:
            points += 2 * alike if not fact.labels else alike
    if fact.kind in ("email", "phone"):  # these go by their own names only
        return 2.0 if fact.kind in heard.kinds else 0.0
    if fact.kind in heard.kinds:
        # "Which code?" is not for a value the customer calls something else, nor for any bare number.
        points += 0.5 if not named and (fact.labels or fact.kind in ("id", "number")) else 1.5
    return points


def shared(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the words of both that are in both."""
    return len(one & other) / (len(one | other) or 1)


def contradictions(profile: CustomerProfile, now: Situation) -> list[tuple[Value, Fact]]:
    """The values put to the customer that are not what it knows, each with what it should be."""
    wrong = []
    known = {fact.norm for fact in profile.facts} | now.told
    offered = {value.norm for value in now.values}
    for value in now.values:
        if value.norm in known or stands_in(value, profile.record):
            continue
        meant = next((fact for fact in profile.facts if _meant(value, fact, now.heard.text)), None)
        if meant is not None and meant.norm not in offered and not _insisted_on(meant, now):
            wrong.append((value, meant))
    return wrong


def _insisted_on(fact: Fact, now: Situation) -> bool:
    """Whether the customer has put this right before: to an agent that knows better it gives in."""
    return sum(fact.norm in turn.values for turn in now.own) > 1


def _meant(value: Value, fact: Fact, text: str) -> bool:
    if value.kind != fact.kind:
        return False
    if value.kind in ("email", "phone") or fuzz.ratio(value.norm, fact.norm) >= 75:
        return True
    before = content_words(text[max(0, value.start - 40) : value.start])
    return bool(fact.labels and fact.labels <= before)
