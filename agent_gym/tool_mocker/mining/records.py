"""Histories in, the tables' contents out: every record as it was before anybody wrote to it."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.history import History
from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.shared import fingerprint
from agent_gym.tool_mocker.sites import Sites, records_in
from agent_gym.types import Json

__all__ = ["Sightings", "holders_of", "read_fields"]


@dataclass(slots=True)
class _Version:
    """One state in which conversations found a record: how many did, and which was the last."""

    fields: Mapping[str, Json]
    times: int
    last: int


class Sightings:
    """The records that conversations found, in every state in which they did; each state is kept once."""

    def __init__(self) -> None:
        self.origins: dict[tuple[str, str], str] = {}  # record → the first conversation that shows it
        self._versions: dict[tuple[str, str], dict[bytes, _Version]] = {}
        self._conversations = 0

    def add(self, history: History) -> None:
        self._conversations += 1
        for place, fields in history.start.items():
            versions = self._versions.get(place)
            if versions is None:
                versions = self._versions[place] = {}
                self.origins[place] = history.conversation_id
            version = versions.setdefault(fingerprint(fields), _Version(fields, 0, 0))
            version.times += 1
            version.last = self._conversations

    def records(self) -> dict[tuple[str, str], Mapping[str, Json]]:
        """(table, key) → fields; where conversations differ, field by field the commonest value."""
        return {place: _voted(versions.values()) for place, versions in sorted(self._versions.items())}


def _voted(versions: Collection[_Version]) -> Mapping[str, Json]:
    if len(versions) == 1:
        return next(iter(versions)).fields
    names = dict.fromkeys(name for version in versions for name in version.fields)
    return {name: _vote(name, [version for version in versions if name in version.fields]) for name in names}


def _vote(name: str, versions: Sequence[_Version]) -> Json:
    if len(versions) == 1:
        return versions[0].fields[name]
    forms = [canonical(version.fields[name]) for version in versions]
    counts: Counter[bytes] = Counter()
    for form, version in zip(forms, versions, strict=True):
        counts[form] += version.times
    best = max(counts.values())
    # Among equals the latest: a record that changed between two conversations is now as the second saw it.
    equal = [version for form, version in zip(forms, versions, strict=True) if counts[form] == best]
    return max(equal, key=lambda version: version.last).fields[name]


def holders_of(records: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """key → the tables that hold a record of that name."""
    holders: dict[str, tuple[str, ...]] = {}
    sets: dict[tuple[str, ...], tuple[str, ...]] = {}  # few tables, many keys
    for table, key in records:
        tables = (*holders.get(key, ()), table)
        holders[key] = sets.setdefault(tables, tables)
    return holders


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
