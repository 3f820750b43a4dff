"""Who answers: the embedded policy, or a remote model that is shown how it was done before."""

from agent_gym.agent.embedded import EmbeddedAgent
from agent_gym.agent.make import check_agent, make_agent
from agent_gym.agent.remote import RemoteAgent

__all__ = ["EmbeddedAgent", "RemoteAgent", "check_agent", "make_agent"]
