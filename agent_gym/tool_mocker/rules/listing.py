"""Answers lists: predicates over the rows, learned from what the tool listed, choose, order and limit them.

A result has *rows* where it holds a list, or a map whose keys are data (days, ids). For every argument we look for a
relation to a field of the rows that all listed rows have and that rows left out lack: equal, contained, not before,
not after. An answer is known only inside what was asked before: every recorded call tells *all* rows that fit it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

from agent_gym.text import canonical, same
from agent_gym.tool_mocker.evidence import Evidence, spread
from agent_gym.tool_mocker.expressions.filters import (
    ANY_FIELD,
    RELATIONS,
    Filter,
    Row,
    fits,
    holds,
    is_given,
    is_implied,
)
from agent_gym.tool_mocker.kinds import words_of
from agent_gym.tool_mocker.log import LEAVES, Recorded
from agent_gym.tool_mocker.state import State
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

__all__ = ["KnownRowsRule", "ListingRule", "learn_listing"]

_MOST_ROWS = 4000
_MOST_CALLS = 300  # from which a listing is learned
_MOST_TRIED = 40  # calls, and rows, on which a filter is tried


@dataclass(frozen=True, slots=True)
class ListingRule:
    """How one tool lists the rows at one place of its results."""

    source: ClassVar[Source] = "query"

    path: tuple[str, ...]
    form: Literal["rows", "values", "map"]
    filters: tuple[Filter, ...]
    apart: tuple[str, ...]  # arguments whose values have rows of their own: what they mean was not found
    order: tuple[str, bool] | None  # a field, and whether downwards; None: as they come
    limit: int | None
    empty: Json  # the whole result where nothing fits; None: the usual one with no rows
    empty_is_error: bool
    finds_nothing: bool  # whether it was ever seen to list nothing
    frame: Json  # a result whose rows are to be put in
    counts: tuple[tuple[str, ...], ...]  # places that tell how many rows there are
    fields: frozenset[str]  # of a row
    asked: tuple[Mapping[str, Json], ...]  # the arguments of calls that told all rows that fit them
    cut: tuple[tuple[Mapping[str, Json], tuple[Row, ...]], ...]  # calls that were told only so many, and these
    known: Mapping[bytes, tuple[Row, ...]]  # values of `apart` → every row that they told, in order
    evidence: tuple[str, ...]

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        """Where every row that fits is known: from the record, and from what this session has done since."""
        if self._covered(call.arguments):
            return self.listed(call, state, "state" if state.asked_as(call)[1] else "query")
        rows = self._first_of_more(call.arguments)
        if rows is None or state.overlay or state.gone:
            return None
        result, is_error = self._shown(rows)
        return ToolAnswer(state.tool(call.name).encoded(result), is_error, "query", 0.0, self.evidence)

    def listed(self, call: ToolCall, state: State, source: Source) -> ToolAnswer | None:
        """The known rows that fit, as they are now."""
        rows: Sequence[Row] = self.known.get(_values(call.arguments, self.apart), ())
        if self.form == "rows":
            rows = state.rows_now(call.name, call.arguments, ".".join(self.path) + "[]", rows)
        chosen = self._chosen(rows, call.arguments)
        if not chosen and source == "neighbour" and not self.finds_nothing:
            return None
        result, is_error = self._shown(chosen)
        return ToolAnswer(
            result if is_error else state.tool(call.name).encoded(result), is_error, source, 0.0, self.evidence
        )

    def _fits(self, row: Row, arguments: Mapping[str, Json]) -> bool:
        return fits(self.filters, row, arguments)

    def _chosen(self, rows: Iterable[Row], arguments: Mapping[str, Json]) -> list[Row]:
        """Those of the rows that the call asks for, ordered and limited as the tool does."""
        found = [row for row in rows if self._fits(row, arguments)]
        if self.order is not None:
            field, down = self.order
            found = sorted(found, key=lambda row: _sortable(row.get(field)), reverse=down)
        return found[: self.limit]

    def _shown(self, rows: Sequence[Row]) -> tuple[Json, bool]:
        """A result with these rows, and whether that is an error."""
        if not rows and self.empty is not None:
            return self.empty, self.empty_is_error
        if self.form == "rows":
            shown: Json = [dict(row) for row in rows]
        elif self.form == "values":
            shown = [row[""] for row in rows]
        else:
            shown = {str(row["key"]): row["value"] for row in rows}
        frame = _replaced(self.frame, self.path, shown)
        for place in self.counts:
            frame = _replaced(frame, place, len(rows))
        return frame, False

    def _first_of_more(self, arguments: Mapping[str, Json]) -> tuple[Row, ...] | None:
        """What a wider call was told, where it was told no more than so many and all of them fit this one too."""
        for past, rows in self.cut:
            if self._covers(past, arguments) and all(self._fits(row, arguments) for row in rows):
                return rows
        return None

    def _covered(self, arguments: Mapping[str, Json]) -> bool:
        """Whether recorded calls have told every row that this one asks for."""
        return any(self._covers(past, arguments) for past in self.asked)

    def _covers(self, past: Mapping[str, Json], now: Mapping[str, Json]) -> bool:
        """Whether all that `now` asks for, `past` asked for too."""
        if any(not same(past.get(name), now.get(name)) for name in self.apart):
            return False
        for argument, relation, _ in self.filters:
            before = past.get(argument)
            if not is_given(before):
                continue
            given = now.get(argument)
            if not is_given(given) or not is_implied(relation, before, given):
                return False
        return True

    def words(self) -> str:
        chosen = " and ".join(f.words() for f in self.filters) or "all"
        order = f", by {self.order[0]}{' downwards' if self.order[1] else ''}" if self.order else ""
        limit = f", at most {self.limit}" if self.limit else ""
        return f"lists the rows where {chosen}{order}{limit}"


def _sortable(value: Json) -> tuple[int, float, str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (0, float(value), "")
    return (1, 0.0, str(value)) if value is not None else (2, 0.0, "")


def _replaced(value: Json, path: Sequence[str], new: Json) -> Json:
    if not path:
        return new
    return {**value, path[0]: _replaced(value.get(path[0]), path[1:], new)} if isinstance(value, Mapping) else value


def rows_at(result: Json, path: Sequence[str], form: str) -> list[Row] | None:
    """The rows that a result shows there; None where it has no such place."""
    for name in path:
        if not isinstance(result, Mapping) or name not in result:
            return None
        result = result[name]
    if form == "map":
        return [{"key": key, "value": value} for key, value in result.items()] if isinstance(result, Mapping) else None
    if not isinstance(result, list):
        return None
    if form == "values":
        return [{"": value} for value in result] if all(type(value) in LEAVES for value in result) else None
    return list(result) if all(isinstance(row, Mapping) for row in result) else None


class _Shown(NamedTuple):
    call: Recorded
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class KnownRowsRule:
    """As many of the rows that fit as are known, where there may be others: a guess."""

    source: ClassVar[Source] = "neighbour"

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        rule = state.tool(call.name).rules["listing"]
        return rule.listed(call, state, "neighbour") if isinstance(rule, ListingRule) else None

    def words(self) -> str:
        return ""


def learn_listing(evidence: Evidence) -> dict[str, ListingRule]:
    untouched: dict[str, list[Recorded]] = {name: [] for name in evidence.calls}  # whose answers depend on no write
    for conversation, situations in zip(evidence.conversations, evidence.situations, strict=True):
        for call, situation in zip(conversation, situations, strict=True):
            if not situation:
                untouched[call.name].append(call)
    found = {}
    for name, calls in sorted(evidence.calls.items()):
        if not evidence.writes(name):
            rule = _found(calls, untouched[name])
            if rule is not None:
                found[name] = rule
    return found


def _found(calls: Sequence[Recorded], untouched: Sequence[Recorded]) -> ListingRule | None:
    """How a tool lists, from all its calls; which rows there are, from those that depended on no write."""
    calls = spread(list({(call.key, id(call.result)): call for call in calls}.values()), _MOST_CALLS)
    good = [call for call in calls if not call.is_error]
    place = _place(good)
    if place is None:
        return None
    path, form = place
    shown = [_Shown(call, rows) for call in good if (rows := rows_at(call.result, path, form)) is not None]
    known: dict[bytes, Row] = {}
    for one in shown:
        for row in one.rows:
            if len(known) < _MOST_ROWS:
                known.setdefault(canonical(row), row)
    if not known:
        return None
    everything = list(known.values())
    first = [_Shown(call, rows) for call in untouched if (rows := rows_at(call.result, path, form)) is not None]
    limit = _limit(shown)
    names = sorted({name for one in shown for name in one.call.arguments})
    filters: list[Filter] = []
    apart: list[str] = []
    for name in names:
        found = _filter(name, shown, everything)
        if found is not None:
            filters.append(found)
        elif len({canonical(one.call.arguments.get(name)) for one in shown}) > 1:
            apart.append(name)
    if limit is not None and not _cuts_off(limit, filters, apart, first):
        limit = None
    empty = _empty(calls, path, form)
    frame, counts = _frame(shown, path)
    if frame is None:
        return None
    asked = tuple(dict(one.call.arguments) for one in first if limit is None or len(one.rows) < limit)
    nothing = tuple(
        dict(call.arguments)
        for call in untouched
        if empty is not None and call.arguments.keys() <= set(names) and same(call.result, empty.result)
    )
    return ListingRule(
        path=path,
        form=form,
        filters=tuple(filters),
        apart=tuple(apart),
        order=_order(shown),
        limit=limit,
        empty=empty.raw if empty is not None else None,
        empty_is_error=empty.is_error if empty is not None else False,
        finds_nothing=empty is not None or any(not one.rows for one in shown),
        frame=frame,
        counts=counts,
        fields=frozenset(name for row in known.values() for name in row),
        asked=_distinct((*asked, *nothing)),
        cut=tuple((dict(one.call.arguments), tuple(one.rows)) for one in first if len(one.rows) == limit),
        known=_by_values(first, apart),
        evidence=tuple(dict.fromkeys(one.call.conversation_id for one in shown))[:5],
    )


def _distinct(asked: Iterable[Mapping[str, Json]]) -> tuple[Mapping[str, Json], ...]:
    return tuple({canonical(one): one for one in asked}.values())


def _place(calls: Sequence[Recorded]) -> tuple[tuple[str, ...], Literal["rows", "values", "map"]] | None:
    """Where the results hold rows: the one list, or the one map with keys that differ from call to call."""
    found: dict[tuple[tuple[str, ...], Literal["rows", "values", "map"]], int] = {}
    maps: dict[tuple[str, ...], list[Mapping[str, Json]]] = {}
    for call in calls:
        for path, value in _containers(call.result, ()):
            if isinstance(value, Mapping):
                maps.setdefault(path, []).append(value)
            else:
                form: Literal["rows", "values"] = "rows" if value and isinstance(value[0], Mapping) else "values"
                found[path, form] = found.get((path, form), 0) + len(value)
    for path, some in maps.items():
        if len(some) > 1 and _are_data({key for one in some for key in one}, some):
            found[path, "map"] = sum(map(len, some))
    # A list of rows tells more than a list of values inside of it.
    return max(found, key=lambda place: (place[1] != "values", found[place], place), default=None) if found else None


def _are_data(keys: set[str], maps: Sequence[Mapping[str, Json]]) -> bool:
    """Whether a map's keys are data, not names of fields: all are numbers or dates, and its values of one type."""
    if not keys or not all(key[:1].isdigit() for key in keys):
        return False
    return all(type(value) in LEAVES for one in maps for value in one.values())


def _containers(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    if isinstance(value, list):
        yield path, value
    elif isinstance(value, Mapping):
        yield path, value
        if len(path) < 3:
            for name, inner in value.items():
                if type(inner) not in LEAVES:
                    yield from _containers(inner, (*path, name))


def _limit(shown: Sequence[_Shown]) -> int | None:
    """The length that several results have and none exceeds, where they are cut off and not complete."""
    sizes = [len(one.rows) for one in shown]
    most = max(sizes)
    contents = {canonical(list(one.rows)) for one in shown if len(one.rows) == most}
    return most if most > 1 and len(contents) > 2 and any(size < most for size in sizes) else None


def _cuts_off(limit: int, filters: Sequence[Filter], apart: Sequence[str], first: Sequence[_Shown]) -> bool:
    """Whether a call that was told so many rows left one out that it had asked for."""
    groups: dict[bytes, list[_Shown]] = {}
    for one in spread(first, _MOST_CALLS):
        groups.setdefault(_values(one.call.arguments, apart), []).append(one)
    for alike in groups.values():
        rows = {canonical(row): row for one in alike for row in one.rows}
        for one in alike:
            if len(one.rows) == limit:
                told = {canonical(row) for row in one.rows}
                others = (row for form, row in rows.items() if form not in told)
                if any(fits(filters, row, one.call.arguments) for row in others):
                    return True
    return False


def _filter(name: str, shown: Sequence[_Shown], known: Sequence[Row]) -> Filter | None:
    """The relation between an argument and a field that every row shown has, and most of the others lack."""
    given = spread([one for one in shown if is_given(one.call.arguments.get(name)) and one.rows], _MOST_TRIED)
    if not given:
        return None
    fields = sorted({field for one in given for row in one.rows[:3] for field in row})
    best: tuple[tuple[float, ...], Filter] | None = None
    for field in (*fields, ANY_FIELD):
        for at, relation in enumerate(RELATIONS):
            if field == ANY_FIELD and relation not in ("is", "holds"):
                continue
            if not all(holds(relation, field, row, one.call.arguments[name]) for one in given for row in one.rows):
                continue
            left_out = sum(
                not holds(relation, field, row, one.call.arguments[name])
                for one in given
                for row in known[:_MOST_TRIED]
            )
            alike = len(set(words_of(name)) & set(words_of(field)))
            if not left_out and not alike:
                continue
            quality = (min(left_out, 1), alike, -at if left_out else -9, left_out)
            if best is None or quality > best[0]:
                best = (quality, Filter(name, relation, field))
    return best[1] if best is not None else None


def _order(shown: Sequence[_Shown]) -> tuple[str, bool] | None:
    longer = [one.rows for one in shown if len(one.rows) > 1]
    if not longer:
        return None
    for field in longer[0][0]:
        values = [[_sortable(row.get(field)) for row in rows] for rows in longer]
        if all(len(set(some)) > 1 for some in values):
            if all(some == sorted(some) for some in values):
                return field, False
            if all(some == sorted(some, reverse=True) for some in values):
                return field, True
    return None


def _values(arguments: Mapping[str, Json], names: Sequence[str]) -> bytes:
    return canonical([arguments.get(name) for name in names]) if names else b""


def _by_values(shown: Sequence[_Shown], apart: Sequence[str]) -> dict[bytes, tuple[Row, ...]]:
    groups: dict[bytes, list[_Shown]] = {}
    for one in shown:
        groups.setdefault(_values(one.call.arguments, apart), []).append(one)
    return {values: _in_order(some) for values, some in groups.items()}


def _in_order(shown: Sequence[_Shown]) -> tuple[Row, ...]:
    """Every row once, in an order that agrees with the results as far as they agree with one another."""
    known = {canonical(row): row for one in shown for row in one.rows[:_MOST_ROWS]}
    after: dict[bytes, set[bytes]] = {form: set() for form in known}
    for one in shown:
        forms = [form for row in one.rows if (form := canonical(row)) in known]
        for left, right in pairwise(forms):
            after[right].add(left)
    placed: dict[bytes, None] = {}
    for form in known:  # each after all that were seen before it, as far as the results do not contradict one another
        stack = [form]
        opened: set[bytes] = set()
        while stack:
            waiting = [] if stack[-1] in opened else [other for other in after[stack[-1]] if other not in placed]
            opened.add(stack[-1])
            waiting = [other for other in waiting if other not in opened]
            if waiting:
                stack.extend(sorted(waiting))
            else:
                placed.setdefault(stack.pop())
    return tuple(known[form] for form in placed)


def _empty(calls: Sequence[Recorded], path: Sequence[str], form: str) -> Recorded | None:
    """What the tool says where nothing fits, if that is not just a list without rows."""
    odd = [call for call in calls if rows_at(call.result, path, form) is None]
    texts: dict[bytes, list[Recorded]] = {}
    for call in odd:
        texts.setdefault(canonical(call.result), []).append(call)
    some = max(texts.values(), key=len, default=[])
    return (
        some[0]
        if len({call.key for call in some}) > 1 and not any(rows_at(call.result, path, form) == [] for call in calls)
        else None
    )


def _frame(shown: Sequence[_Shown], path: tuple[str, ...]) -> tuple[Json, tuple[tuple[str, ...], ...]]:
    """A result around its rows: all else must be the same each time, or tell how many rows there are."""
    first = shown[0]
    counts = []
    outer = [_replaced(one.call.result, path, None) for one in shown]
    if all(same(other, outer[0]) for other in outer):
        return first.call.result, ()
    for place, value in _containers_of_leaves(first.call.result):
        if isinstance(value, int) and all(_at(one.call.result, place) == len(one.rows) for one in shown):
            counts.append(place)
    for place in counts:
        outer = [_replaced(one, place, None) for one in outer]
    if all(same(other, outer[0]) for other in outer):
        return first.call.result, tuple(counts)
    return None, ()


def _containers_of_leaves(value: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Json]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _containers_of_leaves(inner, (*path, name))
    elif type(value) in LEAVES:
        yield path, value


def _at(value: Json, path: Sequence[str]) -> Json:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
