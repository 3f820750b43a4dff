"""Labelled train conversations in, what the fit learns from out: each held against a success that is not itself.

Two regimes. *Own case*: another success of the case is known. *Other case*: only successes of other customers
are, and what they needed is no goal here; there the signs in the conversation itself decide.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from agent_gym.corpus import Corpus
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.references import References
from agent_gym.types import Trace

__all__ = ["Labelled", "other_case", "other_cases", "own_cases"]


class Labelled(NamedTuple):
    """A conversation beside its reference, and how it really ended."""

    talk: Conversation
    success: bool
    group: int
    case: str


def own_cases(corpus: Corpus, references: References) -> list[Labelled]:
    """Every labelled conversation beside the first other success of its case; those without one are left out."""
    found = []
    for trace, success in _labelled(corpus):
        mates = corpus.successes_of_case(trace)
        mate = next((mate for mate in mates if not references.of_strangers(trace.messages, mate)), None)
        if mate is None:
            continue
        # The goal is taken from the mate alone: other successes of the case, this one among them, say nothing here.
        talk = references.beside_mate(trace.messages, mate)
        found.append(_row(corpus, trace, talk, success))
    return found


def other_cases(
    corpus: Corpus, references: References, best: Callable[[Sequence[Conversation]], Conversation]
) -> list[Labelled]:
    """Every labelled conversation beside the best of the successes nearest to it outside its group and case."""
    found = (other_case(corpus, references, trace, best) for trace in corpus.train)
    return [one for one in found if one is not None]


def other_case(
    corpus: Corpus, references: References, trace: Trace, best: Callable[[Sequence[Conversation]], Conversation]
) -> Labelled | None:
    """None for a conversation without a label, or without any success elsewhere."""
    success = corpus.succeeded(trace)
    near = references.elsewhere(trace.messages, _kin(corpus, trace)) if success is not None else []
    return _row(corpus, trace, best(near), success) if near and success is not None else None


def _kin(corpus: Corpus, trace: Trace) -> Callable[[Trace], bool]:
    """Whether another conversation is of the same customer or case: then it says too much."""
    group, case = corpus.groups[trace.conversation_id], corpus.case(trace)
    return lambda other: corpus.groups[other.conversation_id] == group or corpus.case(other) == case


def _labelled(corpus: Corpus) -> Iterator[tuple[Trace, bool]]:
    for trace in corpus.train:
        success = corpus.succeeded(trace)
        if success is not None:
            yield trace, success


def _row(corpus: Corpus, trace: Trace, talk: Conversation, success: bool) -> Labelled:
    return Labelled(talk, success, corpus.groups[trace.conversation_id], corpus.case(trace))
