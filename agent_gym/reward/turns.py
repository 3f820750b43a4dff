"""Messages and paired calls in, the customer's turns out, each with the most that was done before the next one."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from agent_gym.goals import Goal
from agent_gym.text import parsed, tokens
from agent_gym.tool_mocker.log import is_refusal
from agent_gym.types import Json, Message, ToolCall

__all__ = ["Deed", "Turn", "failed", "result_of", "turns_in"]

Deed = Literal["nothing done", "refused", "looked up", "written", "handed over"]  # from least to most
_DEEDS: tuple[Deed, ...] = get_args(Deed)


class Turn(NamedTuple):
    """What the customer said in one go, and the most that the agent then did."""

    words: tuple[str, ...]
    deed: Deed

    @property
    def in_vain(self) -> bool:
        return self.deed in ("nothing done", "refused")


def turns_in(
    messages: Iterable[Message], calls: Sequence[tuple[ToolCall, Message | None]], goal: Goal
) -> tuple[Turn, ...]:
    """`calls`: those of the messages, with their answers; `goal` knows which tools write and which hand over."""
    deeds = {id(call): _deed(goal, call, answer) for call, answer in calls}
    turns: list[Turn] = []
    for message in messages:
        if message.role == "user":
            turns.append(Turn(_words(message.text), "nothing done"))
        elif turns and message.tool_calls:
            done = [turns[-1].deed, *(deeds[id(call)] for call in message.tool_calls if id(call) in deeds)]
            turns[-1] = turns[-1]._replace(deed=max(done, key=_DEEDS.index))
    return tuple(turns)


def _deed(goal: Goal, call: ToolCall, answer: Message | None) -> Deed:
    if call.name in goal.end_tools:
        return "handed over"
    if failed(answer):
        return "refused"
    return "written" if call.name in goal.write_tools else "looked up"


def _words(text: str) -> tuple[str, ...]:
    """Numbers, ids and codes belong to the case, not to how it went."""
    return tuple(word for word in tokens(text) if word.replace("'", "").isalpha())


def failed(answer: Message | None) -> bool:
    return answer is None or answer.is_error or is_refusal(result_of(answer))


def result_of(answer: Message) -> Json:
    return parsed(answer.result if answer.result is not None else answer.content)
