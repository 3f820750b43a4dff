"""Recorded searches in, search rules out: tools that list the records whose fields equal the arguments."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.queries import Steps, at_path, folded, scalars
from agent_gym.tool_mocker.mining.sampling import spread
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.context import is_number
from agent_gym.tool_mocker.sites import Records, Site, Sites, key_of
from agent_gym.types import Json

__all__ = ["SearchRule", "find_search"]

_MIN_EXAMPLES = 3
_HOLDS = 0.9
_SEVERAL = 0.1  # of the keys may mean more than one thing
_FULL = 0.1  # of the lists are as long as a list may be
_FINDS_THE_SAME = 0.6  # of the recorded searches, on the tables as rebuilt


Field = tuple[Steps, Literal["is", "has"]]  # where a record holds a value: that it is, or that is one of its words


@dataclass(frozen=True, slots=True)
class SearchRule:
    """Which fields the arguments must equal, and how the answer shows what was found."""

    table: str
    fields: Mapping[str, Field]  # argument → where the record holds it
    list_name: str | None  # the field of the answer that holds the list; None: the answer is the list
    shown: tuple[str, ...]  # the fields of each element
    count_name: str | None  # a field of the answer that counts them
    echoes: frozenset[str]  # fields of the answer that repeat an argument
    order: str | None  # the field that the list is sorted by
    limit: int | None  # how many it shows at most
    once: str | None  # the field that no two elements of a list share
    rows: Mapping[str, Mapping[str, Json]]  # what is listed, where the table's key does not tell it apart
    index: Mapping[tuple[str, str], tuple[str, ...]]  # (argument, its value) → keys of the records that match
    evidence: tuple[str, ...]

    def words(self) -> str:
        told = sorted(self.fields.items())
        matches = " and ".join(f"{'.'.join(path)} {relation} argument.{name}" for name, (path, relation) in told)
        which = f"the first {self.limit} {self.table}" if self.limit is not None else f"every {self.table}"
        return f"{which} whose {matches}" + (f", by {self.order}" if self.order is not None else "")

    def found(self, arguments: Mapping[str, Json]) -> tuple[str, ...] | None:
        """The keys of the records that match, in the order of the tables; None if an argument means nothing here."""
        if not arguments or not all(name in self.fields for name in arguments):
            return None
        hits = [self.index.get((name, folded(value)), ()) for name, value in arguments.items()]
        rest = [frozenset(keys) for keys in hits[1:]]
        return tuple(key for key in hits[0] if all(key in keys for keys in rest))

    def listed(self, records: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
        """The records as the answer shows them: sorted, and no more than it ever shows."""
        rows = [{name: _shown(record, name) for name in self.shown} for record in records]
        if self.once is not None:
            rows = list({folded(row[self.once]): row for row in reversed(rows)}.values())[::-1]
        if self.order is not None:
            order = self.order
            rows.sort(key=lambda row: _rank(row[order]))
        return rows[: self.limit]

    def answer(self, records: Sequence[Mapping[str, Json]], arguments: Mapping[str, Json]) -> Json:
        rows = self.listed(records)
        if self.list_name is None:
            return rows
        out: dict[str, Json] = {name: arguments[name] for name in sorted(self.echoes) if name in arguments}
        out[self.list_name] = rows
        if self.count_name is not None:
            out[self.count_name] = len(rows)
        return out


def find_search(calls: Sequence[Recorded], sites: Sites, records: Records) -> SearchRule | None:
    """The rule that the tool's successful calls follow, if its arguments say what the listed records hold."""
    good = [call for call in calls if not call.is_error and call.arguments]
    if len(good) < _MIN_EXAMPLES:
        return None
    shape = _shape(good)
    site = sites.get((good[0].name, f"{shape}[]")) if shape is not None else None
    if shape is None or site is None:
        return None
    some = spread(good)
    fields = _fields(some, shape, site, records)
    if not fields:
        return None
    rule = _rule(good, shape, site, fields, records)
    right = sum(_finds_the_same(rule, call, shape, site, records) for call in some)
    return rule if right >= _FINDS_THE_SAME * len(some) else None


def _finds_the_same(rule: SearchRule, call: Recorded, shape: str, site: Site, records: Records) -> bool:
    keys = rule.found(call.arguments)
    if keys is None:
        return False
    held = [record for key in keys if (record := rule.rows.get(key) or records.get((rule.table, key))) is not None]
    told = {key_of(site, call.arguments, row) for row in rule.listed(held)}
    return told == {key for key, _ in _elements(call, shape, site)}


def _shape(calls: Sequence[Recorded]) -> str | None:
    """The field of the answers that holds their list of objects, "" if they are one, None if there is no such."""
    if all(isinstance(call.result, list) for call in calls):
        return ""
    if not all(isinstance(call.result, Mapping) for call in calls):
        return None
    lists = [n for n, v in calls[0].result.items() if isinstance(v, list)]
    return lists[0] if len(lists) == 1 and all(isinstance(c.result.get(lists[0]), list) for c in calls) else None


def _elements(call: Recorded, shape: str, site: Site) -> Iterator[tuple[str, Mapping[str, Json]]]:
    for element in call.result if shape == "" else call.result[shape]:
        key = key_of(site, call.arguments, element) if isinstance(element, Mapping) else None
        if key is not None:
            yield key, element


def _fields(calls: Sequence[Recorded], shape: str, site: Site, records: Records) -> dict[str, Field]:
    """argument → the field that the listed records hold it in, if nearly all that are known do."""
    votes: dict[tuple[str, Field], list[bool]] = {}
    names = sorted({name for call in calls for name in call.arguments})
    for call in calls:
        for key, element in _elements(call, shape, site):
            whole = {**records.get((site.table, key), {}), **element}
            for name in call.arguments.keys() & names:
                wanted = folded(call.arguments[name])
                for path, value in scalars(whole):
                    votes.setdefault((name, (path, "is")), []).append(value == wanted)
                    votes.setdefault((name, (path, "has")), []).append(value == wanted or wanted in value.split())
    found: dict[str, Field] = {}
    for name in names:
        good = [f for (n, f), held in votes.items() if n == name and sum(held) >= max(2, _HOLDS * len(held))]
        if not good:
            return {}
        found[name] = min(good, key=lambda field: (field[1] == "has", len(field[0]), field[0]))
    return found


def _rule(
    calls: Sequence[Recorded], shape: str, site: Site, fields: Mapping[str, Field], records: Records
) -> SearchRule:
    index: dict[tuple[str, str], dict[str, None]] = {}
    rows = _rows(calls, shape, site, fields)
    held = rows.items() if rows else ((key, record) for (table, key), record in records.items() if table == site.table)
    for key, record in held:
        for name, (path, relation) in fields.items():
            value = at_path(record, path)
            if value is not None:
                _enter(index, name, folded(value), key, relation)
    # A search that found a record also tells what that record holds.
    for call in calls if not rows else ():
        for key, _ in _elements(call, shape, site):
            for name, value in call.arguments.items():
                _enter(index, name, folded(value), key, "is")
    first = next((element for call in calls for _, element in _elements(call, shape, site)), {})
    others = [name for name in calls[0].result if name != shape] if shape else []
    count = next((n for n in others if all(c.result.get(n) == len(c.result[shape]) for c in calls)), None)
    echoes = frozenset(
        n for n in others if all(canonical(c.result.get(n)) == canonical(c.arguments.get(n)) for c in calls)
    )
    evidence = tuple(dict.fromkeys(call.conversation_id for call in calls))[:5]
    keys = {place: tuple(found) for place, found in index.items()}
    lists = [[element for _, element in _elements(call, shape, site)] for call in calls]
    return SearchRule(
        site.table,
        fields,
        shape or None,
        tuple(first),
        count,
        echoes,
        _order(lists, tuple(first)),
        _limit(lists),
        site.key_field if rows and _apart(lists, site.key_field) else None,
        rows,
        keys,
        evidence,
    )


def _rows(
    calls: Sequence[Recorded], shape: str, site: Site, fields: Mapping[str, Field]
) -> dict[str, Mapping[str, Json]]:
    """What is listed by its key and all that a search can ask for; nothing where the key alone tells it apart."""
    seen: dict[str, dict[str, list[Mapping[str, Json]]]] = {}
    for call in calls:
        for key, element in _elements(call, shape, site):
            place = canonical([at_path(element, path) for path, _ in fields.values()]).decode()
            seen.setdefault(key, {}).setdefault(place, []).append(element)
    several = sum(len(places) > 1 for places in seen.values())
    if several <= _SEVERAL * len(seen):
        return {}
    return {
        f"{key} {place}": _commonest(elements)
        for key, places in sorted(seen.items())
        for place, elements in sorted(places.items(), key=lambda item: (-len(item[1]), item[0]))
    }


def _apart(lists: Sequence[Sequence[Mapping[str, Json]]], name: str | None) -> bool:
    """Whether nearly no list shows the same value of a field twice."""
    columns = [[str(element.get(name)) for element in listed] for listed in lists] if name is not None else []
    return bool(columns) and sum(len(set(c)) == len(c) for c in columns) >= _HOLDS * len(columns)


def _commonest(elements: Sequence[Mapping[str, Json]]) -> Mapping[str, Json]:
    forms = [canonical(element) for element in elements]
    counts = Counter(forms)
    return elements[forms.index(max(counts, key=lambda form: (counts[form], form)))]


def _order(lists: Sequence[Sequence[Mapping[str, Json]]], names: Sequence[str]) -> str | None:
    """The field by which nearly all lists are sorted, if there is one that tells their elements apart."""
    for name in names:
        columns = [[_rank(element.get(name)) for element in listed] for listed in lists]
        varied = [column for column in columns if len(set(column)) > 1]
        in_order = sum(column == sorted(column) for column in varied)
        apart = sum(len(set(column)) == len(column) for column in varied)
        if len(varied) >= _MIN_EXAMPLES and min(in_order, apart) >= _HOLDS * len(varied):
            return name
    return None


def _limit(lists: Sequence[Sequence[Mapping[str, Json]]]) -> int | None:
    """The length that several lists have and none exceeds; a longest list alone says nothing."""
    longest = max(map(len, lists))
    full = sum(len(listed) == longest for listed in lists)
    return longest if longest > 1 and full >= max(_MIN_EXAMPLES, _FULL * len(lists)) else None


def _rank(value: Json) -> tuple[bool, float, str]:
    """Numbers by size, then all else by its letters."""
    number = is_number(value)
    return not number, float(value) if number else 0.0, str(value)


def _enter(index: dict[tuple[str, str], dict[str, None]], name: str, value: str, key: str, relation: str) -> None:
    for form in (value, *(value.split() if relation == "has" else ())):
        index.setdefault((name, form), {})[key] = None


def _shown(record: Mapping[str, Json], name: str) -> Json:
    """A field of the record, wherever it stands: a list may show flat what the record nests."""
    if name in record:
        return record[name]
    nested = (inner[name] for inner in record.values() if isinstance(inner, Mapping) and name in inner)
    return next(nested, None)
