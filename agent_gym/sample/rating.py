"""How a conversation ended, as the business would log it: an outcome, and the customer's score with its noise."""

import random
from collections.abc import Sequence

from agent_gym.sample.agents import Skill
from agent_gym.sample.case import Case
from agent_gym.sample.talk import Leaving
from agent_gym.types import Message

__all__ = ["contentment_of", "outcome_of", "satisfaction_of"]

_BASE = {"resolved": 4.3, "unresolved": 2.5, "escalated": 2.6, "abandoned": 1.6}


def outcome_of(success: bool, messages: Sequence[Message], leaving: Leaving | None) -> str:
    """A right hand-over is a success like any other; a wrong one is `escalated`."""
    if success:
        return "resolved"
    if any(call.name == "escalate_to_human" for m in messages for call in m.tool_calls):
        return "escalated"
    return "abandoned" if leaving in ("gave_up", "rushed") else "unresolved"


def contentment_of(outcome: str, case: Case, irritation: float, skill: Skill) -> float:
    """What the customer feels, from outcome, effort and tone; a refusal hurts even where it is right."""
    score = _BASE[outcome] + skill.tone - 0.35 * irritation
    if any(request.refused for request in case.requests):
        score -= 0.8
    if case.persona == "angry":
        score -= 0.5
    return score


def satisfaction_of(contentment: float, rng: random.Random) -> float:
    """1 to 5: what the customer feels, and the mood of the day."""
    return float(min(5, max(1, round(contentment + rng.gauss(0.0, 0.7)))))
