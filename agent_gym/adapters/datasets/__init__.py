"""A gym, or played rollouts, in; files that other trainers read out."""

from agent_gym.adapters.datasets.export import Export, export
from agent_gym.adapters.datasets.kept import Wanted
from agent_gym.adapters.datasets.rows import FORMS, dpo_rows, sft_turns

__all__ = ["FORMS", "Export", "Wanted", "dpo_rows", "export", "sft_turns"]
