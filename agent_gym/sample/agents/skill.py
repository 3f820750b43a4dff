"""What tells one agent from another: how likely it is to do each thing that a good agent does."""

from dataclasses import dataclass

from agent_gym.sample.tables import table

__all__ = ["SKILLS", "Skill"]


@dataclass(frozen=True, slots=True)
class Skill:
    """Shares between 0 and 1, each rolled when the occasion comes."""

    name: str
    share: float  # of the conversations in a generated log
    verifies: float  # the caller before going on
    confirms: float  # a change before making it
    checks: float  # the record before acting or answering
    acts: float  # does what it says it has done
    slips: float  # gets an argument wrong
    forgets: float  # a request that was raised together with another
    caves: float  # does against policy what a customer presses for
    passes_on: float  # a customer who argues, to a human who is not needed
    tone: float  # how pleasant, for the rating


SKILLS: dict[str, Skill] = {row["name"]: Skill(**row) for row in table("skills")}
