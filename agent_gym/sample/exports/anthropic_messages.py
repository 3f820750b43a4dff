"""One conversation as Anthropic messages: tool calls and results are blocks, results sit in user turns."""

import json
from itertools import dropwhile

from agent_gym.sample.case import SampleConversation
from agent_gym.sample.chance import seeded
from agent_gym.sample.tables import policy
from agent_gym.types import Json, Message

__all__ = ["export"]


def export(played: SampleConversation) -> Json:
    trace = played.trace
    rng = seeded("anthropic ids", trace.conversation_id)
    ids: dict[str, str] = {}
    messages: list[dict[str, Json]] = []
    # The format begins with a user turn: a greeting is not part of it.
    for message in dropwhile(lambda m: m.role == "assistant", trace.messages):
        ids |= {call.id: f"toolu_{rng.getrandbits(88):022x}" for call in message.tool_calls}
        if message.role == "tool":
            block = _result(message, ids)
            if isinstance(messages[-1]["content"], list) and messages[-1]["role"] == "user":
                messages[-1]["content"].append(block)
            else:
                messages.append({"role": "user", "content": [block]})
        else:
            messages.append({"role": message.role, "content": _content(message, ids)})
    return {
        "id": trace.conversation_id,
        "model": "support-agent-2",
        "system": policy().split("\n\n")[1],
        "messages": messages,
        "metadata": {"user_id": trace.metadata["customer_id"]},
    }


def _content(message: Message, ids: dict[str, str]) -> Json:
    if not message.tool_calls:
        return message.text
    text = [{"type": "text", "text": message.content}] if message.content else []
    calls = [
        {"type": "tool_use", "id": ids[call.id], "name": call.name, "input": dict(call.arguments)}
        for call in message.tool_calls
    ]
    return [*text, *calls]


def _result(message: Message, ids: dict[str, str]) -> Json:
    block = {
        "type": "tool_result",
        "tool_use_id": ids[message.tool_call_id or ""],
        "content": json.dumps(message.result),
    }
    return block | {"is_error": True} if message.is_error else block
