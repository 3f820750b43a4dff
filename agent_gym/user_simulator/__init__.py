"""Customers: a recorded conversation in, a `User` out who wants, knows and speaks as its customer did."""

from agent_gym.user_simulator.make import UserKind, make_user
from agent_gym.user_simulator.mining import mine_profile
from agent_gym.user_simulator.noise import Noise
from agent_gym.user_simulator.profile import CustomerProfile

__all__ = ["CustomerProfile", "Noise", "UserKind", "make_user", "mine_profile"]
