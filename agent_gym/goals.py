"""What a conversation was for: a successful trace in, the end state and the facts it took out.

Goals come from successes alone. A success is its own goal; a failure borrows the goal of a success of the
same case; a conversation with neither has none. Where no conversation of the corpus says how it ended,
each one that was not cut off is taken as a success, and its goal says `assumed`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from agent_gym.corpus import Corpus, succeeded
from agent_gym.text import canonical, parsed, same, tokens, values_in
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.recorded import is_refusal
from agent_gym.types import Json, Message, ToolCall, Trace, WorldView, Write, paired_calls

__all__ = [
    "READS_NEEDED",
    "Deeds",
    "Goal",
    "GoalSource",
    "arguments_of",
    "call_key",
    "cut_off",
    "goal_from",
    "goal_of",
    "leaves",
    "values_of",
]

GoalSource = Literal[
    "own",  # of the success itself
    "assumed",  # of a conversation nobody labelled, in a corpus without labels
    "retrieved",  # of another success of the same case
    "other_case",  # of a similar success of another customer, their values left open
    "declared",  # given by whoever asks
]
Place = tuple[str, str, str]  # table, key, path

# Another success asks its way through other reads: this share of the reference's reads is common ground.
READS_NEEDED = 0.4
_FREE_TEXT_WORDS = 5  # shorter arguments are names and codes, and have to be right
_MATES = 5  # other successes asked what they told; more would not change the answer
_GUESSED = frozenset({"neighbour", "llm", "injected", "unknown"})  # answers that prove nothing


@dataclass(frozen=True, slots=True)
class Deeds:
    """What an agent did in a conversation. `changes` is None where not every write shows its effect."""

    writes: tuple[ToolCall, ...]  # successful, in order, repeats included
    reads: tuple[ToolCall, ...]
    handed_over: bool
    told: frozenset[str]  # Value.norm of everything in the agent's words that the customer had not said
    changes: Mapping[Place, Json] | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """What has to be true in the end. `facts_needed` of the `facts` are enough: wordings differ, truth does not."""

    conversation_id: str
    goal_source: GoalSource = "declared"
    changes: Mapping[Place, Json] = field(default_factory=dict)
    writes: tuple[ToolCall, ...] = ()
    facts: tuple[str, ...] = ()
    hands_over: bool = False
    reads: tuple[ToolCall, ...] = ()
    facts_needed: int = 0
    records_known: bool = False  # `changes` holds the effect of every write
    free_text: frozenset[tuple[str, str]] = frozenset()  # (tool, argument) that each agent words its own way
    write_tools: frozenset[str] = frozenset()
    end_tools: frozenset[str] = frozenset()

    @property
    def checkable(self) -> bool:
        """Whether anything can be told from; if not, the goal never holds."""
        return bool(self.writes or self.facts_needed or self.hands_over or self.reads)

    def holds(self, world: WorldView | None, messages: Sequence[Message]) -> bool:
        return self.reached(self.deeds(world, messages))

    def progress(self, world: WorldView | None, messages: Sequence[Message]) -> float:
        """How much of what is required is there, in [0, 1]; 0 before anything is done."""
        shares = self.shares(self.deeds(world, messages)).values()
        known = [share for share in shares if share is not None]
        return sum(known) / len(known) if known else 0.0

    def deeds(self, world: WorldView | None, messages: Sequence[Message]) -> Deeds:
        """What was done: the writes by the world where there is one, else by the results in the messages."""
        found = _deeds(messages, self.write_tools, self.end_tools)
        if world is None:
            return found
        writes = [write for write in world.writes if not _is_void(write)]
        known = all(self._shows_effect(write) for write in writes)
        changes = _net_changes(world) if known else None
        return replace(found, writes=tuple(write.call for write in writes), changes=changes)

    def reached(self, deeds: Deeds) -> bool:
        shares = self.shares(deeds)
        needed = {"end_state": 1.0, "facts": 1.0, "hand_over": 1.0, "reads": READS_NEEDED}
        return self.checkable and all(share >= needed[name] for name, share in shares.items() if share is not None)

    def shares(self, deeds: Deeds) -> dict[str, float | None]:
        """How much of each requirement is there; None where it does not apply.

        Writes decide alone: successes that wrote the same agree on little else. Without writes it is what was
        told, looked up and handed over that tells help from doing nothing.
        """
        if self.writes:
            return {"end_state": self.end_state(deeds), "facts": None, "hand_over": None, "reads": None}
        return {
            "end_state": 0.0 if deeds.writes else None,
            "facts": self._facts_share(deeds) if self.facts_needed else None,
            "hand_over": float(deeds.handed_over == self.hands_over) if deeds.handed_over or self.hands_over else None,
            "reads": self._reads_share(deeds) if self.reads else None,
        }

    def end_state(self, deeds: Deeds) -> float:
        """1.0 where the end state is the required one, else how near it is, needless writes counted against it."""
        missing, needless = self.missing(deeds), self.needless(deeds)
        if not missing and not needless:
            return 1.0
        if self.records_known and deeds.changes is not None and not self.repeated(deeds):
            return _fields_share(self.changes, deeds.changes)
        wanted = self.distinct_writes
        near = sum(0.5 * max((_likeness(call, other) for other in needless), default=0.0) for call in missing)
        there = wanted - len(missing) + near
        return min(0.99, there / (wanted + max(0, len(needless) - len(missing))))

    def missing(self, deeds: Deeds) -> list[ToolCall]:
        """The required writes that were not made."""
        made = set(self._keys(deeds.writes))
        return list({key: call for call in self.writes if (key := self._key(call)) not in made}.values())

    def needless(self, deeds: Deeds) -> list[ToolCall]:
        """The writes made that the goal has not, repeats among them: a refund given twice is no success."""
        wanted = set(self._keys(self.writes))
        return [call for call in deeds.writes if self._key(call) not in wanted] + self.repeated(deeds)

    def repeated(self, deeds: Deeds) -> list[ToolCall]:
        """Required writes made more often than the reference made them."""
        allowed, found = Counter(self._keys(self.writes)), []
        for call in deeds.writes:
            key = self._key(call)
            if key in allowed:
                allowed[key] -= 1
                if allowed[key] < 0:
                    found.append(call)
        return found

    @property
    def distinct_writes(self) -> int:
        return len(set(self._keys(self.writes)))

    def facts_told(self, deeds: Deeds) -> list[str]:
        return [fact for fact in self.facts if fact in deeds.told]

    def _facts_share(self, deeds: Deeds) -> float:
        return min(1.0, len(self.facts_told(deeds)) / self.facts_needed)

    def _reads_share(self, deeds: Deeds) -> float:
        made = set(self._keys(deeds.reads))
        credit = [1.0 if self._key(call) in made else 0.5 * _resembles(call, deeds.reads) for call in self.reads]
        return sum(credit) / len(credit)

    def _shows_effect(self, write: Write) -> bool:
        """Whether the change a write shows tells all of its arguments: a sum paid that no record shows does not."""
        if not write.changes or write.answer.source in _GUESSED:
            return False
        shown = {text for change in write.changes for text in (change.key, *leaves(change.after))}
        known = {text for call in self.writes if call.name == write.call.name for text in leaves(call.arguments)}
        return shown | known >= set(leaves(write.call.arguments))

    def _key(self, call: ToolCall) -> bytes:
        return call_key(call, self.free_text)

    def _keys(self, calls: Iterable[ToolCall]) -> list[bytes]:
        return [self._key(call) for call in calls]


def goal_of(trace: Trace, mocker: ToolMocker, corpus: Corpus) -> Goal | None:
    """The trace's goal, or None where nothing says what it was for: then it cannot be scored."""
    mates = corpus.successes_of_case(trace)
    if succeeded(trace):
        return goal_from(trace, mocker, "own", mates)
    if mates:
        return goal_from(mates[0], mocker, "retrieved", mates[1:])
    if not corpus.labelled and not cut_off(trace.messages):
        return goal_from(trace, mocker, "assumed")
    return None


def goal_from(trace: Trace, mocker: ToolMocker, source: GoalSource, mates: Sequence[Trace] = ()) -> Goal:
    """The goal of a trace taken as a success; `mates`, other successes of the case, say what of it is needed."""
    session = mocker.session(trace)
    for call, answer in trace.calls():
        if answer is not None:
            session.call(call.name, call.arguments)
    own = _deeds(trace.messages, mocker.write_tools, mocker.end_tools)
    asked = not session.world.writes and not own.handed_over  # then what the customer was told is all there is
    facts = _facts(trace.messages, mocker.write_tools)
    for mate in mates[:_MATES] if asked else ():
        told = _told(mate.messages)
        facts = [fact for fact in facts if fact in told]
    # Said by every success, a fact matters; said by the only one there is, it may be chance.
    enough = math.ceil(len(facts) / 3) if mates else min(1, len(facts))
    goal = Goal(
        trace.conversation_id,
        source,
        writes=tuple(write.call for write in session.world.writes),
        facts=tuple(facts),
        hands_over=own.handed_over,
        reads=own.reads,
        facts_needed=enough if asked else 0,
        free_text=_free_text(trace.messages, mocker.write_tools),
        write_tools=mocker.write_tools,
        end_tools=mocker.end_tools,
    )
    known = all(goal._shows_effect(write) for write in session.world.writes)
    return replace(goal, changes=_net_changes(session.world), records_known=known)


def call_key(call: ToolCall, free_text: frozenset[tuple[str, str]] = frozenset()) -> bytes:
    """What makes two calls the same call: the tool and its arguments, but not the order within lists.

    Lists of one length are taken as columns of a table, so that items keep their partners.
    """
    arguments = {name: value for name, value in arguments_of(call).items() if (call.name, name) not in free_text}
    columns: dict[int, list[str]] = {}
    for name, value in sorted(arguments.items()):
        if isinstance(value, list | tuple) and len(value) > 1:
            columns.setdefault(len(value), []).append(name)
    for names in columns.values():
        rows = sorted(zip(*(arguments[name] for name in names), strict=True), key=canonical)
        arguments |= {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    return canonical([call.name, arguments])


def arguments_of(call: ToolCall) -> Mapping[str, Json]:
    """The arguments by name, for agents and logs that send JSON text, or anything at all."""
    given = parsed(call.arguments)
    return given if isinstance(given, Mapping) else {"": given}


def cut_off(messages: Sequence[Message]) -> bool:
    """Whether a conversation breaks off: no reply at all, or a tool was asked and nobody spoke again."""
    if not any(message.role == "assistant" for message in messages):
        return True
    last = next(message for message in reversed(messages) if message.role != "system")
    return last.role == "tool" or (bool(last.tool_calls) and not last.text)


def leaves(value: Json) -> Iterator[str]:
    """The scalars of a JSON value as text, numbers in one form."""
    value = parsed(value)
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, float):
        yield f"{value:.10g}"
    elif value is not None and value != "":
        yield str(value)


def values_of(result: Json) -> set[str]:
    """Value.norm of everything a tool result holds, in its texts and by itself."""
    found = set()
    for text in leaves(result):
        found.add(text.lower().lstrip("#"))
        found |= {value.norm for value in values_in(text)}
    return found


def _deeds(messages: Sequence[Message], write_tools: frozenset[str], end_tools: frozenset[str]) -> Deeds:
    writes, reads, handed_over = [], [], False
    for call, answer in paired_calls(messages):
        if call.name in end_tools:
            handed_over = True
        elif answer is None or answer.is_error or is_refusal(_result(answer)):
            continue
        elif call.name in write_tools:
            writes.append(call)
        else:
            reads.append(call)
    return Deeds(tuple(writes), tuple(reads), handed_over, _told(messages))


def _told(messages: Sequence[Message]) -> frozenset[str]:
    """What the agent told; to give back what the customer has said is to tell nothing."""
    heard, said, told = _heard(messages), set[str](), set[str]()
    for i, message in enumerate(messages):
        if message.role == "user":
            said |= {value.norm for value in values_in(message.text)}
        elif i in heard:
            told |= {value.norm for value in values_in(message.text)} - said
    return frozenset(told)


def _heard(messages: Sequence[Message]) -> frozenset[int]:
    """The places of the agent's words that the customer heard.

    Words beside tool calls are not delivered; they count only in a turn without any other, as in logs that
    keep a reply and a call in one message.
    """
    heard: set[int] = set()
    plain: list[int] = []
    aside: list[int] = []
    for place, message in enumerate((*messages, Message("user"))):
        if message.role == "user":
            heard.update(plain or aside)
            plain, aside = [], []
        elif message.role == "assistant" and message.text.strip():
            (aside if message.tool_calls else plain).append(place)
    return frozenset(heard)


def _result(answer: Message) -> Json:
    return parsed(answer.result if answer.result is not None else answer.content)


def _facts(messages: Sequence[Message], write_tools: frozenset[str]) -> list[str]:
    """What the agent found out and told: in tool results, not from the customer, after the last write.

    A conversation without any tool has nothing to find out from: there, what the agent says is the fact.
    """
    has_results = any(message.role == "tool" for message in messages)
    wrote = [i for i, m in enumerate(messages) if any(call.name in write_tools for call in m.tool_calls)]
    # What the agent hands to a tool, or the customer says, is a means to the end and no news.
    said = {norm for m in messages for call in m.tool_calls for norm in values_of(call.arguments)}
    found: set[str] = set()
    facts: dict[str, None] = {}
    heard = _heard(messages)
    for i, message in enumerate(messages):
        if message.role == "user":
            said |= {value.norm for value in values_in(message.text)}
        elif message.role == "tool":
            found |= values_of(_result(message))
        elif i in heard and (not wrote or i > wrote[-1]):
            # A digit alone numbers a list as often as it tells something.
            news = [v.norm for v in values_in(message.text) if v.kind != "name" and len(v.norm) > 1]
            facts |= dict.fromkeys(n for n in news if n not in said and (n in found or not has_results))
    return list(facts)


def _free_text(messages: Sequence[Message], write_tools: frozenset[str]) -> frozenset[tuple[str, str]]:
    """The arguments of writes that the agent worded itself: long, and in words that nobody had said before."""
    heard: set[str] = set()
    found: set[tuple[str, str]] = set()
    for message in messages:
        for call in message.tool_calls:
            if call.name in write_tools:
                found |= {
                    (call.name, name)
                    for name, value in arguments_of(call).items()
                    if isinstance(value, str)
                    and len(value.split()) >= _FREE_TEXT_WORDS
                    and not heard.issuperset(tokens(value))
                }
        heard |= set(tokens(message.text if message.role != "tool" else " ".join(leaves(_result(message)))))
    return frozenset(found)


def _is_void(write: Write) -> bool:
    """A write that left everything as it was."""
    return bool(write.changes) and all(same(change.before, change.after) for change in write.changes)


def _net_changes(world: WorldView) -> dict[Place, Json]:
    """What differs from the start, without what was changed and changed back."""
    before: dict[Place, Json] = {}
    for write in world.writes:
        for change in write.changes:
            before.setdefault((change.table, change.key, change.path), change.before)
    return {
        place: value
        for place, value in world.changes().items()
        if place not in before or not same(before[place], value)
    }


def _fields_share(wanted: Mapping[Place, Json], found: Mapping[Place, Json]) -> float:
    right = sum(place in found and same(value, found[place]) for place, value in wanted.items())
    return right / (len(wanted.keys() | found.keys()) or 1)


def _likeness(call: ToolCall, other: ToolCall) -> float:
    """The share of arguments two calls of one tool have in common."""
    if call.name != other.name:
        return 0.0
    mine, theirs = arguments_of(call), arguments_of(other)
    alike = sum(same(mine[name], theirs[name]) for name in mine.keys() & theirs.keys())
    return alike / (len(mine.keys() | theirs.keys()) or 1)


def _resembles(call: ToolCall, others: Iterable[ToolCall]) -> bool:
    """Whether one of the calls asked the same tool about something in common."""
    return any(call.name == other.name and _shares_an_argument(call, other) for other in others)


def _shares_an_argument(call: ToolCall, other: ToolCall) -> bool:
    mine, theirs = arguments_of(call), arguments_of(other)
    return not mine or any(same(mine[name], theirs[name]) for name in mine.keys() & theirs.keys())
