"""One reading of many files: each file's records go to the format they are in, and come back as traces and rejects."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from agent_gym.errors import TraceError
from agent_gym.trace_parser.choose import chosen, unwrapped
from agent_gym.trace_parser.content import items
from agent_gym.trace_parser.decode import check_depth, decoded, may_be_deep
from agent_gym.trace_parser.formats import TRACE_SCHEMA, Draft, Format, Group, Item
from agent_gym.trace_parser.known import Known
from agent_gym.trace_parser.labels import Labels
from agent_gym.trace_parser.pool import Pool
from agent_gym.trace_parser.reading import Reading
from agent_gym.trace_parser.repairs import Reject, Repairs
from agent_gym.trace_parser.settle import settled
from agent_gym.trace_parser.unpack import DAMAGE, Member, damage_in_words, members
from agent_gym.types import Json, Role, Trace

__all__ = ["NO_CONTENT", "Batch", "Run"]

NO_CONTENT: Final = "This export holds no message content"
_RECORD_CONTENT: Final = "turn on the logging of prompts and answers where these were recorded, and export again"
_SAMPLE = 40  # records that decide the format


class Batch(NamedTuple):
    """Records that are conversations by themselves, not read yet."""

    form: Format
    items: Sequence[Item]


class Run:
    """The state of one reading."""

    def __init__(
        self,
        reading: Reading,
        form: Format | None,
        roles: Mapping[str, Role],
        labels: Labels,
        batch: int = 0,  # records to give out at once, for others to read; 0 reads them here, one by one
    ) -> None:
        self.reading, self.form, self.roles, self.labels, self._batch = reading, form, roles, labels, batch
        self._known = Known()
        self._met = 0  # records and refused members so far
        self._pools: dict[str, tuple[Format, Pool]] = {}

    def expect(self, files: Iterable[str]) -> None:
        """Adds up what there is to read, for whoever shows how far it is."""
        for path in files:
            try:
                self.reading.size += Path(path).stat().st_size
            except (OSError, ValueError):  # opening it says what is wrong
                continue

    def file(self, path: str) -> Iterator[Trace | Reject | Batch]:
        """Raises `TraceError` for a file that cannot be read at all."""
        before, met = self.reading.position, self._met
        try:
            for member in members(path):
                if isinstance(member, Reject):
                    self._met += 1
                    yield self.refused(member)
                    continue
                try:
                    yield from self._member(member, before)
                except TraceError as error:
                    if member.source == member.file:
                        raise
                    self._met += 1
                    yield self.refused(Reject.of(error))
        except DAMAGE as damage:
            raise TraceError(path, None, damage_in_words(damage), "copy or download it again") from None
        if self._met == met:
            hint = "expected one conversation a line, or a JSON array of them"
            raise TraceError(path, None, "it holds no conversations", hint)

    def pooled(self) -> Iterator[Trace | Reject]:
        """The conversations of the formats that had to wait for all records."""
        for form, pool in self._pools.values():
            for group in pool.groups():
                yield from self._together(form, group)
        self._pools.clear()

    def read(self, batch: Batch) -> Iterator[Trace | Reject]:
        for item in batch.items:
            yield from self._read(batch.form, item)

    def takes(self, batch: Batch, ids: Sequence[tuple[int, str]], reading: Reading) -> bool:
        """Counts a batch that another run has read; not where one of the ids, each with its item's place, is known."""
        if any(self._known.holds(conversation_id) for _, conversation_id in ids):
            return False
        for place, conversation_id in ids:
            self._known.is_new(conversation_id, batch.items[place])
        self.reading.add(reading)
        return True

    def refused(self, reject: Reject) -> Reject:
        self.reading.reject(reject)
        return reject

    def _member(self, member: Member, before: int) -> Iterator[Trace | Reject | Batch]:
        found = items(member)
        sample = list(islice(found, _SAMPLE))
        form, sample = self._format_of(sample, member.source)
        batch: list[Item] = []
        for number, item in enumerate(chain(sample, found)):
            self._met += 1
            if batch and (isinstance(item, Reject) or len(batch) == self._batch):
                yield Batch(form, batch)
                batch = []
            if isinstance(item, Reject):
                yield self.refused(item)
            elif form.keys is None and self._batch:
                batch.append(item)
            elif form.keys is None:
                yield from self._read(form, item)
            else:
                _, pool = self._pools.setdefault(form.name, (form, Pool()))
                pool.add(item, form.keys(item.value), member.file)
            if not number % 64:
                self.reading.position = before + member.position()
        if batch:
            yield Batch(form, batch)
        self.reading.position = before + member.position()

    def _read(self, form: Format, item: Item) -> Iterator[Trace | Reject]:
        if (trace := self._clean(form, item)) is not None:
            yield trace
        else:
            yield from self._single(form, item)

    def _format_of(self, sample: list[Item | Reject], source: str) -> tuple[Format, list[Item | Reject]]:
        """The format, and the sample: what a wrapper held, where the only record is one."""
        for _ in range(3):
            values = [item.value for item in sample if isinstance(item, Item)]
            form = chosen(values, source, self.form)
            only = sample[0] if len(sample) == 1 else None
            if form is not None or not isinstance(only, Item) or (inner := unwrapped(only.value)) is None:
                return form or self.form or TRACE_SCHEMA, sample
            sample = [Item(value, only.source, only.line) for value in inner]
        return self.form or TRACE_SCHEMA, sample

    def _clean(self, form: Format, item: Item) -> Trace | None:
        """The trace of a record that is read at once; None for one that needs a second look, or is to be refused."""
        if form.clean is None or (trace := form.clean(item)) is None:
            return None
        if not self._known.is_new(trace.conversation_id, item):
            return None
        reading = self.reading
        reading.accepted += 1
        reading.conversations += 1
        reading.formats[form.name] += 1
        return self.labels.onto(trace, (item,))

    def _single(self, form: Format, item: Item) -> Iterator[Trace | Reject]:
        """A record that is a conversation by itself; one of another format among others is read as that."""
        results = list(self._group(form, [item]))
        if self.form is None and all(isinstance(result, Reject) for result in results):
            other = chosen([item.value], item.source)
            if other is not None and other.name != form.name and other.keys is None:
                fresh = item._replace(value=decoded(item.raw, item.repairs())) if item.raw else item
                read = list(self._group(other, [fresh]))
                if any(isinstance(result, Trace) for result in read):
                    results, form = read, other
        self.reading.accepted += any(isinstance(result, Trace) for result in results)
        for result in results:
            if isinstance(result, Reject):
                self.reading.reject(result)
            else:
                self._count(result, form)
            yield result

    def _together(self, form: Format, group: Sequence[Item]) -> Iterator[Trace | Reject]:
        """The conversations of records that belong together, counted as they come."""
        accepted = False
        for result in self._group(form, group):
            if isinstance(result, Reject):
                self.reading.reject(result)
            else:
                self.reading.accepted += 0 if accepted else len(group)
                accepted = True
                self._count(result, form)
            yield result

    def _group(self, form: Format, group: Sequence[Item]) -> Iterator[Trace | Reject]:
        """A reject stands for all records of the group if nothing can be made of them, else for none."""
        # One set of notes from here on: what the format mends, and what settling does.
        first = group[0]._replace(mended=group[0].repairs())
        group = [first, *group[1:]]
        refused: list[TraceError] = []
        made = 0
        try:
            for item in group:
                if may_be_deep(item.raw) and form is not TRACE_SCHEMA:
                    check_depth(item.value, item.repairs())
            for draft in form.read(Group(group, self.roles)):
                try:
                    trace = self._finished(
                        draft, form, group, Repairs(first.source, first.line) if made else first.repairs()
                    )
                except TraceError as error:
                    refused.append(error)
                    continue
                made += 1
                yield trace
        except TraceError as error:
            refused.append(error)
        if not made and not refused:
            refused.append(first.repairs().error(NO_CONTENT, _RECORD_CONTENT))
        for number, reason in enumerate(refused):
            records = len(group) if not made and not number else 0
            yield replace(Reject.of(reason, first.raw or _shown(first.value)), records=records)

    def _finished(self, draft: Draft | Trace, form: Format, group: Sequence[Item], notes: Repairs) -> Trace:
        trace = draft if isinstance(draft, Trace) else _trace(draft, form, notes)
        trace = self._known.once(self.labels.onto(trace, group), group[0].raw, notes)
        self.reading.repairs.update(notes.counts)
        return trace

    def _count(self, trace: Trace, form: Format) -> None:
        self.reading.conversations += 1
        self.reading.formats[form.name] += 1
        warnings = trace.metadata.get("warnings")
        if isinstance(warnings, dict):
            for cause, found in warnings.items():
                self.reading.warn(cause, trace.conversation_id, None, str(found))


def _shown(value: Json) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str)


def _trace(draft: Draft, form: Format, notes: Repairs) -> Trace:
    """The draft with an id, its warnings in the metadata, and its results paired."""
    if not any(message.content or message.tool_calls or message.role == "tool" for message in draft.messages):
        raise notes.error(NO_CONTENT, _RECORD_CONTENT)
    conversation_id = draft.conversation_id
    if not conversation_id:
        notes.note("conversation_id_made")
        content = orjson.dumps(
            [message.to_dict() for message in draft.messages], option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
        )
        conversation_id = f"conversation-{hashlib.blake2b(content, digest_size=6).hexdigest()}"
    metadata: dict[str, Json] = {"format": form.name, **draft.metadata}
    if draft.warnings:
        causes: dict[str, str] = {}
        for cause, found in draft.warnings:
            causes.setdefault(cause, found)
        metadata["warnings"] = causes
    trace = Trace(
        conversation_id,
        tuple(draft.messages),
        draft.outcome,
        draft.satisfaction_score,
        tuple(draft.tools),
        metadata,
    )
    return settled(trace, notes)
