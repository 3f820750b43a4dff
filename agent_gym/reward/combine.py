"""Findings in, a score out: the only place that knows weights and gates.

A conversation that reaches its goal and passes every gate scores 1; any other at most a fifth, by how much
of the required end state is there. What has weight 0 is logged and never rewarded: in a group of conversations
that all fail, trainers stretch the differences, and style would become the whole signal.
"""

from collections.abc import Iterable, Mapping

from agent_gym.goals import GoalSource
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.findings import Findings
from agent_gym.reward.parts import PARTS
from agent_gym.reward.reply import Reply
from agent_gym.reward.reply_parts import REPLY_PARTS
from agent_gym.types import PartScore, Reasons, Score

__all__ = ["conversation_score", "progress", "reply_score"]

FAILURE = 0.2  # the most that a conversation without success can score
WEIGHTS: Mapping[str, float] = {"end_state": 1.0, "facts": 1.0, "hand_over": 1.0, "reads": 1.0}
# part → the most a conversation can score if the part found nothing good at all; success is then ruled out
GATES: Mapping[str, float] = {"work": 0.0, "claims": 0.02, "misstated": 0.2, "denied": 0.2, "ending": 0.2}
FORBIDDEN_WRITE = 0.0  # the same for a write where the success made none
MADE_AGAIN = 0.45  # the same for a required write that was repeated and changed nothing more

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


def conversation_score(talk: Conversation) -> Score:
    findings = Findings(talk, PARTS)
    fired = {name for name in GATES if (found := findings[name]) and found.raw == 0.0}
    caps = [GATES[name] for name in fired]
    if not talk.goal.writes and talk.deeds.writes:
        fired.add("forbidden_write")
        caps.append(FORBIDDEN_WRITE)
    if talk.writes.again:
        fired.add("repeated_write")
        caps.append(MADE_AGAIN)
    # What another customer needed says little about what this one needed: no success is read off it.
    own_case = talk.goal.goal_source != "other_case"
    reached = own_case and talk.goal.reached(talk.deeds)
    success = reached and not fired
    return Score(
        min([1.0 if reached else FAILURE * _weighted(findings, WEIGHTS), *caps]),
        success=success,
        reasons=lambda: _reasons(findings, WEIGHTS, success, fired | _flags(talk, findings)),
    )


def progress(talk: Conversation) -> float:
    """What the conversation would score if it ended now without success: 0 before anything is done."""
    return FAILURE * _weighted(Findings(talk, PARTS), WEIGHTS)


def reply_score(reply: Reply) -> Score:
    findings = Findings(reply, REPLY_PARTS)
    flags = {"no_tool_evidence"}
    caps = [low + (1 - low) * found.raw for name, low in REPLY_GATES.items() if (found := findings[name])]
    if not reply.response.words:
        caps.append(0.0)
        flags.add("empty")
    if not reply.exact:
        caps.append(NO_REFERENCE if reply.reference is None else NEAR_REFERENCE)
        flags.add("no_reference")
    alike = findings["similarity"]
    success = reply.exact and alike is not None and alike.raw >= REPLY_SUCCESS and min(caps, default=1.0) == 1.0
    return Score(
        min([_weighted(findings, REPLY_WEIGHTS), *caps]),
        success=success,
        reasons=lambda: _reasons(findings, REPLY_WEIGHTS, success, flags),
    )


def _weighted(findings: Mapping[str, Finding | None], weights: Mapping[str, float]) -> float:
    """The mean over the parts that apply; a part that does not apply neither helps nor harms."""
    known = [(weight, found.raw) for name, weight in weights.items() if (found := findings[name])]
    total = sum(weight for weight, _ in known)
    return sum(weight * raw for weight, raw in known) / total if total else 0.0


def _reasons(
    findings: Mapping[str, Finding | None], weights: Mapping[str, float], success: bool, flags: set[str]
) -> Reasons:
    parts = {part.name: part for part in _parts(findings, weights)}
    return Reasons(parts, _explained(success, findings), tuple(sorted(flags)))


def _parts(findings: Mapping[str, Finding | None], weights: Mapping[str, float]) -> Iterable[PartScore]:
    for name, found in findings.items():
        weight = weights.get(name, 0.0)
        if found is None:
            yield PartScore(name, None, weight, "does not apply here")
        else:
            yield PartScore(name, found.raw, weight, found.why, evidence=found.evidence)


def _explained(success: bool, findings: Mapping[str, Finding | None]) -> str:
    """Sentences, what went wrong first."""
    found = [finding for finding in findings.values() if finding]
    wrong = [finding.why for finding in found if finding.raw < 1.0]
    right = [finding.why for finding in found if finding.raw == 1.0]
    sentences = ["success" if success else "no success", *(right + wrong if success else wrong + right)]
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)


def _flags(talk: Conversation, findings: Mapping[str, Finding | None]) -> set[str]:
    flags = {_GOAL_FLAGS[talk.goal.goal_source]} if talk.goal.goal_source in _GOAL_FLAGS else set()
    if not talk.goal.checkable:
        flags.add("nothing_checkable")
    if (found := findings["grounded"]) and found.raw < 1.0:
        flags.add("ungrounded_values")
    return flags
