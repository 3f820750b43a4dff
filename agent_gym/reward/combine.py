"""Findings in, a score out: the only place that knows weights and gates.

The score is the chance that the conversation succeeded, and a fifth of what is left for how much of the required
end state is there; gates cap it. The chance is what the differences from a success of the case leave (`evidence`),
corrected by the log's own labels where there are enough. What has weight 0 is logged and never rewarded: in a group of
conversations that all fail, trainers stretch the differences, and style would become the whole signal.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from agent_gym.goals import GoalSource
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.evidence import EXPLAINED_BY, differences, prior
from agent_gym.reward.finding import Finding
from agent_gym.reward.findings import Findings
from agent_gym.reward.model import RewardModel
from agent_gym.reward.parts import PARTS
from agent_gym.reward.reply import Reply
from agent_gym.reward.reply_parts import REPLY_PARTS
from agent_gym.reward.satisfaction import Satisfaction
from agent_gym.reward.signs import COUNTED, Signs
from agent_gym.types import PartScore, Reasons, Score

__all__ = [
    "DEFAULTS",
    "HELD_AGAINST",
    "Fitted",
    "best",
    "conversation_score",
    "progress",
    "raws_of",
    "reply_score",
]

PROGRESS = 0.2  # the most that a conversation without any chance of success can score
WEIGHTS: Mapping[str, float] = {"end_state": 1.0, "facts": 1.0, "hand_over": 1.0, "reads": 1.0}
# By default, the share of the chance that is left where the goal is not reached to the letter: one success does not
# show which of its deeds and words the customer needed, but who practises must not be paid for leaving some out.
UNMET = 0.35
# part → the most a conversation can score if the part found nothing good at all; success is then ruled out. What is
# read from words alone may be misread: it costs less than a missing write, which leaves a fifth at most.
GATES: Mapping[str, float] = {
    "work": 0.0,
    "claims": 0.01,
    "misstated": UNMET,
    "denied": UNMET,
    "worked_out": UNMET,
    "ending": 0.2,
}
FORBIDDEN_WRITE = 0.01  # the same for writes that have nothing in common with those of the success
MADE_AGAIN = 0.45  # the same for a required write that was repeated and changed nothing more
LEFT_OUT = 0.2  # the share a goal loses at most if much that the success told and looked up was left out
# The flags of a score that say what was held against a conversation; the others say what it was held against.
HELD_AGAINST = frozenset({*GATES, "forbidden_write", "repeated_write"})
# What the fit may not use: style, and what the agent's own words could raise.
UNREWARDED = frozenset({"similarity", "effort", "grounded", "satisfaction"})

REPLY_WEIGHTS: Mapping[str, float] = {"similarity": 0.9, "quality": 0.1}
# part → the most a reply can score if the part found nothing good at all; in between, in proportion
REPLY_GATES: Mapping[str, float] = {"facts": 0.1, "polarity": 0.25, "swaps": 0.1, "echo": 0.05}
NO_REFERENCE, NEAR_REFERENCE = 0.3, 0.6  # the most a reply can score without the answer wanted
REPLY_SUCCESS = 0.45  # the similarity from which a reply that is right in every value is about the same thing

_GOAL_FLAGS: Mapping[GoalSource, str] = {
    "assumed": "assumed_goal",
    "retrieved": "retrieved_goal",
    "other_case": "reference_of_another_case",
}


class Fitted(NamedTuple):
    """What the labels taught for one regime; nothing, where there were too few of them."""

    model: RewardModel | None = None
    signs: Signs | None = None
    satisfaction: Satisfaction | None = None


DEFAULTS = Fitted()


class _Looked(NamedTuple):
    talk: Conversation
    findings: Mapping[str, Finding | None]
    reached: bool

    def raws(self, names: Iterable[str]) -> dict[str, float | None]:
        """What the fit sees: parts, and whether the goal was reached."""
        parts = [name for name in names if name in self.findings]
        known = {name: found.raw if (found := self.findings[name]) else None for name in parts}
        return {**known, "goal": self._goal(), "prior": self.log_odds()}

    def _goal(self) -> float:
        """1 where the goal was reached and nothing left out, something in between where it may have been."""
        nearly = self.talk.is_own_case and self.talk.goal.nearly(self.talk.deeds, self.talk.shares)
        reached = 1.0 if self.reached else UNMET if nearly else 0.0
        # A success does not show which of its facts and look-ups mattered: the more are missing, the likelier one.
        found = [finding for name in ("told", "looked_up") if (finding := self.findings[name])]
        left_out = sum(1 / finding.raw - 1 for finding in found)
        return reached and reached * (1 - LEFT_OUT * (1 - 1 / (1 + left_out)))

    def log_odds(self) -> float | None:
        """What the prior says of the differences from a success of the case; None where none is known."""
        return prior().log_odds(differences(self.talk)) if self._can_tell else None

    def chance(self) -> float:
        """The chance of success by the prior alone."""
        odds = self.log_odds()
        if odds is None:
            return 0.0
        goal = self.talk.goal
        if not goal.writes and not goal.reads and not any(self.talk.shares.values()):
            return 0.0  # to tell was all there was to do, and nothing was told
        return prior().chance(odds) * (1.0 if self.reached else UNMET)

    @property
    def _can_tell(self) -> bool:
        return self.talk.is_own_case and self.talk.goal.checkable

    @property
    def is_forbidden(self) -> bool:
        """Whether what was written has nothing in common with what the success wrote."""
        return bool(self.talk.deeds.writes) and self.talk.shares["end_state"] == 0.0 and self.talk.is_own_case

    def _fires(self, name: str) -> bool:
        found = self.findings[name]
        return found is not None and found.raw == 0.0

    def deciding(self) -> list[str]:
        """The parts that tell what was held against the conversation: gates, then what took most from the odds."""
        taken = prior().losses(differences(self.talk)) if self._can_tell else {}
        return list(dict.fromkeys([*self.fired(), *(EXPLAINED_BY[name] for name in taken)]))

    def felt(self, chance: float) -> float | None:
        """The chance as the customer knows it: to them it does not show whether anything was looked up."""
        shown, fired = {**self.talk.shares, "reads": None}, self.fired()
        looked_up_alone = not self.reached and self.talk.is_own_case and self.talk.goal.reached(self.talk.deeds, shown)
        # Who has left before being answered knows well enough.
        return None if looked_up_alone and "ending" not in fired else min([chance, *fired.values()])

    def fired(self, above: float = -1.0) -> dict[str, float]:
        """The gates that fired, with their caps; only those that would lower a value above theirs."""
        asked = [name for name, cap in GATES.items() if cap < above or above < 0]
        fired = {name: GATES[name] for name in asked if self._fires(name)}
        if self.is_forbidden:
            fired["forbidden_write"] = FORBIDDEN_WRITE
        if self.talk.writes.again:
            fired["repeated_write"] = MADE_AGAIN
        return fired


def conversation_score(talk: Conversation, fitted: Fitted = DEFAULTS) -> Score:
    looked, model = _look(talk, fitted.signs), fitted.model
    chance = looked.chance() if model is None else model.probability(looked.raws(model.weights))
    # How near another customer's end state is says nothing here once the labels have spoken.
    speaks = (model is None or talk.is_own_case) and not looked.is_forbidden
    share = _weighted(looked.findings, WEIGHTS) if speaks else 0.0
    value = chance + (1 - chance) * PROGRESS * share
    # Where nothing was reached, a gate that caps higher than this changes nothing: most need not be asked.
    fired = looked.fired() if looked.reached else looked.fired(above=value)
    success = looked.reached and not fired

    def reasons() -> Reasons:
        findings = dict(looked.findings)
        if fitted.satisfaction is not None:
            can_tell = model is not None or (talk.is_own_case and talk.goal.checkable)
            findings["satisfaction"] = fitted.satisfaction.finding(talk, looked.felt(chance) if can_tell else None)
        parts = [_chance(chance, model), *_parts(findings, WEIGHTS, model)]
        return _reasons(
            parts,
            _explained(success, findings, chance, looked.deciding()),
            looked.fired().keys() | _flags(talk, findings),
        )

    return Score(min([value, *fired.values()]), success=success, reasons=reasons)


def raws_of(talk: Conversation, signs: Signs | None = None) -> dict[str, float | None]:
    """What the model is fitted to, part by part."""
    looked = _look(talk, signs)
    return looked.raws(name for name in looked.findings if name not in UNREWARDED)


def best(talks: Sequence[Conversation]) -> Conversation:
    """The comparison in which most was achieved; the first of equals."""
    return max(talks, key=progress)


def progress(talk: Conversation) -> float:
    """What the conversation would score if it ended now without success: 0 before anything is done."""
    return PROGRESS * _weighted(Findings(talk, PARTS), WEIGHTS)


def _look(talk: Conversation, signs: Signs | None) -> _Looked:
    parts = PARTS if talk.is_own_case else {**PARTS, **COUNTED, **(signs.parts if signs else {})}
    return _Looked(talk, Findings(talk, parts), talk.is_own_case and talk.goal.reached(talk.deeds, talk.shares))


def _chance(chance: float, model: RewardModel | None) -> PartScore:
    if model is None:
        return PartScore("chance", chance, 1.0, "by how it differs from the success; too few labels to correct that")
    seen = model.successes + model.failures
    return PartScore("chance", chance, 1.0, f"of {seen} labelled conversations, such ones succeed in {chance:.0%}")


def reply_score(reply: Reply) -> Score:
    findings = Findings(reply, REPLY_PARTS)
    flags = {"no_tool_evidence"}
    alike, value = findings["similarity"], _weighted(findings, REPLY_WEIGHTS)
    like_enough = reply.exact and alike is not None and alike.raw >= REPLY_SUCCESS
    # Where there is no success to rule out, a gate that caps no lower than this changes nothing, and is not asked.
    asked = [(name, low) for name, low in REPLY_GATES.items() if like_enough or low < value]
    caps = [low + (1 - low) * found.raw for name, low in asked if (found := findings[name])]
    if not reply.response.words:
        caps.append(0.0)
        flags.add("empty")
    if not reply.exact:
        caps.append(NO_REFERENCE if reply.reference is None else NEAR_REFERENCE)
        flags.add("no_reference")
    success = like_enough and min(caps, default=1.0) == 1.0
    return Score(
        min([value, *caps]),
        success=success,
        reasons=lambda: _reasons(_parts(findings, REPLY_WEIGHTS, None), _explained(success, findings, None, ()), flags),
    )


def _weighted(findings: Mapping[str, Finding | None], weights: Mapping[str, float]) -> float:
    """The mean over the parts that apply; a part that does not apply neither helps nor harms."""
    total = raw = 0.0
    for name, weight in weights.items():
        if found := findings[name]:
            total += weight
            raw += weight * found.raw
    return raw / total if total else 0.0


def _reasons(parts: Iterable[PartScore], explanation: str, flags: Iterable[str]) -> Reasons:
    return Reasons({part.name: part for part in parts}, explanation, tuple(sorted(flags)))


def _parts(
    findings: Mapping[str, Finding | None], weights: Mapping[str, float], model: RewardModel | None
) -> Iterable[PartScore]:
    for name, found in findings.items():
        weight = (weights if model is None else model.weights).get(name, 0.0)
        if found is None:
            yield PartScore(name, None, weight, "does not apply here")
        else:
            calibrated = None if model is None else model.calibrated(name, found.raw)
            yield PartScore(name, found.raw, weight, found.why, calibrated, found.evidence)


def _explained(
    success: bool, findings: Mapping[str, Finding | None], chance: float | None, deciding: Sequence[str]
) -> str:
    """Sentences: the verdict and what decided it, then what else went wrong, then the rest."""
    first = {name: findings[name] for name in deciding if name in findings}
    found = [finding for finding in {**first, **findings}.values() if finding]
    wrong = [finding.why for finding in found if finding.raw < 1.0]
    right = [finding.why for finding in found if finding.raw == 1.0]
    verdict = "success" if success else "no success"
    if chance not in (None, 0.0, 1.0):
        verdict += f", with a chance of {chance:.0%} by what is known"
    sentences = [verdict, *(right + wrong if success else wrong + right)]
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)


def _flags(talk: Conversation, findings: Mapping[str, Finding | None]) -> set[str]:
    flags = {_GOAL_FLAGS[talk.goal.goal_source]} if talk.goal.goal_source in _GOAL_FLAGS else set()
    if not talk.goal.checkable:
        flags.add("nothing_checkable")
    if (found := findings["grounded"]) and found.raw < 1.0:
        flags.add("ungrounded_values")
    return flags
