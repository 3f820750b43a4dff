"""Seeded faults that a caller may wish for: what an agent should learn to survive, never part of the mined world.

A fault strikes before the service: the request did not reach it, so a write that failed so has not happened,
nothing is remembered of the call, and trying again may succeed. It says so as these tools were recorded to say it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Self, TypeAlias, get_args

from agent_gym.errors import OptionError
from agent_gym.text import canonical, digest
from agent_gym.tool_mocker.log import Recorded
from agent_gym.tool_mocker.state import State
from agent_gym.tool_mocker.substitution import substituted, substitutions
from agent_gym.tool_mocker.world import Tool
from agent_gym.types import Json, ToolAnswer, ToolCall

__all__ = ["FailureKind", "Fault", "FaultKind", "Faults", "Injector", "Wordings", "find_wordings"]


FailureKind = Literal["timeout", "rate_limit", "server_error"]
Wordings: TypeAlias = Mapping[tuple[str, str], Recorded]  # (tool, or "" for any, kind) → a recorded error

_LONGEST = 20_000  # bytes of an error: what it is about is said before that
_CODE = r"(?:http|status|code|error)[\W_]{0,4}(?:code\W{0,4})?"  # a bare 500 may be an amount
_LOOKS_LIKE: Mapping[FailureKind, re.Pattern[str]] = {
    "timeout": re.compile(rf"time[ds]?[ -]?out\b|deadline exceeded|{_CODE}(?:408|504)\b", re.IGNORECASE),
    "rate_limit": re.compile(rf"too many requests|rate[ _-]?limit|throttl|{_CODE}429\b", re.IGNORECASE),
    "server_error": re.compile(
        rf"internal (?:server )?error|service (?:temporarily )?unavailable|bad gateway|{_CODE}50[023]\b",
        re.IGNORECASE,
    ),
}


def find_wordings(errors: Iterable[Recorded]) -> Wordings:
    """The commonest recorded error that looks like each fault: of each tool, and of any tool under ""."""
    found: dict[tuple[str, str], list[Recorded]] = {}
    for error in errors:
        text = canonical(error.result)[:_LONGEST].decode(errors="ignore")
        for kind, pattern in _LOOKS_LIKE.items():
            if pattern.search(text):
                found.setdefault((error.name, kind), []).append(error)
                if not _names_its_call(text, error.arguments):
                    found.setdefault(("", kind), []).append(error)
                break
    return {place: _commonest(rows) for place, rows in sorted(found.items())}


def _names_its_call(text: str, arguments: Mapping[str, Json]) -> bool:
    """Whether the error repeats a value of its call: then it makes no sense for another tool."""
    return any(isinstance(v, str | int) and len(str(v)) > 1 and str(v) in text for v in arguments.values())


def _commonest(rows: Sequence[Recorded]) -> Recorded:
    counts = Counter(canonical(row.result) for row in rows)
    return max(rows, key=lambda row: counts[canonical(row.result)])


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

    def strike(self, call: ToolCall, state: State) -> Fault | None:
        """The fault that meets the call this time, if any: the same for the same seed, call and number of tries."""
        model = state.world.tools.get(call.name)
        if model is None or (self.faults.tools is not None and call.name not in self.faults.tools):
            return None
        key = digest([call.name, call.arguments])
        ordinal = self.tries[key]
        self.tries[key] += 1
        chance, choice, wait = _shares(digest([state.seed, key.hex(), ordinal]))
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
        return Fault(replace(self._failed(kind, call, state, model), latency=most if kind == "timeout" else 0.0))

    def _failed(self, kind: FailureKind, call: ToolCall, state: State, model: Tool) -> ToolAnswer:
        wordings = state.world.wordings
        told = wordings.get((call.name, kind)) or wordings.get(("", kind))
        if told is None:
            return ToolAnswer(model.encoded({"error": _PLAIN_WORDS[kind]}), True, "injected")
        given: Json = call.arguments  # an agent may send anything
        pairs = substitutions(told.arguments, given) if isinstance(given, Mapping) else []
        return ToolAnswer(substituted(told.raw, pairs), True, "injected", 0.0, (told.conversation_id,))


def _shares(seed: bytes) -> Iterator[float]:
    """Independent numbers in [0, 1) from 16 bytes: no generator, so no state to keep."""
    return (int.from_bytes(seed[at : at + 5]) / 256**5 for at in (0, 5, 10))


def _empty(model: Tool) -> Json:
    """Nothing, in the type of the tool's results."""
    if model.form.listed:
        return []
    result = model.examples[0].call.result if model.examples else {}
    for kind in (list, str):
        if isinstance(result, kind):
            return kind()
    return {} if isinstance(result, Mapping) else None
