"""Conversations in, how true the tools mined from some of them are for the others out.

Two questions, two ways to hold out: agents who act differently in a case that is on record (*new rollout*), and
customers whom no record shows (*new case*). The second is harder: their records nobody can know.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent_gym.corpus import Corpus
from agent_gym.fidelity.tools import ToolFidelity, measure_tools
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json, Trace

__all__ = ["HeldOut", "measure_held_out"]

_FRACTION = 0.2
_AT_MOST = 1000  # conversations mined; more would take minutes and change little
_ASKED = 200  # held-out conversations whose calls are asked


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What was found, and on how much of the log. None: the log does not allow to ask the question."""

    conversations: int
    mined: int
    new_case: ToolFidelity | None = None
    new_rollout: ToolFidelity | None = None
    against: ToolFidelity | None = None

    @property
    def main(self) -> ToolFidelity | None:
        """The figure to quote: on the conversations given, else on what is hardest."""
        return self.against or self.new_case or self.new_rollout

    def to_dict(self) -> dict[str, Json]:
        named = {"against": self.against, "new_case": self.new_case, "new_rollout": self.new_rollout}
        asked = {name: found.to_dict() for name, found in named.items() if found is not None}
        main = self.main.to_dict() if self.main is not None else {"calls": 0}
        return {**main, "conversations": self.conversations, "mined": self.mined, "measured_on": asked}


def measure_held_out(traces: Sequence[Trace], against: Sequence[Trace] | None = None, seed: int = 0) -> HeldOut:
    """Mine the traces and ask them the calls of `against`; without it, hold some of them out, in both ways."""
    mined = _drawn(traces, _AT_MOST, seed)
    if against is not None:
        found = _measured(Corpus(mined), _drawn(against, _ASKED, seed))
        return HeldOut(len(traces), len(mined), against=found)
    return HeldOut(len(traces), len(mined), _new_case(mined, seed), _new_rollout(mined, seed))


def _new_case(traces: Sequence[Trace], seed: int) -> ToolFidelity | None:
    whole = Corpus(traces)
    if len(set(whole.groups.values())) < 2:
        return None
    corpus = Corpus(traces, test_fraction=_FRACTION, seed=seed)
    return _measured(corpus, _drawn(corpus.test, _ASKED, seed))


def _new_rollout(traces: Sequence[Trace], seed: int) -> ToolFidelity | None:
    """One conversation of every case that has another one, up to a fifth of all."""
    by_case: dict[str, list[Trace]] = {}
    whole = Corpus(traces)
    for trace in traces:
        by_case.setdefault(whole.case(trace), []).append(trace)
    repeated = [min(mates, key=lambda t: _lot(t, seed)) for mates in by_case.values() if len(mates) > 1]
    asked = _drawn(repeated, min(_ASKED, max(1, round(_FRACTION * len(traces)))), seed)
    hidden = {trace.conversation_id for trace in asked}
    return _measured(Corpus(t for t in traces if t.conversation_id not in hidden), asked) if asked else None


def _measured(corpus: Corpus, asked: Iterable[Trace]) -> ToolFidelity:
    """Each held-out conversation is played in its own case where another conversation shows it."""
    cases: dict[str, str] = {}
    for trace in corpus.train:
        cases.setdefault(corpus.case(trace), trace.conversation_id)
    return measure_tools(ToolMocker.fit(corpus), asked, anchor=lambda trace: cases.get(corpus.case(trace)))


def _drawn(traces: Sequence[Trace], at_most: int, seed: int) -> list[Trace]:
    """As many as allowed, in an order only the seed decides; all of them in their own order where they are few."""
    if len(traces) <= at_most:
        return list(traces)
    return sorted(traces, key=lambda trace: _lot(trace, seed))[:at_most]


def _lot(trace: Trace, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{trace.conversation_id}".encode()).digest()
