"""What a language model wrote in, an action out: tool calls between the tags that most open models use, else words."""

import re

from agent_gym.types import Json

__all__ = ["MODEL_CALL", "spoken", "written_action"]

MODEL_CALL = "<tool_call>"
_REASONING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)


def written_action(text: str) -> Json:
    """Calls between `<tool_call>` tags; else words for the customer, without the reasoning before them."""
    words = spoken(text)
    calls = _CALL.findall(words)
    if not calls and MODEL_CALL not in words:
        return {"content": words}
    # Broken JSON goes on as it is: the episode says what is wrong with it, as it does to every agent.
    return f'{{"content": "", "tool_calls": [{", ".join(calls) or words.partition(MODEL_CALL)[2]}]}}'


def spoken(text: str) -> str:
    """What is meant to be heard."""
    return _REASONING.sub("", text).strip()
