"""Our messages to the body of a chat completion, and the answer's body back to a message.

Servers that speak this format leave fields out and add their own, so the answer is checked here against the
few that are needed, and not by the SDK, which checks nothing.
"""

import json

from pydantic import BaseModel, ValidationError

from agent_gym.errors import LlmBadReply
from agent_gym.llm.chat import ChatReply, ChatRequest, Usage
from agent_gym.llm.guard import misreading
from agent_gym.llm.turns import ToolNames, Turn, arguments_of, function_of, told, turns_of
from agent_gym.text import as_text
from agent_gym.types import Json, Message, ToolCall

__all__ = ["body_of", "reply_of"]


def body_of(request: ChatRequest, model: str, *, official: bool) -> dict[str, Json]:
    names = ToolNames.of(request)
    messages: list[Json] = []
    if request.instruction:
        messages.append({"role": "system", "content": request.instruction})
    for position, turn in enumerate(turns_of(request.messages)):
        messages.extend(_messages(turn, names, position))
    tools = [
        {"type": "function", "function": {**(f := function_of(tool)), "name": names.wire[str(f.get("name", ""))]}}
        for tool in request.tools
    ]
    # OpenAI has renamed the limit, and its newer models know the new name only; other servers know the old one.
    limit = "max_completion_tokens" if official else "max_tokens"
    settings: dict[str, Json] = {"temperature": request.temperature, limit: request.max_tokens, "seed": request.seed}
    if request.answer_schema is not None:
        form = {"name": "answer", "strict": True, "schema": request.answer_schema}
        settings["response_format"] = {"type": "json_schema", "json_schema": form}
    chosen = {name: value for name, value in settings.items() if value is not None}
    return {"model": model, "messages": messages, **({"tools": tools} if tools else {}), **chosen}


def _messages(turn: Turn, names: ToolNames, position: int) -> list[Json]:
    if turn.role == "user":
        return [{"role": "user", "content": turn.text}]
    if not turn.calls:
        return [{"role": "assistant", "content": turn.text}]
    ids = [call.id or f"call_{position}_{at}" for at, (call, _) in enumerate(turn.calls)]
    made = [
        {
            "id": call_id,
            "type": "function",
            "function": {
                "name": names.wire[call.name],
                "arguments": json.dumps(arguments_of(call.arguments), ensure_ascii=False, default=dict),
            },
        }
        for call_id, (call, _) in zip(ids, turn.calls, strict=True)
    ]
    results = [
        {"role": "tool", "tool_call_id": call_id, "content": _content(result)}
        for call_id, (_, result) in zip(ids, turn.calls, strict=True)
    ]
    return [{"role": "assistant", "content": turn.text or None, "tool_calls": made}, *results]


def _content(result: Message) -> str:
    answer = {"error": told(result)} if result.is_error else told(result)
    return as_text(answer)


class _Function(BaseModel):
    name: str
    arguments: str | dict[str, Json] | None = None  # some servers send the object itself


class _Call(BaseModel):
    id: str | None = None
    function: _Function


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: _Usage | None = None
    model: str | None = None


def reply_of(body: str, request: ChatRequest, model: str) -> ChatReply:
    """The first choice as a message; filtered, empty and misshapen ones are `LlmBadReply`."""
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError as error:
        raise LlmBadReply(f"{model} sent no chat completion: {misreading(error)}") from None
    if not completion.choices:
        raise LlmBadReply(f"{model} gave no answer: no choices")
    choice, names = completion.choices[0], ToolNames.of(request)
    calls = tuple(
        ToolCall(
            names.original(call.function.name),
            arguments_of(call.function.arguments or {}),
            call.id or f"call_{request.digest()[:12]}_{position}",
        )
        for position, call in enumerate(choice.message.tool_calls or ())
    )
    words = choice.message.content or choice.message.refusal
    if choice.finish_reason == "content_filter" or not (words or calls):
        raise LlmBadReply(f"{model} gave no answer: an empty or withheld message ({choice.finish_reason})")
    used = completion.usage or _Usage()
    message = Message(role="assistant", content=words or None, tool_calls=calls)
    return ChatReply(message, Usage(used.prompt_tokens, used.completion_tokens), completion.model or model)
