"""A trace and a kind of customer in, the `User` who plays it out."""

from typing import Literal, get_args

from agent_gym.corpus import Corpus
from agent_gym.errors import OptionError
from agent_gym.goals import Goal
from agent_gym.types import Trace, User
from agent_gym.user_simulator.agenda import AgendaCustomer
from agent_gym.user_simulator.mining import mine_profile
from agent_gym.user_simulator.profile import CustomerProfile
from agent_gym.user_simulator.replay import ReplayCustomer

__all__ = ["UserKind", "make_user"]

UserKind = Literal["agenda", "replay"]


def make_user(
    trace: Trace,
    kind: str = "agenda",
    *,
    corpus: Corpus,  # noqa: ARG001  customers speak from their own record; where it ends, others' words will help
    goal: Goal | None,
    seed: int = 0,
    profile: CustomerProfile | None = None,
) -> User:
    """The customer of the trace. `profile`: the one mined from it before, to save mining it again."""
    match kind:
        case "agenda":
            return AgendaCustomer(profile or mine_profile(trace), goal, seed)
        case "replay":
            return ReplayCustomer(trace)
        case _:
            raise OptionError("user", kind, get_args(UserKind))
