"""A list of provider messages in, in whatever dialects it mixes; the messages of the conversation out."""

from collections.abc import Iterable
from dataclasses import replace

from agent_gym.trace_parser.dialects.calls import definition_of
from agent_gym.trace_parser.dialects.chat import ROLE_WORDS, chat_message, role_of
from agent_gym.trace_parser.dialects.genai import genai_messages
from agent_gym.trace_parser.dialects.langchain import langchain_message, langchain_role
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.trace_parser.dialects.parts import messages_from, pieces_of
from agent_gym.trace_parser.dialects.pydantic_ai import is_history, pydantic_ai_message
from agent_gym.trace_parser.dialects.responses import is_item, response_item
from agent_gym.trace_parser.dialects.sharegpt import is_turn, sharegpt_turn
from agent_gym.trace_parser.dialects.vercel import is_ui_message, ui_message
from agent_gym.trace_parser.values import word
from agent_gym.types import Json, Message, Role

__all__ = ["merged_turns", "messages_of", "one_message"]


def messages_of(raw: Json, notes: Notes) -> list[Message]:
    """The messages of a list of provider messages; what is no message is set aside in the notes."""
    found: list[Message] = []
    items = False
    for item in raw if isinstance(raw, list) else [raw]:
        if isinstance(item, dict):
            role = ROLE_WORDS.get(word(item.get("role")))  # the common cases first
            if role is not None and isinstance(parts := item.get("parts"), list):
                if (plain := genai_messages(role, parts)) is not None:
                    found += plain
                    continue
                if not is_ui_message(item):
                    found += messages_from(role, pieces_of(parts, notes))
                    continue
            elif role is not None and "type" not in item and "parts" not in item and "toolInvocations" not in item:
                found += chat_message(item, role, notes)
                continue
            items = items or is_item(item) or item.get("type") == "message"
        elif isinstance(item, list):  # LangChain batches its prompts: [[messages]]
            found += messages_of(item, notes)
            continue
        messages = one_message(item, notes, found)
        if messages is None:
            notes.set_aside(item, "a message of an unknown kind or role was set aside")
        else:
            found += messages
    return merged_turns(found) if items else found


def one_message(raw: Json, notes: Notes, before: Iterable[Message] = ()) -> list[Message] | None:
    """The messages of one provider message; None where no dialect knows it."""
    if isinstance(raw, str):
        return [Message("user", raw)]
    if not isinstance(raw, dict):
        return None
    if "lc" in raw or ("role" not in raw and "from" not in raw) or raw.get("type") in ("human", "ai"):
        role = langchain_role(raw)
        if role is not None:
            return langchain_message(raw, role, notes)
    if is_history(raw):
        return pydantic_ai_message(raw, notes)
    if is_item(raw):
        return response_item(raw, notes)
    if is_turn(raw):
        return sharegpt_turn(raw, notes)
    role = role_of(raw.get("role")) or _named_after_a_tool(raw, before)
    if role is not None:
        return _with_role(raw, role, notes)
    return _without_role(raw, notes)


def merged_turns(messages: Iterable[Message]) -> list[Message]:
    """One message for the items of one model turn: text and calls that follow each other without a result between."""
    merged: list[Message] = []
    for message in messages:
        last = merged[-1] if merged else None
        if last is not None and last.role == message.role == "assistant" and not (last.tool_calls and message.content):
            text = "\n".join(part for part in (last.content, message.content) if part is not None)
            content = text if last.content is not None or message.content is not None else None
            merged[-1] = replace(last, content=content, tool_calls=last.tool_calls + message.tool_calls)
        else:
            merged.append(message)
    return merged


def _with_role(raw: dict[str, Json], role: Role, notes: Notes) -> list[Message]:
    if is_ui_message(raw):
        return ui_message(raw, role, notes)
    said = word(raw.get("role"))
    if role == "tool" and said and said not in ROLE_WORDS:
        raw = {"name": said, **raw}
    if isinstance(inner := raw.get("message"), dict) and "content" not in raw:
        raw = inner
    return chat_message(raw, role, notes)


def _named_after_a_tool(raw: dict[str, Json], before: Iterable[Message]) -> Role | None:
    """Some loggers write the tool's name where the role belongs."""
    name = word(raw.get("role"))
    if name and any(call.name == name for message in before for call in message.tool_calls):
        return "tool"
    return None


def _without_role(raw: dict[str, Json], notes: Notes) -> list[Message] | None:
    if isinstance(inner := raw.get("message"), dict):  # a choice, or a wrapper such as {"message": {…}}
        return one_message(inner, notes)
    if raw.get("type") == "function" and (definition := definition_of(raw)) is not None:
        notes.tools.append(definition)
        return []
    return None
