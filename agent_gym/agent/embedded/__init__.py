"""The embedded agent: candidates proposed from the record, one chosen by readable features. No key, no network."""

from agent_gym.agent.embedded.agent import EmbeddedAgent

__all__ = ["EmbeddedAgent"]
