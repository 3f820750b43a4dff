"""A trace in, a playable case out: the prompt, the customer's opener, the goal, the tools, the split."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent_gym.corpus import Corpus, Split, opener
from agent_gym.goals import Goal, Goals
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json, Message, Trace

__all__ = ["Scenario", "has_customer", "prompt_of", "scenario_of"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One playable case. `goal` stays with the environment: no agent ever sees it."""

    conversation_id: str
    case: str
    split: Split
    opening: str
    prompt: tuple[Message, ...]
    tools: tuple[Mapping[str, Json], ...]
    outcome: str | None
    succeeded: bool | None
    goal: Goal | None

    @property
    def scorable(self) -> bool:
        return self.goal is not None


def has_customer(trace: Trace) -> bool:
    """Whether a customer says anything in it: without one there is nobody to play."""
    return any(message.role == "user" and message.text.strip() for message in trace.messages)


def scenario_of(trace: Trace, corpus: Corpus, mocker: ToolMocker, goals: Goals, policy: str | None) -> Scenario:
    return Scenario(
        conversation_id=trace.conversation_id,
        case=corpus.case(trace),
        split=corpus.split(trace.conversation_id),
        opening=opener(trace),
        prompt=prompt_of(trace, policy),
        tools=trace.tools or mocker.tools,
        outcome=trace.outcome,
        succeeded=corpus.succeeded(trace),
        goal=goals.of(trace),
    )


def prompt_of(trace: Trace, policy: str | None) -> tuple[Message, ...]:
    """What stands before the customer's first words: system text, and a greeting if the agent gave one."""
    prompt = []
    for message in trace.messages:
        if message.role == "user":
            break
        if message.role == "system" or (message.role == "assistant" and not message.tool_calls):
            prompt.append(message)
    if policy is not None and not any(message.role == "system" for message in prompt):
        prompt.insert(0, Message("system", policy))
    return tuple(prompt)
