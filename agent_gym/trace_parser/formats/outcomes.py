"""What a format says about how a conversation ended in, an outcome word and a rating on a declared scale out."""

from typing import Final

from agent_gym.types import Json

__all__ = ["outcome_word", "rating", "reward_outcome"]

_WORDS: Final = {"C": "success", "I": "failure", "P": "partial", "N": "no_answer"}


def reward_outcome(reward: Json) -> str | None:
    """A reward is a success from 1 on and a failure at 0; what lies between decides nothing and stays a number."""
    if isinstance(reward, bool):
        return "success" if reward else "failure"
    if not isinstance(reward, int | float):
        return None
    return "success" if reward >= 1 else "failure" if reward <= 0 else f"{reward:g}"


def outcome_word(value: Json) -> str | None:
    """A status as text; the letters some graders write in words."""
    if isinstance(value, str) and value.strip():
        return _WORDS.get(value, value)
    return reward_outcome(value)


def rating(value: Json, low: float, high: float, where: str) -> tuple[float | None, dict[str, Json]]:
    """The rating between 0 and 1, and the metadata that keeps it as it was."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None, {}
    kept = {"satisfaction": {"raw": value, "scale": f"{low:g}..{high:g}", "from": where}}
    return min(1.0, max(0.0, (value - low) / (high - low))), kept
