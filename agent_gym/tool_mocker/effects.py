"""What a write does to records, learned from how later answers differ: fields changed, records made, records gone.

A write's own answer often says little. But the conversation may have seen a record before it, or another one has,
and sees it again afterwards: what differs was done by the write that names it, or by the only one there was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from agent_gym.text import canonical, same
from agent_gym.tool_mocker.entities import Record, Site, Subject
from agent_gym.tool_mocker.evidence import MOST_EXAMPLES, Evidence, Moment
from agent_gym.tool_mocker.expressions.counting import FirstKnown
from agent_gym.tool_mocker.expressions.language import MISSING, Binary, Const, Context, Expr, Path, is_number
from agent_gym.tool_mocker.expressions.structures import Appended, ListOf
from agent_gym.tool_mocker.induction.atoms import TablesOf, atoms_of
from agent_gym.tool_mocker.induction.inducer import Inducer
from agent_gym.tool_mocker.kinds import removes, words_of
from agent_gym.tool_mocker.log import Recorded, linking_values
from agent_gym.types import Json

__all__ = ["Effect", "learn_effects"]


Action: TypeAlias = Literal["changes", "makes", "removes"]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a write does to the record that `key` names. In `fields`, `element` is that record as it was."""

    action: Action
    table: str
    key: Expr
    fields: tuple[tuple[str, Expr], ...]
    examples: int
    field_from: str | None = None  # the argument that names the field that the only rule is for
    merged: str | None = None  # an argument that is an object of fields

    def values(self, context: Context) -> dict[str, Json]:
        """field → what it becomes."""
        found: dict[str, Json] = {}
        if self.merged is not None and isinstance(given := context.arguments.get(self.merged), Mapping):
            found |= given
        for name, rule in self.fields:
            field = name if self.field_from is None else context.arguments.get(self.field_from)
            value = rule.value(context)
            if value is not MISSING and isinstance(field, str):
                found[field] = value
        return found

    def words(self) -> str:
        thing = f"{self.table}[{self.key.words()}]"
        if self.action == "removes":
            return f"{thing} is gone"
        if self.field_from is not None:
            return f"{thing}, the field that argument.{self.field_from} names, becomes {self.fields[0][1].words()}"
        if self.merged is not None:
            return f"{thing} takes over the fields of argument.{self.merged}"
        told = ", ".join(
            f"{name} {'becomes' if self.action == 'changes' else ''} {e.words()}" for name, e in self.fields
        )
        return f"{thing}.{told}" if self.action == "changes" else f"makes {thing} with {told}"


@dataclass(frozen=True, slots=True)
class _Seen:
    """A record before and after one write; None where it was not there."""

    context: Context  # of the write, before it; with its answer
    table: str
    key: str
    before: Mapping[str, Json] | None
    after: Mapping[str, Json] | None


@dataclass(slots=True)
class _Sight:
    """A record as last seen, and how many writes had been made by then."""

    fields: Mapping[str, Json] | None
    writes: int


def learn_effects(evidence: Evidence) -> dict[str, tuple[Effect, ...]]:
    """tool that writes → what later answers show that it does; of one that tells nothing, what its arguments say."""
    seen: dict[str, list[_Seen]] = {}
    for moments in evidence.moments:
        for name, example in _examples_in(moments, evidence):
            known = seen.setdefault(name, [])
            if len(known) < MOST_EXAMPLES:
                known.append(example)
    fields: dict[str, frozenset[str]] = {}
    for site in evidence.sites.values():
        fields[site.table] = fields.get(site.table, frozenset()) | site.fields
    keys = {site.table: site.key_field for site in evidence.sites.values() if site.key_field is not None}
    found: dict[str, tuple[Effect, ...]] = {}
    for name, calls in evidence.calls.items():
        good = [call for call in calls if not call.is_error]
        own = evidence.sites.get((name, ""))
        if not evidence.writes(name):
            continue
        found[name] = _found(seen.get(name, ()), evidence.tables_of)
        if not found[name] and good and (own is None or own.table not in evidence.lasting):
            expected = _expected(name, good, evidence.subjects.get(name), fields, keys)
            found[name] = (expected,) if expected is not None else ()
    return found


def _examples_in(moments: Iterable[Moment], evidence: Evidence) -> Iterator[tuple[str, _Seen]]:
    """(writing tool, example) for every record that was seen on both sides of one write that may have changed it."""
    start, lasting = evidence.records, evidence.lasting
    seen: dict[tuple[str, str], _Sight] = {}
    writes: list[tuple[Moment, frozenset[str]]] = []
    listed: dict[tuple[str, bytes], tuple[dict[tuple[str, str], Record], int]] = {}
    for moment in moments:
        call = moment.call
        if call.is_error:
            if moment.about is not None and (sight := seen.get(moment.about)) is not None and sight.fields is not None:
                yield from _example(writes[sight.writes :], *moment.about, sight.fields, None)
                seen[moment.about] = _Sight(None, len(writes))
            continue
        if evidence.writes(call.name):
            for shown in moment.shown:  # what an earlier write made, this one may be the first to show
                if shown.name not in seen and shown.name not in start and shown.table in lasting:
                    own = linking_values(call.arguments)
                    rest = {n: v for n, v in shown.fields.items() if str(v) == shown.key or str(v) not in own}
                    yield from _example(writes, shown.table, shown.key, None, rest)
            writes.append((moment, linking_values(call.result) | linking_values(call.arguments)))
        else:
            for shown in moment.shown:
                sight = seen.get(shown.name) or _Sight(start.get(shown.name), 0)
                before = _blank(sight.fields, shown, evidence.sites[call.name, shown.path])
                yield from _example(writes[sight.writes :], shown.table, shown.key, before, shown.fields)
            rows = {shown.name: shown for shown in moment.shown if shown.path.endswith(("[]", "{}"))}
            earlier_rows, since = listed.get((call.name, call.key), ({}, 0))
            for name, row in earlier_rows.items():
                if name not in rows and seen.get(name, _Sight(None, 0)).fields is not None:
                    yield from _example(writes[since:], *name, row.fields, None)
                    seen[name] = _Sight(None, len(writes))
            listed[call.name, call.key] = (rows, len(writes))
        for shown in moment.shown:
            earlier = seen.get(shown.name)
            known = earlier.fields if earlier is not None else start.get(shown.name)
            seen[shown.name] = _Sight({**(known or {}), **shown.fields}, len(writes))


def _example(
    since: Sequence[tuple[Moment, frozenset[str]]],
    table: str,
    key: str,
    before: Mapping[str, Json] | None,
    after: Mapping[str, Json] | None,
) -> Iterator[tuple[str, _Seen]]:
    """The example of the one write that may have done it, if there is just one."""
    naming = [write for write, values in since if key in values]
    if before is None and len(naming) > 1:  # who told a key that it was not given has made what has it
        told = [write for write in naming if key not in linking_values(write.call.arguments)]
        naming = told if len(told) == 1 else naming
    suspects = naming or [write for write, _ in since]
    if len(suspects) == 1 and (before is not None or naming):
        write = suspects[0]
        if after is None and any(s.name == (table, key) and _moved(before, s.fields) for s in write.shown):
            return  # the write itself shows what became of it: it is there, and only a list shows it no more
        yield write.call.name, _Seen(replace(write.context, answer=write.call.result), table, key, before, after)


def _blank(before: Mapping[str, Json] | None, shown: Record, site: Site) -> Mapping[str, Json] | None:
    """The record before, with a blank for each field that such a view would have shown if it had been there."""
    if before is None or not site.always <= before.keys():
        return before
    return {**dict.fromkeys(shown.fields, MISSING), **before}


def _moved(before: Mapping[str, Json] | None, after: Mapping[str, Json] | None) -> set[str]:
    """The fields that were there before and are otherwise afterwards."""
    known = before or {}
    return {name for name, value in (after or {}).items() if name in known and not same(known[name], value)}


def _found(examples: Sequence[_Seen], tables_of: TablesOf) -> tuple[Effect, ...]:
    found: list[Effect] = []
    for table in sorted({example.table for example in examples}):
        rows = [example for example in examples if example.table == table]
        found.extend(_changed(rows, tables_of))
        found.extend(effect for effect in (_made(rows, tables_of), _removed(rows, tables_of)) if effect is not None)
    return tuple(found)


def _changed(rows: Sequence[_Seen], tables_of: TablesOf) -> Iterator[Effect]:
    """What becomes of the fields of each record that the write names: a transfer changes two accounts."""
    both = [row for row in rows if row.before is not None and row.after is not None]
    moved = {id(row): _moved(row.before, row.after) for row in both}
    left = [row for row in both if moved[id(row)]]
    for key in atoms_of([row.context for row in left], tables_of):
        named = [row for row in both if str(key.value(row.context)) == row.key]
        by_argument = _named_field([(row, moved[id(row)]) for row in named if moved[id(row)]], tables_of)
        if by_argument is not None:
            argument, rule = by_argument
            yield Effect("changes", rows[0].table, key, (("", rule),), len(named), field_from=argument)
            left = [row for row in left if not any(row is other for other in named)]
            continue
        fields = []
        for name in sorted({name for row in named for name in moved[id(row)] if row in left}):
            some = [row for row in named if name in moved[id(row)]]
            becomes = _explained(name, some, named, tables_of)
            if becomes is not None:
                fields.append((name, becomes))
        if fields:
            yield Effect("changes", rows[0].table, key, tuple(fields), len(named))
            left = [row for row in left if not any(row is other for other in named)]
        if not left:
            return


def _named_field(moved: Sequence[tuple[_Seen, set[str]]], tables_of: TablesOf) -> tuple[str, Expr] | None:
    """The argument that says which field changes, and the rule for it, if it is always that one."""
    if not moved or any(len(names) != 1 for _, names in moved):
        return None
    rows = [(row, next(iter(names))) for row, names in moved]
    for argument in sorted(rows[0][0].context.arguments):
        if all(row.context.arguments.get(argument) == name for row, name in rows):
            contexts = [row.context for row, _ in rows]
            wanted = [(row.after or {})[name] for row, name in rows]
            for rule in _candidates("", contexts, wanted, tables_of):
                if all(same(rule.value(c), value) for c, value in zip(contexts, wanted, strict=True)):
                    return argument, rule
    return None


def _expected(
    tool: str,
    calls: Sequence[Recorded],
    subject: Subject | None,
    tables: Mapping[str, Set[str]],
    keys: Mapping[str, str],
) -> Effect | None:
    """What a write that says nothing of what it does most likely does: its arguments have the names of fields.

    `tables`: the fields of each; `keys`: the field that is its key.
    """
    names = {name for call in calls for name in call.arguments}
    made = _new_id(calls)
    for table, fields in sorted(tables.items()):
        given = {name: field for name in names if (field := _field_of(name, fields))}
        others = fields - {keys.get(table, "")}
        if made is not None and len(others) > 1 and 2 * len(set(given.values()) & others) > len(others):
            rules = tuple((field, Path("argument", (name,))) for name, field in sorted(given.items()))
            own = ((keys[table], made),) if table in keys else ()
            return Effect("makes", table, made, (*own, *rules), 0)
    if subject is not None and not subject.fields and subject.table in tables:
        fields = tables[subject.table]
        if removes(tool):
            return Effect("removes", subject.table, Path("argument", (subject.argument,)), (), 0)
        set_by = {name: field for name in names - {subject.argument} if (field := _field_of(name, fields))}
        objects = [n for n in sorted(names) if all(_holds_fields(call.arguments.get(n), fields) for call in calls)]
        if set_by or objects:
            rules = tuple((field, Path("argument", (name,))) for name, field in sorted(set_by.items()))
            key = Path("argument", (subject.argument,))
            return Effect("changes", subject.table, key, rules, 0, merged=objects[0] if objects else None)
    return None


def _field_of(name: str, fields: Set[str]) -> str | None:
    """The field that an argument is called after: `new_status` sets the `status`."""
    if name in fields:
        return name
    words = words_of(name)
    alike = [field for field in sorted(fields) if words_of(field) == words[1:] or words_of(field) == words[:-1]]
    return alike[0] if len(words) > 1 and alike else None


def _holds_fields(value: Json, fields: Set[str]) -> bool:
    return isinstance(value, Mapping) and bool(value) and all(name in fields for name in value)


def _new_id(calls: Sequence[Recorded]) -> Path | None:
    """Where a write's answer tells the id of what it made: the answer itself, or its first field."""
    if all(isinstance(call.result, str | int) and " " not in str(call.result) for call in calls):
        return Path("answer", ())
    first = next(iter(calls[0].result), None) if calls and isinstance(calls[0].result, Mapping) else None
    if first is None or not all(
        isinstance(c.result, Mapping) and isinstance(c.result.get(first), str | int) for c in calls
    ):
        return None
    told = [str(call.result[first]) for call in calls]
    named = any(value in map(str, call.arguments.values()) for value, call in zip(told, calls, strict=True))
    return Path("answer", (first,)) if not named and all(any(c.isdigit() for c in value) for value in told) else None


def _made(rows: Sequence[_Seen], tables_of: TablesOf) -> Effect | None:
    new = [row for row in rows if row.before is None and row.after is not None]
    for key in _keys(new, tables_of):
        names = sorted({name for row in new for name in row.after or {}})
        fields = []
        for name in names:
            some = [row for row in new if name in (row.after or {})]
            rule = _explained(name, some, some, tables_of)
            if rule is not None:
                fields.append((name, rule))
        return Effect("makes", rows[0].table, key, tuple(fields), len(new))
    return None


def _removed(rows: Sequence[_Seen], tables_of: TablesOf) -> Effect | None:
    gone = [row for row in rows if row.before is not None and row.after is None]
    stayed = [row for row in rows if row.before is not None and row.after is not None]
    for key in _keys(gone, tables_of):
        if not any(str(key.value(row.context)) == row.key for row in stayed):
            return Effect("removes", rows[0].table, key, (), len(gone))
    return None


def _keys(rows: Sequence[_Seen], tables_of: TablesOf) -> Iterator[Expr]:
    """What names the record in every example: a value of the call or of its answer first."""
    if not rows:
        return
    for atom in atoms_of([row.context for row in rows], tables_of):
        if all(str(atom.value(row.context)) == row.key for row in rows):
            yield atom


def _explained(name: str, moved: Sequence[_Seen], named: Sequence[_Seen], tables_of: TablesOf) -> Expr | None:
    """What a field becomes; it must be right where it changed, and leave it where it did not."""
    contexts = [replace(row.context, element=row.before) for row in moved]
    wanted = [(row.after or {})[name] for row in moved]
    resting = [row for row in named if not any(row is other for other in moved)]
    for rule in _candidates(name, contexts, wanted, tables_of):
        if all(same(rule.value(context), value) for context, value in zip(contexts, wanted, strict=True)) and all(
            _leaves_alone(rule, replace(row.context, element=row.before), (row.before or {}).get(name))
            for row in resting
        ):
            return rule
    return None


def _leaves_alone(rule: Expr, context: Context, was: Json) -> bool:
    """Whether a field stays as it is: an argument that is not given changes nothing."""
    if isinstance(rule, Path) and rule.root == "argument" and len(rule.steps) == 1:
        return rule.steps[0] not in context.arguments or same(rule.value(context), was)
    return same(rule.value(context), was)


def _candidates(name: str, contexts: Sequence[Context], wanted: Sequence[Json], tables_of: TablesOf) -> Iterator[Expr]:
    """From what one example is enough for, to what needs several."""
    atoms = atoms_of(contexts, tables_of)
    said = [a for a in atoms if isinstance(a, Path) and a.root in ("argument", "answer")]
    said.sort(key=lambda path: -_alike(path, name))
    first, target = contexts[0], wanted[0]
    yield from (path for path in said if same(path.value(first), target))
    yield from _where_given(said, contexts, wanted)
    before = Path("element", (name,))
    was = before.value(first)
    if is_number(target) and is_number(was):
        numbers = [path for path in said if is_number(path.value(first))]
        for path in numbers:
            yield Binary("+", before, path)
            yield Binary("-", before, path)
        yield Binary("+", before, Const(target - was))
    if isinstance(target, list) and isinstance(was, list) and len(target) == len(was) + 1:
        yield from (Appended(before, ListOf((path,))) for path in said if same(path.value(first), target[-1]))
    different = len({canonical(value) for value in wanted})
    if different == 1 and not isinstance(target, Mapping | list):
        yield Const(target)
    if len(contexts) > 1 or isinstance(target, str | list | Mapping):
        found = Inducer(contexts, tables_of).explain(wanted, name)
        if found is not None:
            yield found


def _where_given(said: Sequence[Path], contexts: Sequence[Context], wanted: Sequence[Json]) -> Iterator[Expr]:
    """What the call says, and one constant where it does not say it."""
    for path in said:
        told = [(path.value(context), value) for context, value in zip(contexts, wanted, strict=True)]
        silent = {canonical(value): value for have, value in told if have is MISSING}
        spoken = [same(have, value) for have, value in told if have is not MISSING]
        if len(silent) == 1 and spoken and all(spoken):
            yield FirstKnown(path, Const(next(iter(silent.values()))))


def _alike(path: Path, name: str) -> int:
    last = next((step for step in reversed(path.steps) if isinstance(step, str)), "")
    if last == name:
        return 9
    return len(set(words_of(last)) & set(words_of(name)))
