"""An item of OpenAI's Responses API in, messages out; the items of one model turn are merged by the caller."""

from typing import Final

from agent_gym.trace_parser.dialects.calls import arguments_of, first_text, result_of
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.trace_parser.values import word
from agent_gym.types import Json, Message, ToolCall

__all__ = ["is_item", "response_item"]

_CALLS: Final = {"function_call", "custom_tool_call"}
_RESULTS: Final = {
    "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output",
    "apply_patch_call_output", "computer_call_output", "function_result",
}  # fmt: skip
# The service runs these itself: the call and, where it is shown, the result are one item.
_SERVED: Final = {
    "mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call",
    "local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call",
}  # fmt: skip
_NOT_MESSAGES: Final = {
    "reasoning", "compaction", "item_reference", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response",
    "thought", "context_compaction", "ghost_snapshot",
}  # fmt: skip
_ANSWERED_ELSEWHERE: Final = {"local_shell_call", "shell_call", "apply_patch_call", "computer_call"}


def is_item(raw: dict[str, Json]) -> bool:
    kind = word(raw.get("type"))
    return kind in _CALLS or kind in _RESULTS or kind in _SERVED or kind in _NOT_MESSAGES


def response_item(raw: dict[str, Json], notes: Notes) -> list[Message]:
    """The messages of an item that is not of type `message`."""
    kind = word(raw.get("type"))
    if kind in _NOT_MESSAGES:
        notes.warn("reasoning, approvals and other service items are not messages and were left out", kind)
        return []
    if kind in _RESULTS:
        return [result_of({"name": raw.get("name"), **_with_call_id(raw)}, ("output", "result", "content"))]
    # Calls are paired on `call_id`; `id` names the item.
    call_id = first_text(raw, ("call_id", "id"))
    if kind in _CALLS:
        given = raw.get("arguments", raw.get("input"))
        arguments = (
            {"input": given} if kind == "custom_tool_call" and isinstance(given, str) else arguments_of(given, notes)
        )
        name = first_text(raw, ("name",))
        if not name:
            notes.set_aside(raw, "a tool call without a name was left out")
            return []
        return [Message("assistant", None, (ToolCall(name, arguments, call_id),))]
    return _served(raw, kind, call_id, notes)


def _with_call_id(raw: dict[str, Json]) -> dict[str, Json]:
    named = {key: value for key, value in raw.items() if key not in ("id", "name")}
    return named if first_text(raw, ("call_id",)) else {**named, "id": raw.get("id")}


def _served(raw: dict[str, Json], kind: str, call_id: str, notes: Notes) -> list[Message]:
    name = first_text(raw, ("name",)) or kind.removesuffix("_call")
    given = next((raw[k] for k in ("arguments", "action", "input", "code", "queries", "operation") if raw.get(k)), None)
    arguments = (
        given if isinstance(given, dict) else arguments_of(given, notes) if kind == "mcp_call" else _named(raw, given)
    )
    call = Message("assistant", None, (ToolCall(name, arguments, call_id),))
    if kind in _ANSWERED_ELSEWHERE:
        return [call]
    result = next((raw[k] for k in ("output", "outputs", "results", "result") if raw.get(k) is not None), None)
    error = raw.get("error")
    if result is None and error is None:
        return [call]
    return [
        call,
        Message("tool", None, (), name, call_id or None, result if error is None else error, error is not None),
    ]


def _named(raw: dict[str, Json], given: Json) -> dict[str, Json]:
    key = next((k for k in ("code", "queries", "input") if raw.get(k)), "input")
    return {} if given is None else {key: given}
