"""One episode's tools: calls in, answers out, state that changes when a call writes.

Each tool tries its rules in the order that they have earned on it (`precision`) and takes the first that knows. How
far a session may go is the caller's choice: an answer counts only if its label is among those up to the caller's last
one, in the order of `BY_SURETY`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, Self

from agent_gym.errors import OptionError
from agent_gym.tool_mocker.faults import Injector
from agent_gym.tool_mocker.log import copied
from agent_gym.tool_mocker.rules.invalid import malformed
from agent_gym.tool_mocker.rules.neighbour import Alike
from agent_gym.tool_mocker.rules.recorded import HereRule
from agent_gym.tool_mocker.rules.remote import Remote
from agent_gym.tool_mocker.state import MADE_UP, Anchor, State
from agent_gym.tool_mocker.world import World
from agent_gym.types import Json, Source, ToolAnswer, ToolCall, WorldView

__all__ = ["BY_SURETY", "Answered", "ToolSession"]

BY_SURETY: tuple[Source, ...] = (
    "recorded",
    "state",
    "function",
    "rule",
    "effect",
    "query",
    "not_found",
    "neighbour",
    "llm",
)
_ALWAYS: frozenset[Source] = frozenset({"invalid", "unknown"})
_OF_ANYTHING: frozenset[Source] = frozenset({"recorded", "not_found", "invalid"})  # whatever the call names
_NOT_RATED: frozenset[Source] = frozenset({"unknown", "llm"})


class Answered(NamedTuple):
    """An answer, and the rule that gave it."""

    answer: ToolAnswer
    rule: str


class ToolSession:
    """Tools with the state of one episode. Sessions share the world and nothing else."""

    __slots__ = ("_injector", "_remote", "_sources", "_state")

    def __init__(
        self,
        world: World,
        alike: Alike,
        anchor: Anchor | None = None,
        seed: int = 0,
        *,
        max_rung: str = "neighbour",
        remote: Remote | None = None,
        injector: Injector | None = None,
    ) -> None:
        self._state = State(world, alike, anchor, seed)
        self._sources = _up_to(max_rung, has_model=remote is not None)
        self._remote = remote if max_rung == "llm" else None
        self._injector = injector

    def __call__(self, name: str, arguments: Mapping[str, Json] | None = None) -> Json:
        return self.call(name, arguments).result

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> ToolAnswer:
        """The tool's answer with its provenance. A wrong call is answered with an error, never raised."""
        call = ToolCall(name, {} if arguments is None else arguments)
        fault = self._injector.strike(call, self._state) if self._injector else None
        if fault is not None and fault.answer is not None:
            return fault.answer  # the call came to nothing: the state is as it was
        answer, _ = self._answered(call)
        self._state.remember(call, answer)
        return answer if fault is None else replace(answer, latency=fault.latency)

    @property
    def world(self) -> WorldView:
        return self._state

    def fork(self) -> Self:
        """An independent copy of this session as it is now."""
        twin = object.__new__(type(self))
        twin._state = self._state.copy()
        twin._sources = self._sources
        twin._remote = self._remote.copy() if self._remote else None
        twin._injector = self._injector.copy() if self._injector else None
        return twin

    def _answered(self, call: ToolCall) -> Answered:
        state = self._state
        own = self._of_anchor(call)
        if own is not None:
            return Answered(replace(own, result=copied(own.result), confidence=1.0), "recorded here")
        wrong = malformed(call, state)
        if wrong is not None:
            return Answered(wrong, "invalid")
        for name, rule in state.tool(call.name).rules.items():
            answer = rule.answer(call, state) if name != "neighbour" or self._remote is None else None
            if answer is not None:
                rated = self._rated(call, answer, name)
                if rated.source in self._sources:
                    return Answered(rated, name)
        if self._remote is not None:
            # The model is shown the neighbours: what it makes of them is better than any one of them.
            return Answered(self._remote.answer(call, state), "llm")
        reason = f"no recorded behaviour of {call.name} for these arguments"
        return Answered(ToolAnswer({"error": reason}, True, "unknown"), "unknown")

    def _of_anchor(self, call: ToolCall) -> ToolAnswer | None:
        """The anchor's next answer as long as its path is gone; of a tool that the world does not know, any of them."""
        arguments: Json = call.arguments  # an agent may send anything
        recorded = self._state.next_recorded(call) if isinstance(arguments, Mapping) else None
        if recorded is not None:
            return ToolAnswer(recorded.raw, recorded.is_error, "recorded", 1.0, (recorded.conversation_id,))
        if call.name in self._state.world.tools or not isinstance(arguments, Mapping):
            return None
        return HereRule().answer(call, self._state)

    def _rated(self, call: ToolCall, answer: ToolAnswer, rule: str) -> ToolAnswer:
        """The answer with the confidence that its rule has earned, and as a guess where that is not enough.

        Its result is a copy: whoever changes it changes neither the record nor another session.
        """
        result = copied(answer.result)
        if answer.confidence or answer.source in _NOT_RATED:
            return replace(answer, result=result)
        earned = self._state.world.precision.of_rule(call.name, rule, touched=bool(self._state.asked_as(call)[1]))
        guess = self._state.guess_behind(call, answer.result)
        if guess is not None:
            confidence = min(earned.share, guess.confidence)
            rests_on = answer.evidence or guess.evidence
            return replace(answer, result=result, confidence=confidence, source=guess.source, evidence=rests_on)
        if answer.source not in _OF_ANYTHING and self._state.is_off_the_record(call):
            # What the rule has earned, it has earned on other calls.
            poor = min(earned.share, self._state.world.precision.priors["neighbour"])
            return replace(answer, result=result, confidence=poor, source="neighbour")
        source: Source = answer.source if earned.is_sure else "neighbour"
        return replace(answer, result=result, confidence=earned.share, source=source)


def _up_to(max_rung: str, *, has_model: bool) -> frozenset[Source]:
    """The labels that a session may give, down to `max_rung`; "llm" needs a model to ask, which replaces a guess."""
    last = next((at for at, source in enumerate(BY_SURETY) if source == max_rung), None)
    if last is None:
        raise OptionError("max_rung", max_rung, BY_SURETY)
    if max_rung == "llm" and not has_model:
        raise OptionError("max_rung", max_rung, BY_SURETY[:-1], why="needs a model=… to ask")
    sources = _ALWAYS.union(BY_SURETY[: last + 1])
    return sources - MADE_UP | {"llm"} if max_rung == "llm" else sources
