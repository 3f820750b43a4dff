"""How a conversation ended, as the business would log it: an outcome, and the customer's score with its noise."""

import random
from collections.abc import Sequence

from agent_gym.sample.agents import Skill
from agent_gym.sample.case import Case
from agent_gym.sample.talk import Leaving
from agent_gym.types import Message

__all__ = ["outcome_of", "satisfaction_of"]

_BASE = {"resolved": 4.3, "unresolved": 2.5, "escalated": 2.6, "abandoned": 1.6}


def outcome_of(success: bool, messages: Sequence[Message], leaving: Leaving | None) -> str:
    """A right hand-over is a success like any other; a wrong one is `escalated`."""
    if success:
        return "resolved"
    if any(call.name == "escalate_to_human" for m in messages for call in m.tool_calls):
        return "escalated"
    return "abandoned" if leaving in ("gave_up", "rushed") else "unresolved"


def satisfaction_of(outcome: str, case: Case, irritation: float, skill: Skill, rng: random.Random) -> float:
    """1 to 5, from outcome, effort and tone; a refusal hurts even where it is right."""
    score = _BASE[outcome] + skill.tone - 0.35 * irritation + rng.gauss(0.0, 0.7)
    if any(request.refused for request in case.requests):
        score -= 0.8
    if case.persona == "angry":
        score -= 0.5
    return float(min(5, max(1, round(score))))
