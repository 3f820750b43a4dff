"""Speaker labels in, roles out: those the caller maps, the usual words of help desks, else the two who speak most."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes
from agent_gym.types import Message, Role

__all__ = ["cast_messages", "role_of_word"]

_ASSISTANT: Final = {
    "agent", "assistant", "bot", "chatbot", "representative", "rep", "support", "advisor", "adviser", "operator",
    "admin", "staff", "employee", "consultant", "csr", "specialist", "teammate", "supervisor", "model", "ai", "gpt",
    "internal", "custom_bot", "customer_service", "service", "helpdesk", "acd", "workflow", "ivr", "virtual",
}  # fmt: skip
_USER: Final = {
    "customer", "user", "client", "caller", "visitor", "guest", "consumer", "contact", "lead", "end_user", "enduser",
    "requester", "human", "external", "buyer", "member", "subscriber",
}  # fmt: skip
_SYSTEM: Final = {"system", "developer"}
_ALONE: Final = re.compile(r"[\s_\-]*\d+$")


def role_of_word(label: str, roles: Mapping[str, Role] | None = None) -> Role | None:
    """The role a label names by itself: `Agent 2` is an agent."""
    word = label.strip().lower()
    if roles and word in roles:
        return roles[word]
    word = _ALONE.sub("", word).replace(" ", "_").replace("-", "_")
    if word in _ASSISTANT or any(
        word.endswith(f"_{known}") for known in ("agent", "assistant", "bot", "representative")
    ):
        return "assistant"
    if word in _USER or word.startswith(("customer_", "user_")):
        return "user"
    if word in _SYSTEM:
        return "system"
    return "tool" if word in ("tool", "function") else None


def cast_messages(turns: Sequence[tuple[str, str]], roles: Mapping[str, Role], notes: Notes) -> list[Message]:
    """The turns (label, text) as messages. Turns of labels nobody can place are set aside, with a warning."""
    cast: dict[str, Role | None] = {label: role_of_word(label, roles) for label, _ in turns}
    if not {"user", "assistant"} <= set(cast.values()):
        cast |= _guessed(turns, cast, notes)
    messages: list[Message] = []
    for label, text in turns:
        role = cast[label]
        if role is None:
            notes.set_aside({"role": label, "content": text}, "a turn of a speaker without a role was set aside")
        elif role == "tool":
            messages.append(Message("tool", None, (), label, None, text))
        elif text:
            messages.append(Message(role, text))
    return messages


def _guessed(turns: Sequence[tuple[str, str]], cast: Mapping[str, Role | None], notes: Notes) -> dict[str, Role]:
    """The two who speak most; whoever asks more is taken for the agent, who has to find out what is wanted."""
    unplaced = Counter(label for label, _ in turns if cast[label] is None)
    placed = next((role for role in cast.values() if role in ("user", "assistant")), None)
    speakers = [label for label, _ in unplaced.most_common(1 if placed else 2)]
    if not speakers or (len(speakers) == 1 and placed is None):
        return {}
    if placed is not None:
        guess: dict[str, Role] = {speakers[0]: "assistant" if placed == "user" else "user"}
    else:
        asked = Counter(label for label, text in turns if "?" in text)
        first = next(label for label, _ in turns if label in speakers)
        agent = max(speakers, key=lambda label: (asked[label], label == first))
        guess = {label: "assistant" if label == agent else "user" for label in speakers}
    shown = ",".join(f"{label}={role}" for label, role in sorted(guess.items()))
    notes.warn("who is the agent was guessed: say it with roles (--roles)", shown)
    return guess
