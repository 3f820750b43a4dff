"""Conversations in, those that rules are learned from out: enough of what every tool did, and no more.

A thousandth example teaches a rule nothing that the hundredth has not, and rules are what takes time to find.
Records and recorded answers come from every conversation; only rules come from these.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from agent_gym.tool_mocker.recorded import Recorded

__all__ = ["MOST_EXAMPLES", "by_tool_sampled", "sampled", "spread"]

MOST_EXAMPLES = 500  # of a tool's successes, and of its refusals

Conversations = Sequence[Sequence[Recorded]]


def sampled(conversations: Conversations) -> Conversations:
    """The conversations themselves, in their order, until no more are needed; which ones, a hash of their ids says."""
    seen: Counter[tuple[str, bool]] = Counter()
    for conversation in conversations:
        seen.update((call.name, call.is_error) for call in conversation)
    if not seen or max(seen.values()) <= MOST_EXAMPLES:
        return conversations
    taken: Counter[tuple[str, bool]] = Counter()
    chosen: list[int] = []
    for at in sorted(range(len(conversations)), key=lambda at: _drawn(conversations[at])):
        kinds = [(call.name, call.is_error) for call in conversations[at]]
        if any(taken[kind] < MOST_EXAMPLES for kind in kinds):
            taken.update(kinds)
            chosen.append(at)
    return [conversations[at] for at in sorted(chosen)]


def _drawn(conversation: Sequence[Recorded]) -> bytes:
    """Neither the oldest nor the latest first."""
    return hashlib.blake2b(conversation[0].conversation_id.encode(), digest_size=8).digest() if conversation else b""


def by_tool_sampled(calls: Iterable[Recorded]) -> dict[str, list[Recorded]]:
    """tool → its calls, so many successes and so many refusals at most."""
    tools: dict[str, list[Recorded]] = {}
    taken: Counter[tuple[str, bool]] = Counter()
    for call in calls:
        taken[call.name, call.is_error] += 1
        if taken[call.name, call.is_error] <= MOST_EXAMPLES:
            tools.setdefault(call.name, []).append(call)
    return tools


T = TypeVar("T")


def spread(rows: Sequence[T], most: int = MOST_EXAMPLES) -> Sequence[T]:
    """The rows, or so many of them as teach enough, from first to last."""
    return rows if len(rows) <= most else [rows[at * len(rows) // most] for at in range(most)]
