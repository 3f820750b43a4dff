"""A clean OpenAI chat record in, the same in the trace schema out; None for whatever needs a second look.

Nearly all records of a chat log are clean, and then the validator of the trace schema builds the messages several
times faster than the dialects can. What this cannot take, the dialects read.
"""

import orjson

from agent_gym.trace_parser.dialects.tags import has_tags
from agent_gym.types import Json

__all__ = ["in_trace_schema"]


def in_trace_schema(messages: Json) -> list[Json] | None:
    names: dict[str, str] = {}
    try:
        return [_message(message, names) for message in messages]
    except (KeyError, TypeError, AttributeError, ValueError):  # not clean; orjson's errors are ValueErrors
        return None


def _message(message: dict[str, Json], names: dict[str, str]) -> Json:
    role, content = message["role"], message["content"]
    if role == "tool":
        call_id = message["tool_call_id"]
        if len(message) != 3 or type(content) is not str or "<tool_response>" in content or content[:7] == '{"type"':
            raise ValueError
        return {"role": "tool", "name": names[call_id], "tool_call_id": call_id, "result": content}
    if role not in ("user", "assistant", "system"):
        raise ValueError
    if len(message) == 2:
        if type(content) is not str or ("<" in content and has_tags(content)):
            raise ValueError
        return message
    if role != "assistant" or len(message) != 3 or (content is not None and type(content) is not str):
        raise ValueError
    calls = [_call(call, names) for call in message["tool_calls"]]
    return {"role": "assistant", "content": content or None, "tool_calls": calls}


def _call(call: dict[str, Json], names: dict[str, str]) -> Json:
    function, call_id = call["function"], call["id"]
    name = names[call_id] = function["name"]
    arguments = orjson.loads(function["arguments"])
    if type(arguments) is not dict:
        raise ValueError
    return {"id": call_id, "name": name, "arguments": arguments}
