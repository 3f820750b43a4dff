"""Answers a write by what writes like it did: each field of the answer follows from the call and its record.

Two rules share this idea. `EffectRule` is about the record that the call names, or about nothing but the call itself.
`SelectionRule` is about a row that an answer before it listed: an agent searches, then acts on one of the rows.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from agent_gym.text import canonical, same
from agent_gym.tool_mocker.entities import is_id_map, keyable, nodes
from agent_gym.tool_mocker.evidence import MOST_EXAMPLES, Evidence, Moment
from agent_gym.tool_mocker.expressions.language import MISSING, Context, Expr, Given, Mapped, Path
from agent_gym.tool_mocker.induction.atoms import TablesOf
from agent_gym.tool_mocker.induction.counting import find_counter
from agent_gym.tool_mocker.induction.inducer import Inducer
from agent_gym.tool_mocker.log import Recorded
from agent_gym.tool_mocker.rules.neighbour import adapted
from agent_gym.tool_mocker.state import State
from agent_gym.tool_mocker.substitution import difference
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

__all__ = ["EffectRule", "FieldRule", "SelectionRule", "learn_effect", "learn_selection"]

_MIN_READS = 4  # a read follows a rule less often
_MIN_SELECTED = 4
_AT_TIMES = 0.1  # of the examples: what is rarer is an oddity
_MOST_LEARNED = 60  # more teach a rule nothing new, and cost time
_NEARLY_ALWAYS = 0.9

Row = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What one field of the answer becomes, and when it is there at all. `value` None: no rule was found."""

    name: str  # dotted, where it stands in another
    value: Expr | None
    there: Expr | None = None  # None: always
    usual: Expr | None = None  # what it most often is, where no rule was found

    def words(self) -> str:
        becomes = f"becomes {self.value.words()}" if self.value is not None else "changes, no rule found"
        return f"{self.name} {becomes}" + (f", if {self.there.words()}" if self.there is not None else "")


@dataclass(frozen=True, slots=True)
class EffectRule:
    """A write's answer. `shown` are the fields that it shows of the record as it is.

    `unforeseen` are fields that it shows now and then, nobody knows when: an answer without them is a guess.
    """

    source: ClassVar[Source] = "effect"

    table: str
    key_argument: str | None  # None: what the call is about says which record
    fields: tuple[FieldRule, ...]
    shown: frozenset[str]
    always: frozenset[str]  # those of the fields shown that are never left out
    unforeseen: tuple[str, ...]
    examples: int
    evidence: tuple[str, ...]

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        about = (self.table, str(call.arguments.get(self.key_argument))) if self.key_argument else state.about(call)
        record = state.record(*about) if about is not None and self.table else None
        return None if record is None and self.shown else self.on(record or {}, call, state)

    def on(self, record: Row, call: ToolCall, state: State) -> ToolAnswer | None:
        """The answer to a call about this very record; a guess where a field of it has no rule."""
        tool = state.tool(call.name)
        context = Context(call.arguments, record, state.record, state.done, history=state.history)
        result = {name: value for name, value in record.items() if name in self.shown}
        ruled = {field.name.partition(".")[0] for field in self.fields}
        open_fields = [FieldRule(name, None) for name in sorted(self.always - ruled - result.keys())]
        for field in self.fields:
            if field.there is not None and field.there.value(context) is False:
                result = _with(result, field.name, MISSING)
                continue
            value = field.value.value(context) if field.value is not None else MISSING
            if value is MISSING:
                open_fields.append(field)
            else:
                result = _with(result, field.name, value)
        if not open_fields:
            told = result[""] if "" in result else tool.encoded(result)
            return ToolAnswer(told, False, "neighbour" if self.unforeseen else "effect", 0.0, self.evidence)
        if any(field.name == "" for field in open_fields):
            return None
        near, told = adapted(call, state)
        shown = told if isinstance(told, Mapping) else {}
        guessed = _plausible(open_fields, context, shown, told_before=same(near.arguments, call.arguments))
        for name, value in guessed.items():
            result = _with(result, name, value)
        return ToolAnswer(tool.encoded(result), False, "neighbour", 0.0, (near.conversation_id, *self.evidence))

    def words(self) -> str:
        changes = "; ".join(field.words() for field in self.fields) or "shown as it is"
        unsure = f"; {' and '.join(self.unforeseen)} at times, no rule found" if self.unforeseen else ""
        which = f"[argument.{self.key_argument}]" if self.key_argument else ""
        return f"{self.table}{which}: {changes}{unsure}"


def _with(result: Mapping[str, Json], name: str, value: Json) -> dict[str, Json]:
    """The object with a value at a dotted name, or without it where that is missing."""
    first, _, rest = name.partition(".")
    out = dict(result)
    if rest:
        inner = out.get(first)
        out[first] = _with(inner if isinstance(inner, Mapping) else {}, rest, value)
    elif value is MISSING:
        out.pop(first, None)
    else:
        out[first] = value
    return out


def _plausible(
    fields: Sequence[FieldRule], context: Context, near: Mapping[str, Json], *, told_before: bool
) -> dict[str, Json]:
    """What no rule gives: as the very call was told, else as it usually is or as after the most similar one."""
    found = {}
    for field in fields:
        usual = field.usual.value(context) if field.usual is not None else MISSING
        was = Path("element", tuple(field.name.split("."))).value(replace(context, element=near))
        if usual is not MISSING and not (told_before and was is not MISSING):
            found[field.name] = usual
        elif was is not MISSING:
            found[field.name] = was
    return found


@dataclass(frozen=True, slots=True)
class _Example:
    """A recorded write. The context's record is the one it is about, before it."""

    call: Recorded
    table: str
    key: str
    context: Context
    after: Mapping[str, Json]
    shows_record: bool  # `after` is the record itself, not an answer about it
    stale: bool = False  # other writes may have changed the record since it was last seen


def learn_effect(evidence: Evidence) -> dict[str, EffectRule]:
    examples: dict[str, list[_Example]] = {}
    for moments in evidence.moments:
        for moment in moments:
            example = _example(moment, evidence)
            if example is not None:
                known = examples.setdefault(moment.call.name, [])
                if len(known) < MOST_EXAMPLES:
                    known.append(example)
    rules = {
        name: _rule(some, evidence.tables_of, 1 if evidence.writes(name) else _MIN_READS)
        for name, some in sorted(examples.items())
    }
    return {name: rule for name, rule in rules.items() if rule is not None}


def _example(moment: Moment, evidence: Evidence) -> _Example | None:
    kind, call = evidence.kinds[moment.call.name], moment.call
    # A read that is told more than a name may answer with what it was told, as a write does.
    if call.is_error or not (kind.writes or kind.ends or len(call.arguments) > 1):
        return None
    for shown in moment.shown:  # the answer is the record that an argument names, and it was known before
        before = moment.context.named(*shown.name)
        named = shown.key in map(str, call.arguments.values()) or shown.name == moment.about
        if shown.path == "" and before and named:
            context = replace(moment.context, record=before)
            return _Example(call, *shown.name, context, shown.fields, shows_record=True, stale=moment.stale)
    told = call.result
    if moment.about is not None and isinstance(told, Mapping):  # it tells something else about what the call names
        return _Example(call, *moment.about, moment.context, told, shows_record=False)
    if not kind.writes or isinstance(told, list):
        return None
    # It makes something new, or tells no more than that it was done.
    after = told if isinstance(told, Mapping) else {"": told}
    return _Example(call, "", "", replace(moment.context, record={}), after, shows_record=False)


def _rule(examples: Sequence[_Example], tables_of: TablesOf, at_least: int) -> EffectRule | None:
    """The rule that the examples follow, or None where there are too few of them."""
    picked = _varied(examples)
    if len(picked) < at_least:
        return None
    if any(e.shows_record for e in picked):
        picked = [e for e in picked if e.shows_record]
    picked = [e for e in picked if not e.stale] or picked
    key_argument = _key_argument(picked) if picked[0].key else None
    inducer = Inducer([e.context for e in picked], tables_of)
    told = [_flat(e.after) for e in picked]
    changed = [_changed(e, flat) for e, flat in zip(picked, told, strict=True)]
    # Numbers first: the sign of a difference may decide a word elsewhere.
    names = sorted(
        {name for some in changed for name in some},
        key=lambda name: (not any(isinstance(flat.get(name), float) for flat in told), name),
    )
    fields = [rule for name in names if (rule := _field(name, picked, told, inducer, tables_of)) is not None]
    for field in fields:
        if isinstance(field.value, Mapped):
            inducer.learn(field.value)
    fields = [f if f.value is not None else _field(f.name, picked, told, inducer, tables_of) or f for f in fields]
    shown = frozenset(name for e in picked if e.shows_record for name in e.after)
    always = shown.intersection(*(e.after for e in picked if e.shows_record))
    evidence = tuple(dict.fromkeys(e.call.conversation_id for e in picked))[:5]
    ordered = tuple(sorted(fields, key=lambda rule: rule.name))
    ruled = {field.name for field in fields}
    unforeseen = (n for n in names if n not in ruled and sum(n in flat for flat in told) >= _AT_TIMES * len(picked))
    return EffectRule(
        picked[0].table, key_argument, ordered, shown, always, tuple(sorted(unforeseen)), len(picked), evidence
    )


def _flat(value: Mapping[str, Json], before: str = "") -> dict[str, Json]:
    """An object's leaves by their dotted names; lists are leaves, and so are objects without fields."""
    found: dict[str, Json] = {}
    for name, inner in value.items():
        path = f"{before}.{name}" if before else name
        if isinstance(inner, Mapping) and inner and not is_id_map(inner):
            found |= _flat(inner, path)
        else:
            found[path] = inner
    return found


def _changed(example: _Example, told: Mapping[str, Json]) -> Mapping[str, Json]:
    if not example.shows_record:
        return told
    changed = difference(_flat(example.context.record), told)
    if example.stale:  # another write may have done it, unless this call says so
        given = [canonical(value) for value in example.call.arguments.values()]
        changed = {name: value for name, value in changed.items() if canonical(value) in given}
    return changed


def _field(
    name: str,
    examples: Sequence[_Example],
    told: Sequence[Mapping[str, Json]],
    inducer: Inducer,
    tables_of: TablesOf,
) -> FieldRule | None:
    present = [name in flat for flat in told]
    there = None if all(present) else _presence(present, examples) or inducer.explain(present)
    if not all(present) and there is None and 2 * sum(present) < len(present):
        return None  # rarely there, nobody knows when
    targets = [flat.get(name, MISSING) for flat in told]
    contexts = [e.context for e in examples]
    value = _taken_over(inducer, targets)
    value = value or find_counter(examples[0].call.name, contexts, targets, tables_of)
    value = value or inducer.explain(targets, name.rpartition(".")[2])
    return FieldRule(name, value, there, inducer.guess(targets) if value is None else None)


def _taken_over(inducer: Inducer, targets: Sequence[Json]) -> Expr | None:
    """A value of the call, or of the record, that every example repeats and that is no mere yes or no."""
    if any(v is MISSING or isinstance(v, bool | None) or v in ("", 0) for v in targets):
        return None
    forms = [canonical(value) for value in targets[: len(inducer.contexts)]]
    paths = [c.expr for c in inducer.columns if isinstance(c.expr, Path) and list(c.forms) == forms]
    # What several calls repeat of the record may be a constant; what they repeat of their own words is none.
    roots = ("argument", "record") if len(targets) == 1 else ("argument",)
    return next((path for root in roots for path in paths if path.root == root), None)


def _presence(present: Sequence[bool], examples: Sequence[_Example]) -> Expr | None:
    """The argument that is given just where the field is there."""
    for name in sorted({name for e in examples for name in e.call.arguments}):
        if all((name in e.call.arguments) == there for e, there in zip(examples, present, strict=True)):
            return Given(name)
    return None


def _varied(examples: Sequence[_Example]) -> list[_Example]:
    """A bounded choice with distinct calls first: repeats of one case prove nothing."""
    first: dict[tuple[str, bytes], _Example] = {}
    for example in examples:
        first.setdefault((example.key, example.call.key), example)
    return list(first.values())[:_MOST_LEARNED]


def _key_argument(examples: Sequence[_Example]) -> str | None:
    """The argument that names the record, in every example."""
    names = sorted(examples[0].call.arguments)
    return next((n for n in names if all(str(e.call.arguments.get(n)) == e.key for e in examples)), None)


@dataclass(frozen=True, slots=True)
class SelectionRule:
    """What a tool tells of the listed row that its arguments name; the effect's record is that row."""

    source: ClassVar[Source] = "query"

    tool: str
    path: str
    matches: tuple[tuple[str, str], ...]  # (argument, the row's field that it equals)
    effect: EffectRule
    rows: Mapping[tuple[str, ...], Row]  # every row that the log lists, by those fields

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        """About the latest such row that this session was shown, else about one that the log knows: a guess.

        What follows from a made-up row is made up too.
        """
        for past in reversed(state.history):
            if past.tool == self.tool:
                row = _first(self.matches, call.arguments, _rows(past.result, self.path))
                told = self.effect.on(row, call, state) if row is not None else None
                if told is not None:
                    guess = past.is_guess or told.source == "neighbour"
                    return replace(told, source="neighbour" if guess else "query")
        row = self.rows.get(tuple(str(call.arguments.get(argument)) for argument, _ in self.matches))
        told = self.effect.on(row, call, state) if row is not None else None
        return replace(told, source="neighbour") if told is not None else None

    def words(self) -> str:
        named = " and ".join(f"{field} is argument.{argument}" for argument, field in self.matches)
        return f"of the row that {self.tool} listed whose {named}, tells {self.effect.words()}"


def learn_selection(evidence: Evidence) -> dict[str, SelectionRule]:
    after: dict[str, list[tuple[Moment, dict[tuple[str, str], list[Row]]]]] = {}
    for moments in evidence.moments:
        listed: dict[tuple[str, str], list[Row]] = {}  # what the conversation was shown, the latest first
        for moment in moments:
            call = moment.call
            if call.is_error:
                continue
            if listed and call.arguments and isinstance(call.result, Mapping):
                some = after.setdefault(call.name, [])
                if len(some) < 2 * _MOST_LEARNED:
                    some.append((moment, dict(listed)))
            rows: dict[tuple[str, str], list[Row]] = {}
            for node in nodes(call.result):
                if node.path.endswith("[]"):
                    rows.setdefault((call.name, node.path), []).append(node.fields)
            listed |= {place: [*some, *listed.get(place, ())] for place, some in rows.items()}
    found = {name: _selection(some, evidence) for name, some in sorted(after.items())}
    return {name: rule for name, rule in found.items() if rule is not None}


def _selection(
    examples: Sequence[tuple[Moment, Mapping[tuple[str, str], list[Row]]]], evidence: Evidence
) -> SelectionRule | None:
    """The rule that the tool's calls follow: of the place seen most often whose rows tell more than the call."""
    seen = Counter(place for _, listed in examples for place in listed)
    for place in sorted(seen, key=lambda place: (-seen[place], place)):
        pairs = [(moment, listed[place]) for moment, listed in examples if place in listed]
        if len({moment.call.key for moment, _ in pairs}) < _MIN_SELECTED:
            continue
        matches = _matches(pairs)
        chosen = [(m, row) for m, rows in pairs if (row := _first(matches, m.context.arguments, rows)) is not None]
        if not any(_tells_more(moment, row) for moment, row in chosen):
            continue
        rows = [
            _Example(m.call, "", "", replace(m.context, record=row), m.call.result, shows_record=False)
            for m, row in chosen
        ]
        effect = _rule(rows, evidence.tables_of, _MIN_SELECTED)
        if effect is not None:
            listed = (call.result for call in evidence.calls[place[0]] if not call.is_error)
            known = {_named_by(matches, row): row for result in listed for row in _rows(result, place[1])}
            return SelectionRule(*place, matches, effect, known)
    return None


def _tells_more(moment: Moment, row: Row) -> bool:
    """Whether the answer repeats something of the row that the call did not say."""
    told = moment.call.result
    return any(name not in moment.call.arguments and name in told and same(told[name], row[name]) for name in row)


def _matches(pairs: Sequence[tuple[Moment, list[Row]]]) -> tuple[tuple[str, str], ...]:
    """The arguments that nearly always equal a field of one and the same row."""
    needed = _NEARLY_ALWAYS * len(pairs)
    votes: Counter[tuple[str, str]] = Counter()
    for moment, rows in pairs:
        for argument, value in moment.call.arguments.items():
            fields = {field for row in rows for field in row if keyable(row[field]) and str(row[field]) == str(value)}
            votes.update((argument, field) for field in ({argument} & fields or fields))
    good = sorted((p for p in votes if votes[p] >= needed), key=lambda p: (-votes[p], p[0] != p[1], p))
    found: tuple[tuple[str, str], ...] = ()
    for argument, field in good:
        if argument not in dict(found):
            more = (*found, (argument, field))
            if sum(_first(more, moment.call.arguments, rows) is not None for moment, rows in pairs) >= needed:
                found = more
    return found


def _named_by(matches: Sequence[tuple[str, str]], row: Row) -> tuple[str, ...]:
    return tuple(str(row.get(field)) for _, field in matches)


def _first(matches: Sequence[tuple[str, str]], arguments: Mapping[str, Json], rows: Iterable[Row]) -> Row | None:
    wanted = [(field, str(arguments.get(argument))) for argument, field in matches]
    fits = (row for row in rows if all(str(row.get(field)) == value for field, value in wanted))
    return next(fits, None) if wanted else None


def _rows(result: Json, path: str) -> Iterator[Row]:
    return (node.fields for node in nodes(result) if node.path == path)
