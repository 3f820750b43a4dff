"""Answers numbers that follow writes: counts, totals and balances, from where they last stood.

Each write moves such a number by a step: one more for every row that is open now and was not, the amount that it
names, or as many as the things that it made. Which steps, the differences between answers to one question tell.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from agent_gym.text import canonical, same
from agent_gym.tool_mocker.dependence import Dependence
from agent_gym.tool_mocker.entities import Records, Sites, key_of, records_in
from agent_gym.tool_mocker.evidence import Evidence, spread
from agent_gym.tool_mocker.expressions.language import Past, is_number
from agent_gym.tool_mocker.kinds import Kind, words_of
from agent_gym.tool_mocker.log import LEAVES, Recorded, linking_values
from agent_gym.tool_mocker.state import State
from agent_gym.tool_mocker.substitution import difference
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

__all__ = ["Measure", "Step", "TotalsRule", "learn_totals"]

_MOST_PAIRS = 300  # of answers, from which steps are learned
_MOST_STEPS = 8
_MIN_EXAMPLES = 2
_LONGEST = 40  # a longer text is no word by which a tool tells two cases apart

Names: TypeAlias = tuple[str, ...]
What: TypeAlias = Literal["calls", "rows", "items", "amount"]
_SIMPLE: tuple[What, ...] = ("calls", "rows", "items", "amount")


class Measure(NamedTuple):
    """What is counted of a write: its calls, rows that now have a word, items of a list, or an amount."""

    what: What
    of: str  # the tool, or the rows' table
    at: Names = ()  # the rows' field; else "argument" or "answer", then names of fields
    word: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """How a write moves a number: up or down by what is measured of it."""

    measure: Measure
    sign: int

    def words(self) -> str:
        what, of, at, word = self.measure
        place = ".".join(at)
        said = {
            "rows": f"for each {of}{f' whose {place} is {word}' if at else ''}",
            "calls": f"by {of}",
            "items": f"for each item of {place} of {of}",
            "amount": f"by {place} of {of}",
        }
        return f"{'up' if self.sign > 0 else 'down'} {said[what]}"


class _Write(NamedTuple):
    """A successful write: what it names and shows, and what can be counted of it."""

    tool: str
    values: frozenset[str]
    measured: Mapping[Measure, float]
    is_guess: bool


def _writes_in(writes: Iterable[Past], sites: Sites, start: Records) -> list[_Write]:
    """Writes of a conversation, in order, with what can be counted of each."""
    seen: dict[tuple[str, str], Mapping[str, Json]] = {}
    found: list[_Write] = []
    for tool, arguments, result, is_guess in writes:
        measured: Counter[Measure] = Counter(dict(_told(tool, arguments, result)))
        for record in records_in(sites, tool, arguments, result):
            before = seen[record.name] if record.name in seen else start.get(record.name)
            measured[Measure("rows", record.table)] += before is None
            for name, value in difference(before or {}, record.fields).items():
                for word, by in ((value, 1), ((before or {}).get(name), -1)):
                    if isinstance(word, str | bool) and len(str(word)) <= _LONGEST:
                        measured[Measure("rows", record.table, (name,), str(word))] += by
            seen[record.name] = {**(before or {}), **record.fields}
        found.append(_Write(tool, linking_values([arguments, result]), measured, is_guess))
    return found


def _told(tool: str, arguments: Mapping[str, Json], result: Json) -> Iterator[tuple[Measure, float]]:
    yield Measure("calls", tool), 1
    for at, value in (*_leaves(arguments, ("argument",)), *_leaves(result, ("answer",))):
        if isinstance(value, list):
            yield Measure("items", tool, at), len(value)
        elif is_number(value):
            yield Measure("amount", tool, at), value


def _leaves(value: Json, at: Names = ()) -> Iterator[tuple[Names, Json]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, (*at, name))
    elif type(value) in LEAVES or isinstance(value, list):
        yield at, value


@dataclass(frozen=True, slots=True)
class TotalsRule:
    """An answer to the same question, its numbers moved by what was written since, or was not written here."""

    source: ClassVar[Source] = "state"

    steps: Mapping[Names, tuple[Step, ...]]  # place of a number → what moves it
    start: Mapping[bytes, Json]  # question → the answer before any write

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        found = self._last(call, state)
        if found is None:
            return None
        base, before = found
        now = state.patched(call.name, call.arguments, base)
        world = state.world
        earlier, done = (
            _writes_in(_linked(some, call, world.dependence, world.kinds), world.sites, world.records)
            for some in (before, state.history)
        )
        since = _difference(earlier, done)
        for place, steps in self.steps.items():
            was, by = _at(base, place), sum(step.sign * since.get(step.measure, 0) for step in steps)
            if by and is_number(was) and same(was, _at(now, place)):  # what a write has shown, it has moved
                now = _with(now, place, was + by)
        source: Source = "neighbour" if any(write.is_guess for write in done) else "state"
        return ToolAnswer(state.tool(call.name).encoded(now), False, source, 0.0, ())

    def _last(self, call: ToolCall, state: State) -> tuple[Json, Sequence[Past]] | None:
        """An answer to the question, and the calls before it: of this session, of its anchor, of any other."""
        for at in range(len(state.history) - 1, -1, -1):
            past = state.history[at]
            if past.tool == call.name and not past.is_guess and same(past.arguments, call.arguments):
                return past.result, state.history[:at]
        key = state.asked_as(call)[0]
        anchor = state.anchor
        if anchor is not None:
            told = (anchor.answers[call.name, key, at][0] for at in anchor.situations.get((call.name, key), ()))
            first = next((answer for answer in told if not answer.is_error), None)
            if first is not None:
                return first.result, _pasts(anchor.calls[: first.at])
        return (self.start[key], ()) if key in self.start else None

    def words(self) -> str:
        moves = {".".join(place): " and ".join(step.words() for step in some) for place, some in self.steps.items()}
        return "; ".join(f"{place or 'the number'} moves {how}" for place, how in moves.items())


def _pasts(calls: Iterable[Recorded]) -> list[Past]:
    return [Past(call.name, call.arguments, call.result) for call in calls if not call.is_error]


def _linked(calls: Iterable[Past], call: ToolCall, dependence: Dependence, kinds: Mapping[str, Kind]) -> Iterator[Past]:
    """The writes among them that the answer to a call depends on."""
    values = linking_values(call.arguments)
    for past in calls:
        if kinds[past.tool].writes:
            written = linking_values([past.arguments, past.result])
            if dependence.matters(past.tool, written, call.name, values):
                yield past


def _difference(first: Iterable[_Write], second: Iterable[_Write]) -> dict[Measure, float]:
    """What is measured of the second writes, less what is of the first."""
    found: Counter[Measure] = Counter()
    for write in second:
        found.update(write.measured)
    for write in first:
        found.subtract(write.measured)
    return {measure: n for measure, n in found.items() if n}


def _at(value: Json, place: Names) -> Json:
    for name in place:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _with(value: Json, place: Names, new: float) -> Json:
    if not place:
        return int(new) if float(new).is_integer() else new
    return {**value, place[0]: _with(value[place[0]], place[1:], new)}


class _Sight(NamedTuple):
    """An answer, and the writes before it that it depends on."""

    conversation: int
    tool: str
    asked: bytes  # digest of the arguments
    result: Json
    writes: Sequence[_Write]


_ZERO = _Sight(-1, "", b"", None, ())


def learn_totals(evidence: Evidence) -> dict[str, TotalsRule]:
    """What moves a number, all tools that show the same records tell together."""
    seen: dict[str, dict[str, list[_Sight]]] = {}  # table, or tool → record, or question → answers
    for at, calls in enumerate(evidence.conversations):
        good = [call for call in calls if not call.is_error]
        writes = _writes_in(_pasts(c for c in good if evidence.writes(c.name)), evidence.sites, evidence.records)
        made = 0
        for call in good:
            done, made = writes[:made], made + evidence.writes(call.name)
            site = evidence.sites.get((call.name, ""))
            # What a write shows of a lasting record is what it does to that.
            if evidence.writes(call.name) and site is not None and site.table in evidence.lasting:
                continue
            if any(is_number(value) for _, value in _leaves(call.result)):
                values = linking_values(call.arguments)
                some = [w for w in done if evidence.dependence.matters(w.tool, w.values, call.name, values)]
                key = key_of(site, call.arguments, call.result) if site and isinstance(call.result, Mapping) else None
                group, of = (site.table, key) if site and key else (call.name, call.key.hex())
                sight = _Sight(at, call.name, call.key, call.result, some)
                seen.setdefault(group, {}).setdefault(of, []).append(sight)
    found: dict[str, TotalsRule] = {}
    for _, records in sorted(seen.items()):
        found |= _rules(list(records.values()))
    return found


def _rules(records: Sequence[Sequence[_Sight]]) -> dict[str, TotalsRule]:
    pairs = spread([pair for sights in records for pair in _pairs(sights)], _MOST_PAIRS)
    alone = spread([(_ZERO, sight) for sights in records for sight in sights], _MOST_PAIRS)
    places = {place for _, second in alone for place, value in _leaves(second.result) if is_number(value)}
    steps = {}
    for place in sorted(places):
        from_zero, left = _steps(place, alone)
        found = from_zero if not left else _steps(place, pairs)[0]
        if found:
            steps[place] = found
    asked: dict[str, dict[bytes, list[_Sight]]] = {}
    for sights in records if steps else ():
        for sight in sights:
            asked.setdefault(sight.tool, {}).setdefault(sight.asked, []).append(sight)
    return {
        tool: TotalsRule(steps, {key: _start(sights, steps) for key, sights in questions.items()})
        for tool, questions in sorted(asked.items())
    }


def _pairs(sights: Sequence[_Sight]) -> Iterator[tuple[_Sight, _Sight]]:
    """Each answer with the one before it in its conversation, else with the one that the fewest writes came before."""
    first = min(sights, key=lambda sight: len(sight.writes))
    last: dict[int, _Sight] = {}
    for sight in sights:
        before = last.get(sight.conversation, first)
        if before is not sight and (before.writes or sight.writes):
            yield before, sight
        last[sight.conversation] = sight


def _steps(place: Names, pairs: Sequence[tuple[_Sight, _Sight]]) -> tuple[tuple[Step, ...], int]:
    """As few steps as explain the most of how the number moved, and how often they do not."""
    left: list[float] = []
    measures: list[Mapping[Measure, float]] = []
    for first, second in pairs:
        was, now = 0 if first is _ZERO else _at(first.result, place), _at(second.result, place)
        if is_number(was) and is_number(now):
            left.append(round(now - was, 6))
            measures.append(_difference(first.writes, second.writes))
    found: list[Step] = []
    while len(found) < _MOST_STEPS and any(left):
        votes = Counter(
            (measure, 1 if (rest > 0) is (n > 0) else -1)
            for rest, measured in zip(left, measures, strict=True)
            for measure, n in measured.items()
            if abs(rest) == abs(n) and rest
        )
        best: Step | None = None
        explained: tuple[int, ...] = (left.count(0) + _MIN_EXAMPLES,)
        after = left
        for (measure, sign), times in votes.items():
            if times >= _MIN_EXAMPLES:
                rest = [round(x - sign * m.get(measure, 0), 6) for x, m in zip(left, measures, strict=True)]
                good = (rest.count(0), _alike(measure, place), -_SIMPLE.index(measure.what), -len(measure.at))
                if good > explained:
                    best, explained, after = Step(measure, sign), good, rest
        if best is None:
            break
        found.append(best)
        left = after
    return tuple(found), len(left) - left.count(0)


def _alike(measure: Measure, place: Names) -> int:
    """How many words of a number's name stand in that of what is counted."""
    counted = {word for name in (measure.of, *measure.at, measure.word) for word in words_of(name)}
    return len(counted.intersection(word for name in place[-1:] for word in words_of(name)))


def _start(sights: Sequence[_Sight], steps: Mapping[Names, Sequence[Step]]) -> Json:
    """What the question was answered, as most conversations were told, before any of their writes."""
    bases = []
    for sight in sights:
        base, measured = sight.result, _difference((), sight.writes)
        for place, some in steps.items():
            by, was = sum(step.sign * measured.get(step.measure, 0) for step in some), _at(base, place)
            base = _with(base, place, was - by) if by and is_number(was) else base
        bases.append(base)
    votes = Counter(map(canonical, bases))
    return max(bases, key=lambda base: votes[canonical(base)])
