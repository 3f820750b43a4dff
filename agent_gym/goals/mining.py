"""Successful traces in, goals out: what each of them took, and what of it successes have in common."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

from agent_gym.corpus import Corpus
from agent_gym.goals.answers import answers_in
from agent_gym.goals.calls import arguments_of, call_key, leaves, values_of
from agent_gym.goals.deeds import Deeds, cut_off, deeds_in, result_of
from agent_gym.goals.goal import GUESSED, REQUIREMENTS, Goal, GoalSource, is_void, net_changes
from agent_gym.goals.told import QUESTION_MARKS, heard_in
from agent_gym.keeping import Recent
from agent_gym.text import same, tokens, values_in
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.session import ToolSession
from agent_gym.types import Message, ToolCall, Trace, Write

__all__ = ["Goals", "goal_from", "goal_of"]

_FREE_TEXT_WORDS = 5  # shorter arguments are names and codes, and have to be right
_AT_HAND = 8192  # goals that stay worked out
_MATES = 5  # other successes asked what they told; more would not change the answer
# A requirement that fewer than this share of successes meet, held against another success of their own case,
# is no requirement; so many comparisons it takes to say so.
_AGREED, _COMPARISONS = 0.95, 10


class Goals:
    """The goals of a corpus's conversations, each worked out once."""

    def __init__(
        self, corpus: Corpus, mocker: ToolMocker, required: Callable[[], frozenset[str]] | None = None
    ) -> None:
        """`required`: what successes have in common, where it was found out before."""
        self._corpus = corpus
        self._mocker = mocker
        self._required = required
        self._known: dict[str, Goal | None] = Recent(_AT_HAND)
        self._mates: dict[str, Goal] = Recent(_AT_HAND)

    def of(self, trace: Trace) -> Goal | None:
        """The trace's goal, or None where nothing says what it was for: then it cannot be scored."""
        name = trace.conversation_id
        if name in self._known:
            return self._known.get(name)
        found = self._of(trace)
        goal = self._known[name] = found and replace(found, required=self.required)
        return goal

    def has_one(self, trace: Trace) -> bool:
        """Whether the trace has a goal, without working it out."""
        ended_well = self._corpus.endings.get(trace.conversation_id) or bool(self._corpus.successes_of_case(trace))
        return ended_well or (not self._corpus.labelled and not cut_off(trace.messages))

    def declared(self, trace: Trace) -> Goal:
        """The goal of a trace that whoever asks says was a success."""
        return replace(goal_from(trace, self._mocker, "declared"), required=self.required)

    def of_mate(self, trace: Trace) -> Goal:
        """The goal of a success by what it alone shows: whoever is held against it says nothing to it."""
        if trace.conversation_id not in self._mates:
            self._mates[trace.conversation_id] = replace(
                goal_from(trace, self._mocker, "retrieved"), required=self.required
            )
        return self._mates[trace.conversation_id]

    @cached_property
    def required(self) -> frozenset[str]:
        """What successes of one case have in common beside their writes, as far as the train split can tell.

        Some agents hand over whom others help, and both may be right: then neither is asked for.
        """
        if self._required is not None:
            return self._required()
        met: dict[str, list[bool]] = {name: [] for name in REQUIREMENTS}
        for mates in _by_case(self._corpus):
            goals = [goal_from(mate, self._mocker, "own") for mate in mates]
            for goal, mate in permutations(goals, 2):
                if goal.answers or not (goal.writes or mate.writes):
                    deeds = goal.deeds(None, self._corpus[mate.conversation_id].messages)
                    for name, share in goal.shares(deeds).items():
                        if share is not None and name in met:
                            met[name].append(share >= REQUIREMENTS[name])
        return frozenset(
            name for name, found in met.items() if len(found) < _COMPARISONS or sum(found) >= _AGREED * len(found)
        )

    def _of(self, trace: Trace) -> Goal | None:
        mates = self._corpus.successes_of_case(trace)
        if self._corpus.succeeded(trace):
            return goal_from(trace, self._mocker, "own", mates)
        if mates:
            return goal_from(mates[0], self._mocker, "retrieved", mates[1:])
        if not self._corpus.labelled and not cut_off(trace.messages):
            return goal_from(trace, self._mocker, "assumed")
        return None


def goal_of(trace: Trace, mocker: ToolMocker, corpus: Corpus) -> Goal | None:
    """The goal of one trace; for more of a corpus, `Goals` learns once what they have in common."""
    return Goals(corpus, mocker).of(trace)


def goal_from(trace: Trace, mocker: ToolMocker, source: GoalSource, mates: Sequence[Trace] = ()) -> Goal:
    """The goal of a trace taken as a success; `mates`, other successes of the case, say what of it is needed."""
    session = mocker.session(trace)
    for call, answer in trace.calls():
        if answer is not None:
            session.call(call.name, call.arguments)
    own = deeds_in(trace.messages, mocker.write_tools, mocker.end_tools)
    others = [deeds_in(mate.messages, mocker.write_tools, mocker.end_tools) for mate in mates[:_MATES]]
    writes = session.world.writes
    asked = not writes and not own.handed_over  # then what the customer was told is all there is
    news = _news(trace.messages)
    facts, enough = _needed(news, others) if asked else ([], 0)
    goal = Goal(
        trace.conversation_id,
        source,
        writes=tuple(write.call for write in writes),
        facts=tuple(facts),
        news=tuple(fact.norm for fact in news),
        answers=answers_in(trace.messages, own, others),
        hands_over=own.handed_over,
        reads=_common_reads(own, others),
        facts_needed=enough,
        free_text=_free_text(trace.messages, mocker.write_tools),
        write_tools=mocker.write_tools,
        doubtful_tools=mocker.doubtful_tools,
        end_tools=mocker.end_tools,
    )
    keyed = [(goal.key(write.call), write.call) for write in writes]
    goal = replace(goal, overriding={goal.key(w.call): which for w in writes if (which := _record_set(w))})
    return replace(
        goal,
        # A customer who changes their mind is content with what was set last.
        writes=tuple(one[1] for at, one in enumerate(keyed) if not goal.undone(one, keyed[at + 1 :])),
        changes=net_changes(session.world),
        records_known=all(goal.shows_effect(write) for write in writes),
        repeatable=frozenset(goal.key(write.call) for write in writes if _sets(write, session)),
    )


def _record_set(write: Write) -> tuple[str, ...]:
    """The arguments that name the one record which a write sets to all its others; none for any other write.

    What adds to a record, pays or sends leaves more behind than the fields it was given.
    """
    keys, given = {change.key for change in write.changes}, arguments_of(write.call)
    which = tuple(name for name, value in given.items() if keys == {str(value)})
    rest = [value for name, value in given.items() if name not in which]
    is_set = all(any(same(value, change.after) for change in write.changes) for value in rest)
    return which if rest and is_set and write.answer.source not in GUESSED else ()


def _by_case(corpus: Corpus) -> Iterator[Sequence[Trace]]:
    """Successes of the train split that share a case with another, a few of each case."""
    cases: dict[str, list[Trace]] = {}
    for trace in corpus.successes:
        cases.setdefault(corpus.case(trace), []).append(trace)
    return (traces[:_MATES] for traces in cases.values() if len(traces) > 1)


def _sets(write: Write, session: ToolSession) -> bool:
    """Whether the write sets fields to what it was given, so that making it again at the end changes nothing.

    A write that adds to something, or whose arguments no record shows, may do so once more.
    """
    shown = {text for change in write.changes for text in (change.key, *leaves(change.after))}
    if not shown.issuperset(leaves(write.call.arguments)):
        return False
    again = session.fork()
    before = len(again.world.writes)
    answer = again.call(write.call.name, write.call.arguments)
    made = again.world.writes[before:]
    return bool(made) and answer.source not in GUESSED and all(not write.changes or is_void(write) for write in made)


def _common_reads(own: Deeds, others: Sequence[Deeds]) -> tuple[ToolCall, ...]:
    """What every success of the case looked up; where they share no look-up, what this one did."""
    found = [{call_key(call) for call in other.reads} for other in others]
    return tuple(call for call in own.reads if all(call_key(call) in keys for keys in found)) or own.reads


@dataclass(frozen=True, slots=True)
class _Fact:
    """A value the agent told that nobody had given to it."""

    norm: str
    found: bool  # in a tool's result; else worked out, or made up
    asked: bool  # first told in answer to a question


def _needed(news: Iterable[_Fact], others: Sequence[Deeds]) -> tuple[list[str], int]:
    """The facts that a customer who only asked came for, and how many of them are enough."""
    found = [fact for fact in news if fact.found]
    if others:
        common = [fact.norm for fact in found if all(fact.norm in other.told for other in others)]
        return common, math.ceil(len(common) / 3)
    # Said by the only success there is, a fact may be chance, unless it was the answer to a question.
    answers = [fact.norm for fact in found if fact.asked] or [fact.norm for fact in found]
    return answers, min(1, len(answers))


def _news(messages: Sequence[Message]) -> list[_Fact]:
    """What the agent told that is neither from the customer nor handed to a tool: those are means to the end.

    A conversation without any tool has nothing to find out from: there, what the agent says is the fact.
    """
    has_results = any(message.role == "tool" for message in messages)
    said = {norm for m in messages for call in m.tool_calls for norm in values_of(call.arguments)}
    found: set[str] = set()
    news: dict[str, _Fact] = {}
    heard = frozenset(heard_in(messages))
    asked = False
    for i, message in enumerate(messages):
        if message.role == "user":
            said |= {value.norm for value in values_in(message.text)}
            asked = any(mark in message.text for mark in QUESTION_MARKS)
        elif message.role == "tool":
            found |= values_of(result_of(message))
        elif i in heard:
            for value in values_in(message.text):
                # A digit alone numbers a list as often as it tells something.
                if value.kind != "name" and len(value.norm) > 1 and value.norm not in said:
                    known = value.norm in found or not has_results
                    news.setdefault(value.norm, _Fact(value.norm, known, asked or not has_results))
    return list(news.values())


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
        heard |= set(tokens(message.text if message.role != "tool" else " ".join(leaves(result_of(message)))))
    return frozenset(found)
