"""Whether the agent kept to what its policy says, as far as that can be checked without reading its mind."""

from collections.abc import Sequence

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.policy import RULES, rules_in
from agent_gym.types import Message

__all__ = ["conduct"]


def conduct(talk: Conversation) -> Finding | None:
    # The agent under test may have been given its policy elsewhere; the success of its case had the same.
    rules = rules_in(_policy(talk.messages) or _policy(talk.reference.messages))
    if not rules or not any(message.role == "assistant" for message in talk.messages):
        return None
    faults = [fault for name in rules if (fault := RULES[name](talk.messages, talk.goal.write_tools))]
    if not faults:
        return Finding(1.0, f"it kept to the policy in {', '.join(rules)}")
    return Finding(1 - len(faults) / len(rules), faults[0], tuple(faults))


def _policy(messages: Sequence[Message]) -> str:
    return "\n".join(message.text for message in messages if message.role == "system")
