"""Write the sample as files: the log in the trace schema, and more of the business as three real exports."""

import json
from collections.abc import Iterable
from pathlib import Path

from agent_gym.sample.backend import TOOLS
from agent_gym.sample.exports import anthropic_messages, helpdesk_csv, openai_chat
from agent_gym.sample.generate import generate
from agent_gym.sample.tables import policy
from agent_gym.types import Json

__all__ = ["write_files"]

_LOG = 640
_EXPORT = 120


def write_files(folder: str | Path, seed: int = 0) -> list[Path]:
    """Write `processed/` and `raw/` below the folder; the paths written. The exports hold other customers."""
    played = generate(seed, _LOG + 3 * _EXPORT)
    first, second, third = (played[start : start + _EXPORT] for start in range(_LOG, len(played), _EXPORT))
    texts = {
        "processed/conversations.jsonl": _lines(p.trace.to_dict() for p in played[:_LOG]),
        "processed/tools.json": json.dumps(TOOLS, indent=1) + "\n",
        "processed/policy.md": policy(),
        "raw/openai_chat.jsonl": _lines(openai_chat.export(p) for p in first),
        "raw/anthropic_messages.jsonl": _lines(anthropic_messages.export(p) for p in second),
        "raw/helpdesk.csv": helpdesk_csv.export(third),
    }
    paths = []
    for name, text in texts.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        paths.append(path)
    return paths


def _lines(records: Iterable[Json]) -> str:
    return "".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in records)
