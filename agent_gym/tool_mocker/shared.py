"""Recorded calls in, the same calls out with equal parts kept once: a large log repeats itself a great deal."""

import hashlib
from collections.abc import Iterable

import orjson

from agent_gym.text import digest
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.types import Json

__all__ = ["Shared", "fingerprint"]


class Shared:
    """The arguments and results met so far, by their very bytes: 2 and 2.0, or another order of keys, are not equal."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._arguments: dict[bytes, Recorded] = {}
        self._results: dict[bytes, Recorded] = {}

    def calls(self, calls: Iterable[Recorded]) -> list[Recorded]:
        return [self._call(call) for call in calls]

    def _call(self, call: Recorded) -> Recorded:
        name = self._names.setdefault(call.name, call.name)
        asked = self._arguments.setdefault(fingerprint(call.arguments), call)
        told = self._results.setdefault(fingerprint(call.raw), call)
        return Recorded(
            call.conversation_id, name, asked.arguments, asked.key, told.raw, told.result, call.is_error, call.at
        )


def fingerprint(value: Json) -> bytes:
    """16 bytes that stand for the value as it is written; as it is meant, where it cannot be written."""
    try:
        written = orjson.dumps(value)
    except TypeError:
        return digest(value)
    return hashlib.blake2b(written, digest_size=16).digest()
