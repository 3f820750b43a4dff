"""A success in, what it looked up only to tell its customer out: the questions that had to be answered.

A look-up whose answer led to a further call was a means to that. One that led to none, and of which the customer was
told something that stands in no other answer, was made for their sake: whoever neither asks the same tool nor says
the same has left the question open, or has guessed.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from agent_gym.goals.calls import values_of
from agent_gym.goals.deeds import Deeds, result_of
from agent_gym.text import values_in
from agent_gym.types import Message, paired_calls

__all__ = ["answers_in", "is_answered"]

# Something with a digit in it, or a word or more: `no` and `tv` are said for other reasons, too.
_TELLING = re.compile(r"(?=.*\d)..+|[^\W\d_][^\d_]{2,}[^\W\d_]", re.DOTALL)
_FLAGS = frozenset({"true", "false", "none", "null"})


def answers_in(messages: Sequence[Message], own: Deeds, others: Iterable[Deeds] = ()) -> dict[str, tuple[str, ...]]:
    """Tool → what was told that only its answers hold, as far as other successes of the case, if any, agree."""
    held: dict[str, set[str]] = defaultdict(set)
    shown_by: dict[str, str] = {}  # a value → the tool that showed it first, before anybody had named it
    means: set[str] = set()
    answers = {id(answer): call.name for call, answer in paired_calls(messages) if answer is not None}
    for message in messages:
        means |= {shown_by[text] for call in message.tool_calls for text in values_of(call.arguments) & shown_by.keys()}
        tool = answers.get(id(message), "")
        found = values_of(result_of(message)) if tool else {value.norm for value in values_in(message.text)}
        held[tool] |= found
        for text in found:
            shown_by.setdefault(text, tool)
    return {
        tool: told
        for tool in sorted({call.name for call in own.reads} - means)
        if (told := _told_by(tool, held, own)) and all(is_answered(tool, told, other) for other in others)
    }


def _told_by(tool: str, held: Mapping[str, set[str]], own: Deeds) -> tuple[str, ...]:
    elsewhere = (texts for other, texts in held.items() if other and other != tool)
    alone = held[tool].difference(_FLAGS, *elsewhere)
    return tuple(sorted(text for text in alone if _TELLING.fullmatch(text) and text in own.told))


def is_answered(tool: str, told: Iterable[str], deeds: Deeds) -> bool:
    """Whether the tool was asked, or all of it told without."""
    return any(call.name == tool for call in deeds.reads) or all(text in deeds.told for text in told)
