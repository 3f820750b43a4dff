"""A session's state: records as its writes have left them, and the writes; rules read it, the session alone writes.

Also the `Anchor`: the recorded conversation that a session prefers to all others. Its answers are keyed by tool,
arguments, the writes before that matter to them and the gates passed (tools that others need to have answered first),
not by position, so that an agent may ask in another order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from agent_gym.text import canonical, same
from agent_gym.tool_mocker.dependence import Done, Situation, done_by, situations_of
from agent_gym.tool_mocker.entities import (
    Records,
    inner_path,
    is_id_map,
    key_of,
    matching,
    records_at_start,
    records_in,
)
from agent_gym.tool_mocker.expressions.language import MISSING, Context, Past, Path
from agent_gym.tool_mocker.log import LEAVES, Recorded, linking_values, plain, recorded_calls
from agent_gym.tool_mocker.substitution import difference
from agent_gym.tool_mocker.world import Asked, Tool, World
from agent_gym.types import Change, Json, Source, ToolAnswer, ToolCall, Trace, Write

if TYPE_CHECKING:
    from agent_gym.tool_mocker.rules.neighbour import Alike

__all__ = ["MADE_UP", "Anchor", "Place", "State"]

MADE_UP: frozenset[Source] = frozenset({"neighbour", "llm"})
_NOTHING: Asked = (b"", frozenset())

Place = tuple[str, bytes, Situation]  # tool, arguments, what the answer depends on
Name = tuple[str, str]  # (table, key) of a record


@dataclass(frozen=True, eq=False)
class Anchor:
    """The answers of one conversation, each read off it when first asked for: most sessions never leave its path."""

    trace: Trace
    world: World

    @cached_property
    def answers(self) -> Mapping[Place, Sequence[Recorded]]:
        answers: dict[Place, list[Recorded]] = {}
        passed: frozenset[str] = frozenset()
        for call, situation in situations_of(self.calls, self.world.kinds, self.world.dependence):
            place = (call.name, call.key, situation | self.world.gates_passed(call.name, passed))
            answers.setdefault(place, []).append(call)
            passed = passed if call.is_error else passed | {call.name}
        return answers

    @cached_property
    def situations(self) -> Mapping[tuple[str, bytes], Sequence[Situation]]:
        """question → the situations in which it was asked."""
        found: dict[tuple[str, bytes], list[Situation]] = {}
        for tool, key, situation in self.answers:
            found.setdefault((tool, key), []).append(situation)
        return found

    @cached_property
    def records(self) -> Records:
        """Records as they were before it wrote to them."""
        return records_at_start(self.calls, self.world.sites, self.world.writing)

    @cached_property
    def written(self) -> list[str]:
        """Its successful writes, in order."""
        kinds = self.world.kinds
        writes = (c for c in self.calls if not c.is_error and (kind := kinds.get(c.name)) is not None and kind.writes)
        return [done_by(c.name, c.key, c.arguments, c.result).name for c in writes]

    @cached_property
    def calls(self) -> Sequence[Recorded]:
        return plain(recorded_calls(self.trace), self.world.forms)


class State:
    """What the rules may know of a session; also the `WorldView` of whoever judges it."""

    __slots__ = (
        "_asked",
        "_guessed",
        "_keyed",
        "_made",
        "_met",
        "_shown",
        "_step",
        "alike",
        "anchor",
        "done",
        "gone",
        "history",
        "overlay",
        "seed",
        "world",
        "writes",
    )

    def __init__(self, world: World, alike: "Alike", anchor: Anchor | None, seed: int) -> None:
        self.world = world
        self.alike = alike
        self.anchor = anchor
        self.seed = seed
        self.gone: frozenset[Name] = frozenset()  # records that its writes have removed
        self.overlay: dict[Name, Mapping[str, Json]] = {}  # only fields that differ from the start
        self.writes: tuple[Write, ...] = ()
        self.history: tuple[Past, ...] = ()  # its successful calls, as rules look back on them
        self.done: frozenset[str] = frozenset()  # the tools that have answered, errors apart
        self._guessed: Mapping[Name, ToolAnswer] = {}  # records that a made-up answer has told of, and that answer
        self._made: tuple[Done, ...] = ()  # the writes as answers depend on them
        self._keyed: tuple[ToolCall | None, Asked] = (None, _NOTHING)  # the call at hand, which rules share
        self._shown: dict[Name, Mapping[str, Json]] = {}  # records that only this session's answers show
        self._met: tuple[int, frozenset[str]] = (0, frozenset())  # what so many calls of its history have shown
        self._step: int | None = 0  # how far it has gone the anchor's own way; None: it has left it
        self._asked: dict[Place, int] = {}

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(twin, name, dict(value) if isinstance(value, dict) else value)
        twin._keyed = (None, _NOTHING)
        return twin

    def tool(self, name: str) -> Tool:
        """What is known of a tool that is known."""
        return self.world.tools[name]

    def place_in_anchor(self, call: ToolCall) -> tuple[Place, int]:
        """How the anchor keys this call now, and how often the session has asked it in this situation."""
        place = (call.name, *self.asked_as(call))
        return place, self._asked.get(place, 0)

    @property
    def asked(self) -> Iterator[tuple[str, bytes]]:
        """(tool, digest of the arguments) of every call so far."""
        return ((name, key) for name, key, _ in self._asked)

    def asked_as(self, call: ToolCall) -> Asked:
        """The call's arguments, and what its answer depends on of what this session has done."""
        if self._keyed[0] is not call:
            values = linking_values(call.arguments) if self._made else frozenset()
            situation = self.world.dependence.situation(call.name, values, self._made)
            gates = self.world.gates_passed(call.name, self.done)
            self._keyed = (call, (self.world.key_of(call), situation | gates if gates else situation))
        return self._keyed[1]

    def next_recorded(self, call: ToolCall) -> Recorded | None:
        """The anchor's own answer, as long as the session has asked nothing but what it asked, in its order."""
        if self.anchor is None or self._step is None or self._step >= len(self.anchor.calls):
            return None
        recorded = self.anchor.calls[self._step]
        return recorded if recorded.name == call.name and recorded.key == self.asked_as(call)[0] else None

    @property
    def is_on_path(self) -> bool:
        """Whether it has written nothing but what the anchor's own conversation wrote, in its order."""
        if self.anchor is None:
            return False
        return [write.name for write in self._made] == self.anchor.written[: len(self._made)]

    def outdated(self, call: ToolCall, told: Recorded) -> bool:
        """Whether this session has done something that a recorded answer would show, and knows not of."""
        tool = self.tool(call.name)
        if not told.is_error and tool.counters and self._counts_otherwise(call, tool, told.result):
            return True
        if told.is_error or not (self.overlay or self.gone):
            return False
        if tool.kind.writes:
            return tool.alters is not None and self._is_of_another_state(call, tool.alters, told.result)
        known = {name.partition("*")[0] for name in self.asked_as(call)[1]}
        if all(write.name in known for write in self._made):
            return False
        if self.is_gone(call.name, call.arguments, told.result):
            return True
        return not same(self.patched(call.name, call.arguments, told.result), told.result)

    def _is_of_another_state(self, call: ToolCall, alters: frozenset[str], result: Json) -> bool:
        """Whether a write's recorded answer shows a record otherwise than it is, in what the write does not change."""
        about = self.about(call)
        now = self.record(*about) if about is not None and about in self.overlay else None
        if now is None or not isinstance(result, Mapping):
            return False
        return any(n in now and n not in alters and not same(now[n], value) for n, value in result.items())

    def _counts_otherwise(self, call: ToolCall, tool: Tool, result: Json) -> bool:
        """Whether an answer bears another number than the one that is next in this session."""
        context = Context(call.arguments, {}, self.record, self.done, history=self.history)
        for path, counter in tool.counters:
            told, expected = Path("element", tuple(path.split("."))), counter.value(context)
            shown = told.value(replace(context, element=result)) if path else result
            if expected is not MISSING and shown is not MISSING and not same(shown, expected):
                return True
        return False

    def record(self, table: str, key: str) -> Mapping[str, Json] | None:
        """A record as it is now."""
        place = (table, key)
        if place in self.gone:
            return None
        start = self.world.records.get(place) or self._shown.get(place)
        own = self.anchor.records.get(place) if self.anchor else None
        if own is not None:
            start = {**(start or {}), **own}
        patch = self.overlay.get(place)
        return start if patch is None else {**(start or {}), **patch}

    def about(self, call: ToolCall) -> Name | None:
        """(table, key) of what a call is about, as far as that can be told."""
        subject = self.tool(call.name).subject
        return subject.of(call.arguments, self.find) if subject is not None else None

    def find(self, table: str, fields: Mapping[str, Json]) -> str | None:
        """The key of the record that has these fields now: one that this session has written to first."""
        names = [key for kind, key in self.overlay if kind == table]
        own = matching(((key, self.record(table, key) or {}) for key in reversed(names)), fields)
        if own is not None:
            return own
        index = self.world.by_fields.get((table, *sorted(fields)))
        key = index.get(canonical([fields[name] for name in sorted(fields)])) if index is not None else None
        record = self.record(table, key) if key is not None else None
        return key if record is not None and matching([("", record)], fields) is not None else None

    def changes(self) -> Mapping[tuple[str, str, str], Json]:
        return {
            (table, key, field): value
            for (table, key), patch in sorted(self.overlay.items())
            for field, value in sorted(patch.items())
        }

    def patched(
        self, tool: str, arguments: Mapping[str, Json], result: Json, path: str = "", map_key: str | None = None
    ) -> Json:
        """A recorded result as it would read now: every record in it as this session's writes left it."""
        if isinstance(result, Mapping):
            if is_id_map(result):
                return {
                    name: self.patched(tool, arguments, value, f"{path}{{}}", name) for name, value in result.items()
                }
            inner = {
                name: self.patched(tool, arguments, value, inner_path(path, name))
                if type(value) not in LEAVES and isinstance(value, Mapping | list)
                else value
                for name, value in result.items()
            }
            site = self.world.sites.get((tool, path))
            key = key_of(site, arguments, result, map_key) if site else None
            patch = self.overlay.get((site.table, key)) if site and key is not None else None
            if patch:
                shown = site.fields if site else frozenset()
                inner |= {name: value for name, value in patch.items() if name in inner or name in shown}
            return inner
        if isinstance(result, list):
            return [
                self.patched(tool, arguments, value, f"{path}[]")
                for value in result
                if not self.is_gone(tool, arguments, value, f"{path}[]")
            ]
        return result

    def rows_now(self, tool: str, arguments: Mapping[str, Json], path: str, rows: Sequence[Json]) -> list[Json]:
        """Known rows as they are now, and those that this session has made."""
        if not self.overlay and not self.gone:
            return list(rows)
        site = self.world.sites.get((tool, path))
        now = self.patched(tool, arguments, list(rows), path.removesuffix("[]"))
        if site is None:
            return list(now)
        listed = {key_of(site, arguments, row) for row in rows if isinstance(row, Mapping)}
        made = [key for table, key in self.overlay if table == site.table and key not in listed]
        new = [
            record
            for key in made
            if (site.table, key) not in self.world.records and (record := self.record(site.table, key))
        ]
        return [*now, *({n: v for n, v in record.items() if n in site.fields} for record in new)]

    def is_gone(self, tool: str, arguments: Mapping[str, Json], row: Json, path: str = "") -> bool:
        """Whether this session has removed the record that stands there."""
        if not self.gone or not isinstance(row, Mapping):
            return False
        site = self.world.sites.get((tool, path))
        key = key_of(site, arguments, row) if site else None
        return site is not None and key is not None and (site.table, key) in self.gone

    def guess_behind(self, call: ToolCall, result: Json) -> ToolAnswer | None:
        """The made-up answer, the least sure of several, that told of what the call is about or its answer shows."""
        if not self._guessed:
            return None
        shown = records_in(self.world.sites, call.name, call.arguments, self.tool(call.name).decoded(result))
        about = self.about(call)
        names = {record.name for record in shown} | ({about} if about is not None else set())
        guesses = (self._guessed[name] for name in sorted(names) if name in self._guessed)
        return min(guesses, key=lambda guess: guess.confidence, default=None)

    def has_met(self, value: Json) -> bool:
        """Whether some result, of the record or of this session, has shown the value, or a write of it has named it."""
        text = str(value)
        if text in self.world.mentioned:
            return True
        read, met = self._met
        if read < len(self.history):
            for past in self.history[read:]:
                met |= linking_values(past.result)
                if self.tool(past.tool).kind.writes:
                    met |= linking_values(past.arguments)
            self._met = (len(self.history), met)
        return text in met

    def is_off_the_record(self, call: ToolCall) -> bool:
        """Whether it names what nothing has shown, or what is another's, where recorded calls never did; or a check.

        What was only ever checked with right arguments says nothing about wrong ones.
        """
        tool, given = self.tool(call.name), call.arguments
        return (
            tool.kind.checks
            or any(name in given and not self.has_met(given[name]) for name in tool.grounded)
            or any(
                self._is_of_another(str(given.get(o.argument)), o.table, str(given.get(o.owner))) for o in tool.owned
            )
        )

    def _is_of_another(self, value: str, table: str, key: str) -> bool:
        """Whether a known record does not hold the value, and no answer to this session has it with the record."""
        record = self.record(table, key)
        if record is None or value in linking_values(record):
            return False
        return not any({value, key} <= linking_values([past.arguments, past.result]) for past in self.history)

    def is_made_up(self, table: str, key: str) -> bool:
        """Whether all that is known of a record was made up."""
        place = (table, key)
        on_record = place in self.world.records or (self.anchor is not None and place in self.anchor.records)
        return place in self._guessed and not on_record

    def evidence_for(self, table: str, key: str) -> tuple[str, ...]:
        """The conversations on which this session's writes to a record rest."""
        touched = (w for w in self.writes if any((c.table, c.key) == (table, key) for c in w.changes))
        return tuple(dict.fromkeys(name for write in touched for name in write.answer.evidence))

    def remember(self, call: ToolCall, answer: ToolAnswer) -> None:
        """Take note of an answered call; a successful write changes the records it shows."""
        tool = self.world.tools.get(call.name)
        if tool is None or not isinstance(call.arguments, Mapping):
            return
        place, asked = self.place_in_anchor(call)
        self._asked[place] = asked + 1
        if self._step is not None:
            self._step = self._step + 1 if self.next_recorded(call) is not None else None
        if answer.is_error or answer.source == "unknown":
            return
        told = tool.decoded(answer.result)
        self.done |= {call.name}
        self.history = (*self.history, Past(call.name, call.arguments, told, answer.source in MADE_UP))
        if tool.kind.writes:
            self._write(call, answer, tool, told)
            return
        for record in records_in(self.world.sites, call.name, call.arguments, told):
            if record.name not in self.world.records and record.name not in self.overlay:
                if answer.source in MADE_UP and record.name not in self._shown:
                    self._guessed = {**self._guessed, record.name: answer}
                self._shown[record.name] = {**self._shown.get(record.name, {}), **record.fields}

    def _write(self, call: ToolCall, answer: ToolAnswer, tool: Tool, told: Json) -> None:
        own = tuple(self._shown_changes(call, told))
        shown = {(change.table, change.key, change.path) for change in own}
        others = (c for c in self._effects(call, tool, told) if (c.table, c.key, c.path) not in shown)
        changes = (*own, *others)
        if answer.source in MADE_UP:
            self._guessed = {**self._guessed, **{(c.table, c.key): answer for c in changes}}
        for change in changes:
            patch = self.overlay.get((change.table, change.key), {})
            self.overlay[change.table, change.key] = {**patch, change.path: change.after}
        self.writes = (*self.writes, Write(call, answer, changes))
        self._made = (*self._made, done_by(call.name, self.asked_as(call)[0], call.arguments, told))
        self._keyed = (None, _NOTHING)

    def _shown_changes(self, call: ToolCall, result: Json) -> Iterator[Change]:
        for record in records_in(self.world.sites, call.name, call.arguments, result):
            before = self.record(*record.name) or {}
            for field, value in sorted(difference(before, record.fields).items()):
                yield Change(record.table, record.key, field, before.get(field), value)

    def _effects(self, call: ToolCall, tool: Tool, result: Json) -> Iterator[Change]:
        """What the write does to records that its answer does not show, by rules over the state before it."""
        if not tool.effects:
            return
        about = self.about(call)
        own = self.record(*about) if about is not None else None
        context = Context(call.arguments, own or {}, self.record, answer=result)
        for effect in tool.effects:
            key = effect.key.value(context)
            if not isinstance(key, str | int):
                continue
            name = str(key)
            record = self.record(effect.table, name)
            if effect.action == "removes":
                self.gone |= {(effect.table, name)}
            elif (effect.action == "makes") is (record is None):
                known = record or {}
                for field, value in effect.values(replace(context, element=known)).items():
                    if not same(value, known.get(field, MISSING)):
                        yield Change(effect.table, name, field, known.get(field), value)
