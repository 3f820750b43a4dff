"""A trained checkpoint in, an Agent out: the same template and the same reading of its turns as in training."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from agent_gym.adapters.chat import chat_messages, chat_tools
from agent_gym.adapters.trl.tokens import Tokens
from agent_gym.adapters.trl.versions import require_trl
from agent_gym.environment.action import read_action
from agent_gym.types import Json, Message

__all__ = ["CheckpointAgent"]


class CheckpointAgent:
    """A causal language model that answers greedily, so that an evaluation can be repeated."""

    def __init__(self, path: str | PathLike[str], *, show_tools: bool = True, turn_tokens: int = 256) -> None:
        require_trl()
        import transformers  # noqa: PLC0415  heavy, and optional

        self._model: Any = transformers.AutoModelForCausalLM.from_pretrained(path)
        self._tokens = Tokens(transformers.AutoTokenizer.from_pretrained(path), {})
        self._show_tools, self._turn_tokens = show_tools, turn_tokens

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message:
        """Its turn; what cannot be read as one stays in the words, for the episode to say so."""
        import torch  # noqa: PLC0415

        shown = chat_tools(tools) if self._show_tools else []
        prompt = self._tokens.prompt(chat_messages(messages), shown)
        with torch.no_grad():
            out = self._model.generate(
                input_ids=torch.tensor([prompt]),
                attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
                max_new_tokens=self._turn_tokens,
                do_sample=False,
                eos_token_id=self._tokens.end,
                pad_token_id=self._tokens.end,
            )
        ids = out[0, len(prompt) :].tolist()
        action = self._tokens.action(ids, prompt, chat_tools(tools))
        message = read_action(action)
        return message if isinstance(message, Message) else Message("assistant", str(action), trainable=True)
