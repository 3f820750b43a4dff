"""Customers: a recorded conversation in, a `User` out who wants, knows and speaks as its customer did."""

from agent_gym.user_simulator.agenda import AgendaCustomer
from agent_gym.user_simulator.audit import user_errors
from agent_gym.user_simulator.crowd import Crowd, mine_crowd
from agent_gym.user_simulator.make import UserKind, make_user
from agent_gym.user_simulator.mining import mine_profile
from agent_gym.user_simulator.noise import Noise
from agent_gym.user_simulator.profile import CustomerProfile

__all__ = [
    "AgendaCustomer",
    "Crowd",
    "CustomerProfile",
    "Noise",
    "UserKind",
    "make_user",
    "mine_crowd",
    "mine_profile",
    "user_errors",
]
