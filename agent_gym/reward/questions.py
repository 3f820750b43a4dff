"""Successes in, how their agents ask on and how they ask last out: who leaves at a question of the first kind has not
been helped.

The words are learned from the record, so they are those of any trade.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from agent_gym.reward.peculiar import ENOUGH, SEEN, no_chance, peculiar
from agent_gym.reward.sentences import sentences
from agent_gym.reward.success import last_turns
from agent_gym.reward.worded import worded
from agent_gym.types import Message, Trace

__all__ = ["Questions", "questions_of"]

_MOSTLY = 2.0  # times as often at the end as before it


@dataclass(frozen=True, slots=True)
class Questions:
    """Words in a row that agents ask with."""

    open: frozenset[str] = frozenset()  # and then always go on
    closing: frozenset[str] = frozenset()  # mostly before the customer's last words: `anything else`

    def left_at(self, messages: Sequence[Message]) -> str:
        """The open question after which the customer spoke once more, and nothing else was said or done; or nothing."""
        last = last_turns(messages)
        if not self.open or [message.role for message in last] != ["assistant", "user"]:
            return ""
        asked = frozenset(_asked_with(last[0]))
        return last[0].text if asked & self.open and not asked & self.closing else ""


def questions_of(successes: Iterable[Trace]) -> Questions:
    """Each success counts once for what it asks in between, and once for what it asks before the last words."""
    between, last = Counter[str](), Counter[str]()
    for trace in islice(successes, ENOUGH):
        final = _before_last_words(trace.messages)
        asked = [message for message in trace.messages if message.role == "assistant" and message is not final]
        between.update({words for message in asked for words in _asked_with(message)})
        last.update(set(_asked_with(final)) if final else ())
    # One word alone stands in questions of all kinds.
    return Questions(
        frozenset(words for words in peculiar(between, last, no_chance(between, last)) if " " in words),
        frozenset(words for words, n in last.items() if " " in words and n >= max(SEEN, _MOSTLY * between[words])),
    )


def _before_last_words(messages: Sequence[Message]) -> Message | None:
    """What the agent said before the customer spoke for the last time."""
    at = max((at for at, message in enumerate(messages) if message.role == "user"), default=0)
    return next((one for one in reversed(messages[:at]) if one.role == "assistant" and one.text), None)


def _asked_with(message: Message) -> Iterator[str]:
    """The words of the last thing it asks, if it asks anything."""
    asked = [sentence for sentence in sentences(message.text) if sentence.asks]
    return worded(asked[-1]).phrases() if asked else iter(())
