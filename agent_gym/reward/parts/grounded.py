"""How many of the values the agent named come from a tool, the customer or the policy, and not from nowhere."""

from collections.abc import Mapping

from agent_gym.goals import values_of
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.text import values_in
from agent_gym.types import Message

__all__ = ["grounded"]

_CHECKED = frozenset({"email", "url", "amount", "id"})  # kinds an agent has no business making up


def grounded(talk: Conversation) -> Finding | None:
    if not any(message.role == "tool" for message in talk.messages):
        return None
    known: set[str] = set()
    named: dict[str, bool] = {}
    for message in talk.messages:
        if message.role != "assistant":
            known |= _norms(message)
            continue
        for value in values_in(message.text):
            if value.kind in _CHECKED and not named.get(value.norm):
                # A card "ending in 4451" is named by a piece of its id.
                named[value.norm] = value.norm in known or any(value.norm in text for text in known)
    if not named:
        return None
    return _finding(named)


def _finding(named: Mapping[str, bool]) -> Finding:
    invented = tuple(norm for norm, is_known in named.items() if not is_known)
    if not invented:
        return Finding(1.0, f"all {len(named)} values it named are on record")
    return Finding(1 - len(invented) / len(named), f"nothing on record says {', '.join(invented[:3])}", invented)


def _norms(message: Message) -> set[str]:
    spoken = {value.norm for value in values_in(message.text)}
    return spoken | values_of(message.result) if message.role == "tool" else spoken
