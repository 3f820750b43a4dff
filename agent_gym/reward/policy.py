"""A policy's text in, the rules of conduct out that can be checked in any conversation.

A policy says much that only a reader can judge. These few rules show in the form of a conversation; they are
looked for by how policies word them, and hold only where the policy says so.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from agent_gym.reward.customs import made_writes
from agent_gym.types import Message

__all__ = ["RULES", "rules_in"]

Check = Callable[[Sequence[Message], frozenset[str]], str | None]


def _one_call_at_a_time(messages: Sequence[Message], _: frozenset[str]) -> str | None:
    most = max((len(m.tool_calls) for m in messages if m.role == "assistant"), default=0)
    return f"it made {most} calls at once, where the policy allows one" if most > 1 else None


def _no_words_beside_a_call(messages: Sequence[Message], _: frozenset[str]) -> str | None:
    for message in messages:
        if message.role == "assistant" and message.tool_calls and message.text.strip():
            return f"it spoke beside a call of {message.tool_calls[0].name}, where the policy forbids it"
    return None


def _asks_before_it_writes(messages: Sequence[Message], write_tools: frozenset[str]) -> str | None:
    for made in made_writes(messages, write_tools):
        if not made.asked:
            return f"it called {made.call.name} without the customer's yes, which the policy asks for"
    return None


RULES: Mapping[str, Check] = {
    "one call at a time": _one_call_at_a_time,
    "no words beside a call": _no_words_beside_a_call,
    "a yes before a write": _asks_before_it_writes,
}
_CALL = r"(?:tool|function|api)[ -]?(?:calls?|use)?"
_WORDINGS: Mapping[str, re.Pattern[str]] = {
    "one call at a time": re.compile(
        rf"\b(?:at most|only|no more than|never more than)\b[^.\n]{{0,20}}\b(?:one|a single|1) {_CALL}"
        rf"|\b(?:one|a single|1) {_CALL} at a time",
        re.IGNORECASE,
    ),
    "no words beside a call": re.compile(
        rf"\b{_CALL}[^.\n]{{0,40}}\b(?:not|never|don't)\b[^.\n]{{0,20}}\b(?:respond|reply|speak|write|say)\b"
        r"[^.\n]{0,40}\b(?:same time|simultaneously|same (?:turn|message)|at once)",
        re.IGNORECASE,
    ),
    "a yes before a write": re.compile(
        r"\b(?:obtain|get|ask for|require|request|receive|wait for|need|without)\b[^.\n]{0,40}"
        r"\b(?:confirmation|approval|consent|go-ahead|a yes)\b",
        re.IGNORECASE,
    ),
}


@lru_cache(maxsize=64)
def rules_in(policy: str) -> tuple[str, ...]:
    """The names of the rules that the policy states."""
    return tuple(name for name, wording in _WORDINGS.items() if wording.search(policy))
