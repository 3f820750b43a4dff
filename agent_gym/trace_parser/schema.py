"""A record in the strict trace schema in, a `Trace` out: pydantic's core builds the frozen nouns directly.

What is not exactly of the schema is refused here and goes through `shape` first. Building the dataclasses in
the validator costs about as much as calling their constructors unchecked.
"""

from typing import Final

from pydantic_core import SchemaValidator, ValidationError
from pydantic_core import core_schema as core

from agent_gym.types import Json, Message, ToolCall, Trace

__all__ = ["strict_trace", "why_not"]

_TEXT: Final = core.str_schema(strict=True)
_OBJECT: Final = core.dict_schema(_TEXT)
_FLAG: Final = core.with_default_schema(core.bool_schema(strict=True), default=False)


def strict_trace(record: Json) -> Trace:
    """Raises pydantic's `ValidationError` for whatever the schema does not have."""
    trace: Trace = _VALIDATOR.validate_python(record)
    return trace


def why_not(error: ValidationError) -> str:
    """The first thing the schema refuses, in words."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    return f"{path}: {first['msg']}" if path else first["msg"]


def _optional(schema: core.CoreSchema) -> core.CoreSchema:
    return core.with_default_schema(core.nullable_schema(schema), default=None)


def _list_of(schema: core.CoreSchema) -> core.CoreSchema:
    return core.tuple_schema([schema], variadic_item_index=0)


def _frozen(cls: type, fields: list[core.DataclassField]) -> core.CoreSchema:
    """A frozen dataclass with slots, built by the validator itself."""
    return core.dataclass_schema(
        cls,
        core.dataclass_args_schema(cls.__name__, fields),
        [field["name"] for field in fields],
        slots=True,
        frozen=True,
        config=core.CoreConfig(extra_fields_behavior="forbid"),
    )


def _call() -> core.CoreSchema:
    field = core.dataclass_field
    return _frozen(
        ToolCall,
        [
            field("name", core.str_schema(strict=True, min_length=1)),
            field("arguments", _OBJECT),
            field("id", core.with_default_schema(_TEXT, default="")),
        ],
    )


def _message(role: str, allowed: set[str]) -> core.CoreSchema:
    """A message of one role: a field that the role does not have is refused, never silently lost."""
    schemas: dict[str, core.CoreSchema] = {
        "content": _optional(_TEXT),
        "tool_calls": core.with_default_schema(_list_of(_call()), default=()),
        "name": _optional(_TEXT),
        "tool_call_id": _optional(_TEXT),
        "result": core.with_default_schema(core.any_schema(), default=None),
        "is_error": _FLAG,
        "trainable": _FLAG,
        "final": _FLAG,
    }
    fields = [core.dataclass_field("role", core.literal_schema([role]))]
    fields += [core.dataclass_field(key, schema, init=key in allowed) for key, schema in schemas.items()]
    return _frozen(Message, fields)


def _trace() -> core.CoreSchema:
    field = core.dataclass_field
    by_role = {
        "system": _message("system", {"content"}),
        "user": _message("user", {"content", "tool_calls", "final"}),
        "assistant": _message("assistant", {"content", "tool_calls", "trainable"}),
        "tool": _message("tool", {"content", "name", "tool_call_id", "result", "is_error"}),
    }
    messages = _list_of(core.tagged_union_schema(by_role, "role"))
    tools = core.with_default_schema(_list_of(_OBJECT), default=())
    return _frozen(
        Trace,
        [
            field("conversation_id", core.str_schema(strict=True, min_length=1)),
            field("messages", messages),
            field("outcome", _optional(_TEXT)),
            field("satisfaction_score", _optional(core.float_schema(strict=True, allow_inf_nan=False))),
            field("tools", tools),
            field("metadata", core.with_default_schema(_OBJECT, default_factory=dict)),
        ],
    )


_VALIDATOR: Final = SchemaValidator(_trace())
