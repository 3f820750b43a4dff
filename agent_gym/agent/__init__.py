"""Who answers: the embedded policy, or a remote model that is shown how it was done before."""

from agent_gym.agent.embedded import EmbeddedAgent
from agent_gym.agent.make import check_agent, make_agent
from agent_gym.agent.policy_file import PolicyFile, gym_digest, is_policy_file, is_policy_spec
from agent_gym.agent.remote import RemoteAgent

__all__ = [
    "EmbeddedAgent",
    "PolicyFile",
    "RemoteAgent",
    "check_agent",
    "gym_digest",
    "is_policy_file",
    "is_policy_spec",
    "make_agent",
]
