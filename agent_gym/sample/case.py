"""The nouns of the sample: what a customer wants, the case it makes, and the conversation played in it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Literal

from agent_gym.sample.backend import Backend
from agent_gym.sample.database import Database, Record
from agent_gym.types import Json, Message, ToolCall, Trace

__all__ = ["Case", "Facts", "Mind", "Request", "SampleConversation", "succeeded"]

Mind = Literal[
    "firm",  # wants it, fee or not
    "no_fee",  # wants it only if it costs nothing
    "switch",  # asks for something else when asked to confirm
    "drop",  # thinks better of it when asked to confirm
]
Facts = tuple[tuple[str, ...], ...]  # each fact with all the wordings that tell it

_HANDOVER = ("tickets", "handover")  # one is as good as another, whatever its id and queue
# What agents word or choose freely; two right endings may differ in it.
_FREE_FIELDS = ("summary", "queue", "restarted_on")


@dataclass(frozen=True, slots=True)
class Request:
    """One thing a customer wants. `steps` are the writes and `facts` the news of a right ending."""

    kind: str
    variant: str
    details: Mapping[str, Json]
    spoken: Mapping[str, str]
    steps: tuple[ToolCall, ...] = ()
    or_steps: tuple[ToolCall, ...] = ()  # another set of writes that is just as right
    facts: Facts = ()
    mind: Mind = "firm"
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A customer with requests on the day of the call. `knows` is who they are, as canonical values."""

    conversation_id: str
    account_id: str
    persona: str
    requests: tuple[Request, ...]
    raised: int
    knows: Mapping[str, str]
    spoken: Mapping[str, str]
    opener: str
    told: frozenset[str]
    patience: float
    started_at: str
    seed: int
    database: Database

    def backend(self) -> Backend:
        """A fresh backend as the customer's call found it: ask it what the real tool would answer."""
        return Backend(self.database)

    @property
    def facts(self) -> Facts:
        return tuple(fact for request in self.requests for fact in request.facts)

    def right_ends(self) -> list[Backend]:
        """The backend after the writes that the requests call for: one for every way of being right."""
        choices = [(r.steps, r.or_steps) if r.or_steps else (r.steps,) for r in self.requests]
        return [self.after(chain.from_iterable(chosen)) for chosen in product(*choices)]

    def after(self, steps: Iterable[ToolCall]) -> Backend:
        backend = self.backend()
        holder = self.database.get("customers", self.account_id)
        assert holder is not None
        proof = {"account_id": self.account_id, "date_of_birth": holder["date_of_birth"]}
        for step in (ToolCall("verify_identity", proof), *steps):
            answer = backend.call(step.name, step.arguments)
            assert not answer.is_error, (self.conversation_id, step, answer.result)
        return backend


@dataclass(frozen=True, slots=True)
class SampleConversation:
    """A trace as a company would have it and, apart from it, what only the generator knows."""

    trace: Trace
    case: Case
    skill: str
    success: bool
    contentment: float  # the rating without its noise, on no scale in particular


def succeeded(case: Case, backend: Backend, messages: Sequence[Message], *, insisted: bool = False) -> bool:
    """The end state is the one the customer's requests call for, and the customer was told what matters.

    `insisted`: the customer asked for a human twice, so policy wants a hand-over besides.
    """
    reached = [_essence(backend.database.changes())]
    if insisted:
        reached.append({key: record for key, record in reached[0].items() if key != _HANDOVER})
    if not any(_essence(end.database.changes()) in reached for end in case.right_ends()):
        return False
    spoken = "\n".join(m.text for m in messages if m.role == "assistant" and not m.tool_calls).lower()
    return all(any(mentioned(wording, spoken) for wording in fact) for fact in case.facts)


def _essence(changed: Mapping[tuple[str, str], Record]) -> dict[tuple[str, str], Record]:
    out: dict[tuple[str, str], Record] = {}
    for (name, key), record in changed.items():
        if record.get("category") == "handover":
            out[_HANDOVER] = {}
        else:
            out[name, key] = {field: value for field, value in record.items() if field not in _FREE_FIELDS}
    return out


def mentioned(wording: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(wording.lower())}(?![\w])", text) is not None
