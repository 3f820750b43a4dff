"""A wish for faults in, seeded faults out: what an agent should learn to survive, never part of the mined world.

A fault strikes before the service: the request did not reach it, so a write that failed so has not happened,
nothing is remembered of the call, and trying again may succeed.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Self, get_args

from agent_gym.errors import OptionError
from agent_gym.text import digest
from agent_gym.tool_mocker.mining.wordings import FailureKind
from agent_gym.tool_mocker.patch import substituted, substitutions
from agent_gym.tool_mocker.view import View
from agent_gym.tool_mocker.world import ToolModel
from agent_gym.types import Json, ToolAnswer, ToolCall

__all__ = ["Fault", "FaultKind", "Faults", "Injector"]

FaultKind = Literal[FailureKind, "empty", "slow"]
_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

_PLAIN_WORDS: Mapping[FailureKind, str] = {
    "timeout": "the request timed out before it reached the service; it was not carried out",
    "rate_limit": "429 too many requests; try again later",
    "server_error": "500 internal server error; the request was not carried out",
}


@dataclass(frozen=True, slots=True)
class Faults:
    """Which faults to inject, and into what share of the calls.

    `empty` answers a read with nothing where there is something; it never strikes a write, whose agent would
    take it for done. `slow` is the true answer, late. `latency` is the range of delays in simulated seconds:
    nobody waits, `ToolAnswer.latency` tells. `tools` limits the faults to some tools.
    """

    rate: float = 0.1
    kinds: tuple[FaultKind, ...] = _KINDS
    tools: Collection[str] | None = None
    latency: tuple[float, float] = (0.05, 2.0)

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            raise OptionError("rate", self.rate, ("a number from 0 to 1",))
        for kind in self.kinds or ("",):
            if kind not in _KINDS:
                raise OptionError("kinds", kind, _KINDS)
        if not 0 <= self.latency[0] <= self.latency[1]:
            raise OptionError("latency", self.latency, ("(least, most) in seconds",))


class Fault(NamedTuple):
    """What happens to one call. Without an answer of its own the call is answered as ever, late."""

    answer: ToolAnswer | None
    latency: float = 0.0


@dataclass(slots=True)
class Injector:
    """The faults of one session, and how often it has tried each call."""

    faults: Faults
    tries: Counter[bytes] = field(default_factory=Counter)

    def copy(self) -> Self:
        return type(self)(self.faults, Counter(self.tries))

    def strike(self, call: ToolCall, view: View) -> Fault | None:
        """The fault that meets the call this time, if any: the same for the same seed, call and number of tries."""
        model = view.world.tools.get(call.name)
        if model is None or (self.faults.tools is not None and call.name not in self.faults.tools):
            return None
        key = digest([call.name, call.arguments])
        ordinal = self.tries[key]
        self.tries[key] += 1
        chance, choice, wait = _shares(digest([view.seed, key.hex(), ordinal]))
        done_by_it = model.kind.writes or model.kind.ends
        kinds = [kind for kind in self.faults.kinds if not (kind == "empty" and done_by_it)]
        if chance >= self.faults.rate or not kinds:
            return None
        kind = kinds[int(choice * len(kinds))]
        least, most = self.faults.latency
        if kind == "slow":
            return Fault(None, least + wait * (most - least))
        if kind == "empty":
            return Fault(ToolAnswer(model.encoded(_empty(model)), False, "injected"))
        # Who times out has waited to the end.
        return Fault(replace(self._failed(kind, call, view, model), latency=most if kind == "timeout" else 0.0))

    def _failed(self, kind: FailureKind, call: ToolCall, view: View, model: ToolModel) -> ToolAnswer:
        wordings = view.world.wordings
        told = wordings.get((call.name, kind)) or wordings.get(("", kind))
        if told is None:
            return ToolAnswer(model.encoded({"error": _PLAIN_WORDS[kind]}), True, "injected")
        given: Json = call.arguments  # an agent may send anything
        pairs = substitutions(told.arguments, given) if isinstance(given, Mapping) else []
        return ToolAnswer(substituted(told.raw, pairs), True, "injected", 0.0, (told.conversation_id,))


def _shares(seed: bytes) -> Iterator[float]:
    """Independent numbers in [0, 1) from 16 bytes: no generator, so no state to keep."""
    return (int.from_bytes(seed[at : at + 5]) / 256**5 for at in (0, 5, 10))


def _empty(model: ToolModel) -> Json:
    """Nothing, in the type of the tool's results."""
    if model.wrapped:
        return []
    result = model.examples[0].call.result if model.examples else {}
    for kind in (list, str):
        if isinstance(result, kind):
            return kind()
    return {} if isinstance(result, Mapping) else None
