"""How many of the values the agent named come from a tool, the customer or the policy, and not from nowhere."""

import re

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.text import Value, values_in

__all__ = ["grounded"]

_CHECKED = frozenset({"email", "url", "amount", "id"})  # kinds an agent has no business making up


def grounded(talk: Conversation) -> Finding | None:
    if not any(message.role == "tool" for message in talk.messages):
        return None
    heard = ""
    named: dict[str, bool] = {}
    for message in talk.messages:
        if message.role == "assistant":
            for value in values_in(message.text):
                if value.kind in _CHECKED and not named.get(value.norm):
                    named[value.norm] = _is_in(value, heard)
        else:
            said = f"{message.text} {message.result if message.role == 'tool' else ''}".lower()
            heard += re.sub(r"(?<=\d),(?=\d{3})", "", said) + "\n"
    if not named:
        return None
    invented = tuple(norm for norm, is_known in named.items() if not is_known)
    if not invented:
        return Finding(1.0, f"all {len(named)} values it named are on record")
    return Finding(1 - len(invented) / len(named), f"nothing on record says {', '.join(invented[:3])}", invented)


def _is_in(value: Value, heard: str) -> bool:
    if value.kind != "amount":
        return value.norm in heard  # a card "ending in 4451" is named by a piece of its id
    number = re.escape(value.norm.lstrip("-"))
    zeros = "0*" if "." in value.norm else r"(?:\.0+)?"
    return re.search(rf"(?<![\d.]){number}{zeros}(?![\d]|\.\d)", heard) is not None
