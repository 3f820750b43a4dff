"""Histories in, the tables' contents out: every record as it was before anybody wrote to it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.history import History
from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.sites import Sites, records_in
from agent_gym.types import Json

__all__ = ["holders_of", "origins_of", "read_fields", "start_records"]


def start_records(histories: Iterable[History]) -> dict[tuple[str, str], dict[str, Json]]:
    """(table, key) → fields; where conversations differ, field by field the commonest value."""
    seen: dict[tuple[str, str], dict[str, list[Json]]] = {}
    for history in histories:
        for place, fields in history.start.items():
            columns = seen.setdefault(place, {})
            for name, value in fields.items():
                columns.setdefault(name, []).append(value)
    return {place: {name: _vote(values) for name, values in columns.items()} for place, columns in sorted(seen.items())}


def _vote(values: Sequence[Json]) -> Json:
    if len(values) == 1:
        return values[0]
    forms = [canonical(value) for value in values]
    counts = Counter(forms)
    best = max(counts.values())
    # Among equals the latest: a record that changed between two conversations is now as the second saw it.
    return next(v for v, form in zip(reversed(values), reversed(forms), strict=True) if counts[form] == best)


def origins_of(histories: Iterable[History]) -> dict[tuple[str, str], str]:
    """record → the first conversation that shows it."""
    origins: dict[tuple[str, str], str] = {}
    for history in histories:
        for place in history.start:
            origins.setdefault(place, history.conversation_id)
    return origins


def holders_of(records: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """key → the tables that hold a record of that name."""
    holders: dict[str, list[str]] = {}
    for table, key in records:
        holders.setdefault(key, []).append(table)
    return {key: tuple(tables) for key, tables in holders.items()}


def read_fields(
    tools: Mapping[str, Sequence[Recorded]], sites: Sites, kinds: Mapping[str, Kind]
) -> dict[str, frozenset[str]]:
    """table → the fields that reads show: what a write may change for anybody to see."""
    fields: dict[str, set[str]] = {}
    for name, calls in tools.items():
        for call in calls:
            if not kinds[name].writes and not call.is_error:
                for record in records_in(sites, name, call.arguments, call.result):
                    fields.setdefault(record.table, set()).update(record.fields)
    return {table: frozenset(names) for table, names in sorted(fields.items())}
