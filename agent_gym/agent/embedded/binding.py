"""Arguments from the conversation: recorded calls in, for each argument where its values come from, and then,
for a state, the arguments of a call or which of them are missing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.agent.embedded.points import Near, Point
from agent_gym.agent.embedded.shape import Shape
from agent_gym.agent.embedded.sources import Around, Pick, Source, resolve
from agent_gym.agent.embedded.spoken import cues_of, place_of
from agent_gym.agent.embedded.talk import State, arguments_of, is_specific, norm_of, says
from agent_gym.text import canonical, tokens
from agent_gym.types import Json

__all__ = ["Argument", "Binder", "Bound", "flat"]

_TRIALS = 150  # recorded values on which a source is tried: enough to rank it


@dataclass(frozen=True, slots=True)
class Argument:
    """What the record says of one argument: how often it is given, its shape, its sources, best first."""

    tool: str
    path: str
    share: float
    shape: Shape
    sources: tuple[tuple[Source, float], ...]
    constants: Mapping[str, tuple[Json, int]]  # canonical value → the value and in how many conversations


@dataclass(frozen=True, slots=True)
class Bound:
    """A call's arguments as far as this conversation gives them."""

    arguments: Mapping[str, Json]
    missing: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    trust: float = 1.0  # how often the sources used were right in the record


@dataclass(frozen=True, slots=True)
class _Seen:
    """A recorded value of an argument: where, what it had been before, and whether no other argument had it."""

    point: Point
    value: Json
    used: frozenset[str]
    alone: bool


class Binder:
    """Where every argument of every tool comes from, learned once."""

    def __init__(self, points: Iterable[Point]) -> None:
        seen: dict[tuple[str, str], list[_Seen]] = defaultdict(list)
        calls: Counter[str] = Counter()
        for point in points:
            for call in point.calls:
                calls[call.name] += 1
                rows = flat(arguments_of(call))
                norms = Counter(norm_of(value) for _, value in rows)
                for path, value in rows:
                    used = _used(call.name, path, point.state)
                    seen[call.name, path].append(_Seen(point, value, used, norms[norm_of(value)] == 1))
        self._arguments: dict[str, dict[str, Argument]] = defaultdict(dict)
        for (tool, path), values in sorted(seen.items()):
            self._arguments[tool][path] = _learn(tool, path, values, calls[tool])

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(self._arguments)

    def argument(self, tool: str, path: str) -> Argument | None:
        return self._arguments.get(tool, {}).get(path)

    def bind(self, tool: str, state: State, near: Sequence[Near], schema: Mapping[str, Json]) -> Bound:
        """The tool's arguments at this state. `near` are like points: they say which optional arguments
        are given and which constant is usual."""
        examples = [
            (near_by, arguments_of(call)) for near_by in near for call in near_by.point.calls if call.name == tool
        ]
        wanted, optional = self._wanted(tool, [arguments for _, arguments in examples], schema)
        picks: dict[str, Pick] = {}
        trusts: list[float] = []
        for certain_only in (True, False):
            for path in (p for p in (*wanted, *optional) if p not in picks):
                found = self._pick(tool, path, state, examples, schema, picks)
                if found and (found[0].certain or not certain_only):
                    picks[path] = found[0]
                    trusts.append(found[1])
        return Bound(
            arguments=_nested({path: picks[path].value for path in (*wanted, *optional) if path in picks}),
            missing=tuple(path for path in wanted if path not in picks),
            doubtful=tuple(path for path in wanted if path in picks and not picks[path].certain),
            trust=min(trusts, default=1.0),
        )

    def _wanted(
        self, tool: str, examples: Sequence[Mapping[str, Json]], schema: Mapping[str, Json]
    ) -> tuple[list[str], list[str]]:
        """Arguments the call needs, and those that calls at points like this one usually give."""
        learned = self._arguments.get(tool, {})
        required = [str(name) for name in schema.get("required") or ()]
        always = [path for path, argument in learned.items() if argument.share > 0.95]
        wanted = list(dict.fromkeys([*always, *(r for r in required if not _covered(r, learned))]))
        given = Counter(path for arguments in examples[:5] for path, _ in flat(arguments))
        half = max(1, min(5, len(examples))) / 2
        return wanted, [path for path in learned if path not in wanted and given[path] > half]

    def _pick(
        self,
        tool: str,
        path: str,
        state: State,
        examples: Sequence[tuple[Near, Mapping[str, Json]]],
        schema: Mapping[str, Json],
        picks: Mapping[str, Pick],
    ) -> tuple[Pick, float] | None:
        argument = self.argument(tool, path)
        if argument is None:
            return _from_enum(schema, path, state)
        around = Around(_used(tool, path, state), _taken(picks), _focus(state, picks))
        doubtful: tuple[Pick, float] | None = None
        for source, trust in argument.sources:
            pick = (
                _constant(argument, examples, state)
                if source.kind == "constant"
                else resolve(source, argument.shape, state, around)
            )
            if pick and pick.certain:
                return pick, trust
            if pick and doubtful is None:
                doubtful = pick, trust * 0.7
        return doubtful or _from_enum(schema, path, state)


def _covered(name: str, learned: Mapping[str, Argument]) -> bool:
    return any(path == name or path.startswith(f"{name}.") for path in learned)


def _learn(tool: str, path: str, seen: Sequence[_Seen], calls: int) -> Argument:
    tries = seen[:: max(1, len(seen) // _TRIALS)]
    cues = cues_of((each.point.state, each.value) for each in tries)
    shape = Shape.of([each.value for each in seen], alone=all(each.alone for each in seen), cues=cues)
    counts: Counter[Source] = Counter(source for each in tries for source in _sources(each))
    conversations: dict[str, set[str]] = defaultdict(set)
    forms: dict[str, Json] = {}
    for each in seen:
        key = canonical(each.value).decode("utf-8", "replace")
        forms[key] = each.value
        conversations[key].add(each.point.conversation_id)
    ranked = []
    for source, count in sorted(counts.items()):
        right, tried = _right(source, shape, tries) if source.kind != "constant" else (count, len(tries))
        ranked.append((source, (right + 1) / (tried + 2), count))
    ranked.sort(key=lambda row: (-row[1], -row[2], row[0]))
    constants = {key: (forms[key], len(ids)) for key, ids in sorted(conversations.items())}
    return Argument(
        tool, path, len(seen) / max(calls, 1), shape, tuple((s, trust) for s, trust, _ in ranked), constants
    )


def _sources(seen: _Seen) -> list[Source]:
    """Every place of the conversation so far that holds the value."""
    state, value = seen.point.state, seen.value
    items = value if isinstance(value, list) else [value]
    if isinstance(value, bool) or not items:
        return [Source("constant")]
    found: set[Source] = set()
    for item in items:
        norm = norm_of(item)
        for said in state.said:
            if says(said.value, norm):
                found.add(Source("said", path=said.value.kind))
            elif said.value.kind == "name" and norm in (names := said.value.norm.split()):
                part = {0: "first", len(names) - 1: "last"}.get(names.index(norm))
                found |= {Source("said", path="name", part="first" if part == "first" else "last")} if part else set()
        for leaf in state.talk.by_norm.get(norm, ()):
            if leaf.at < state.at:
                found.add(Source("found" if leaf.result else "argument", leaf.tool, leaf.path))
        if isinstance(item, str) and place_of(item, state) >= 0:
            found.add(Source("mention"))
    if found:
        return sorted(found)
    text = str(value)
    return [Source("words")] if len(tokens(text)) > 4 and not isinstance(value, list) else [Source("constant")]


def _right(source: Source, shape: Shape, tries: Sequence[_Seen]) -> tuple[int, int]:
    """How often the source gives the recorded value, and how often it gives any."""
    right = tried = 0
    for each in tries:
        pick = resolve(source, shape, each.point.state, Around(used=each.used))
        if pick is not None:
            tried += 1
            right += canonical(pick.value) == canonical(each.value)
    return right, tried


def _constant(argument: Argument, examples: Sequence[tuple[Near, Mapping[str, Json]]], state: State) -> Pick | None:
    """The value usual at points like this one: a word or a switch of the tool, never what names a thing."""
    votes: dict[str, float] = defaultdict(float)
    for near, arguments in examples:
        for path, value in flat(arguments):
            if path == argument.path:
                votes[canonical(value).decode("utf-8", "replace")] += near.weight
    total = sum(n for _, n in argument.constants.values())
    for key in sorted(votes, key=lambda key: (-votes[key], key)):
        value, conversations = argument.constants.get(key, (None, 0))
        if value is None or not _usual(value, conversations, total):
            continue
        return Pick(value, certain=place_of(value, state) >= 0 or votes[key] > 0.6 * sum(votes.values()))
    return None


def _usual(value: Json, conversations: int, total: int) -> bool:
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return conversations >= 2 and conversations > total / 2
    items = value if isinstance(value, list) else [value]
    return conversations >= 2 and not any(is_specific(str(item)) for item in items)


def _from_enum(schema: Mapping[str, Json], path: str, state: State) -> tuple[Pick, float] | None:
    """One of the words the tool's own schema allows, if the customer said it."""
    declared = (schema.get("properties") or {}).get(path) or {}
    allowed = declared.get("enum") or () if isinstance(declared, Mapping) else ()
    said = [value for value in allowed if place_of(value, state) >= 0]
    return (Pick(said[-1], certain=len(said) == 1), 0.5) if said else None


def _used(tool: str, path: str, state: State) -> frozenset[str]:
    """The values this argument has had in this conversation."""
    places = (path, f"{path}.*")
    return frozenset(leaf.norm for place in places for leaf in state.at_place(tool, place, False))


def _taken(picks: Mapping[str, Pick]) -> frozenset[str]:
    values = [v for pick in picks.values() for v in (pick.value if isinstance(pick.value, list) else [pick.value])]
    return frozenset(norm_of(value) for value in values if isinstance(value, str))


def _focus(state: State, picks: Mapping[str, Pick]) -> frozenset[int]:
    """The calls that speak of the things already chosen: an item is looked for in its own order."""
    norms = {norm_of(pick.value) for pick in picks.values() if is_specific(pick.value)}
    return frozenset(leaf.call for leaf in state.leaves if leaf.norm in norms)


def flat(arguments: Mapping[str, Json], prefix: str = "") -> list[tuple[str, Json]]:
    """Arguments by dotted path; an object is its fields, a list is one value."""
    rows: list[tuple[str, Json]] = []
    for name, value in arguments.items():
        if isinstance(value, Mapping) and value:
            rows += flat(value, f"{prefix}{name}.")
        else:
            rows.append((f"{prefix}{name}", value))
    return rows


def _nested(flat: Mapping[str, Json]) -> dict[str, Json]:
    out: dict[str, Json] = {}
    for path, value in flat.items():
        *parents, name = path.split(".")
        inner = out
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[name] = value
    return out
