"""A gym in, what TRL's GRPOTrainer, SFTTrainer and DPOTrainer take out; needs the extra `[trl]`."""

from agent_gym.adapters.trl.spec import TrlSpec

__all__ = ["TrlSpec"]
