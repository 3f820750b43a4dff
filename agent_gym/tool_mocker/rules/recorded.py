"""Answers with what was recorded for the same arguments, where nothing that it depends on is otherwise.

First what the session's own recorded conversation was told, then what others were; where these were told different
things (each had its own customer, day or database), what the one was told that had asked the same before. Last, a
recorded answer with this session's writes in it, or one given where other things had been done.
"""

import zlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from agent_gym.text import digest, same
from agent_gym.tool_mocker.dependence import Situation
from agent_gym.tool_mocker.evidence import Evidence
from agent_gym.tool_mocker.log import Recorded
from agent_gym.tool_mocker.state import State
from agent_gym.tool_mocker.world import Asked, Memory, Rival, Stories
from agent_gym.types import Source, ToolAnswer, ToolCall

__all__ = [
    "ElsewhereRule",
    "HereBeforeRule",
    "HereRule",
    "PatchedRule",
    "RecordedRule",
    "apart",
    "find_memories",
    "find_stories",
]

_AGREED = 0.8  # of the conversations: the others are its odd ones
_MOST_RIVALS = 32  # answers to one question: the latest tell as much as all
_MOST_QUESTIONS = 2000  # of a tool, whose rivals are kept
_ALIKE = 0.75
_MOST_TRIED = 300  # answers of a tool, to find whether stories tell


def _told(recorded: Recorded, source: Source) -> ToolAnswer:
    return ToolAnswer(recorded.raw, recorded.is_error, source, 0.0, (recorded.conversation_id,))


@dataclass(frozen=True, slots=True)
class HereRule:
    """What this very conversation was told in this situation; asked again, the next answer, then the last again."""

    source: ClassVar[Source] = "recorded"

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        if state.anchor is None:
            return None
        place, asked = state.place_in_anchor(call)
        told = state.anchor.answers.get(place)
        if told is None:
            return None
        recorded = told[min(asked, len(told) - 1)]
        # The anchor may know a tool that the world does not: nothing else can be said of it.
        if call.name in state.world.tools and state.outdated(call, recorded):
            return None
        return replace(_told(recorded, "recorded"), confidence=1.0 if state.is_on_path else 0.0)

    def words(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class RecordedRule:
    """What other conversations were told in the same situation; one of several answers is a guess."""

    source: ClassVar[Source] = "recorded"

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        told = _in_this_situation(call, state)
        if told is None or state.outdated(call, told):
            return None
        return _told(told, "neighbour" if _is_contested(call, state) else "recorded")

    def words(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class PatchedRule:
    """A recorded answer with the records in it as this session's own writes have left them."""

    source: ClassVar[Source] = "state"

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        if not (state.overlay or state.gone):
            return None
        told = _in_this_situation(call, state) or _in_another_situation(call, state)
        if told is None or told.is_error or state.is_gone(call.name, call.arguments, told.result):
            return None
        now = state.patched(call.name, call.arguments, told.result)
        if same(now, told.result):
            return None
        return replace(_told(told, "state"), result=state.tool(call.name).encoded(now))

    def words(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class HereBeforeRule:
    """What this very conversation was told where other things had been done: the nearest that is known of it."""

    source: ClassVar[Source] = "neighbour"

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        near = _of_anchor(call, state)
        return _told(near, "neighbour") if near is not None else None

    def words(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class ElsewhereRule:
    """What was told of a question where other things had been done before: nothing says that it still holds."""

    source: ClassVar[Source] = "neighbour"

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        near = _in_another_situation(call, state)
        return _told(near, "neighbour") if near is not None else None

    def words(self) -> str:
        return ""


def _in_this_situation(call: ToolCall, state: State) -> Recorded | None:
    """What the anchor, else the conversation most like this one, else most were told in this very situation."""
    asked = state.asked_as(call)
    own = state.anchor.answers.get((call.name, *asked)) if state.anchor else None
    return own[0] if own else _likeliest_here(call, state) or state.tool(call.name).memory.answers.get(asked)


def _in_another_situation(call: ToolCall, state: State) -> Recorded | None:
    """What was told in the situation nearest to this one; the anchor's own first."""
    own = _of_anchor(call, state)
    if own is not None:
        return own
    key, situation = state.asked_as(call)
    memory = state.tool(call.name).memory
    known = memory.situations.get(key) or ((frozenset(),) if (key, frozenset()) in memory.answers else ())
    return memory.answers[key, min(known, key=lambda other: apart(other, situation))] if known else None


def _of_anchor(call: ToolCall, state: State) -> Recorded | None:
    key, situation = state.asked_as(call)
    own = state.anchor.situations.get((call.name, key)) if state.anchor else None
    if not own or state.anchor is None:
        return None
    return state.anchor.answers[call.name, key, min(own, key=lambda other: apart(other, situation))][0]


def apart(other: Situation, now: Situation) -> tuple[int, int, list[str]]:
    """How far a situation is from the present one: what was done there and not here weighs first."""
    return len(other - now), len(now - other), sorted(other)


def _is_contested(call: ToolCall, state: State) -> bool:
    """Whether conversations were told different things, and nothing says which of them this one is like."""
    asked = state.asked_as(call)
    if state.anchor is not None and (call.name, *asked) in state.anchor.answers:
        return False
    return asked in state.tool(call.name).memory.contested and _likeliest_here(call, state) is None


def find_memories(evidence: Evidence, gates: Mapping[str, frozenset[str]]) -> tuple[dict[str, Memory], Stories]:
    """tool → what it answered to each question; and the stories of the conversations that tell which answer it is."""
    told: dict[str, dict[Asked, list[Recorded]]] = {name: {} for name in evidence.kinds}
    sets: dict[Situation, Situation] = {}  # many calls are made in the same one
    for conversation, situations in zip(evidence.conversations, evidence.situations, strict=True):
        passed: frozenset[str] = frozenset()
        for call, writes in zip(conversation, situations, strict=True):
            situation = writes | (passed & gates[call.name])
            asked = (call.key, sets.setdefault(situation, situation))
            told[call.name].setdefault(asked, []).append(call)
            passed = passed if call.is_error else passed | {call.name}
    memories = {name: _memory(rows) for name, rows in told.items()}
    stories = find_stories(evidence.conversations, _rivals_in(memories.values()))
    kept = {
        name: memory if _stories_tell(memory.rivals.values(), stories) else replace(memory, rivals={})
        for name, memory in memories.items()
    }
    wanted = set(_rivals_in(kept.values()))
    return kept, {name: story for name, story in stories.items() if name in wanted}


def _rivals_in(memories: Iterable[Memory]) -> set[str]:
    return {rival.call.conversation_id for memory in memories for some in memory.rivals.values() for rival in some}


def _memory(rows: Mapping[Asked, Sequence[Recorded]]) -> Memory:
    commonest: dict[Asked, Recorded] = {}
    contested: set[Asked] = set()
    rivals: dict[Asked, tuple[Rival, ...]] = {}
    situations: dict[bytes, list[Situation]] = {}
    for asked, same_call in rows.items():
        situations.setdefault(asked[0], []).append(asked[1])
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
    several = {key: tuple(some) for key, some in situations.items() if some != [frozenset()]}
    return Memory(commonest, several, frozenset(contested), rivals)


def find_stories(conversations: Iterable[Sequence[Recorded]], wanted: Collection[str]) -> dict[str, Sequence[int]]:
    """conversation → its calls in order, each as a number; of the wanted ones: all would take too much memory."""
    return {
        calls[0].conversation_id: array("Q", [_step(call.name, call.key) for call in calls])
        for calls in conversations
        if calls and calls[0].conversation_id in wanted
    }


def _step(name: str, key: bytes) -> int:
    return int.from_bytes(key[:8]) ^ zlib.crc32(name.encode())


def _likeliest_here(call: ToolCall, state: State) -> Recorded | None:
    rivals = state.tool(call.name).memory.rivals.get(state.asked_as(call))
    if not rivals:
        return None
    made = frozenset(_step(name, key) for name, key in state.asked)
    like = _likeliest(rivals, made, state.world.stories)
    return like.call if like is not None else None


def _likeliest(rivals: Sequence[Rival], made: frozenset[int], stories: Stories) -> Rival | None:
    """The answer of the conversation most like the session, most told among equals; None where none is like it."""
    alike = [_likeness(rival.call, made, stories) for rival in rivals]
    best = max(alike, default=0.0)
    return _commonest([rival for rival, how in zip(rivals, alike, strict=True) if how == best]) if best else None


def _likeness(call: Recorded, made: frozenset[int], stories: Stories) -> float:
    """How much of what its conversation had asked before a call, a session has asked too, and the other way round.

    0 where that is not most of it: conversations of one kind begin alike, whatever they are told.
    """
    before = frozenset(stories.get(call.conversation_id, ())[: call.at])
    shared = len(before & made)
    alike = 2 * shared / (len(before) + len(made)) if shared else 0.0
    return alike if alike >= _ALIKE else 0.0


def _stories_tell(questions: Iterable[Sequence[Rival]], stories: Stories) -> bool:
    """Whether the likeliest conversation is told what a conversation is told, more often than most of them are."""
    contests = [(rival, rivals) for rivals in questions for rival in rivals]
    gained = 0
    for rival, rivals in contests[:: 1 + len(contests) // _MOST_TRIED]:
        others = [other for other in rivals if other.call.conversation_id != rival.call.conversation_id]
        made = frozenset(stories[rival.call.conversation_id][: rival.call.at])
        like = _likeliest(others, made, stories)
        if like is not None:
            gained += (like.result == rival.result) - (_commonest(others).result == rival.result)
    return gained > 0


def _commonest(rivals: Sequence[Rival]) -> Rival:
    votes = Counter(rival.result for rival in rivals)
    return max(rivals, key=lambda rival: votes[rival.result])
