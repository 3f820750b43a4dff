"""The text of a transcript in, its labelled turns out: `Label: text`, with times, headers and continuation lines."""

import re
from collections import Counter
from typing import Final, NamedTuple

__all__ = ["Turn", "is_transcript", "turns_of"]

_TIME: Final = r"(?:[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s?[AaPp][Mm])?[\])]?\s*[-–]?\s*)?"
_LABEL: Final = re.compile(rf"^\s*{_TIME}([^\W\d_][\w .'’&/()#-]{{0,39}}?)\s*{_TIME}[:：](?:\s+|$)(.*)$")


class Turn(NamedTuple):
    """One labelled turn; `line` is where it begins, from 1."""

    label: str
    text: str
    line: int


def is_transcript(head: str) -> bool:
    """Whether at least two labels speak, one of them repeatedly, and carry most of the lines."""
    labels = [match[1] for line in head.splitlines()[:200] if (match := _LABEL.match(line))]
    counts = Counter(labels)
    repeated = [label for label, count in counts.items() if count > 1]
    lines = [line for line in head.splitlines()[:200] if line.strip()]
    return len(counts) >= 2 and len(labels) >= 3 and bool(repeated) and len(labels) >= 0.2 * len(lines)


def turns_of(text: str) -> list[Turn]:
    """Every labelled line with the lines that continue it; what precedes the first label is labelled ""."""
    turns: list[Turn] = []
    label, said, begun = "", [], 1
    for number, line in enumerate(text.splitlines(), 1):
        match = _LABEL.match(line)
        if match is None:
            said.append(line)
            continue
        if label or any(part.strip() for part in said):
            turns.append(Turn(label, "\n".join(said).strip(), begun))
        label, said, begun = match[1].strip(), [match[2]], number
    turns.append(Turn(label, "\n".join(said).strip(), begun))
    return [turn for turn in turns if turn.label or turn.text]
