"""A model's reply in, its answers out: what is not of the form asked for is a failure, never a no.

A yes counts only with a quote that stands in the conversation it speaks of.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from agent_gym.errors import LlmBadReply
from agent_gym.llm import ChatModel, ChatReply, ChatRequest
from agent_gym.types import Json

__all__ = ["Answer", "Checked", "answers_in"]

_LONGEST = 100_000  # characters of a reply; an honest one has some hundred for each attempt
_REASON = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What a judge said of one conversation, believed or not."""

    yes: bool
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A model whose replies have the form asked for: others are `LlmBadReply`, before any cache remembers them."""

    model: ChatModel
    attempts: int

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def address(self) -> str:
        return self.model.address

    def complete(self, request: ChatRequest) -> ChatReply:
        reply = self.model.complete(request)
        answers_in(reply.message.text, self.attempts, self.name)
        return reply


def answers_in(text: str, attempts: int, model: str) -> tuple[Answer, ...]:
    """One answer for each attempt, in the order of the attempts."""
    if len(text) > _LONGEST:
        raise LlmBadReply(f"{model} answered with {len(text)} characters, begun with {text[:100]!r}")
    # Many models fence JSON whatever they are told; what is inside is read as strictly.
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        reply: Json = orjson.loads(bare)
    except ValueError:
        raise LlmBadReply(f"{model} did not answer with one JSON object but with {text[:200]!r}") from None
    found = reply.get("answers") if isinstance(reply, dict) else None
    by_attempt = {one["attempt"]: one for one in found if _well_formed(one)} if isinstance(found, list) else {}
    if not isinstance(found, list) or len(found) != attempts or by_attempt.keys() != set(range(1, attempts + 1)):
        raise LlmBadReply(f"{model} did not give one answer for each of {attempts} attempts but {text[:200]!r}")
    return _answers([by_attempt[number] for number in range(1, attempts + 1)])


def _answers(entries: Sequence[Json]) -> tuple[Answer, ...]:
    return tuple(
        Answer(entry["answer"] == "yes", entry["quote"], " ".join(entry["reason"].split())[:_REASON])
        for entry in entries
    )


def _well_formed(entry: Json) -> bool:
    return (
        isinstance(entry, dict)
        and type(entry.get("attempt")) is int
        and entry.get("answer") in ("yes", "no")
        and all(isinstance(entry.get(name), str) for name in ("quote", "reason"))
    )
