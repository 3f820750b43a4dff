"""What an agent did in a conversation: messages in, writes, look-ups and words out."""

from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_gym.goals.told import Told, heard_in
from agent_gym.text import parsed
from agent_gym.tool_mocker.log import is_refusal
from agent_gym.types import Json, Message, ToolCall, paired_calls

__all__ = ["Deeds", "Place", "cut_off", "deeds_in", "result_of"]

Place = tuple[str, str, str]  # table, key, path

_ERROR_SIGNS = ("error", "exception", "success", "fail")  # no object without one of them reports an error


@dataclass(frozen=True, slots=True)
class Deeds:
    """`changes` is None where not every write shows its effect."""

    writes: tuple[ToolCall, ...]  # successful, in order, repeats included
    reads: tuple[ToolCall, ...]
    handed_over: bool
    told: Told
    changes: Mapping[Place, Json] | None = None
    made: tuple[ToolCall, ...] = ()  # successful writes as the messages show them, those without effect among them


def deeds_in(messages: Sequence[Message], write_tools: frozenset[str], end_tools: frozenset[str]) -> Deeds:
    writes, reads, handed_over = [], [], False
    for call, answer in paired_calls(messages):
        if call.name in end_tools:
            handed_over = True
        elif answer is None or answer.is_error or _refuses(answer):
            continue
        elif call.name in write_tools:
            writes.append(call)
        else:
            reads.append(call)
    heard = heard_in(messages)
    asked = ((bisect(heard, i), message.text) for i, message in enumerate(messages) if message.role == "user")
    told = Told((messages[i].text for i in heard), asked)
    made = tuple(writes)
    return Deeds(made, tuple(reads), handed_over, told, made=made)


def result_of(answer: Message) -> Json:
    return parsed(_raw(answer))


def cut_off(messages: Sequence[Message]) -> bool:
    """Whether a conversation breaks off: no reply at all, or a tool was asked and nobody spoke again."""
    if not any(message.role == "assistant" for message in messages):
        return True
    last = next(message for message in reversed(messages) if message.role != "system")
    return last.role == "tool" or (bool(last.tool_calls) and not last.text)


def _raw(answer: Message) -> Json:
    return answer.result if answer.result is not None else answer.content


def _refuses(answer: Message) -> bool:
    raw = _raw(answer)
    if isinstance(raw, str) and raw[:1] in ("{", "["):
        # Most results are long and report no error: they need not be parsed to know it.
        low = raw.lower()
        if not any(map(low.__contains__, _ERROR_SIGNS)):
            return False
    return is_refusal(parsed(raw))
