"""What to hold a conversation against: the success named, or the successes most like it, and their goals."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from agent_gym.corpus import Corpus
from agent_gym.errors import UnscorableError
from agent_gym.goals import Deeds, Goal, Goals, arguments_of, cut_off, deeds_in, leaves
from agent_gym.keeping import Recent
from agent_gym.reward.conversation import Conversation, look_at
from agent_gym.reward.customers import are_strangers, customer_marks, customer_words
from agent_gym.reward.customs import Customs, customs_of
from agent_gym.reward.stored import KeptReward
from agent_gym.reward.success import Success
from agent_gym.text import TextIndex, parsed
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json, Message, ToolCall, Trace, TraceLike, WorldView

__all__ = ["References", "in_general"]

_NEAREST = 3
_AT_HAND = 1024  # successes that stay looked into
_GOALS_AT_HAND = 8192  # and goals as another customer would have them
_LIKELY = 24  # among so many of the nearest, three are mostly of other customers
_UNLIKE = 0.1  # less alike than this, two customers want different things
_BLANK = "…"


class References:
    """The successes of the train split, found by id or by what their customers said."""

    def __init__(self, corpus: Corpus, mocker: ToolMocker, kept: KeptReward | None = None) -> None:
        self._corpus = corpus
        self._mocker = mocker
        self._kept = kept
        self.goals = Goals(corpus, mocker, (lambda: kept.learned.required) if kept is not None else None)
        self._last: tuple[Trace, Goal] | None = None
        self._known: dict[str, Success] = Recent(_AT_HAND)
        self._general: dict[str, Goal] = Recent(_GOALS_AT_HAND)

    def held_against(
        self, messages: Sequence[Message], reference: TraceLike | str | None, world: WorldView | None
    ) -> list[Conversation]:
        """The conversation beside every success it may be compared with; the best comparison counts."""
        if reference is None:
            return self._beside_the_nearest(messages, world)
        if isinstance(reference, str):
            goal = self._goal(self._corpus[reference])
            trace = self._corpus[goal.conversation_id]
        else:
            trace, goal = self._declared(reference)
        talk = self._look_at(messages, goal, trace, world)
        return [in_general(talk) if self.of_strangers(messages, trace) else talk]

    def nearest(self, text: str) -> list[Trace]:
        """The successes whose customers said things most like the text."""
        found = self.index.nearest(text, _NEAREST + 1)
        return [self.successes[i] for i, alike in found if alike >= _UNLIKE]

    def elsewhere(self, messages: Sequence[Message], hidden: Callable[[Trace], bool]) -> list[Conversation]:
        """The conversation beside the nearest successes that are not hidden, each taken as another customer's case.

        However far they are: what is learned there must not leave out the conversations that are like no other.
        """
        known: list[Trace] = []
        for looked_at in (_LIKELY, len(self.successes)):  # hardly ever are all of them needed
            found = self.index.nearest(customer_words(messages), looked_at)
            near = (self.successes[i] for i, _ in found)
            known = list(islice((trace for trace in near if not hidden(trace)), _NEAREST))
            if len(known) == _NEAREST:
                break
        own = deeds_in(messages, self._mocker.write_tools, self._mocker.end_tools)
        deeds = _deeds_of_anybody(own, _given(messages))
        return [
            Conversation(tuple(messages), deeds, self._goal_of_anybody(trace), self._success(trace), self.customs)
            for trace in known
        ]

    def of_strangers(self, messages: Sequence[Message], success: Trace) -> bool:
        """Whether the success is another customer's: names of cases are used twice, and references mistaken."""
        return are_strangers(messages, success.messages, self._success(success).marks)

    def beside_mate(self, messages: Sequence[Message], mate: Trace) -> Conversation:
        """The conversation beside another success of its case, by what that one alone shows."""
        return self._look_at(messages, self.goals.of_mate(mate), mate)

    def _look_at(
        self, messages: Sequence[Message], goal: Goal, trace: Trace, world: WorldView | None = None
    ) -> Conversation:
        return look_at(messages, goal, self._success(trace), world, self.customs)

    def _success(self, trace: Trace) -> Success:
        known = self._known.get(trace.conversation_id)
        if known is None or known.trace is not trace:  # references from outside may bear any name
            known = self._known[trace.conversation_id] = Success(trace)
        return known

    def _goal(self, trace: Trace) -> Goal:
        goal = self.goals.of(trace)
        if goal is None:
            raise UnscorableError(
                f"conversation {trace.conversation_id!r} did not succeed, and no success of its case is known; "
                "name another reference"
            )
        return goal

    def _goal_of_anybody(self, trace: Trace) -> Goal:
        name = trace.conversation_id
        goal = self._general.get(name)
        if goal is None:
            goal = self._general[name] = _goal_of_anybody(self._goal(trace), _given(trace.messages))
        return goal

    def _declared(self, reference: TraceLike) -> tuple[Trace, Goal]:
        """A trace given as a success, and its goal; the last one is remembered, for many are held against one."""
        last = self._last
        if last is not None and last[0] is reference:
            return last
        given = reference if isinstance(reference, Trace) else {"conversation_id": "reference", **reference}
        trace = Trace.of(given)
        if self._corpus.succeeded(trace) is False:
            raise UnscorableError(f"the reference {trace.conversation_id!r} failed; give one that succeeded")
        found = (trace, self.goals.declared(trace))
        self._last = found
        return found

    @cached_property
    def successes(self) -> Sequence[Trace]:
        if self._corpus.labelled:
            return self._corpus.successes
        if self._kept is not None:
            return self._corpus.those(self._kept.learned.taken_as_successes)
        return tuple(trace for trace in self._corpus.train if not cut_off(trace.messages))

    @cached_property
    def customs(self) -> Customs:
        if self._kept is not None:
            return self._kept.learned.customs
        return customs_of(self.successes, self._mocker.write_tools)

    @cached_property
    def index(self) -> TextIndex:
        if self._kept is not None:
            return self._kept.index
        return TextIndex(customer_words(trace.messages) for trace in self.successes)

    def _beside_the_nearest(self, messages: Sequence[Message], world: WorldView | None) -> list[Conversation]:
        words = [(message.role, message.text) for message in messages]
        near = [
            trace
            for trace in self.nearest(customer_words(messages))
            if [(message.role, message.text) for message in trace.messages] != words  # never itself
        ][:_NEAREST]
        if not near:
            raise UnscorableError(
                "no successful conversation is like this one; pass reference=, a conversation id or a trace"
            )
        return [self._beside(messages, trace, world) for trace in near]

    def _beside(self, messages: Sequence[Message], trace: Trace, world: WorldView | None) -> Conversation:
        talk = self._look_at(messages, self._goal(trace), trace, world)
        if customer_marks(messages).all & talk.reference.marks.all:
            return talk
        return in_general(talk)


Given = tuple[str, frozenset[str]]  # what the customer said, and every scalar the tools showed


def in_general(talk: Conversation) -> Conversation:
    """The comparison with another customer's case: what was done, whoever's records it was done to."""
    return replace(
        talk,
        goal=_goal_of_anybody(talk.goal, _given(talk.reference.messages)),
        deeds=_deeds_of_anybody(talk.deeds, _given(talk.messages)),
    )


def _goal_of_anybody(goal: Goal, given: Given) -> Goal:
    return replace(
        goal,
        goal_source="other_case",
        writes=_blanked(goal.writes, given),
        reads=_blanked(goal.reads, given),
        changes={},
        records_known=False,
        facts=(),
        facts_needed=0,
        answers={},
    )


def _deeds_of_anybody(deeds: Deeds, given: Given) -> Deeds:
    return replace(deeds, writes=_blanked(deeds.writes, given), reads=_blanked(deeds.reads, given), changes=None)


def _given(messages: Iterable[Message]) -> Given:
    messages = list(messages)
    shown = {text.lower() for m in messages if m.role == "tool" for text in leaves(m.result)}
    return customer_words(messages).lower(), frozenset(shown)


def _blanked(calls: Iterable[ToolCall], given: Given) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(call.name, _blank(arguments_of(call), given)) for call in calls)


def _blank(value: Json, given: Given) -> Json:
    value = parsed(value)
    if isinstance(value, Mapping):
        return {name: _blank(inner, given) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        # How many things it was done to is the other customer's business too.
        return sorted({str(_blank(inner, given)) for inner in value})
    text = str(value).lower()
    return _BLANK if text in given[1] or text in given[0] else value
