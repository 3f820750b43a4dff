"""Conversations in, stories out: what each had asked before an answer, to tell which of them a session is like.

Conversations may be told different things for the same call: each had its own customer, day or database. The
one that had asked what this session has asked may well be told what this session is told: whether it is, is
counted over the recorded conversations, for each tool.
"""

import zlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from agent_gym.tool_mocker.mining.answers import Rival
from agent_gym.tool_mocker.recorded import Recorded

__all__ = ["Stories", "find_stories", "likeliest", "likeness", "step", "stories_tell"]

Stories = Mapping[str, Sequence[int]]  # conversation → its calls in order, each as a number

_ALIKE = 0.75
_MOST_TRIED = 300  # answers of a tool, to find whether stories tell


def step(name: str, key: bytes) -> int:
    """A call as stories keep it."""
    return int.from_bytes(key[:8]) ^ zlib.crc32(name.encode())


def find_stories(conversations: Iterable[Sequence[Recorded]], wanted: Collection[str]) -> Stories:
    """The stories of the wanted conversations: those of all would take as much memory as their answers."""
    return {
        calls[0].conversation_id: array("Q", [step(call.name, call.key) for call in calls])
        for calls in conversations
        if calls and calls[0].conversation_id in wanted
    }


def likeness(call: Recorded, made: frozenset[int], stories: Stories) -> float:
    """How much of what its conversation had asked before a call, a session has asked too, and the other way round.

    0 where that is not most of it: conversations of one kind begin alike, whatever they are told.
    """
    before = frozenset(stories.get(call.conversation_id, ())[: call.at])
    shared = len(before & made)
    alike = 2 * shared / (len(before) + len(made)) if shared else 0.0
    return alike if alike >= _ALIKE else 0.0


def likeliest(rivals: Sequence[Rival], made: frozenset[int], stories: Stories) -> Rival | None:
    """The answer of the conversation most like the session, most told among equals; None where none is like it."""
    alike = [likeness(rival.call, made, stories) for rival in rivals]
    best = max(alike, default=0.0)
    return _commonest([rival for rival, how in zip(rivals, alike, strict=True) if how == best]) if best else None


def stories_tell(questions: Iterable[Sequence[Rival]], stories: Stories) -> bool:
    """Whether the likeliest conversation is told what a conversation is told, more often than most of them are."""
    contests = [(rival, rivals) for rivals in questions for rival in rivals]
    gained = 0
    for rival, rivals in contests[:: 1 + len(contests) // _MOST_TRIED]:
        others = [other for other in rivals if other.call.conversation_id != rival.call.conversation_id]
        made = frozenset(stories[rival.call.conversation_id][: rival.call.at])
        like = likeliest(others, made, stories)
        if like is not None:
            gained += (like.result == rival.result) - (_commonest(others).result == rival.result)
    return gained > 0


def _commonest(rivals: Sequence[Rival]) -> Rival:
    votes = Counter(rival.result for rival in rivals)
    return max(rivals, key=lambda rival: votes[rival.result])
