"""The nouns of Agent Gym: frozen values that flow from the trace files to the reward.

Everything here is plain data or a protocol; nothing validates (that happens once, at the edge) and
nothing does work. `Message.of`, `ToolCall.of` and `Trace.of` take dicts in the trace schema as well.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeAlias, cast, get_args, runtime_checkable

from agent_gym.errors import MessageError
from agent_gym.markup import card

__all__ = [
    "LEAST_CONFIDENCE",
    "ROLES",
    "SOURCES",
    "Agent",
    "Change",
    "Json",
    "Message",
    "MessageLike",
    "PartScore",
    "Reasons",
    "Role",
    "Score",
    "Source",
    "Step",
    "ToolAnswer",
    "ToolCall",
    "Trace",
    "TraceLike",
    "User",
    "Watch",
    "WorldView",
    "Write",
    "paired_calls",
    "spoken",
    "unwatched",
]

Json: TypeAlias = Any  # a JSON value: the one place where Any is meant
Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[str, ...] = get_args(Role)

Source = Literal[
    "recorded",  # the very answer of a recorded call with the same arguments
    "state",  # a record as this session's own writes have left it, or as the record shows it
    "function",  # a constant, or computed from the arguments by a rule that every example follows
    "effect",  # the result of a write, by a rule learned from recorded writes
    "rule",  # a refusal learned from recorded refusals
    "query",  # found by searching the rebuilt tables
    "not_found",  # the record says such a thing does not exist
    "neighbour",  # the nearest recorded answer, adapted: plausible, not known
    "llm",  # written by a remote model
    "injected",  # a fault asked for by the caller
    "invalid",  # the call itself is wrong: unknown tool, bad arguments
    "unknown",  # a valid call that the record cannot answer
]
SOURCES: tuple[str, ...] = get_args(Source)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool. `id` is empty where the log gives none."""

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    id: str = ""

    @classmethod
    def of(cls, value: "ToolCall | Mapping[str, Json]") -> "ToolCall":
        if isinstance(value, ToolCall):
            return value
        if not isinstance(value, Mapping):
            raise MessageError(f"a tool call is an object with a name and arguments, found {type(value).__name__}")
        name, arguments = value.get("name"), value.get("arguments")
        if not isinstance(name, str) or not name:
            raise MessageError(f"a tool call needs a name, found {name!r}")
        return cls(name, arguments if arguments is not None else {}, str(value.get("id") or ""))

    def to_dict(self) -> dict[str, Json]:
        return {"id": self.id, "name": self.name, "arguments": self.arguments}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    `trainable` marks what the policy under training wrote; `final` marks a customer's last words.
    """

    role: Role
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    name: str | None = None
    tool_call_id: str | None = None
    result: Json = None
    is_error: bool = False
    trainable: bool = False
    final: bool = False

    @classmethod
    def of(cls, value: "MessageLike", role: Role | None = None) -> "Message":
        """The message a dict of the trace schema describes; `role` fills in a missing one."""
        if isinstance(value, Message):
            return value
        given = value.get("role", role)
        if given not in ROLES:
            raise MessageError(f"role {given!r} is not one of {', '.join(ROLES)}")
        content = value.get("content")
        if content is not None and not isinstance(content, str):
            raise MessageError(f"content must be text, found {type(content).__name__}")
        calls = value.get("tool_calls") or ()
        if not isinstance(calls, Sequence) or isinstance(calls, str):
            raise MessageError(f"tool_calls must be a list, found {type(calls).__name__}")
        return cls(
            role=cast("Role", given),
            content=content,
            tool_calls=tuple(ToolCall.of(call) for call in calls),
            name=value.get("name"),
            tool_call_id=value.get("tool_call_id"),
            result=value.get("result"),
            is_error=bool(value.get("is_error", False)),
            trainable=bool(value.get("trainable", False)),
            final=bool(value.get("final", False)),
        )

    @property
    def text(self) -> str:
        return self.content or ""

    def to_dict(self) -> dict[str, Json]:
        """The message in the trace schema; only what is set."""
        out: dict[str, Json] = {"role": self.role}
        if self.content is not None:
            out["content"] = self.content
        if self.tool_calls:
            out["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        if self.role == "tool":
            out |= {"name": self.name, "tool_call_id": self.tool_call_id, "result": self.result}
        if self.is_error:
            out["is_error"] = True
        return out


@dataclass(frozen=True, slots=True)
class Trace:
    """One recorded conversation. Calls and results are paired by `tool_call_id` within their turn."""

    conversation_id: str
    messages: tuple[Message, ...]
    outcome: str | None = None
    satisfaction_score: float | None = None
    tools: tuple[Mapping[str, Json], ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, value: "TraceLike") -> "Trace":
        """The trace a clean dict describes; dicts from elsewhere go through `trace_parser`."""
        if isinstance(value, Trace):
            return value
        return cls(
            conversation_id=value["conversation_id"],
            messages=tuple(Message.of(m) for m in value["messages"]),
            outcome=value.get("outcome"),
            satisfaction_score=value.get("satisfaction_score"),
            tools=tuple(value.get("tools") or ()),
            metadata=value.get("metadata") or {},
        )

    def to_dict(self) -> dict[str, Json]:
        out: dict[str, Json] = {
            "conversation_id": self.conversation_id,
            "messages": [message.to_dict() for message in self.messages],
            "outcome": self.outcome,
            "satisfaction_score": self.satisfaction_score,
        }
        if self.tools:
            out["tools"] = list(self.tools)
        if self.metadata:
            out["metadata"] = dict(self.metadata)
        return out

    def calls(self) -> list[tuple[ToolCall, Message | None]]:
        """Every call with its result, in order; None where the log holds no result."""
        return paired_calls(self.messages)

    def _repr_html_(self) -> str:
        lead = f"{len(self.messages)} messages, outcome {self.outcome or 'not said'}"
        return card(self.conversation_id, lead, spoken(self.messages))


MessageLike: TypeAlias = Message | Mapping[str, Json]
TraceLike: TypeAlias = Trace | Mapping[str, Json]
Watch: TypeAlias = Callable[[str, int, int], None]  # told now and then what is on, how much is done, and of how much


def unwatched(_what: str, _done: int, _total: int) -> None:
    """The `Watch` of who works alone."""


def spoken(messages: Iterable[Message], at_most: int = 60) -> list[tuple[str, str]]:
    """Who said what, as rows to look at: calls and results as text, no system prompt, and no more than one reads."""
    rows = [(message.name or message.role, _shown(message)) for message in messages if message.role != "system"]
    more = [("", f"… and {len(rows) - at_most} more")] if len(rows) > at_most else []
    return [*rows[:at_most], *more]


def _shown(message: Message) -> str:
    result = [str(message.result)] if message.role == "tool" and message.result is not None else []
    told = "\n".join([message.text, *result, *(f"{call.name}({call.arguments})" for call in message.tool_calls)])
    return told.strip()[:600]


def paired_calls(messages: Iterable[Message]) -> list[tuple[ToolCall, Message | None]]:
    """Calls with their results: by id within the turn, else by name, else by order.

    Real logs reuse ids across turns, leave them out, and answer parallel calls out of order; so a result
    is looked for among the calls still open in its own turn, and nowhere else. Calls that one turn spreads
    over several messages are open together.
    """
    pairs: list[tuple[ToolCall, Message | None]] = []
    open_calls: list[int] = []
    answered = True
    for message in messages:
        if message.role == "assistant" and message.tool_calls:
            fresh = range(len(pairs), len(pairs) + len(message.tool_calls))
            open_calls = [*(() if answered else open_calls), *fresh]
            answered = False
            pairs.extend((call, None) for call in message.tool_calls)
        elif message.role == "tool" and open_calls:
            at = _answered(message, [pairs[i][0] for i in open_calls])
            index = open_calls.pop(at)
            pairs[index] = (pairs[index][0], message)
            answered = True
        elif message.role != "tool":
            answered = True
    return pairs


def _answered(result: Message, calls: Sequence[ToolCall]) -> int:
    if result.tool_call_id:
        for at, call in enumerate(calls):
            if call.id == result.tool_call_id:
                return at
    if result.name:
        for at, call in enumerate(calls):
            if call.name == result.name:
                return at
    return 0


LEAST_CONFIDENCE = 0.01  # a guess that is right less often counts as no answer


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered, and why it may be believed.

    `confidence` is the share of held-out answers of this kind that were right; `evidence` names the
    conversations the answer rests on. `latency` is a simulated delay in seconds: nobody waits for it.
    """

    result: Json
    is_error: bool = False
    source: Source = "unknown"
    confidence: float = 0.0
    evidence: tuple[str, ...] = ()
    latency: float = 0.0

    @property
    def off_support(self) -> bool:
        """A valid call that the record cannot answer, or only by a guess that is hardly ever right.

        Trainers mask such episodes.
        """
        return self.source == "unknown" or (self.source == "neighbour" and self.confidence < LEAST_CONFIDENCE)


@dataclass(frozen=True, slots=True)
class Change:
    """One field of one record as a write has left it. `path` is dotted, `before` is None if unknown."""

    table: str
    key: str
    path: str
    before: Json
    after: Json


@dataclass(frozen=True, slots=True)
class Write:
    """A successful call that changed something, with the record fields it changed as far as known."""

    call: ToolCall
    answer: ToolAnswer
    changes: tuple[Change, ...] = ()


class WorldView(Protocol):
    """A session's end state, read-only: for whoever judges what was achieved."""

    @property
    def writes(self) -> Sequence[Write]:
        """Every successful write of the session, in order."""
        ...

    def record(self, table: str, key: str) -> Mapping[str, Json] | None:
        """A record as the session sees it now, or None if it is not known."""
        ...

    def changes(self) -> Mapping[tuple[str, str, str], Json]:
        """(table, key, path) → value, for every field that now differs from the session's start."""
        ...


@runtime_checkable
class Agent(Protocol):
    """Who answers: from the conversation so far and the tools at hand to the next message."""

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message: ...


@runtime_checkable
class User(Protocol):
    """The customer. `reply` gives None for one who hung up, `Message.final` for last words."""

    def open(self) -> Message: ...

    def reply(self, messages: Sequence[MessageLike], world: WorldView | None = None) -> Message | None: ...

    def fork(self) -> Self: ...


class Step(NamedTuple):
    """What one action led to, in Gymnasium's order."""

    observation: str
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Json]


@dataclass(frozen=True, slots=True)
class PartScore:
    """One part of a score. `raw` is None where the part does not apply: never 0."""

    name: str
    raw: float | None
    weight: float
    why: str
    calibrated: float | None = None
    evidence: tuple[str, ...] = ()

    @property
    def applicable(self) -> bool:
        return self.raw is not None


class Reasons(NamedTuple):
    """Why a score is what it is."""

    parts: Mapping[str, PartScore]
    explanation: str
    flags: tuple[str, ...]


class Score(float):
    """A reward in [0, 1] that carries its reasons; `success` is a decision of its own.

    Trainers ask for millions of numbers and few reasons: `reasons`, where given, are worked out when first
    asked for, and before the score is pickled.
    """

    __slots__ = ("_reasons", "success")
    success: bool
    _reasons: Reasons | Callable[[], Reasons]

    def __new__(
        cls,
        value: float,
        *,
        success: bool = False,
        parts: Iterable[PartScore] = (),
        explanation: str = "",
        flags: Iterable[str] = (),
        reasons: Callable[[], Reasons] | None = None,
    ) -> Self:
        self = super().__new__(cls, min(1.0, max(0.0, value)))
        self.success = success
        self._reasons = reasons or Reasons({part.name: part for part in parts}, explanation, tuple(flags))
        return self

    @property
    def reasons(self) -> Reasons:
        if not isinstance(self._reasons, Reasons):
            self._reasons = self._reasons()
        return self._reasons

    @property
    def parts(self) -> Mapping[str, PartScore]:
        return self.reasons.parts

    @property
    def explanation(self) -> str:
        return self.reasons.explanation

    @property
    def flags(self) -> tuple[str, ...]:
        return self.reasons.flags

    def __repr__(self) -> str:
        return f"Score({float(self):.3f}, success={self.success})"

    def _repr_html_(self) -> str:
        rows = [
            (p.name, f"{p.raw:.2f}, weight {p.weight:g}: {p.why}") for p in self.parts.values() if p.raw is not None
        ]
        return card(
            f"Score {float(self):.3f}", "success" if self.success else "no success", [*rows, ("", self.explanation)]
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _score, (float(self), self.success, tuple(self.parts.values()), self.explanation, self.flags)

    def to_dict(self) -> dict[str, Json]:
        return {
            "value": float(self),
            "success": self.success,
            "parts": {
                name: {
                    "raw": part.raw,
                    "calibrated": part.calibrated,
                    "weight": part.weight,
                    "applicable": part.applicable,
                    "evidence": list(part.evidence),
                    "why": part.why,
                }
                for name, part in self.parts.items()
            },
            "explanation": self.explanation,
            "flags": list(self.flags),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Self:
        """The score that `to_dict` wrote."""
        parts = (
            PartScore(name, part["raw"], part["weight"], part["why"], part["calibrated"], tuple(part["evidence"]))
            for name, part in value["parts"].items()
        )
        return cls(
            value["value"],
            success=value["success"],
            parts=parts,
            explanation=value["explanation"],
            flags=value["flags"],
        )


def _score(
    value: float, success: bool, parts: tuple[PartScore, ...], explanation: str, flags: tuple[str, ...]
) -> Score:
    return Score(value, success=success, parts=parts, explanation=explanation, flags=flags)
