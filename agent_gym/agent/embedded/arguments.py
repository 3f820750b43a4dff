"""What the record says of one argument of one tool: its recorded values in, its shape and its sources out.

A source is ranked by trial: how often it would have given the recorded value.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agent_gym.agent.embedded.habits import Choice, Habit
from agent_gym.agent.embedded.shape import Shape
from agent_gym.agent.embedded.sources import Around, Pick, Source, resolve
from agent_gym.agent.embedded.spoken import cues_of, place_of
from agent_gym.agent.embedded.talk import State, norm_of, says
from agent_gym.text import canonical, tokens
from agent_gym.types import Json

__all__ = ["Argument", "Seen", "learn"]

_TRIALS = 150  # recorded values on which a source is tried: enough to rank it
_SURE = 0.6  # the share of like choices from which on a habit is not a guess


@dataclass(frozen=True, slots=True)
class Seen:
    """A recorded value: at which state, what the argument had been before, whether no other argument had it."""

    conversation_id: str
    state: State
    value: Json
    used: frozenset[str]
    alone: bool


@dataclass(frozen=True, slots=True)
class Argument:
    """How to come by a value: sources with how often they were right, best first."""

    shape: Shape
    sources: tuple[tuple[Source, float], ...]
    habit: Habit

    def pick(self, state: State, around: Around) -> tuple[Pick, float] | None:
        """The value of the best source that is certain, else of the best that has one; and its trust."""
        doubtful: tuple[Pick, float] | None = None
        for source, trust in self.sources:
            pick = _resolved(source, self.shape, self.habit, state, around)
            if pick and pick.certain:
                return pick, trust
            if pick and doubtful is None:
                doubtful = pick, trust * 0.7
        return doubtful


def learn(seen: Sequence[Seen]) -> Argument:
    tries = seen[:: max(1, len(seen) // _TRIALS)]
    cues = cues_of((each.state, each.value) for each in tries)
    shape = Shape.of([each.value for each in seen], alone=all(each.alone for each in seen), cues=cues)
    origins = [_origins(each) for each in seen]
    habit = Habit(
        [Choice(each.conversation_id, each.state, each.value, not o) for each, o in zip(seen, origins, strict=True)]
    )
    counts = Counter(source for each in origins for source in each)
    if not all(origins):
        counts[Source("constant")] = sum(not each for each in origins)
        if any(len(tokens(str(each.value))) > 4 for each in seen):
            counts[Source("words")] = 1
    ranked = [(source, *_right(source, shape, habit, tries), count) for source, count in counts.items()]
    ranked.sort(key=lambda row: (-(row[1] + 1) / (row[2] + 2), -row[3], row[0]))
    return Argument(shape, tuple((source, (right + 1) / (tried + 2)) for source, right, tried, _ in ranked), habit)


def _origins(seen: Seen) -> list[Source]:
    """Every place of the conversation so far that holds the value."""
    items = seen.value if isinstance(seen.value, list) else [seen.value]
    found = {source for item in items if not isinstance(item, bool) for source in _origins_of(item, seen.state)}
    return sorted(found)


def _origins_of(item: Json, state: State) -> set[Source]:
    norm = norm_of(item)
    found: set[Source] = set()
    for said in state.said:
        kind = said.value.kind
        if says(said.value, norm):
            slashed = kind == "date" and "/" in said.value.norm
            found |= {Source("said", path=kind, part=part) for part in (("mdy", "dmy") if slashed else ("",))}
        elif kind == "name":
            names = said.value.norm.split()
            found |= {Source("said", path=kind, part="first")} if norm == names[0] else set()
            found |= {Source("said", path=kind, part="last")} if norm == names[-1] else set()
    for leaf in state.talk.by_norm.get(norm, ()):
        if leaf.at < state.at:
            found.add(Source("found" if leaf.result else "argument", leaf.tool, leaf.path))
    if isinstance(item, str) and place_of(item, state) >= 0:
        found.add(Source("mention"))
    return found


def _right(source: Source, shape: Shape, habit: Habit, tries: Sequence[Seen]) -> tuple[int, int]:
    """How often the source gives the recorded value, and how often it gives any."""
    right = tried = 0
    for each in tries:
        pick = _resolved(source, shape, habit, each.state, Around(used=each.used), without=each.conversation_id)
        if pick is not None:
            tried += 1
            right += canonical(pick.value) == canonical(each.value)
    return right, tried


def _resolved(
    source: Source, shape: Shape, habit: Habit, state: State, around: Around, without: str = ""
) -> Pick | None:
    if source.kind != "constant":
        return resolve(source, shape, state, around)
    usual = habit.usual(state, without)
    return Pick(usual[0], certain=usual[1] >= _SURE) if usual else None
