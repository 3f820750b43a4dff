"""A spec in, an agent out: what the option `agent` of an environment may say."""

from agent_gym.agent.embedded import EmbeddedAgent
from agent_gym.agent.policy_file import PolicyFile, is_policy_spec
from agent_gym.agent.remote import RemoteAgent
from agent_gym.corpus import Corpus
from agent_gym.errors import OptionError
from agent_gym.llm import MODEL_SPECS, gemini_ready, is_model_spec, open_model
from agent_gym.types import Agent

__all__ = ["check_agent", "make_agent"]


def make_agent(
    spec: str | Agent | None, *, corpus: Corpus, write_tools: frozenset[str], policy: str | None = None
) -> Agent:
    """The agent itself, or the one named; None is Gemini where it may be asked, else the embedded one."""
    check_agent(spec)
    if spec is None:
        spec = "gemini" if gemini_ready() else "embedded"
    if not isinstance(spec, str):
        return spec
    if spec == "embedded":
        return EmbeddedAgent.fit(corpus, write_tools, policy)
    if is_policy_spec(spec):
        file = PolicyFile.read(spec)
        file.check(spec, corpus)
        return EmbeddedAgent.fit(corpus, write_tools, policy).with_weights(file.weights)
    return RemoteAgent(open_model(spec), corpus, policy)


def check_agent(spec: str | Agent | None) -> None:
    """Raises `OptionError` for what is no agent: a mistake to tell before anything is mined."""
    named = isinstance(spec, str) and (spec == "embedded" or is_policy_spec(spec) or is_model_spec(spec))
    given = isinstance(spec, Agent) and not isinstance(spec, type)
    if spec is not None and not named and not given:
        raise OptionError("agent", spec, ("embedded", "POLICY.json", *MODEL_SPECS))
