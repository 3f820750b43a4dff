"""Arguments from the conversation: recorded calls in; then, for a state, a call's arguments or what is missing."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.agent.embedded.arguments import Place, Seen, learn_all
from agent_gym.agent.embedded.catalogue import Catalogue
from agent_gym.agent.embedded.customs import Customs, Rows, Turn
from agent_gym.agent.embedded.leaves import arguments_of, is_specific, norm_of
from agent_gym.agent.embedded.points import Near, Point
from agent_gym.agent.embedded.sources import Around, Pick
from agent_gym.agent.embedded.spoken import place_of
from agent_gym.agent.embedded.talk import State
from agent_gym.text import canonical
from agent_gym.types import Json, ToolCall

__all__ = ["Binder", "Bound", "flat", "nested"]

_WAYS = 2  # sets of arguments a tool is tried with
_Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A call's arguments as far as this conversation gives them."""

    arguments: Mapping[str, Json]
    missing: _Names = ()
    doubtful: _Names = ()
    trust: float = 1.0  # how often the least of the sources used was right in the record


class Binder:
    """Where every argument of every tool comes from, learned once from the calls that worked."""

    def __init__(self, recorded: Iterable[Point], catalogue: Catalogue | None = None) -> None:
        points = list(recorded)
        seen: dict[Place, list[Seen]] = defaultdict(list)
        self._usual: dict[str, Counter[_Names]] = defaultdict(Counter)
        self._sets_of: dict[int, list[tuple[str, _Names]]] = {}  # by point: the tools called and their arguments
        calls: list[tuple[Turn, str, Rows]] = []
        for number, point, call in [(n, each, call) for n, each in enumerate(points) for call in _worked(each)]:
            rows = flat(arguments_of(call))
            calls.append(((point.conversation_id, len(point.state.turns)), call.name, rows))
            names = tuple(path for path, _ in rows)
            self._usual[call.name][names] += 1
            self._sets_of.setdefault(number, []).append((call.name, names))
            norms = Counter(norm_of(value) for _, value in rows)
            for path, value in rows:
                used = _used(call.name, path, point.state)
                alone = norms[norm_of(value)] == 1
                seen[call.name, path].append(Seen(point.conversation_id, point.state, value, used, alone))
        self._arguments = learn_all(seen, catalogue or Catalogue())
        self._customs = Customs(calls)

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(self._usual)

    def finders(self, tool: str, path: str) -> list[str]:
        """The tools whose results this argument was taken from, the surest first."""
        argument = self._arguments.get((tool, path))
        found = [source.tool for source, _ in argument.sources if source.kind == "found"] if argument else []
        return list(dict.fromkeys(found))

    def is_chosen(self, tool: str, path: str) -> bool:
        """Whether the value is the agent's own choice, and nothing a customer could tell."""
        argument = self._arguments.get((tool, path))
        return argument is not None and argument.chosen

    def bind(
        self,
        tool: str,
        state: State,
        near: Sequence[Near],
        schema: Mapping[str, Json],
        hidden: frozenset[str] = frozenset(),
    ) -> Bound:
        """The likeliest of the ways to call the tool."""
        return self.ways(tool, state, near, schema, hidden)[0]

    def ways(
        self,
        tool: str,
        state: State,
        near: Sequence[Near],
        schema: Mapping[str, Json],
        hidden: frozenset[str] = frozenset(),
    ) -> list[Bound]:
        """The tool's arguments at this state: of the sets it is called with, the first few that are complete, else the
        first few with what they miss. `near` are like points, whose sets come first. What was called so before can be
        called for the next of its kind: of a customer's orders, the one not looked at yet."""
        tried: list[Bound] = []
        complete: dict[bytes, Bound] = {}
        made = {canonical(arguments_of(each.call)) for each in state.calls if each.call.name == tool}
        for names in self._sets(tool, near, schema):
            way = self._bound(tool, names, state, schema, hidden)
            tried.append(way)
            if not way.missing:
                form = canonical(way.arguments)
                complete.setdefault(form, way)
                if form in made:
                    another = self._bound(tool, names, state, schema, hidden, anew=self._customs.varied(tool))
                    if not another.missing:
                        complete.setdefault(canonical(another.arguments), another)
            if len(complete.keys() - made) >= _WAYS:
                break
        return list(complete.values()) or tried[:_WAYS]

    def _sets(self, tool: str, near: Sequence[Near], schema: Mapping[str, Json]) -> list[_Names]:
        votes: dict[_Names, float] = defaultdict(float)
        for like in near:
            for name, names in self._sets_of.get(like.number, ()):
                if name == tool:
                    votes[names] += like.weight
        ranked = sorted(votes, key=lambda names: (-votes[names], names))
        usual = [names for names, _ in self._usual.get(tool, Counter[_Names]()).most_common(4)]
        required = [str(name) for name in schema.get("required") or ()]
        sets = [names + tuple(r for r in required if not _covers(names, r)) for names in [*ranked, *usual] or [()]]
        return list(dict.fromkeys(sets))

    def _bound(
        self,
        tool: str,
        names: _Names,
        state: State,
        schema: Mapping[str, Json],
        hidden: frozenset[str],
        anew: frozenset[str] = frozenset(),
    ) -> Bound:
        """`anew`: the arguments that are to have a value they have not had."""
        picks: dict[str, Pick] = {}
        trusts: list[float] = []
        for certain_only in (True, False):
            for path in (name for name in names if name not in picks):
                argument = self._arguments.get((tool, path))
                used = _used(tool, path, state)
                barred = used if path in anew else frozenset[str]()
                many = self._customs.length(tool, path, {name: pick.value for name, pick in picks.items()})
                around = Around(used, _taken(picks), _focus(state, picks), hidden, barred, many=many)
                found = argument.pick(state, around) if argument else None
                found = found or _from_enum(schema, path, state)
                if found and (found[0].certain or not certain_only):
                    picks[path] = found[0]
                    trusts.append(found[1])
        return Bound(
            arguments=nested({path: picks[path].value for path in names if path in picks}),
            missing=tuple(path for path in names if path not in picks),
            doubtful=tuple(path for path in names if path in picks and not picks[path].certain),
            trust=min(trusts, default=1.0),
        )


def _worked(point: Point) -> Iterator[ToolCall]:
    """The calls of this move that were not refused: a refused one shows how not to."""
    made = [call for call in point.state.talk.calls if call.at == point.state.at]
    return (call.call for call in made if not call.failed)


def _covers(names: _Names, required: str) -> bool:
    return any(path == required or path.startswith(f"{required}.") for path in names)


def _from_enum(schema: Mapping[str, Json], path: str, state: State) -> tuple[Pick, float] | None:
    """One of the words the tool's own schema allows, if the customer said it."""
    declared = (schema.get("properties") or {}).get(path)
    allowed = declared.get("enum") or () if isinstance(declared, Mapping) else ()
    said = [value for value in allowed if place_of(value, state) >= 0]
    return (Pick(said[-1], certain=len(said) == 1), 0.5) if said else None


def _used(tool: str, path: str, state: State) -> frozenset[str]:
    """The values this argument has had in this conversation."""
    return frozenset(leaf.norm for place in (path, f"{path}.*") for leaf in state.at_place(tool, place, False))


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


def nested(flat_arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Arguments as a tool takes them, from their dotted paths."""
    out: dict[str, Json] = {}
    for path, value in flat_arguments.items():
        *parents, name = path.split(".")
        inner = out
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[name] = value
    return out
