"""What has to be true at the end of a conversation, and how much of it is."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from agent_gym.goals.answers import is_answered
from agent_gym.goals.calls import arguments_of, call_key, leaves, likeness
from agent_gym.goals.deeds import Deeds, Place, deeds_in
from agent_gym.text import same
from agent_gym.types import Json, Message, ToolCall, WorldView, Write

__all__ = [
    "GUESSED",
    "READS_NEEDED",
    "REQUIREMENTS",
    "Goal",
    "GoalSource",
    "Matched",
    "Place",
    "is_void",
    "net_changes",
]

GoalSource = Literal[
    "own",  # of the success itself
    "assumed",  # of a conversation nobody labelled, in a corpus without labels
    "retrieved",  # of another success of the same case
    "other_case",  # of a similar success of another customer, their values left open
    "declared",  # given by whoever asks
]

# Another success asks its way through other reads: this share of the reference's reads is common ground.
READS_NEEDED = 0.4
# What tells help from doing nothing beside the writes, with the share of it that is enough.
REQUIREMENTS: Mapping[str, float] = {"facts": 1.0, "hand_over": 1.0, "reads": READS_NEEDED, "answered": 1.0}
_Keyed = tuple[bytes, ToolCall]  # a call with what it is compared by
GUESSED = frozenset({"neighbour", "llm", "injected", "unknown"})  # answers that prove nothing


@dataclass(frozen=True, slots=True)
class Matched:
    """The writes made beside the writes required."""

    missing: tuple[ToolCall, ...]  # required and not made
    needless: tuple[ToolCall, ...]  # made and not required, repeats among them: a refund given twice is no success
    repeated: tuple[ToolCall, ...]  # required, but made more often than the reference made them
    again: tuple[ToolCall, ...]  # of these, the ones that changed nothing: the end state is right, the conduct is not


@dataclass(frozen=True)  # without slots: what its writes are compared by is worked out once, and kept
class Goal:
    """`facts_needed` of the `facts` are enough: wordings differ, truth does not."""

    conversation_id: str
    goal_source: GoalSource = "declared"
    changes: Mapping[Place, Json] = field(default_factory=dict)
    writes: tuple[ToolCall, ...] = ()
    facts: tuple[str, ...] = ()  # what the customer came for, where nothing is to be written
    news: tuple[str, ...] = ()  # all that the customer was told and had not said
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # a tool asked only to tell → what was told
    hands_over: bool = False
    reads: tuple[ToolCall, ...] = ()
    facts_needed: int = 0
    records_known: bool = False  # `changes` holds the effect of every write
    free_text: frozenset[tuple[str, str]] = frozenset()  # (tool, argument) that each agent words its own way
    write_tools: frozenset[str] = frozenset()
    doubtful_tools: frozenset[str] = frozenset()  # of the write tools, those of which only their silence says so
    end_tools: frozenset[str] = frozenset()
    repeatable: frozenset[bytes] = frozenset()  # keys of writes that, made again, leave everything as it is
    # Keys of writes that set a record to what they are given → the arguments that say which record: what the same tool
    # set there before is gone.
    overriding: Mapping[bytes, tuple[str, ...]] = field(default_factory=dict)
    required: frozenset[str] = frozenset(REQUIREMENTS)  # those that successes of one case have in common

    @property
    def checkable(self) -> bool:
        """Whether anything can be told from; if not, the goal never holds."""
        return bool(self.writes or self.facts_needed or self.hands_over or self.reads)

    def holds(self, world: WorldView | None, messages: Sequence[Message]) -> bool:
        return self.reached(self.deeds(world, messages))

    def progress(self, world: WorldView | None, messages: Sequence[Message]) -> float:
        """How much of what is required is there, in [0, 1]; 0 before anything is done.

        What was found out for the customer is looked up and told: it is counted there.
        """
        shares = self.shares(self.deeds(world, messages))
        known = [share for name, share in shares.items() if share is not None and name != "answered"]
        return sum(known) / len(known) if known else 0.0

    def deeds(self, world: WorldView | None, messages: Sequence[Message]) -> Deeds:
        """What was done: the writes by the world where there is one, else by the results in the messages."""
        found = deeds_in(messages, self.write_tools, self.end_tools)
        if world is None:
            return found
        writes = [write for write in world.writes if not is_void(write)]
        known = all(self.shows_effect(write) for write in writes)
        changes = net_changes(world) if known else None
        return replace(found, writes=tuple(write.call for write in writes), changes=changes)

    def reached(self, deeds: Deeds, shares: Mapping[str, float | None] | None = None) -> bool:
        """`shares`: those of the deeds, where they are known already."""
        if not self.checkable:
            return False
        shares = self.shares(deeds) if shares is None else shares
        needed = {"end_state": 1.0} | {name: REQUIREMENTS[name] for name in self.required}
        return all(share >= needed[name] for name, share in shares.items() if share is not None and name in needed)

    def nearly(self, deeds: Deeds, shares: Mapping[str, float | None]) -> bool:
        """Whether all is there but one thing that the success told or looked up.

        Where nothing is to be written, one success does not show which of its facts the customer needed.
        """
        asked = {name: share for name, share in shares.items() if share is not None and name in self.required}
        unmet = [name for name, share in asked.items() if share < REQUIREMENTS[name]]
        return not self.writes and not deeds.writes and len(asked) > 1 and unmet in (["facts"], ["reads"])

    def shares(self, deeds: Deeds, matched: Matched | None = None) -> dict[str, float | None]:
        """How much of each requirement is there; None where it does not apply.

        Beside the writes only what was asked in passing counts: successes that wrote the same agree on little else.
        Without writes it is what was told, looked up and handed over that tells help from doing nothing.
        """
        answered = self._answered_share(deeds) if self.answers else None
        if self.writes:
            end_state = self.end_state(deeds, matched or self.matched(deeds))
            return {"end_state": end_state, "answered": answered, "facts": None, "hand_over": None, "reads": None}
        return {
            "answered": answered,
            "end_state": 0.0 if deeds.writes else None,
            "facts": self._facts_share(deeds) if self.facts_needed else None,
            "hand_over": float(deeds.handed_over == self.hands_over) if deeds.handed_over or self.hands_over else None,
            "reads": self._reads_share(deeds) if self.reads else None,
        }

    def end_state(self, deeds: Deeds, matched: Matched) -> float:
        """1.0 where the end state is the required one, else how near it is, needless writes counted against it."""
        missing, needless = matched.missing, matched.needless
        if not missing and not needless:
            return 1.0
        if self.records_known and deeds.changes is not None and len(matched.repeated) == len(matched.again):
            return _fields_share(self.changes, deeds.changes)
        wanted = self.distinct_writes
        near = sum(0.5 * max((likeness(call, other) for other in needless), default=0.0) for call in missing)
        there = wanted - len(missing) + near
        return min(0.99, there / (wanted + max(0, len(needless) - len(missing))))

    def matched(self, deeds: Deeds) -> Matched:
        """The writes made held against those required, each by what makes two calls the same."""
        made = self._lasting([(self.key(call), call) for call in deeds.writes])
        shown = made if deeds.made is deeds.writes else [(self.key(call), call) for call in deeds.made]
        keys = {key for key, _ in made}
        missing = [call for key, call in self._required_writes.items() if key not in keys]
        allowed = Counter(self._allowed)
        needless, repeated = [], []
        for key, call in made:
            if key not in allowed:
                needless.append(call)
            elif allowed[key] == 0 and key not in self.repeatable:
                repeated.append(call)
            else:
                allowed[key] = max(0, allowed[key] - 1)
        more = _beyond(self._allowed, shown)
        again = [call for call in more if call not in repeated]
        return Matched(tuple(missing), (*needless, *repeated), (*repeated, *again), tuple(again))

    def _lasting(self, made: list[_Keyed]) -> list[_Keyed]:
        """The writes without those that a required one has undone."""
        return [one for at, one in enumerate(made) if one[0] in self._allowed or not self.undone(one, made[at + 1 :])]

    def undone(self, made: _Keyed, later: Iterable[_Keyed]) -> bool:
        """Whether another of the later writes has set anew what this one set; the same again undoes nothing."""
        key, call = made
        others = ((other, self.overriding[other], by) for other, by in later if other in self.overriding)
        return any(other != key and _overrides(by, call, which) for other, which, by in others)

    @property
    def distinct_writes(self) -> int:
        return len(self._required_writes)

    def facts_told(self, deeds: Deeds) -> list[str]:
        return [fact for fact in self.facts if fact in deeds.told]

    def unanswered(self, deeds: Deeds) -> list[str]:
        """The tools that were asked only to tell the customer, and here neither asked nor made up for."""
        return [tool for tool, told in self.answers.items() if not is_answered(tool, told, deeds)]

    def read_credits(self, deeds: Deeds) -> list[tuple[ToolCall, float]]:
        """What the success looked up, each with 1 where it was looked up here, and half where something near it was."""
        made = set(self._keys(deeds.reads))
        return [(call, 1.0 if key in made else 0.5 * _resembles(call, deeds.reads)) for key, call in self._read_keys]

    def key(self, call: ToolCall) -> bytes:
        return call_key(call, self.free_text)

    def shows_effect(self, write: Write) -> bool:
        """Whether the change a write shows tells all of its arguments: a sum paid that no record shows does not."""
        if not write.changes or write.answer.source in GUESSED:
            return False
        shown = {text for change in write.changes for text in (change.key, *leaves(change.after))}
        known = {text for call in self.writes if call.name == write.call.name for text in leaves(call.arguments)}
        return shown | known >= set(leaves(write.call.arguments))

    @cached_property
    def _required_writes(self) -> Mapping[bytes, ToolCall]:
        return {self.key(call): call for call in self.writes}

    @cached_property
    def _allowed(self) -> Mapping[bytes, int]:
        return Counter(self._keys(self.writes))

    @cached_property
    def _read_keys(self) -> list[tuple[bytes, ToolCall]]:
        return [(self.key(call), call) for call in self.reads]

    def _facts_share(self, deeds: Deeds) -> float:
        return min(1.0, len(self.facts_told(deeds)) / self.facts_needed)

    def _answered_share(self, deeds: Deeds) -> float:
        return 1 - len(self.unanswered(deeds)) / len(self.answers)

    def _reads_share(self, deeds: Deeds) -> float:
        return sum(credit for _, credit in self.read_credits(deeds)) / len(self.reads)

    def _keys(self, calls: Iterable[ToolCall]) -> list[bytes]:
        return [self.key(call) for call in calls]


def _beyond(allowed: Mapping[bytes, int], made: Iterable[tuple[bytes, ToolCall]]) -> list[ToolCall]:
    """The required calls that were made more often than is allowed."""
    left, more = Counter(allowed), []
    for key, call in made:
        if key in allowed:
            left[key] -= 1
            if left[key] < 0:
                more.append(call)
    return more


def _resembles(call: ToolCall, others: Iterable[ToolCall]) -> bool:
    """Whether one of the calls asked the same tool about something in common."""
    same_tool = [other for other in others if other.name == call.name]
    return any(not call.arguments or likeness(call, other) > 0.0 for other in same_tool)


def _overrides(later: ToolCall, call: ToolCall, which: Sequence[str]) -> bool:
    """Whether a call that sets a record does so where an earlier one of the same tool did; `which` name the record."""
    mine, theirs = arguments_of(later), arguments_of(call)
    if later.name != call.name or mine.keys() != theirs.keys():
        return False
    return all(same(mine[one], theirs[one]) for one in which)


def is_void(write: Write) -> bool:
    """A write that left everything as it was."""
    return bool(write.changes) and all(same(change.before, change.after) for change in write.changes)


def net_changes(world: WorldView) -> dict[Place, Json]:
    """What differs from the start, without what was changed and changed back."""
    before: dict[Place, Json] = {}
    for write in world.writes:
        for change in write.changes:
            before.setdefault((change.table, change.key, change.path), change.before)
    return {
        place: value
        for place, value in world.changes().items()
        if place not in before or not same(before[place], value)
    }


def _fields_share(wanted: Mapping[Place, Json], found: Mapping[Place, Json]) -> float:
    right = sum(place in found and same(value, found[place]) for place, value in wanted.items())
    return right / (len(wanted.keys() | found.keys()) or 1)
