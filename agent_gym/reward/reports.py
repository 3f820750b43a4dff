"""Successes in, how their agents report a write out: words that follow a write and are hardly ever said otherwise.

They are learned from the record, so they are those of any trade. A report where nothing was written is a false
claim; a report with a "not" in it, where it was, is a denial.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from agent_gym.reward.language import Language, auxiliaries, perfects
from agent_gym.reward.likeness import stem
from agent_gym.reward.peculiar import ENOUGH, no_chance, peculiar
from agent_gym.reward.sentences import Sentence, sentences
from agent_gym.reward.turns import failed
from agent_gym.reward.worded import BLANK, LONGEST, Worded, worded
from agent_gym.types import Message, Trace, paired_calls

__all__ = ["SUBJECTS", "Reports", "reports_of"]

SUBJECTS = frozenset({"you", "they"})  # what somebody else has done is no report of the agent's
_HINTED = 2  # successes that report with the same words
_NAME = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True)  # without slots: what its words end with is worked out once, and kept
class Reports:
    """Words → the tools whose writes they followed. Hints were said too few times to be sure of."""

    marks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    hints: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def may_be_in(self, words: Iterable[str]) -> bool:
        """Whether anything can be reported in these words: of most that is quickly said."""
        return not self._endings.isdisjoint(words)

    @cached_property
    def _endings(self) -> frozenset[str]:
        hinted = (phrase for phrase, tools in self.hints.items() if _is_sure(phrase, tools, perfects()))
        return frozenset(phrase.rpartition(" ")[2] for phrase in (*self.marks, *hinted))

    def reports(self, said: Worded, language: Language, shown: Container[str] = ()) -> bool:
        """Whether a write is said to be done, and not by somebody else; what tools have `shown` is told of as it is."""
        deeds = () if said.gaps else tuple(self._deeds(said, language))
        return bool(deeds) and not any(deed in shown for deed in deeds)

    def _deeds(self, said: Worded, language: Language) -> Iterator[str]:
        """The words by which a write is said to be done."""
        for end, last in enumerate(said.words, 1):
            if last in self._endings and _is_done(said, end, language):
                for start in said.starts(end):
                    phrase, of_others = said.phrase(start, end), start and said.words[start - 1] in SUBJECTS
                    hinted = phrase in self.hints and _is_sure(phrase, self.hints[phrase], language.perfect)
                    if (phrase in self.marks or hinted) and not of_others:
                        yield last

    def denies(self, said: Worded, tools: frozenset[str], language: Language) -> bool:
        """Whether a write of one of the tools is said not to be done: its report with a "not" in the middle.

        Where the record does not know the words, a form of the tool's name tells.
        """
        for gap in said.gaps:
            for end in range(gap + 1, min(gap + LONGEST, len(said.words) + 1)):
                split = [said.phrase(start, end) for start in said.starts(end) if start < gap]
                if any(self._is_of(one, tools) for one in split) and language.open.isdisjoint(said.words[:end]):
                    return True
        for gap in said.denials(language):
            behind = said.words[gap : gap + LONGEST]
            if any(self._is_of(word, tools) or _is_deed_of(word, tools) for word in behind):
                return True
        return False

    def _is_of(self, phrase: str, tools: frozenset[str]) -> bool:
        return not tools.isdisjoint(self.marks.get(phrase) or self.hints.get(phrase) or ())


def _is_done(said: Worded, end: int, language: Language) -> bool:
    """Whether what ends there stands behind an auxiliary, and is neither asked for nor planned."""
    ahead = said.words[max(0, end - 1 - language.gap) : end - 1]
    return not language.auxiliaries.isdisjoint(ahead) and language.open.isdisjoint(said.words[:end])


def _is_sure(phrase: str, tools: Iterable[str], perfect: frozenset[str]) -> bool:
    """Whether words that were said a few times say what was done: by a tool's name, or as what has just been done."""
    *ahead, last = phrase.split(" ")
    return _is_deed_of(last, tools) or not perfect.isdisjoint(ahead[-1:])


def _is_deed_of(word: str, tools: Iterable[str]) -> bool:
    """A form of a word of a tool's name: `refunded` of `issue_refund`; more than one of them is no deed."""
    names = [name for tool in tools for name in _NAME.findall(tool) if stem(name) == stem(word)]
    return any(word not in (name, f"{name}s") for name in names)


def reports_of(successes: Iterable[Trace], write_tools: frozenset[str]) -> Reports:
    """Each success counts once for what it says right after a write, and once for what it says before any."""
    after, before = Counter[str](), Counter[str]()
    tools: dict[str, set[str]] = {}
    for trace in islice(successes if write_tools else (), ENOUGH):
        others: set[str] = set()
        reports: dict[str, set[str]] = {}
        for sentence, wrote in _statements(trace.messages, write_tools):
            for phrase in worded(sentence).phrases():
                if wrote:
                    reports.setdefault(phrase, set()).update(wrote)
                else:
                    others.add(phrase)
        before.update(others)
        after.update(reports.keys())
        for phrase, names in reports.items():
            tools.setdefault(phrase, set()).update(names)
    alone = [phrase for phrase in peculiar(after, before, _HINTED) if _is_whole(phrase)]
    least = no_chance(after, before)
    return Reports(
        marks={phrase: frozenset(tools[phrase]) for phrase in alone if after[phrase] >= least},
        hints={phrase: frozenset(tools[phrase]) for phrase in alone if after[phrase] < least},
    )


def _is_whole(phrase: str) -> bool:
    """Whether it says what was done: `has been` leaves that open."""
    last = phrase.rpartition(" ")[2]
    return last != BLANK and last not in auxiliaries()


def _statements(messages: Sequence[Message], write_tools: frozenset[str]) -> Iterator[tuple[Sentence, set[str]]]:
    """What the agent said, with the tools that wrote since the customer spoke: none for all before the first write.

    What it asks or denies after a write is no report; what it says later may come back to what it did.
    """
    made = {id(call) for call, answer in paired_calls(messages) if call.name in write_tools and not failed(answer)}
    wrote, ever = set[str](), False
    for message in messages:
        if message.role == "user":
            wrote = set()
        elif message.role == "assistant" and (wrote or not ever):
            yield from ((one, wrote) for one in sentences(message.text) if not (wrote and (one.asks or one.denies)))
        names = {call.name for call in message.tool_calls if id(call) in made}
        wrote |= names
        ever = ever or bool(names)
