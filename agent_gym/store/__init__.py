"""The gym file: the traces, and what was mined from them, in one SQLite database.

Read `schema` (its tables), `writing`, `reading` and `packing` (how rows get in and out), `gymfile` (the file as others
see it), `corpus` (the conversations, read as they are asked for).
"""

from agent_gym.store.corpus import StoredCorpus
from agent_gym.store.gymfile import GymFile
from agent_gym.store.schema import is_gym_file
from agent_gym.store.writing import GymWriter, writing

__all__ = ["GymFile", "GymWriter", "StoredCorpus", "is_gym_file", "writing"]
