"""Conversations in, selection rules out: what a tool tells of a row that an answer before it listed.

An agent searches, then acts on one of the rows it was shown. The arguments say which one, and the answer
repeats them and the row. Where the session was shown no such row, what the record knows of it is told.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.dependencies import Dependency, Fact, find_dependencies
from agent_gym.tool_mocker.mining.queries import folded
from agent_gym.tool_mocker.mining.sampling import spread
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.context import MISSING
from agent_gym.tool_mocker.sites import keyable, nodes
from agent_gym.types import Json

__all__ = ["Row", "Selection", "SelectionExample", "find_selection", "listed_rows", "selection_examples"]

_MIN_EXAMPLES = 4
_MOST_EXAMPLES = 120
_MOST_CALLS = 20_000  # of which the facts are kept: what a larger log adds costs more memory than it tells
_HOLDS = 0.9
_MOSTLY = 0.5

Row = Mapping[str, Json]
SelectionExample = tuple[
    Recorded, tuple[Recorded, ...]
]  # a call, and the answers before it that list rows, latest first


@dataclass(frozen=True, slots=True)
class Selection:
    """Which listed row the arguments name, and where each field of the answer comes from."""

    tool: str
    path: str
    matches: tuple[tuple[str, str], ...]  # (argument, the row's field that it equals)
    echoes: Mapping[str, float]  # fields that repeat the argument of their name, and how often
    taken: Mapping[str, float]  # fields that repeat the row's, and how often
    dependencies: Mapping[str, Dependency]  # every field, as the record knows it
    examples: int
    evidence: tuple[str, ...]

    def words(self) -> str:
        named = " and ".join(f"{field} is argument.{argument}" for argument, field in self.matches)
        known = "; ".join(f"{name} {d.words()}" for name, d in self.dependencies.items() if d.ways)
        return (
            f"of the row that {self.tool} listed whose {named}, tells {', '.join(sorted(self.taken))}; "
            f"without such a row: {known}"
        )

    def row(self, arguments: Mapping[str, Json], rows: Sequence[Row]) -> Row | None:
        """The first row that the arguments name."""
        return _first(self.matches, arguments, rows)

    def answer(self, arguments: Mapping[str, Json], row: Row | None) -> tuple[dict[str, Json], float] | None:
        """The answer, and how often its least sure field is right; None where a field is not known at all.

        Each field comes from where it is right most often: the arguments, the row, or the record. What the row
        says counts as sure: it was told, and is no guess.
        """
        names = _names(arguments)
        found: dict[str, Json] = {}
        least = 1.0
        for name, dependency in self.dependencies.items():
            found[name], right = dependency.known(names)
            sure = right
            if row is not None and name in row and self.taken.get(name, -1.0) >= right:
                found[name], right, sure = row[name], self.taken[name], 1.0
            if name in arguments and self.echoes.get(name, -1.0) >= right:
                found[name], sure = arguments[name], self.echoes[name]
            least = min(least, sure)
        return None if any(value is MISSING for value in found.values()) else (found, least)

    def corrected(self, recorded: Json, adapted: Json) -> Json:
        """A recorded answer of `tool` that was adapted to other arguments, its rows told as the record knows them."""
        old, new = (result if self.path == "[]" else _inside(result, self.path) for result in (recorded, adapted))
        if (
            not isinstance(old, list)
            or not isinstance(new, list)
            or not all(isinstance(r, Mapping) for r in (*old, *new))
        ):
            return adapted
        keys = [tuple(folded(row.get(field)) for _, field in self.matches) for row in new]
        # Only what tells the rows of a list apart can say what each of them holds.
        if len(set(keys)) < len(keys):
            return adapted
        rows = [self._corrected(before, row) for before, row in zip(old, new, strict=True)]
        return rows if self.path == "[]" else {**adapted, self.path.removesuffix("[]"): rows}

    def _corrected(self, recorded: Row, adapted: Row) -> Row:
        if all(recorded.get(field) == adapted.get(field) for _, field in self.matches):
            return adapted  # still the row that was recorded
        names = _row_names(adapted, self.matches)
        told = {field for _, field in self.matches}
        known = {name: self.dependencies[name].known(names)[0] for name in self.taken if name not in told}
        return {name: adapted[name] if known.get(name, MISSING) is MISSING else known[name] for name in adapted}


def _inside(result: Json, path: str) -> Json:
    return result.get(path.removesuffix("[]")) if isinstance(result, Mapping) else None


def listed_rows(result: Json, path: str) -> list[Row]:
    """The objects that stand in a result's lists at `path`."""
    return [node.fields for node in nodes(result) if node.path == path]


def selection_examples(calls: Sequence[Recorded]) -> Iterator[SelectionExample]:
    """Every call that is answered with a row, with the lists that its conversation was shown before."""
    lists: tuple[Recorded, ...] = ()
    for call in calls:
        if call.is_error:
            continue
        if lists and call.arguments and _is_row(call.result):
            yield call, lists
        if any(node.path.endswith("[]") for node in nodes(call.result)):
            lists = (call, *lists)


def _is_row(result: Json) -> bool:
    return isinstance(result, Mapping) and not any(isinstance(value, Mapping | list) for value in result.values())


def find_selection(
    calls: Sequence[Recorded], examples: Sequence[SelectionExample], listing: Mapping[str, Sequence[Recorded]]
) -> Selection | None:
    """The rule that the tool's calls follow; `listing` are the calls of every tool by name."""
    for (tool, path), pairs in _by_place(examples[:_MOST_EXAMPLES]):
        if len({call.key for call, _ in pairs}) < _MIN_EXAMPLES:
            continue
        matches = _matches(pairs)
        chosen = [(call, row) for call, rows in pairs if (row := _first(matches, call.arguments, rows)) is not None]
        taken = _repeated(chosen)
        if any(name not in call.arguments for call, _ in chosen for name in taken):
            rows = _listed_facts(spread(listing[tool], _MOST_CALLS), path, matches)
            return _selection(tool, path, matches, taken, chosen, calls, rows)
    return None


def _selection(
    tool: str,
    path: str,
    matches: tuple[tuple[str, str], ...],
    taken: Mapping[str, float],
    chosen: Sequence[tuple[Recorded, Row]],
    calls: Sequence[Recorded],
    listed: Sequence[Fact],
) -> Selection | None:
    answered = [call for call in spread(calls, _MOST_CALLS) if not call.is_error and _is_row(call.result)]
    fields = Counter(frozenset(call.result) for call in answered).most_common(1)[0][0]
    echoes = _repeated([(call, call.arguments) for call in answered])
    own = _own_facts(answered, echoes)
    names = [argument for argument, _ in matches]
    names += sorted({name for call in answered for name in call.arguments} - set(names))
    dependencies = find_dependencies(sorted(fields), own, ([*own, *listed], own), names)
    evidence = tuple(dict.fromkeys(call.conversation_id for call, _ in chosen))[:5]
    return Selection(tool, path, matches, echoes, taken, dependencies, len(chosen), evidence)


def _names(arguments: Mapping[str, Json]) -> dict[str, str]:
    return {name: folded(value) for name, value in arguments.items() if keyable(value)}


def _row_names(row: Row, matches: Sequence[tuple[str, str]]) -> dict[str, str]:
    """What a row says of itself, under the names of the arguments that would ask for it."""
    return _names(row) | {argument: folded(row[field]) for argument, field in matches if keyable(row.get(field))}


def _own_facts(calls: Iterable[Recorded], echoes: Mapping[str, float]) -> list[Fact]:
    """What each answer tells beside what the call said itself."""
    known: dict[tuple[int, int], Fact] = {}  # a large log keeps equal arguments and results once: so are facts
    facts = []
    for call in calls:
        parts = id(call.arguments), id(call.result)
        if parts not in known:
            told = {
                name: value
                for name, value in call.result.items()
                if name not in call.arguments or echoes.get(name, 0.0) < _HOLDS
            }
            known[parts] = Fact.of(call.conversation_id, _names(call.arguments), told)
        facts.append(known[parts]._replace(conversation_id=call.conversation_id))
    return facts


def _listed_facts(calls: Iterable[Recorded], path: str, matches: Sequence[tuple[str, str]]) -> list[Fact]:
    """The rows that calls list, as the arguments of the tool that tells of them would name them."""
    known: dict[int, list[Fact]] = {}
    facts = []
    for call in calls:
        if call.is_error:
            continue
        if id(call.result) not in known:
            rows = listed_rows(call.result, path)
            known[id(call.result)] = [Fact.of(call.conversation_id, _row_names(row, matches), row) for row in rows]
        facts += [fact._replace(conversation_id=call.conversation_id) for fact in known[id(call.result)]]
    return facts


Pairs = list[tuple[Recorded, list[Row]]]


def _by_place(examples: Sequence[SelectionExample]) -> list[tuple[tuple[str, str], Pairs]]:
    """(tool, path) → the calls made after it listed rows there, with those rows; the place seen most often first."""
    places: dict[tuple[str, str], Pairs] = {}
    for call, lists in examples:
        rows: dict[tuple[str, str], list[Row]] = {}
        for shown in lists:
            for node in nodes(shown.result):
                if node.path.endswith("[]"):
                    rows.setdefault((shown.name, node.path), []).append(node.fields)
        for place, listed in rows.items():
            places.setdefault(place, []).append((call, listed))
    return sorted(places.items(), key=lambda item: (-len(item[1]), item[0]))


def _repeated(chosen: Sequence[tuple[Recorded, Row]]) -> dict[str, float]:
    """The fields of the answers that mostly repeat the field of that name in what goes with the call; and how often."""
    found = {}
    for name in sorted({name for call, _ in chosen for name in call.result}):
        both = [(call.result[name], row[name]) for call, row in chosen if name in call.result and name in row]
        same = sum(canonical(told) == canonical(given) for told, given in both)
        if len(both) >= _MIN_EXAMPLES and same >= _MOSTLY * len(both):
            found[name] = same / len(both)
    return found


def _matches(pairs: Pairs) -> tuple[tuple[str, str], ...]:
    """The arguments that nearly always equal a field of one and the same row."""
    needed = _HOLDS * len(pairs)
    found: tuple[tuple[str, str], ...] = ()
    for argument, field in _candidates(pairs, needed):
        if argument not in {name for name, _ in found}:
            more = (*found, (argument, field))
            if sum(_first(more, call.arguments, rows) is not None for call, rows in pairs) >= needed:
                found = more
    return found


def _candidates(pairs: Pairs, needed: float) -> list[tuple[str, str]]:
    """(argument, field) where some row nearly always holds what the argument says; the same name before others."""
    votes: dict[tuple[str, str], int] = {}
    for call, rows in pairs:
        held: dict[str, set[str]] = {}
        for row in rows:
            for field, value in row.items():
                if keyable(value):
                    held.setdefault(field, set()).add(folded(value))
        for argument, value in call.arguments.items():
            if keyable(value):
                for field in (argument,) if argument in held else held:
                    if folded(value) in held[field]:
                        votes[argument, field] = votes.get((argument, field), 0) + 1
    good = [pair for pair, times in votes.items() if times >= needed]
    return sorted(good, key=lambda pair: (-votes[pair], pair[0] != pair[1], pair))


def _first(matches: Sequence[tuple[str, str]], arguments: Mapping[str, Json], rows: Sequence[Row]) -> Row | None:
    if not matches or not all(keyable(arguments.get(argument)) for argument, _ in matches):
        return None
    wanted = [(field, folded(arguments[argument])) for argument, field in matches]
    return next((row for row in rows if all(folded(row.get(field)) == value for field, value in wanted)), None)
