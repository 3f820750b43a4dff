"""A JSON value of unknown kind in, what can be used of it out: logs hold anything anywhere."""

from agent_gym.types import Json

__all__ = ["name_of", "objects", "word"]


def word(value: Json) -> str:
    """The text, "" for anything else."""
    return value if isinstance(value, str) else ""


def name_of(value: Json) -> str | None:
    """A name or id as text; None for none."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def objects(value: Json) -> list[dict[str, Json]]:
    """The objects of a list; none for anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
