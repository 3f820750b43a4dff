"""Personal values as sequences of words and digits; a text in, where they stand in it out, however spaced or cased."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from agent_gym.trace_parser.redact.kinds import Kind, Token

__all__ = ["Dictionary", "Match"]

_GAP = 3  # characters that may stand between two words of one value


@dataclass(frozen=True, slots=True)
class Match:
    kind: Kind
    tokens: Sequence[Token]


@dataclass(slots=True)
class Dictionary:
    """Sequences of folded tokens, each with its kind. One of digits alone is never found inside a longer code."""

    kinds: dict[tuple[str, ...], Kind] = field(default_factory=dict)
    lengths: dict[str, list[int]] = field(default_factory=dict)  # by first word, longest first

    def add(self, words: Iterable[str], kind: Kind) -> None:
        """What is known already keeps its kind."""
        sequence = tuple(words)
        if sequence and sequence not in self.kinds:
            self.kinds[sequence] = kind
            lengths = self.lengths.setdefault(sequence[0], [])
            if len(sequence) not in lengths:
                lengths.append(len(sequence))
                lengths.sort(reverse=True)

    def matches(self, text: str, found: Sequence[Token]) -> Iterator[Match]:
        """The longest entries from left to right; none overlaps another."""
        skip = 0
        for at, token in enumerate(found):
            if at < skip:
                continue
            for length in self.lengths.get(token.text, ()):
                part = found[at : at + length]
                kind = self.kinds.get(tuple(t.text for t in part))
                if kind is not None and _together(part) and _stands_alone(text, part):
                    yield Match(kind, part)
                    skip = at + length
                    break


def _together(part: Sequence[Token]) -> bool:
    return all(right.start - left.end <= _GAP for left, right in pairwise(part))


def _stands_alone(text: str, part: Sequence[Token]) -> bool:
    """Letters may touch digits (`garcia2723`), but a house number is no part of a price or an order number."""
    start, end = part[0].start, part[-1].end
    before, behind = text[max(0, start - 2) : start][::-1], text[end : end + 2]
    if part[0].text.isdigit() and before and (before[0].isalnum() or before[0] in "_#$€£" or _joins(before)):
        return False
    return not (part[-1].text.isdigit() and behind and (behind[0].isalnum() or behind[0] == "_" or _joins(behind)))


def _joins(beyond: str) -> bool:
    """Whether a sign ties the number to more digits or letters: `46229-17`, `46,229`, `A-46229`."""
    return beyond[0] in "-.,/:" and beyond[1:].isalnum()
