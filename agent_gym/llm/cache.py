"""Replies kept in a folder, one file a request: the same request to the same model is sent once.

Never on by itself: who measures how a model varies wants it asked every time.
"""

import hashlib
import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from agent_gym.errors import MessageError
from agent_gym.llm.chat import ChatModel, ChatReply, ChatRequest, Usage
from agent_gym.types import Json, Message

__all__ = ["CachedModel"]


@dataclass(frozen=True, slots=True)
class CachedModel:
    """A model that remembers. Replies found in the folder need neither key nor network."""

    model: ChatModel
    folder: Path

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def address(self) -> str:
        return self.model.address

    def complete(self, request: ChatRequest) -> ChatReply:
        path = self.folder / f"{_key(self.model, request)}.json"
        known = _read(path)
        if known is not None:
            return known
        reply = self.model.complete(request)
        _write(path, reply)
        return reply


def _key(model: ChatModel, request: ChatRequest) -> str:
    asked = f"{model.address}\n{model.name}\n{request.digest()}"
    return hashlib.blake2b(asked.encode(), digest_size=16).hexdigest()


def _read(path: Path) -> ChatReply | None:
    """The reply in a file; None where there is none, or one that can no longer be read."""
    try:
        stored: Json = json.loads(path.read_bytes())
        return ChatReply(Message.of(stored["message"]), Usage(**stored["usage"]), stored["model"])
    except (FileNotFoundError, ValueError, KeyError, TypeError, MessageError):
        return None


def _write(path: Path, reply: ChatReply) -> None:
    """Whole or not at all: a reader never sees half a file, whoever else writes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = {"message": reply.message.to_dict(), "usage": asdict(reply.usage), "model": reply.model}
    handle, draft = tempfile.mkstemp(dir=path.parent, suffix=".draft")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(stored, file, default=dict)
    os.replace(draft, path)
