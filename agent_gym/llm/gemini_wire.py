"""Our messages to Gemini's contents and back: the SDK's types on one side, ours on the other.

This module imports the SDK, which takes a second; so it is itself imported only when a request is sent.
"""

from google.genai import types

from agent_gym.errors import LlmBadReply
from agent_gym.llm.chat import ChatReply, ChatRequest, Usage
from agent_gym.llm.signatures import UNSIGNED, Signatures
from agent_gym.llm.turns import ToolNames, Turn, arguments_of, function_of, told, turns_of
from agent_gym.types import Json, Message, ToolCall

__all__ = ["config_of", "contents_of", "reply_of"]

_ENDED_WELL = ("STOP", "MAX_TOKENS", "FINISH_REASON_UNSPECIFIED")


def config_of(request: ChatRequest, names: ToolNames) -> types.GenerateContentConfig:
    declared = [_declaration(function_of(tool), names) for tool in request.tools]
    return types.GenerateContentConfig(
        system_instruction=request.instruction or None,
        tools=[types.Tool(function_declarations=declared)] if declared else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        temperature=request.temperature,
        max_output_tokens=request.max_tokens,
        seed=request.seed,
        response_mime_type="application/json" if request.answer_schema else None,
        response_json_schema=request.answer_schema,
    )


def _declaration(function: Json, names: ToolNames) -> types.FunctionDeclaration:
    parameters = function.get("parameters") or {}
    return types.FunctionDeclaration(
        name=names.wire[str(function.get("name", ""))],
        description=function.get("description") or None,
        # An object without properties is refused; a function without parameters is not.
        parameters_json_schema=parameters if parameters.get("properties") else None,
    )


def contents_of(request: ChatRequest, names: ToolNames, signatures: Signatures) -> list[types.Content]:
    contents: list[types.Content] = []

    def say(role: str, parts: list[types.Part]) -> None:
        if contents and contents[-1].role == role:
            contents[-1].parts = [*(contents[-1].parts or []), *parts]
        else:
            contents.append(types.Content(role=role, parts=parts))

    for turn in turns_of(request.messages):
        if turn.role == "model" and not contents:
            say("user", [types.Part(text="(The conversation begins.)")])  # Gemini wants the user to open
        words = [types.Part(text=turn.text)] if turn.text.strip() else []
        say(turn.role, words + _calls(turn, names, signatures))
        if turn.calls:
            say("user", _results(turn, names))
    if not contents:
        say("user", [types.Part(text="(The conversation begins.)")])
    return contents


def _calls(turn: Turn, names: ToolNames, signatures: Signatures) -> list[types.Part]:
    parts = []
    for position, (call, _) in enumerate(turn.calls):
        # Of calls made side by side only the first is signed.
        unsigned = UNSIGNED if position == 0 else None
        made = types.FunctionCall(id=call.id or None, name=names.wire[call.name], args=arguments_of(call.arguments))
        parts.append(types.Part(function_call=made, thought_signature=signatures.of(call.id) or unsigned))
    return parts


def _results(turn: Turn, names: ToolNames) -> list[types.Part]:
    parts = []
    for call, result in turn.calls:
        answer = types.FunctionResponse(
            id=call.id or None,
            name=names.wire[call.name],
            response={"error" if result.is_error else "output": told(result)},
        )
        parts.append(types.Part(function_response=answer))
    return parts


def reply_of(
    response: types.GenerateContentResponse, request: ChatRequest, model: str, signatures: Signatures
) -> ChatReply:
    """The first candidate as a message; blocked, malformed and empty ones are `LlmBadReply`."""
    names = ToolNames.of(request)
    parts = _parts(response, model)
    words = "".join(part.text or "" for part in parts if not part.thought)
    calls: list[ToolCall] = []
    for part in parts:
        if part.function_call is None:
            continue
        made = part.function_call
        call_id = made.id or f"call_{request.digest()[:12]}_{len(calls)}"
        calls.append(ToolCall(names.original(made.name or ""), arguments_of(made.args or {}), call_id))
        if part.thought_signature:
            signatures.keep(call_id, part.thought_signature)
    used = response.usage_metadata
    usage = Usage(
        input_tokens=(used and used.prompt_token_count) or 0,
        output_tokens=((used and used.candidates_token_count) or 0) + ((used and used.thoughts_token_count) or 0),
    )
    message = Message(role="assistant", content=words or None, tool_calls=tuple(calls))
    return ChatReply(message, usage, response.model_version or model)


def _parts(response: types.GenerateContentResponse, model: str) -> list[types.Part]:
    if not response.candidates:
        blocked = response.prompt_feedback and response.prompt_feedback.block_reason
        reason = f"the prompt was blocked ({blocked.value})" if blocked else "no candidates"
        raise LlmBadReply(f"{model} gave no answer: {reason}")
    candidate = response.candidates[0]
    ended = candidate.finish_reason.value if candidate.finish_reason else "STOP"
    if ended not in _ENDED_WELL:
        raise LlmBadReply(f"{model} gave no answer: {ended} {candidate.finish_message or ''}".rstrip())
    parts = (candidate.content and candidate.content.parts) or []
    if not any(part.function_call or (part.text and not part.thought) for part in parts):
        hint = "; it was cut short while thinking, allow more tokens" if ended == "MAX_TOKENS" else ""
        raise LlmBadReply(f"{model} gave no answer: an empty message{hint}")
    return parts
