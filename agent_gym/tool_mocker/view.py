"""A session's state: records as its writes have left them, and the writes; rungs read it, the session alone writes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple, Self

from agent_gym.text import digest
from agent_gym.tool_mocker.alike import Alike
from agent_gym.tool_mocker.anchor import Anchor, Place, state_key
from agent_gym.tool_mocker.depth import DEEPEST, LEAVES
from agent_gym.tool_mocker.mining.answers import Asked
from agent_gym.tool_mocker.mining.stories import likeliest, step
from agent_gym.tool_mocker.mining.variables import shown_variables
from agent_gym.tool_mocker.patch import difference
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.sites import inner_path, is_id_map, key_of, records_in
from agent_gym.tool_mocker.world import ToolModel, World
from agent_gym.types import Change, Json, Source, ToolAnswer, ToolCall, Write

__all__ = ["Listed", "View"]

_WHOLE = 0.8
_MADE_UP = frozenset({"neighbour", "llm"})
_UNTOUCHED = state_key(())


class Listed(NamedTuple):
    """An answer that showed rows to choose from; `guess` is its source where it was made up."""

    tool: str
    result: Json
    guess: Source | None
    evidence: tuple[str, ...]


class View:
    """What the rungs may know of a session; also the `WorldView` of whoever judges it."""

    __slots__ = (
        "_asked",
        "_guessed",
        "_keyed",
        "_made",
        "_state",
        "alike",
        "anchor",
        "done",
        "lists",
        "overlay",
        "seed",
        "steps",
        "variables",
        "world",
        "writes",
    )

    def __init__(self, world: World, alike: Alike, anchor: Anchor | None, seed: int) -> None:
        self.world = world
        self.alike = alike
        self.anchor = anchor
        self.seed = seed
        self.overlay: dict[tuple[str, str], Mapping[str, Json]] = {}  # only fields that differ from the start
        self.writes: tuple[Write, ...] = ()
        self.variables: Mapping[str, Json] = {}  # what tools about nothing in particular showed last
        self.lists: tuple[Listed, ...] = ()  # answers whose rows later calls may be about
        self.done: frozenset[str] = frozenset()  # the tools that have answered, errors apart
        self.steps: frozenset[int] = frozenset()  # every call so far, as stories keep it
        self._guessed: Mapping[tuple[str, str], Source] = {}  # records that a made-up answer has written to
        self._made: tuple[tuple[str, bytes], ...] = ()  # the writes as the state is keyed by them
        self._state = _UNTOUCHED
        self._keyed: tuple[ToolCall | None, bytes] = (None, b"")  # the call at hand and its key, which rungs share
        self._asked: dict[Place, int] = {}

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.world, twin.alike, twin.anchor, twin.seed = self.world, self.alike, self.anchor, self.seed
        twin.writes, twin.done, twin.steps = self.writes, self.done, self.steps
        twin.variables, twin.lists = self.variables, self.lists
        twin._made, twin._state = self._made, self._state
        twin._keyed, twin._guessed = (None, b""), self._guessed
        twin.overlay, twin._asked = dict(self.overlay), dict(self._asked)
        return twin

    def model(self, name: str) -> ToolModel:
        """What is known of a tool that is known."""
        return self.world.tools[name]

    def place_in_anchor(self, call: ToolCall) -> tuple[Place, int]:
        """How the anchor keys this call now, and how often the session has asked it in this state."""
        place = (call.name, self._key(call), self._state, self.world.gates_passed(call.name, self.done))
        return place, self._asked.get(place, 0)

    def _key(self, call: ToolCall) -> bytes:
        if self._keyed[0] is not call:
            self._keyed = (call, digest(call.arguments))
        return self._keyed[1]

    def told(self, call: ToolCall) -> Recorded | None:
        """What the anchor, else the conversation most like this one, else most were told of it as it was."""
        asked = self._asked_as(call)
        own = self.anchor.untouched.get((call.name, asked)) if self.anchor else None
        return own or self._likeliest(call.name, asked) or self.model(call.name).answers.get(asked)

    def contested(self, call: ToolCall) -> bool:
        """Whether conversations were told different things, and nothing says which of them this one is like."""
        asked = self._asked_as(call)
        if self.anchor is not None and (call.name, asked) in self.anchor.untouched:
            return False
        return asked in self.model(call.name).contested and self._likeliest(call.name, asked) is None

    def _asked_as(self, call: ToolCall) -> Asked:
        return self._key(call), self.world.gates_passed(call.name, self.done)

    def _likeliest(self, tool: str, asked: Asked) -> Recorded | None:
        rivals = self.world.tools[tool].rivals.get(asked)
        like = likeliest(rivals, self.steps, self.world.stories) if rivals else None
        return like.call if like is not None else None

    def record(self, table: str, key: str) -> Mapping[str, Json] | None:
        place = (table, key)
        start = self.world.records.get(place)
        own = self.anchor.records.get(place) if self.anchor else None
        if own is not None:
            start = {**(start or {}), **own}
        patch = self.overlay.get(place)
        if patch is None:
            return start
        return {**(start or {}), **patch}

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
                # A read shows the fields it always shows; a write may have added one, but only to the whole record.
                inner |= {name: value for name, value in patch.items() if name in inner or path == ""}
            return inner
        if isinstance(result, list):
            return [self.patched(tool, arguments, value, f"{path}[]") for value in result]
        return result

    def rests_on(self, call: ToolCall, result: Json) -> Source:
        """What the state that a result shows rests on: what was read and written, or an answer that was made up."""
        if not self._guessed:
            return "state"
        shown = records_in(self.world.sites, call.name, call.arguments, result)
        guesses = (self._guessed.get(record.name) for record in shown)
        return next((guess for guess in guesses if guess is not None), "state")

    def is_made_up(self, table: str, key: str) -> bool:
        """Whether all that is known of a record was made up."""
        place = (table, key)
        on_record = place in self.world.records or (self.anchor is not None and place in self.anchor.records)
        return place in self._guessed and not on_record

    def evidence_for(self, table: str, key: str) -> tuple[str, ...]:
        """The conversations on which this session's writes to a record rest."""
        touched = (w for w in self.writes if any((c.table, c.key) == (table, key) for c in w.changes))
        return tuple(dict.fromkeys(name for write in touched for name in write.answer.evidence))

    def rated(self, call: ToolCall, answer: ToolAnswer) -> ToolAnswer:
        """The answer with the confidence that its kind has earned; what is certain, or nobody's, stays as it is.

        Its result is a copy: whoever changes it changes neither the record nor another session.
        """
        confidence = answer.confidence
        if not confidence and answer.source not in ("invalid", "unknown", "llm"):
            confidence = self.world.calibration.confidence(call.name, answer.source)
        return replace(answer, result=_copied(answer.result), confidence=confidence)

    def remember(self, call: ToolCall, answer: ToolAnswer) -> None:
        """Take note of an answered call; a successful write changes the records it shows."""
        model = self.world.tools.get(call.name)
        if model is None or not isinstance(call.arguments, Mapping):
            return
        place, asked = self.place_in_anchor(call)
        self._asked[place] = asked + 1
        if self.world.stories:
            self.steps |= {step(call.name, place[1])}
        if not answer.is_error:
            self.done |= {call.name}
            if call.name in self.world.listings:
                guess = answer.source if answer.source in _MADE_UP else None
                self.lists = (*self.lists, Listed(call.name, model.decoded(answer.result), guess, answer.evidence))
            if model.subject is None:
                self.variables = {**self.variables, **shown_variables(model.decoded(answer.result))}
        if not model.kind.writes or answer.is_error or answer.source == "unknown":
            return
        changes = (*self._changes(call, model.decoded(answer.result)), *self._side_effects(call, model))
        if answer.source in _MADE_UP:
            self._guessed = {**self._guessed, **{(c.table, c.key): answer.source for c in changes}}
        for change in changes:
            patch = self.overlay.get((change.table, change.key), {})
            self.overlay[change.table, change.key] = {**patch, change.path: change.after}
        self.writes = (*self.writes, Write(call, answer, changes))
        self._made = (*self._made, (call.name, self._key(call)))
        self._state = state_key(self._made)

    def _changes(self, call: ToolCall, result: Json) -> Iterator[Change]:
        for record in records_in(self.world.sites, call.name, call.arguments, result):
            before = self.record(*record.name) or {}
            seen = self.world.table_fields.get(record.table, frozenset())
            # An answer that shows the whole record shows its new fields too; a short one also tells other things.
            whole = len(seen & record.fields.keys()) >= _WHOLE * len(seen)
            for field, value in sorted(difference(before, record.fields).items()):
                if whole or field in seen:
                    yield Change(record.table, record.key, field, before.get(field), value)

    def _side_effects(self, call: ToolCall, model: ToolModel) -> Iterator[Change]:
        """What the write does to other records, by rules over the state before it."""
        if not model.side_effects:
            return
        own = self.record(*model.subject.of(call.arguments)) if model.subject else None
        context = Context(call.arguments, own or {}, self.record)
        for side in model.side_effects:
            key = side.key.value(context)
            other = self.record(side.table, str(key)) if key is not MISSING else None
            if other is not None and side.field in other:
                value = side.rule.value(replace(context, element=other))
                if value is not MISSING:
                    yield Change(side.table, str(key), side.field, other[side.field], value)


def _copied(value: Json, deeper: int = DEEPEST) -> Json:
    if type(value) in LEAVES or not deeper:
        return value
    if isinstance(value, Mapping):
        return {name: _copied(inner, deeper - 1) for name, inner in value.items()}
    return [_copied(inner, deeper - 1) for inner in value] if isinstance(value, list) else value
