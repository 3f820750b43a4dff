"""One conversation as a line of an OpenAI chat log: arguments and results are JSON kept as strings."""

import datetime
import json

from agent_gym.sample.case import SampleConversation
from agent_gym.sample.chance import seeded
from agent_gym.sample.tables import policy
from agent_gym.types import Json, Message

__all__ = ["export"]


def export(played: SampleConversation) -> Json:
    trace = played.trace
    rng = seeded("openai ids", trace.conversation_id)
    ids: dict[str, str] = {}
    messages: list[Json] = [{"role": "system", "content": policy().split("\n\n")[1]}]
    for message in trace.messages:
        ids |= {call.id: f"call_{rng.getrandbits(96):024x}" for call in message.tool_calls}
        messages.append(_message(message, ids))
    started = datetime.datetime.fromisoformat(trace.metadata["started_at"]).replace(tzinfo=datetime.UTC)
    return {
        "id": trace.conversation_id,
        "created": int(started.timestamp()),
        "model": "support-agent-1",
        "messages": messages,
        "metadata": {
            "customer_id": trace.metadata["customer_id"],
            "outcome": trace.outcome,
            "satisfaction_score": trace.satisfaction_score,
        },
    }


def _message(message: Message, ids: dict[str, str]) -> Json:
    if message.role == "tool":
        content = json.dumps(message.result)
        return {"role": "tool", "tool_call_id": ids[message.tool_call_id or ""], "content": content}
    out: dict[str, Json] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        out["tool_calls"] = [
            {
                "id": ids[call.id],
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for call in message.tool_calls
        ]
    return out
