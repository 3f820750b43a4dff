"""What is learned from successful conversations, frozen: points, sources of arguments, replies, habits."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from agent_gym.agent.embedded import phrases
from agent_gym.agent.embedded.binding import Binder, flat
from agent_gym.agent.embedded.catalogue import Catalogue
from agent_gym.agent.embedded.leaves import arguments_of, norm_of, words_of
from agent_gym.agent.embedded.lexicon import Lexicon
from agent_gym.agent.embedded.manner import consents
from agent_gym.agent.embedded.parting import Parting
from agent_gym.agent.embedded.points import Memory, Point, points_of
from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.replies import Reply, ReplyBook
from agent_gym.agent.embedded.sayings import OTHER, kinds_of_replies
from agent_gym.agent.embedded.spoken import place_of
from agent_gym.agent.embedded.talk import State, says
from agent_gym.agent.embedded.wishes import Moves, Wishes
from agent_gym.types import Json, Trace

__all__ = ["Record"]

_OFTEN = 0.2  # the share of a question's uses that must lead somewhere to be a question for it
_SAME_WORDS = 0.6  # the share of words from which on two requests for a yes ask the same
_KEPT = 1 << 12  # questions whose meaning is remembered
_SENTENCE = re.compile(r"(?<=[.!?:])\s+")
_Slot = tuple[str, str]  # a tool and one of its arguments


class Record:
    """The record as the proposer reads it."""

    def __init__(
        self, traces: Sequence[Trace], write_tools: frozenset[str], failures: Sequence[Trace] = (), policy: str = ""
    ) -> None:
        """`policy` is what agents were told where the traces do not say."""
        self.policy = policy
        self.catalogue = Catalogue.of([*traces, *failures])
        names = self.catalogue.names
        points = [point for trace in traces for point in points_of(trace, names, policy)]
        self.write_tools = write_tools
        self.memory = Memory(points)
        self.binder = Binder(points, self.catalogue)
        self._names = _name_weights(self.binder.tools)
        self.book = ReplyBook(points, self.catalogue.things())
        self.replies: Mapping[int, Reply] = {n: self.book.reply_of(p) for n, p in enumerate(points) if p.reply}
        self._wordings = tuple(_wording(point.reply) for point in points)
        self.writes_done: tuple[frozenset[str], ...] = tuple(p.state.tools_done & write_tools for p in points)
        self.questions, self.elicits = _questions(points)
        self.confirmations, self._confirmed = _confirmations(points, write_tools, self.elicits)
        self.confirmations = self._with_those_turned_down(self.confirmations)
        self._confirming = _turned(self.confirmations)
        said = self.replies.keys() - self.elicits.keys() - self._confirming.keys()
        self._kinds = kinds_of_replies({number: self._wordings[number] for number in sorted(said)})
        parting = Counter(self._kinds[number] for number in said if points[number].closes)
        self.farewell = min(parting, key=lambda kind: (-parting[kind], kind), default=OTHER)
        self.asked_about = lru_cache(maxsize=_KEPT)(self._asked_about)
        ends = _last_points(points)
        self.parting, self.wishes = Parting(ends), Wishes(ends, self._names, Lexicon(self.catalogue))
        purposes = [self.purposes(number) for number in range(len(points))]
        self.moves = Moves(points, purposes, self.wishes, self.parting, write_tools)
        self._won = _won(points, [point for trace in failures for point in points_of(trace, names, policy)])
        self._asks = _asks(points, self.elicits)

    def _with_those_turned_down(self, asked: Mapping[str, Sequence[int]]) -> Mapping[str, Sequence[int]]:
        """With the requests for a yes that got a no: they are worded as those that got one."""
        known = {number: tool for tool, numbers in asked.items() for number in numbers}
        found = {tool: list(numbers) for tool, numbers in asked.items()}
        for number in self.replies.keys() - known.keys() - self.elicits.keys():
            if "?" in self.memory.points[number].reply:
                likeness, tool = max(((self._alike(number, n), known[n]) for n in sorted(known)), default=(0.0, ""))
                if likeness >= _SAME_WORDS:
                    found[tool].append(number)
        return {tool: tuple(sorted(numbers)) for tool, numbers in found.items()}

    def _alike(self, one: int, other: int) -> float:
        return _shared(self._wordings[one], self._wordings[other])

    def _asked_about(self, text: str) -> frozenset[str]:
        """The writes to which this text asks for a yes, by our own words or the record's."""
        own = frozenset(tool for tool in self.write_tools if phrases.proposes(text, tool))
        words = _wording(text)
        near = max(((_shared(words, self._wordings[n]), n) for n in self._confirming), default=(0.0, -1))
        return own or (self._confirming[near[1]] if "?" in text and near[0] >= _SAME_WORDS else frozenset())

    def wording(self, number: int) -> frozenset[str]:
        """The words of a point's reply, without its values."""
        return self._wordings[number]

    def confirmed_by(self, number: int) -> frozenset[str]:
        """The writes to which customers said yes after the reply of this point."""
        return self._confirming.get(number, frozenset())

    def purposes(self, number: int) -> list[str]:
        """What the move of this point was for."""
        point = self.memory.points[number]
        if point.calls:
            return [f"call {point.calls[0].name}"]
        asked = [f"ask {name}" for name in sorted({path for _, path in self.elicits.get(number, ())})]
        confirmed = [f"confirm {tool}" for tool in sorted(self.confirmed_by(number))]
        return [*asked, *confirmed] or [self._kinds[number]]

    def won(self, event: str, move: str) -> float:
        """How much oftener the move, made after the event, was a success's than a failure's: -1 to 1."""
        return self._won.get((event, move), 0.0)

    def asked_in(self, text: str) -> frozenset[str]:
        """The arguments, by name, that recorded customers gave when asked in these words."""
        return self._asks.get(text, frozenset())

    def named(self, tool: str, state: State) -> float:
        """How much of the tool's name is in what the customer wants, or in what they have just agreed to."""
        text = f"{state.story} {state.asked}" if consents(state.words) else f"{state.story} {state.words}"
        stems = {word[:5] for word in tokens(text)}
        return sum(weight for word, weight in self._names.get(tool, {}).items() if word in stems)

    def confirmed(self, tool: str) -> float:
        """How often successful agents had a yes before they called this tool."""
        return self._confirmed.get(tool, 0.0)


def _wording(text: str) -> frozenset[str]:
    """The words of a text without its values."""
    return frozenset(word for word in tokens(text) if word.isalpha())


def _shared(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / max(1, len(left | right))


def _turned(numbers: Mapping[str, Sequence[int]]) -> Mapping[int, frozenset[str]]:
    turned: dict[int, set[str]] = defaultdict(set)
    for tool, each in numbers.items():
        for number in each:
            turned[number].add(tool)
    return {number: frozenset(tools) for number, tools in turned.items()}


def _last_points(points: Sequence[Point]) -> list[Point]:
    return list({point.conversation_id: point for point in points}.values())


def _won(successes: Sequence[Point], failures: Sequence[Point]) -> Mapping[tuple[str, str], float]:
    """(event, move) → the share of it among successes against that among failures; 0 where failures are few."""
    good, bad = (Counter((point.state.event, point.move) for point in points) for points in (successes, failures))
    events = [Counter(point.state.event for point in points) for points in (successes, failures)]
    rows = {}
    for event, move in sorted(good.keys() | bad.keys()):
        shares = [(moves[event, move] + 0.5) / (n[event] + 1.0) for moves, n in zip((good, bad), events, strict=True)]
        trust = events[1][event] / (events[1][event] + 10.0)
        rows[event, move] = trust * (shares[0] - shares[1]) / (shares[0] + shares[1])
    return rows


def _asks(points: Sequence[Point], elicits: Mapping[int, frozenset[_Slot]]) -> Mapping[str, frozenset[str]]:
    asked: dict[str, set[str]] = defaultdict(set)
    for number, slots in elicits.items():
        asked[points[number].reply.strip()] |= {path for _, path in slots}
    return {text: frozenset(paths) for text, paths in asked.items()}


def _name_weights(tools: frozenset[str]) -> Mapping[str, Mapping[str, float]]:
    """For each tool the words of its name, each weighing less the more tools share it; they sum to 1."""
    words = {tool: list(dict.fromkeys(word[:5] for word in words_of(tool).split())) for tool in sorted(tools)}
    shared = Counter(word for each in words.values() for word in each)
    totals = {tool: sum(1 / shared[word] for word in each) for tool, each in words.items()}
    return {tool: {word: 1 / shared[word] / totals[tool] for word in each} for tool, each in words.items()}


def _reply_before(points: Sequence[Point]) -> Mapping[tuple[str, int], int]:
    """(conversation, place of a customer turn) → the reply the customer answered there."""
    return {(p.conversation_id, p.state.at + 1): n for n, p in enumerate(points) if p.reply and p.answer}


def _questions(points: Sequence[Point]) -> tuple[Mapping[_Slot, Sequence[int]], Mapping[int, frozenset[_Slot]]]:
    """The replies that made customers give each argument, and the arguments each reply made them give."""
    before = _reply_before(points)
    asked: dict[_Slot, list[int]] = defaultdict(list)
    elicited: dict[int, set[_Slot]] = defaultdict(set)
    for point in points:
        for slot, value in _arguments(point):
            place = _first_told(point, value)
            number = before.get((point.conversation_id, place))
            if number is not None:
                asked[slot].append(number)
                elicited[number].add(slot)
    meant = _meant(points, [(number, path) for (_, path), numbers in asked.items() for number in set(numbers)])
    asked = {slot: [n for n in each if (n, slot[1]) in meant] for slot, each in asked.items()}
    elicited = {n: {slot for slot in slots if (n, slot[1]) in meant} for n, slots in elicited.items()}
    return (
        {slot: tuple(dict.fromkeys(numbers)) for slot, numbers in asked.items() if numbers},
        {number: frozenset(slots) for number, slots in elicited.items() if slots},
    )


def _meant(points: Sequence[Point], led: Sequence[tuple[int, str]]) -> set[tuple[int, str]]:
    """Of the replies and what they led to, those of which the question often leads there.

    After "anything else?" a customer may give any value, and agree to anything: that is not what was asked for.
    """
    uses = Counter(_question(point.reply) for point in points if point.reply)
    counts = Counter((_question(points[number].reply), what) for number, what in sorted(set(led)))
    return {
        (n, what)
        for n, what in led
        if counts[_question(points[n].reply), what] >= _OFTEN * uses[_question(points[n].reply)]
    }


def _question(text: str) -> tuple[str, ...]:
    """The last question of a text, or else its last sentence, without the values in it."""
    sentences = _SENTENCE.split(text)
    asked = [sentence for sentence in sentences if "?" in sentence] or sentences
    return tuple(word for word in tokens(asked[-1]) if word.isalpha())


def _arguments(point: Point) -> Iterator[tuple[_Slot, Json]]:
    for call in point.calls:
        for path, value in flat(arguments_of(call)):
            for item in value if isinstance(value, list) else [value]:
                yield (call.name, path), item


def _first_told(point: Point, value: Json) -> int:
    """The place of the customer turn that first gave the value; -1 if a tool did, or nobody."""
    norm = norm_of(value)
    told = next((said.at for said in point.state.said if says(said.value, norm)), -1)
    if told < 0 and isinstance(value, str):
        told = place_of(value, point.state)
    found = next((leaf.at for leaf in point.state.talk.by_norm.get(norm, ()) if leaf.result), None)
    return -1 if found is not None and found < told else told


def _confirmations(
    points: Sequence[Point], write_tools: frozenset[str], elicits: Collection[int]
) -> tuple[Mapping[str, Sequence[int]], Mapping[str, float]]:
    """By tool: the replies to which a customer said yes before it was called, and how often that was so."""
    before = _reply_before(points)
    asked: dict[str, list[int]] = defaultdict(list)
    calls: Counter[str] = Counter()
    confirmed: Counter[str] = Counter()
    for point in points:
        for tool in sorted({call.name for call in point.calls} & write_tools):
            calls[tool] += 1
            number = before.get((point.conversation_id, point.state.turns[-1][0]))
            if consents(point.state.words) and number is not None:
                confirmed[tool] += 1
                asked[tool].append(number)
    meant = {n for n, _ in _meant(points, [(n, "") for numbers in asked.values() for n in set(numbers)])}
    asked = {tool: [n for n in numbers if n in meant and n not in elicits] for tool, numbers in asked.items()}
    return {tool: n for tool, n in asked.items() if n}, {tool: confirmed[tool] / n for tool, n in calls.items()}
