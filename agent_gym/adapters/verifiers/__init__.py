"""A gym in, a package for verifiers out, and what that package plays with; needs the extra `[verifiers]`."""

from agent_gym.adapters.verifiers.export import export_verifiers
from agent_gym.adapters.verifiers.play import Tools, follow, openers, replay, report

__all__ = ["Tools", "export_verifiers", "follow", "openers", "replay", "report"]
