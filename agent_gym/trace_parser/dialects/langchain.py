"""A LangChain message in any of its encodings in (flat, `messages_to_dict`, `dumpd`), messages out."""

import re
from typing import Final

from agent_gym.trace_parser.dialects.chat import chat_message, role_of
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.types import Json, Message, Role

__all__ = ["langchain_message", "langchain_role"]

_ROLES: Final[dict[str, Role]] = {
    "human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool",
    "chat": "user", "developer": "system",
}  # fmt: skip
_CLASS: Final = re.compile(r"(Human|AI|System|Tool|Function|Chat)Message(?:Chunk)?")


def langchain_role(raw: dict[str, Json]) -> Role | None:
    """Whose message it is; None for what is no LangChain message."""
    path = raw.get("id")
    if raw.get("lc") and isinstance(path, list) and path and isinstance(path[-1], str):
        return _by_word(path[-1])
    kind = raw.get("type")
    if isinstance(kind, str) and ("content" in raw or isinstance(raw.get("data"), dict)):
        return _by_word(kind)
    return None


def langchain_message(raw: dict[str, Json], role: Role, notes: Notes) -> list[Message]:
    fields = raw
    for key in ("kwargs", "data"):
        if isinstance(inner := raw.get(key), dict):
            fields = inner
    extra = fields.get("additional_kwargs")
    beside = extra if isinstance(extra, dict) else {}
    calls = [*_listed(fields.get("tool_calls")), *_listed(fields.get("invalid_tool_calls"))]
    role = role_of(fields.get("role")) or role  # a ChatMessage states its own
    message = {
        "content": fields.get("content"),
        "tool_calls": calls or beside.get("tool_calls"),
        "name": fields.get("name") if role == "tool" else None,
        "tool_call_id": fields.get("tool_call_id"),
        "status": fields.get("status"),
    }
    if not message["tool_calls"] and isinstance(beside.get("function_call"), dict):
        message["function_call"] = beside["function_call"]
    return chat_message(message, role, notes)


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _by_word(word: str) -> Role | None:
    if match := _CLASS.fullmatch(word):
        word = match[1].lower()
    return _ROLES.get(word)
