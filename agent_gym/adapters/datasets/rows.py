"""Conversations in, rows in the forms that trainers read out."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from agent_gym.adapters.chat import chat_messages, chat_tools
from agent_gym.adapters.datasets.kept import Kept
from agent_gym.environment.prefix import opened_at
from agent_gym.environment.rollout import Rollout, parted_at
from agent_gym.llm import ChatRequest
from agent_gym.llm.openai_wire import body_of
from agent_gym.llm.turns import arguments_of
from agent_gym.types import Json, Message

__all__ = ["FORMS", "dpo_rows", "sft_row", "sft_turns"]

Row = dict[str, Json]


def sft_row(kept: Kept) -> Row:
    """A whole conversation: `messages` and `tools`."""
    return {
        "conversation_id": kept.conversation_id,
        "messages": chat_messages(kept.messages),
        "tools": chat_tools(kept.tools),
    }


def openai_row(kept: Kept) -> Row:
    """As OpenAI reads it, for fine-tuning as for a request: every call has an id, a result and a legal name."""
    body = body_of(ChatRequest(kept.messages, tools=kept.tools), "", official=True)
    return {name: body[name] for name in ("messages", "tools") if name in body}


def sharegpt_row(kept: Kept) -> Row:
    """As ShareGPT's tool variant has it: who speaks and what, one thing at a time."""
    system = "\n\n".join(message.text for message in kept.messages if message.role == "system")
    said = [line for message in kept.messages if message.role != "system" for line in _sharegpt(message)]
    tools = json.dumps([tool["function"] for tool in chat_tools(kept.tools)], ensure_ascii=False, default=dict)
    return {"id": kept.conversation_id, "system": system, "conversations": said, "tools": tools}


def _sharegpt(message: Message) -> Iterator[Row]:
    if message.role == "user":
        yield {"from": "human", "value": message.text}
    elif message.role == "tool":
        yield {"from": "observation", "value": chat_messages([message])[0]["content"]}
    else:
        if message.text:
            yield {"from": "gpt", "value": message.text}
        for call in message.tool_calls:
            made = {"name": call.name, "arguments": arguments_of(call.arguments)}
            yield {"from": "function_call", "value": json.dumps(made, ensure_ascii=False, default=dict)}


FORMS: Mapping[str, Callable[[Kept], Row]] = {"sft": sft_row, "openai": openai_row, "sharegpt": sharegpt_row}


def sft_turns(conversations: Iterable[Kept]) -> Iterator[Row]:
    """Every turn of the agent: `prompt` before it, `completion` what it did."""
    for kept in conversations:
        opened = opened_at(kept.messages)
        chat, tools = chat_messages(kept.messages), chat_tools(kept.tools)
        for at, message in enumerate(kept.messages):
            if at > opened and message.role == "assistant":
                yield {"prompt": chat[:at], "completion": [chat[at]], "tools": tools}


def dpo_rows(played: Iterable[tuple[Kept, Rollout]], gap: float = 0.2) -> Iterator[tuple[Kept, Row]]:
    """The best and the worst rollout of a case, where their scores lie `gap` apart: `prompt`, `chosen`, `rejected`.

    The prompt is what both have in common, up to where the agents first did something else.
    """
    for conversation_id, group in groupby(sorted(played, key=_case), key=_case):
        ranked = sorted(group, key=lambda pair: pair[1].score or 0.0)
        (worst, _), (kept, _) = ranked[0], ranked[-1]
        parted = parted_at(kept.messages, worst.messages)
        if (
            _by_the_agents(parted, kept.messages, worst.messages)
            and (ranked[-1][1].score or 0.0) - (ranked[0][1].score or 0.0) >= gap
        ):
            yield (
                kept,
                {
                    "conversation_id": conversation_id,
                    "prompt": chat_messages(kept.messages[:parted]),
                    "chosen": chat_messages(kept.messages[parted:]),
                    "rejected": chat_messages(worst.messages[parted:]),
                    "tools": chat_tools(kept.tools),
                },
            )


def _case(pair: tuple[Kept, Rollout]) -> str:
    return pair[0].conversation_id


def _by_the_agents(parted: int, *talks: Sequence[Message]) -> bool:
    """Whether it was the agents who first did something else, and not the customer."""
    return all(len(talk) > parted and talk[parted].role == "assistant" for talk in talks)
