"""Which earlier writes an answer depends on: found from which answers changed after which writes.

A recorded answer holds as long as nothing it depends on has changed. Of a write and a later call we ask whether they
are *linked*: whether a value that the write named or showed stands in the call's arguments. Unless the record says
otherwise, a linked write matters and another does not. It may say otherwise: an answer changed though no linked write
was made (then that tool's writes always matter), or stayed the same after a linked one (then they never do).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, NamedTuple, TypeAlias

from agent_gym.text import digest
from agent_gym.tool_mocker.kinds import Kind
from agent_gym.tool_mocker.log import Recorded, linking_values
from agent_gym.types import Json

__all__ = ["Dependence", "Done", "Situation", "done_by", "find_dependence", "situations_of"]


Bond: TypeAlias = Literal["never", "always"]
Situation: TypeAlias = frozenset[str]  # the writes that an answer depends on, and the gates passed

_MOST_PAIRS = 40  # of answers to one question that are compared


class Done(NamedTuple):
    """A successful write as later answers may depend on it."""

    tool: str
    name: str  # the tool and its arguments
    values: frozenset[str]  # what the call named and its answer showed


@dataclass(frozen=True, slots=True)
class Dependence:
    """Where the record says otherwise than the link between two calls."""

    bonds: Mapping[tuple[str, str], Bond]  # (writing tool, asked tool)

    def matters(self, writer: str, written: frozenset[str], tool: str, values: frozenset[str]) -> bool:
        """Whether a write that names or shows some values matters to a call with others."""
        bond = self.bonds.get((writer, tool))
        return bond == "always" or (bond is None and not values.isdisjoint(written))

    def situation(self, tool: str, values: frozenset[str], done: Sequence[Done]) -> Situation:
        """The writes among `done` that the answer to a call with these values depends on."""
        if not done:
            return frozenset()
        names = [write.name for write in done if self.matters(write.tool, write.values, tool, values)]
        if len(names) > 1 and len(set(names)) < len(names):  # the same write again is another state
            counts = Counter(names)
            return frozenset(name if n == 1 else f"{name}*{n}" for name, n in counts.items())
        return frozenset(names)


def done_by(name: str, key: bytes, arguments: Json, result: Json) -> Done:
    return Done(name, f"{name}:{key[:8].hex()}", linking_values(arguments) | linking_values(result))


def situations_of(
    calls: Sequence[Recorded], kinds: Mapping[str, Kind], dependence: Dependence
) -> Iterator[tuple[Recorded, Situation]]:
    """A conversation's calls in order, each with the writes before it that its answer depends on."""
    done: list[Done] = []
    for call in calls:
        yield call, dependence.situation(call.name, linking_values(call.arguments), done) if done else frozenset()
        if not call.is_error and (kind := kinds.get(call.name)) is not None and kind.writes:
            done.append(done_by(call.name, call.key, call.arguments, call.result))


class _Seen(NamedTuple):
    """An answer to a question, and the writes that its conversation had made."""

    conversation: int
    values: frozenset[str]
    result: bytes
    done: tuple[Done, ...]


def find_dependence(conversations: Sequence[Sequence[Recorded]], kinds: Mapping[str, Kind]) -> Dependence:
    harmless: Counter[tuple[str, str, bool]] = Counter()  # (writing tool, asked tool, linked)
    suspects: list[tuple[str, frozenset[str]]] = []  # (asked tool, tools whose writes differ and are not linked)
    guilty: Counter[tuple[str, str]] = Counter()
    for tool, seen in _questions(conversations, kinds):
        untouched = {one.result for one in seen if not one.done}
        for first, second in _pairs(seen):
            within = first.conversation == second.conversation
            names = Counter(write.name for write in first.done)
            names.subtract(Counter(write.name for write in second.done))
            apart = [write for write in (*first.done, *second.done) if names[write.name]]
            linked = {write.tool for write in apart if not first.values.isdisjoint(write.values)}
            others = {write.tool for write in apart} - linked
            if first.result == second.result:
                # Two different writes that led to the same say nothing of either.
                if len({names[write.name] > 0 for write in apart}) == 1:
                    harmless.update((name, tool, True) for name in linked)
                harmless.update((name, tool, False) for name in others)
            elif linked:
                guilty.update((name, tool) for name in linked)
            elif others and (within or len(untouched) == 1):
                suspects.append((tool, frozenset(others)))
    bonds: dict[tuple[str, str], Bond] = {}
    for (name, tool, is_linked), times in harmless.items():
        if is_linked and times > guilty[name, tool]:
            bonds[name, tool] = "never"
    blamed = _blamed(suspects, harmless)
    bonds |= dict.fromkeys(blamed, "always")
    return Dependence(dict(sorted(bonds.items())))


def _blamed(
    suspects: list[tuple[str, frozenset[str]]], harmless: Mapping[tuple[str, str, bool], int]
) -> Iterator[tuple[str, str]]:
    """As few pairs as explain every change that no linked write explains."""
    left = suspects
    while left:
        seen = Counter((name, tool) for tool, names in left for name in names)
        worst = max(sorted(seen), key=lambda pair: seen[pair] - harmless.get((*pair, False), 0))
        if seen[worst] <= harmless.get((*worst, False), 0):
            return
        yield worst
        left = [(tool, names) for tool, names in left if tool != worst[1] or worst[0] not in names]


def _questions(
    conversations: Sequence[Sequence[Recorded]], kinds: Mapping[str, Kind]
) -> Iterator[tuple[str, list[_Seen]]]:
    """Every question that was asked more than once, with its answers."""
    asked: dict[tuple[str, bytes], list[_Seen]] = {}
    for at, calls in enumerate(conversations):
        done: tuple[Done, ...] = ()
        for call in calls:
            seen = _Seen(at, linking_values(call.arguments), digest(call.result), done)
            asked.setdefault((call.name, call.key), []).append(seen)
            if not call.is_error and kinds[call.name].writes:
                done = (*done, done_by(call.name, call.key, call.arguments, call.result))
    for (tool, _), some in sorted(asked.items()):
        if len(some) > 1 and any(one.done for one in some):
            yield tool, some


def _pairs(seen: Sequence[_Seen]) -> Iterable[tuple[_Seen, _Seen]]:
    near = [(a, b) for a, b in pairwise(seen) if a.conversation == b.conversation]
    if len(seen) * (len(seen) - 1) // 2 <= _MOST_PAIRS:
        return combinations(seen, 2)
    return near[:_MOST_PAIRS]
