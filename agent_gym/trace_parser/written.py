"""Conversations and rejects in, the lines of the files of both out."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from agent_gym.trace_parser.redact import Kind
from agent_gym.trace_parser.repairs import Reject
from agent_gym.types import Json, Trace

__all__ = ["Written", "line_of", "refusal_of", "written"]


@dataclass(slots=True)
class Written:
    """A part of the output, or, with its lines only counted, the whole."""

    lines: list[bytes] = field(default_factory=list)
    rejects: list[bytes] = field(default_factory=list)
    conversations: int = 0
    refused: int = 0  # records
    left: Counter[Kind] = field(default_factory=Counter)
    times: Counter[Kind] = field(default_factory=Counter)
    values: dict[Kind, set[bytes]] = field(default_factory=dict)

    def count(self, part: "Written") -> None:
        self.conversations += part.conversations
        self.refused += part.refused
        self.left += part.left
        self.times += part.times
        for kind, found in part.values.items():
            self.values.setdefault(kind, set()).update(found)

    def replaced(self) -> dict[str, dict[str, int]]:
        return {kind: {"values": len(self.values[kind]), "times": n} for kind, n in self.times.most_common()}


def written(items: Iterable[Trace | Reject]) -> Written:
    part = Written()
    for item in items:
        if isinstance(item, Trace):
            part.lines.append(line_of(item.to_dict()))
            part.conversations += 1
        else:
            part.rejects.append(line_of(refusal_of(item, item.record)))
            part.refused += item.records
    return part


def refusal_of(reject: Reject, record: str) -> dict[str, Json]:
    return {
        "source": reject.source,
        "line": reject.line,
        "reason": reject.reason,
        "fix": reject.fix,
        "records": reject.records,
        "record": record,
    }


def line_of(value: Json) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # an integer beyond 64 bits, which is JSON to others
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
