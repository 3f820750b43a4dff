"""The gym file: named JSON sections and the traces, in one SQLite database."""

from agent_gym.store.gymfile import GymFile, is_gym_file, write_gym

__all__ = ["GymFile", "is_gym_file", "write_gym"]
