"""The messages of a clean OpenAI chat record in, messages out that need no second look; None for all others.

Nearly all records of a chat log are clean: read here, by pydantic's core, they cost a third of what the dialects and
pairing take, which read the rest. Clean means: text, calls with JSON arguments and new ids, each result right behind
its call.
"""

from typing import Final

import orjson
from pydantic_core import SchemaValidator, ValidationError
from pydantic_core import core_schema as core

from agent_gym.trace_parser.dialects.tags import has_tags
from agent_gym.trace_parser.schema import frozen, list_of
from agent_gym.types import Json, Message, ToolCall

__all__ = ["clean_messages"]


def clean_messages(raw: Json) -> tuple[Message, ...] | None:
    try:
        messages: tuple[Message, ...] = _VALIDATOR.validate_python(raw)
    except ValidationError:
        return None
    return messages if _named(messages) else None


def _named(messages: tuple[Message, ...]) -> bool:
    """Gives every result the name of its call; False where the record is not clean after all."""
    seen: set[str] = set()
    waiting: dict[str, str] = {}
    for message in messages:
        content = message.content
        if message.role == "tool":
            name = waiting.pop(message.tool_call_id or "", None)
            result = message.result
            if name is None or result[:1] == "<" or result[:7] == '{"type"':
                return False
            # Frozen for all others: nobody has seen this message yet, and making it anew costs as much as reading it.
            object.__setattr__(message, "name", name)
            continue
        if content is not None and ("###" in content or ("<" in content and has_tags(content))):
            return False
        if waiting:
            waiting = {}
        for call in message.tool_calls:
            if call.id in seen:
                return False
            seen.add(call.id)
            waiting[call.id] = call.name
    return True


_TEXT: Final = core.str_schema(strict=True)
_SAID: Final = core.str_schema(strict=True, min_length=1)
_FLAG: Final = core.with_default_schema(core.bool_schema(strict=True), default=False)


def _call() -> core.CoreSchema:
    # orjson refuses what JSON does not have, and numbers that could not be written again; pydantic does not.
    loaded = core.no_info_plain_validator_function(orjson.loads)
    arguments = core.chain_schema([_TEXT, loaded, core.is_instance_schema(dict)])
    named: list[str | int] = ["function", "name"]
    given: list[str | int] = ["function", "arguments"]
    return frozen(
        ToolCall,
        [
            core.dataclass_field("name", _SAID, validation_alias=named),
            core.dataclass_field("arguments", arguments, validation_alias=given),
            core.dataclass_field("id", _SAID),
        ],
        extra="ignore",  # type and index say nothing more
    )


def _message(role: str, given: dict[str, core.CoreSchema]) -> core.CoreSchema:
    """A message of one role; a field that the role does not have makes the record one for the dialects."""
    empty: dict[str, Json] = {"content": None, "tool_calls": (), "name": None, "tool_call_id": None, "result": None}
    fields = [core.dataclass_field("role", core.literal_schema([role]))]
    for name, value in empty.items():
        schema = given.get(name, core.with_default_schema(core.none_schema(), default=value))
        alias = "content" if role == "tool" and name == "result" else None
        fields.append(core.dataclass_field(name, schema, init=name in given, validation_alias=alias))
    fields += [core.dataclass_field(name, _FLAG, init=False) for name in ("is_error", "trainable", "final")]
    return frozen(Message, fields)


def _schema() -> core.CoreSchema:
    calls = core.tuple_schema([_call()], variadic_item_index=0, min_length=1)
    maybe = core.with_default_schema(core.nullable_schema(_SAID), default=None)
    by_role = {
        "system": _message("system", {"content": _TEXT}),
        "user": _message("user", {"content": _TEXT}),
        "assistant": core.union_schema(
            [_message("assistant", {"content": _TEXT}), _message("assistant", {"content": maybe, "tool_calls": calls})],
            mode="left_to_right",
        ),
        "tool": _message("tool", {"tool_call_id": _SAID, "result": _TEXT}),
    }
    return list_of(core.tagged_union_schema(by_role, "role"))


_VALIDATOR: Final = SchemaValidator(_schema())
