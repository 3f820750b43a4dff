"""The conversations of a ChatGPT data export: a tree of messages each, of which the branch last shown is read."""

from collections.abc import Iterator

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.dialects.chat import role_of
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.types import Json, Message, ToolCall

__all__ = ["CHATGPT_EXPORT"]


def _is_export(record: dict[str, Json]) -> bool:
    nodes = record.get("mapping")
    return isinstance(nodes, dict) and any(isinstance(node, dict) and "children" in node for node in nodes.values())


def _read(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        notes = Notes()
        messages: list[Message] = []
        for raw in _branch(record):
            messages += _message(raw, notes)
        name = record.get("conversation_id") or record.get("id")
        kept = {key: record[key] for key in ("title", "create_time", "default_model_slug") if record.get(key)}
        yield draft_of(messages, notes, name, metadata=kept)


def _branch(record: dict[str, Json]) -> list[dict[str, Json]]:
    """The messages from the root to the node last shown, or to the last leaf; a cycle ends the walk."""
    nodes: dict[str, Json] = record["mapping"] if isinstance(record.get("mapping"), dict) else {}
    leaves = [name for name, node in nodes.items() if isinstance(node, dict) and not node.get("children")]
    at: Json = record.get("current_node") or (leaves[-1] if leaves else None)
    found: list[dict[str, Json]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at not in seen and isinstance(node := nodes.get(at), dict):
        seen.add(at)
        if isinstance(message := node.get("message"), dict):
            found.append(message)
        at = node.get("parent")
    return found[::-1]


def _message(raw: dict[str, Json], notes: Notes) -> list[Message]:
    author, metadata = raw.get("author"), raw.get("metadata")
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True:
        return []
    role = role_of(author.get("role")) if isinstance(author, dict) else None
    text = _text(raw.get("content"), notes)
    if role is None:
        notes.set_aside(raw, "a message of an unknown kind or role was set aside")
        return []
    if role == "tool":
        name = author.get("name") if isinstance(author, dict) else None
        return [Message("tool", None, (), name if isinstance(name, str) else None, None, text)]
    recipient = raw.get("recipient")
    if role == "assistant" and isinstance(recipient, str) and recipient not in ("", "all"):
        arguments = json_in(text)
        return [
            Message(role, None, (ToolCall(recipient, arguments if isinstance(arguments, dict) else {"input": text}),))
        ]
    return [Message(role, text)] if text else []


def _text(content: Json, notes: Notes) -> str:
    if not isinstance(content, dict):
        return content if isinstance(content, str) else ""
    if content.get("content_type") in ("thoughts", "reasoning_recap"):
        notes.warn("reasoning is not part of a conversation and was left out")
        return ""
    if isinstance(text := content.get("text", content.get("result")), str):
        return text
    parts = content.get("parts")
    texts = [_part(part, notes) for part in parts] if isinstance(parts, list) else []
    return "\n".join(text for text in texts if text)


def _part(part: Json, notes: Notes) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("content_type") if isinstance(part, dict) else None
    if isinstance(part, dict) and isinstance(part.get("text"), str):  # a transcript of what was spoken
        return str(part["text"])
    notes.warn("content that is no text (an image, a file, …) is only named", kind)
    return f"[{kind or 'part'}]"


CHATGPT_EXPORT = Format(
    "chatgpt_export",
    "ChatGPT data exports",
    lambda records: 0.97 * share(records, _is_export),
    _read,
    experimental=True,
)
