"""A trace and a kind of customer in, the `User` who plays it out."""

from typing import Literal, get_args

from agent_gym.errors import OptionError
from agent_gym.goals import Goal
from agent_gym.llm import MODEL_SPECS, is_model_spec, open_model
from agent_gym.types import Trace, User
from agent_gym.user_simulator.agenda import AgendaCustomer
from agent_gym.user_simulator.crowd import LONELY, Crowd
from agent_gym.user_simulator.mining import mine_profile
from agent_gym.user_simulator.model_voice import ModelVoice
from agent_gym.user_simulator.noise import QUIET, Noise
from agent_gym.user_simulator.profile import CustomerProfile
from agent_gym.user_simulator.replay import ReplayCustomer

__all__ = ["UserKind", "make_user"]

UserKind = Literal["agenda", "replay", "llm"]
_SPECS = (*get_args(UserKind), *MODEL_SPECS)


def make_user(
    trace: Trace,
    kind: str = "agenda",
    *,
    goal: Goal | None,
    seed: int = 0,
    profile: CustomerProfile | None = None,
    noise: Noise = QUIET,
    crowd: Crowd = LONELY,
) -> User:
    """The customer of the trace: "agenda", "replay", or "llm", "gemini[:model]" and "openai:model", whose words
    a remote model chooses ("llm" is Gemini). `profile`: the one mined from the trace before, to save mining it again.
    `crowd`: what the customers of the train conversations have in common.
    """
    if kind == "replay":
        if noise != QUIET:
            raise OptionError("noise", noise, ("agenda", "llm"), why="cannot change a recording; play another user")
        return ReplayCustomer(trace)
    if kind == "agenda":
        return AgendaCustomer(profile or mine_profile(trace), goal, seed, noise=noise, crowd=crowd)
    if kind == "llm" or is_model_spec(kind):
        voice = ModelVoice(open_model("gemini" if kind == "llm" else kind), seed)
        return AgendaCustomer(profile or mine_profile(trace), goal, seed, noise=noise, voice=voice, crowd=crowd)
    raise OptionError("user", kind, _SPECS)
