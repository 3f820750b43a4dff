"""A tool set in, a class out whose methods are those tools: how TRL's `environment_factory` finds them.

TRL looks at the functions of the class, their signatures and their docstrings, so they have to be real; every
public name is a tool, so everything else is private.
"""

import inspect
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent_gym.adapters.chat import chat_message
from agent_gym.adapters.trl.cases import Case, Cases
from agent_gym.adapters.trl.scoring import Scoring
from agent_gym.environment.episode import Episode
from agent_gym.errors import AgentGymError
from agent_gym.types import Json

__all__ = ["ToolEnvironment", "tool_class"]

_TYPES: Mapping[str, type] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict,
}  # fmt: skip
_OVER = "The conversation is over."


class ToolEnvironment:
    """One rollout at a time; instances are pooled and reset by the trainer."""

    _cases: Cases
    _scoring: Scoring

    def __init__(self) -> None:
        self._episode: Episode | None = None

    def reset(self, conversation_id: str, seed: int, from_turn: int, **_row: Json) -> None:
        """Open the row's case; its prompt already says what the customer said."""
        self._episode = self._cases.open(Case(conversation_id, seed, from_turn))

    def get_reward(self) -> float | None:
        return self._scoring.rewards([self._live()])[0]

    def respond_to_user(self, message: str) -> str:
        """Say something to the customer and read the answer.

        Args:
            message: What you say.
        """
        return self._stepped({"content": message})

    def _live(self) -> Episode:
        if self._episode is None:
            raise AgentGymError("reset the environment before using it")
        return self._episode

    def _stepped(self, action: Mapping[str, Json]) -> str:
        """Carry out the action; what the model reads next, as text."""
        episode = self._live()
        if episode.over:
            return _OVER
        said = len(episode.messages) + 1
        step = episode.step(action)
        told = [chat_message(message)["content"] for message in episode.messages[said:]]
        return "\n".join([*told, *([_OVER] if step.terminated or step.truncated else [])])


def tool_class(name: str, tools: Sequence[Mapping[str, Json]], cases: Cases, scoring: Scoring) -> type[ToolEnvironment]:
    """A class of its own for the tool set: names bound on a shared one would be seen by all."""
    methods: dict[str, Any] = {"_cases": cases, "_scoring": scoring}
    for tool in tools:
        function = tool.get("function", tool)
        method = _method(function)
        methods[method.__name__] = method
    return type(name, (ToolEnvironment,), methods)


def _method(function: Mapping[str, Json]) -> Callable[..., str]:
    """The tool as a function with the signature and docstring its schema describes."""
    name = str(function["name"])
    schema = function.get("parameters") or {}
    properties: Mapping[str, Json] = schema.get("properties") or {}
    required = set(schema.get("required") or ())
    spelled = {_identifier(given): given for given in properties}

    def call(self: ToolEnvironment, **arguments: Json) -> str:
        given = {spelled.get(key, key): value for key, value in arguments.items() if value is not None}
        return self._stepped({"tool_calls": [{"name": name, "arguments": given}]})

    call.__name__ = call.__qualname__ = _identifier(name)
    call.__doc__ = _docstring(function, spelled, properties)
    parameters = [
        inspect.Parameter(
            key,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=_annotation(properties[given], optional=given not in required),
            **({} if given in required else {"default": None}),
        )
        for key, given in spelled.items()
    ]
    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    call.__signature__ = inspect.Signature([this, *parameters], return_annotation=str)  # type: ignore[attr-defined]  # functions take one
    call.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": str}
    return call


def _identifier(name: str) -> str:
    """A name that Python takes; never a private one, for those are not tools."""
    plain = re.sub(r"\W", "_", name).lstrip("_") or "tool"
    plain = f"tool_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if keyword.iskeyword(plain) or hasattr(ToolEnvironment, plain) else plain


def _annotation(schema: Json, *, optional: bool) -> Any:
    kinds = schema.get("type") if isinstance(schema, Mapping) else None
    kind = next((k for k in kinds if k != "null"), None) if isinstance(kinds, list) else kinds
    found: Any = _TYPES.get(str(kind), str)
    return found | None if optional else found


def _docstring(function: Mapping[str, Json], spelled: Mapping[str, str], properties: Mapping[str, Json]) -> str:
    about = " ".join(str(function.get("description") or f"Call {function['name']}.").split())
    lines = [about, ""]
    if spelled:
        lines.append("Args:")
    for key, given in spelled.items():
        schema = properties[given]
        told = schema.get("description") if isinstance(schema, Mapping) else None
        lines.append(f"    {key}: {' '.join(str(told or given.replace('_', ' ')).split())}")
    return "\n".join(lines)
