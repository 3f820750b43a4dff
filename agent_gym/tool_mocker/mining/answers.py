"""What a tool's calls were told before anything was written in, its answer to each question out.

Conversations may be told different things for the same call. Then the answer that most got stands for all, and
what the others were told is kept, as much of it as memory allows: something may tell which of them a session is like.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agent_gym.text import digest
from agent_gym.tool_mocker.mining.history import Told
from agent_gym.tool_mocker.recorded import Recorded

__all__ = ["Answers", "Asked", "Rival", "find_answers"]

Asked = tuple[bytes, frozenset[str]]  # (digest of the arguments, gates passed)

_AGREED = 0.8  # of the conversations: the others are its odd ones
_MOST_RIVALS = 32  # answers to one question: the latest tell as much as all
_MOST_QUESTIONS = 2000  # of a tool, whose rivals are kept


class Rival(NamedTuple):
    """One of several answers to the same question."""

    call: Recorded
    result: bytes  # digest of the answer, for votes


@dataclass(frozen=True, slots=True)
class Answers:
    """What one tool answered to each question."""

    commonest: Mapping[Asked, Recorded]  # what most conversations were told; among equals the first
    contested: frozenset[Asked]  # where that is not what nearly all of them were told
    rivals: Mapping[Asked, tuple[Rival, ...]]  # what they were told, where it differs


def find_answers(told: Iterable[Told], gates: frozenset[str]) -> Answers:
    rows: dict[Asked, list[Recorded]] = {}
    for call, done in told:
        rows.setdefault((call.key, done & gates), []).append(call)
    commonest: dict[Asked, Recorded] = {}
    contested: set[Asked] = set()
    rivals: dict[Asked, tuple[Rival, ...]] = {}
    for asked, same_call in rows.items():
        first = same_call[0]
        if all(call.result is first.result for call in same_call):  # equal results are mostly kept once
            commonest[asked] = first
            continue
        found = [Rival(call, digest(call.result)) for call in same_call]
        votes = Counter(rival.result for rival in found)
        commonest[asked] = max(found, key=lambda rival: votes[rival.result]).call
        if max(votes.values()) < _AGREED * len(found):
            contested.add(asked)
        if len(votes) > 1 and len(rivals) < _MOST_QUESTIONS:
            rivals[asked] = tuple(found[-_MOST_RIVALS:])
    return Answers(commonest, frozenset(contested), rivals)
