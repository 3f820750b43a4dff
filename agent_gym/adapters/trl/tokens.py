"""Chat messages in, token ids out; sampled ids are never rendered again.

A template may render a turn otherwise once another follows (reasoning is stripped, for one), so only what
comes after the model's own ids is ever rendered: what a message adds behind a stand-in for the model's turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent_gym.adapters.chat import chat_messages
from agent_gym.environment.written_calls import MODEL_CALL, spoken, written_action
from agent_gym.errors import AgentGymError
from agent_gym.types import Json, Message

__all__ = ["Tokens"]

_STAND_IN = "QzStandInQz"  # what no template writes itself


@dataclass(frozen=True, slots=True)
class Tokens:
    """One tokenizer and its chat template."""

    tokenizer: Any  # a PreTrainedTokenizerBase, whose types this package does not install
    template_options: Mapping[str, Json]

    @property
    def end(self) -> int:
        """The token that ends a turn."""
        return int(self.tokenizer.eos_token_id)

    def prompt(self, messages: Sequence[Mapping[str, Json]], tools: Sequence[Mapping[str, Json]]) -> list[int]:
        """A whole conversation up to where the model speaks."""
        text = self._rendered(messages, tools=list(tools) or None, add_generation_prompt=True)
        return self._ids(text)

    def after(self, own: Sequence[int], told: Sequence[Message]) -> list[int]:
        """What stands between the model's own ids and its next turn: the end of its turn, results, replies."""
        said = {"role": "assistant", "content": _STAND_IN}
        text = self._rendered(
            [{"role": "user", "content": "?"}, said, *chat_messages(told)], add_generation_prompt=True
        )
        if text.count(_STAND_IN) != 1:
            raise AgentGymError("the chat template leaves out what the assistant said: choose one that supports tools")
        ids = self._ids(text.partition(_STAND_IN)[2])
        ended = bool(own) and own[-1] == self.end
        return ids[1:] if ended and ids[:1] == [self.end] else ids

    def action(self, ids: Sequence[int], prefix: Sequence[int], tools: Sequence[Mapping[str, Json]]) -> Json:
        """What the model did, as an action of an episode; a call that cannot be read stays a mistake to learn from."""
        text: str = self.tokenizer.decode(list(ids), skip_special_tokens=True)
        if MODEL_CALL not in text and self._parses:
            return _parsed(self._parse(list(ids), list(prefix), list(tools)), text)
        return written_action(text)

    @property
    def _parses(self) -> bool:
        return any(getattr(self.tokenizer, name, None) for name in ("response_template", "response_schema"))

    def _parse(self, ids: list[int], prefix: list[int], tools: list[Mapping[str, Json]]) -> Mapping[str, Json]:
        from trl.chat_template_utils import parse_response  # noqa: PLC0415  loads torch

        found: Mapping[str, Json] = parse_response(self.tokenizer, ids, prefix=prefix, tools=tools)
        return found

    def _rendered(self, messages: Sequence[Mapping[str, Json]], **options: Json) -> str:
        given = {**self.template_options, **options}
        text: str = self.tokenizer.apply_chat_template(list(messages), tokenize=False, **given)
        return text

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


def _parsed(found: Mapping[str, Json], text: str) -> Json:
    calls = [call.get("function", call) for call in found.get("tool_calls") or ()]
    if calls:
        return {"content": "", "tool_calls": [{"name": c.get("name"), "arguments": c.get("arguments")} for c in calls]}
    return {"content": spoken(found.get("content") or text)}
