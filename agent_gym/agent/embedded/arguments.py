"""What the record says of one argument of one tool: its recorded values in, its shape and its sources out.

A source is ranked by trial: how often it would have given the recorded value.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agent_gym.agent.embedded.catalogue import Catalogue
from agent_gym.agent.embedded.habits import Choice, Habit
from agent_gym.agent.embedded.leaves import norm_of
from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.shape import Shape, form_of, mark_of
from agent_gym.agent.embedded.sources import Around, Pick, Source, log_odds, marks_of, resolve
from agent_gym.agent.embedded.spoken import cues_of, place_of
from agent_gym.agent.embedded.talk import State, says
from agent_gym.text import canonical
from agent_gym.types import Json

__all__ = ["Argument", "Place", "Seen", "learn_all"]

Place = tuple[str, str]  # a tool and the path of one of its arguments

_TRIALS = 150  # recorded values on which a source is tried: enough to rank it
_ENOUGH = 4  # recorded values that were all new, from which on a value that stands is not set again
_OWN = 4  # conversations: what more of them had is nobody's own
_HABIT = 0.5  # how often a constant must have been right
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
    prefers: Mapping[Source, Mapping[str, float]]
    changes: str = ""  # the field that a new value is for: what stands there is not set again
    chosen: bool = False  # mostly a word that nobody had said: the agent's own choice, of which no customer is asked
    told_by: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)  # by conversation: see `_told_by`

    def pick(self, state: State, around: Around) -> tuple[Pick, float] | None:
        """The value of the best source that is certain, else of the best that has one; and its trust."""
        doubtful: tuple[Pick, float] | None = None
        if self.changes:
            around = replace(around, barred=around.barred | standing(self.changes, state))
        if around.hidden:
            around = replace(around, unknown=self._told_by_none_but(around.hidden))
        for source, trust in self.sources:
            pick = _resolved(source, self.shape, self.habit, state, around, self.prefers.get(source, {}))
            if pick and pick.certain:
                return pick, trust
            if pick and doubtful is None:
                doubtful = pick, trust * 0.7
        return doubtful or (self._guessed(state, around.hidden) if self.chosen else None)

    def _guessed(self, state: State, hidden: frozenset[str]) -> tuple[Pick, float] | None:
        usual = self.habit.usual(state, hidden)
        return (Pick(usual[0], certain=False), usual[1]) if usual else None

    def _told_by_none_but(self, hidden: frozenset[str]) -> frozenset[str]:
        told = (row for name in hidden for row in self.told_by.get(name, {}).items())
        return frozenset(norm for norm, names in told if names <= hidden)


def learn_all(seen: Mapping[Place, Sequence[Seen]], catalogue: Catalogue) -> dict[Place, Argument]:
    """Every argument, each knowing which words stand beside the values of others, and what everybody calls its own."""
    tries = {place: each[:: max(1, len(each) // _TRIALS)] for place, each in seen.items()}
    cues = {place: cues_of((one.state, one.value) for one in each) for place, each in tries.items()}
    forms = {place: frozenset(form_of(str(one.value)) for one in each) for place, each in seen.items()}
    rivals = {place: _rivals(place, [one.value for one in each], forms) for place, each in seen.items()}
    return {
        place: _learn(
            place[1],
            seen[place],
            tries[place],
            (cues[place], _rival_cues(cues[place], [cues[rival] for rival in rivals[place]])),
            catalogue,
        )
        for place in seen
    }


def _rivals(place: Place, values: Sequence[Json], forms: Mapping[Place, frozenset[str]]) -> list[Place]:
    """The arguments of other names whose values look like this one's without the letters they begin with."""
    mark = mark_of([str(value) for value in values])
    bare = frozenset(form_of(str(value).removeprefix(mark)) for value in values)
    return [other for other in forms if other[1] != place[1] and forms[other] & bare]


def _rival_cues(own: Mapping[str, float], rivals: Sequence[Mapping[str, float]]) -> frozenset[str]:
    """Words that stand beside the values of a rival far more often than beside this one's."""
    others = (row for cues in rivals for row in cues.items())
    return frozenset(word for word, share in others if len(word) > 1 and share >= max(0.1, 2 * own.get(word, 0.0)))


def _learn(
    path: str,
    seen: Sequence[Seen],
    tries: Sequence[Seen],
    cues: tuple[Mapping[str, float], frozenset[str]],
    catalogue: Catalogue,
) -> Argument:
    alone = all(each.alone for each in seen)
    shape = Shape.of([each.value for each in seen], path, alone=alone, cues=cues, catalogue=catalogue)
    origins = [_origins(each, catalogue) for each in seen]
    habit = Habit(
        [Choice(each.conversation_id, each.state, each.value, not o) for each, o in zip(seen, origins, strict=True)]
    )
    counts = Counter(source for each in origins for source in each)
    if not all(origins):
        counts[Source("constant")] = sum(not each for each in origins)
        if 2 * sum(len(tokens(str(each.value))) > 4 for each in seen) > len(seen):
            counts[Source("words")] = 1
    prefers = {source: _preferences(source, tries) for source in counts if source.kind == "found"}
    known = _known_elsewhere(seen, path, catalogue)
    trials = {s: [each for each in tries if s.kind != "mention" or norm_of(each.value) in known] for s in counts}
    ranked = [(s, *_right(s, shape, habit, trials[s], prefers.get(s, {})), count) for s, count in counts.items()]
    ranked.sort(key=lambda row: (-(row[1] + 1) / (row[2] + 2), -row[3], row[0]))
    sources = tuple((source, (right + 1) / (tried + 2)) for source, right, tried, _ in ranked)
    # A word that would seldom have been right is no habit, unless there is nothing else.
    sources = tuple(row for row in sources if row[0].kind != "constant" or row[1] >= _HABIT) or sources
    name = path.rsplit(".", 1)[-1]
    there = [standing(name, each.state) for each in seen]
    kept = sum(norm_of(each.value) in norms for each, norms in zip(seen, there, strict=True))
    changes = sum(map(bool, there)) >= _ENOUGH and not kept
    chosen = sum(not each for each in origins) > len(origins) / 2
    return Argument(shape, sources, habit, prefers, name if changes else "", chosen, _told_by(seen, name, catalogue))


def _told_by(seen: Sequence[Seen], name: str, catalogue: Catalogue) -> Mapping[str, Mapping[str, frozenset[str]]]:
    """Conversation → its values that few others had → all that had them.

    Who practises in a recorded case must not know its customer's own values from there.
    """
    told: dict[str, set[str]] = {}
    for each in seen:
        for item in each.value if isinstance(each.value, list) else [each.value]:
            told.setdefault(norm_of(item), set()).add(each.conversation_id)
    own: dict[str, dict[str, frozenset[str]]] = {}
    for norm, names in told.items():
        if len(names) <= _OWN and norm not in catalogue.values.get(name, {}):
            for conversation_id in sorted(names):
                own.setdefault(conversation_id, {})[norm] = frozenset(names)
    return own


def _known_elsewhere(seen: Sequence[Seen], path: str, catalogue: Catalogue) -> frozenset[str]:
    """The values known from more than one conversation: only of these the words can be known again."""
    told = Counter(norm for norm, _ in {(norm_of(each.value), each.conversation_id) for each in seen})
    return frozenset(norm for norm, n in told.items() if n > 1).union(catalogue.values.get(path.rsplit(".", 1)[-1], {}))


def standing(name: str, state: State) -> frozenset[str]:
    """What the tools have shown to stand in the field of this name, lists apart."""
    return frozenset(
        leaf.norm
        for leaf in state.leaves
        if leaf.result and "*" not in leaf.path and leaf.path.rsplit(".", 1)[-1] == name
    )


def _preferences(source: Source, tries: Sequence[Seen]) -> dict[str, float]:
    """What the records chosen from several had more often than those passed over, as log odds."""
    chosen: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for each in tries:
        norm = norm_of(each.value)
        leaves = each.state.at_place(source.tool, source.path, True)
        holders = {leaf.norm: leaf.holder for leaf in leaves}
        if len(holders) > 1 and norm in holders:
            for other, marks in zip(holders, marks_of(list(holders.values())), strict=True):
                (chosen if other == norm else passed).update(marks)
    return log_odds(chosen, passed)


def _origins(seen: Seen, catalogue: Catalogue) -> list[Source]:
    """Every place of the conversation so far that holds the value."""
    items = seen.value if isinstance(seen.value, list) else [seen.value]
    found = {source for item in items if not isinstance(item, bool) for source in _origins_of(item, seen.state)}
    called = [name for item in items if isinstance(item, str) for name in catalogue.called(norm_of(item))]
    if any(place_of(name, seen.state) >= 0 for name in called):
        found.add(Source("mention"))
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


def _right(
    source: Source, shape: Shape, habit: Habit, tries: Sequence[Seen], prefers: Mapping[str, float]
) -> tuple[int, int]:
    """How often the source gives the recorded value, and how often it gives any."""
    right = tried = 0
    for each in tries:
        around = Around(used=each.used, hidden=frozenset({each.conversation_id}))
        pick = _resolved(source, shape, habit, each.state, around, prefers)
        if pick is not None:
            tried += 1
            right += canonical(pick.value) == canonical(each.value)
    return right, tried


def _resolved(
    source: Source, shape: Shape, habit: Habit, state: State, around: Around, prefers: Mapping[str, float]
) -> Pick | None:
    if source.kind != "constant":
        return resolve(source, shape, state, around, prefers)
    usual = habit.usual(state, around.hidden)
    return Pick(usual[0], certain=usual[1] >= _SURE) if usual else None
