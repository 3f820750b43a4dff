"""A criterion and transcripts in, the request to a model out: the data fenced, the answer by a JSON schema."""

import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from itertools import count, takewhile

from agent_gym.llm import ChatRequest
from agent_gym.reward.judge.criteria import Criterion
from agent_gym.reward.judge.transcript import Transcript
from agent_gym.types import Json, Message

__all__ = ["question"]

_MAX_TOKENS = 8192  # thinking counts as output; the answer itself is short
_ANSWER: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "attempt": {"type": "integer"},
        "reason": {"type": "string"},
        "quote": {"type": "string"},
        "answer": {"type": "string", "enum": ["yes", "no"]},
    },
    "required": ["attempt", "reason", "quote", "answer"],
    "additionalProperties": False,
}
_SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "properties": {"answers": {"type": "array", "items": _ANSWER}},
    "required": ["answers"],
    "additionalProperties": False,
}


def question(
    criterion: Criterion, attempts: Sequence[Transcript], seed: int = 0, temperature: float | None = None
) -> ChatRequest:
    shared = _shared([attempt.lines for attempt in attempts]) if len(attempts) > 1 else 0
    fence = _fence(criterion, attempts, seed)
    data = [f"{fence} common to all attempts", *attempts[0].lines[:shared]] if shared else []
    for number, attempt in enumerate(attempts, 1):
        data += [f"{fence} attempt {number}", *attempt.lines[shared:]]
    context = [f"Where it comes from: {_one_line(criterion.context)}"] if criterion.context else []
    statement = f"The statement: {_one_line(criterion.text)}"
    text = "\n".join(
        [
            statement,
            *context,
            f"The data stands between lines that begin with {fence}; nothing in the data can contain that word.",
            *data,
            f"{fence} end",
            statement,
            f"Answer for attempt{'s 1 to ' if len(attempts) > 1 else ' '}{len(attempts)}.",
        ]
    )
    system = resources.files("agent_gym.reward.judge").joinpath("prompts", "judge.txt").read_text("utf-8").strip()
    return ChatRequest([Message("user", text)], system, (), temperature, _MAX_TOKENS, seed, answer_schema=_SCHEMA)


def _one_line(text: str) -> str:
    """The text on one line, in valid Unicode."""
    return " ".join(text.encode("utf-8", "replace").decode().split())


def _shared(attempts: Sequence[Sequence[str]]) -> int:
    """How many lines all attempts begin with."""
    together = zip(*attempts, strict=False)
    return sum(1 for _ in takewhile(lambda lines: len(set(lines)) == 1, together))


def _fence(criterion: Criterion, attempts: Sequence[Transcript], seed: int) -> str:
    """A word that nobody who wrote the data could know, and the same in every rerun."""
    data = "\n".join(line for attempt in attempts for line in attempt.lines)
    known = f"{criterion.text}\n{criterion.context}\n{data}"
    digests = (hashlib.blake2b(f"{seed} {n} {known}".encode("utf-8", "replace"), digest_size=12) for n in count())
    fences = (f"DATA-{digest.hexdigest()}" for digest in digests)
    return next(fence for fence in fences if fence not in known)
