"""Conversations in, how true the tools mined from some of them are for the others out.

Two questions, two ways to hold out: agents who act differently in a case that is on record (*new rollout*), and
customers whom no record shows (*new case*). The second is harder: their records nobody can know.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent_gym.corpus import Corpus
from agent_gym.fidelity.advice import Refusals, advised
from agent_gym.fidelity.baselines import Cassette, Neighbour
from agent_gym.fidelity.growth import Growth, grown
from agent_gym.fidelity.tools import Answerer, Asked, ToolFidelity, ask_all, summary
from agent_gym.stats import grouped_rate
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.log import recorded_calls
from agent_gym.types import Json, Trace

__all__ = ["HeldOut", "measure_held_out"]

Talks = list[list[Asked]]  # by conversation

_FRACTION = 0.2
_PARTS = (0.25, 0.5, 1.0)  # of the log, for the curve of each tool
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
        found = _measured(Corpus(mined), _drawn(against, _ASKED, seed), parts=_PARTS)
        return HeldOut(len(traces), len(mined), against=found)
    return HeldOut(len(traces), len(mined), _new_case(mined, seed), _new_rollout(mined, seed))


def _new_case(traces: Sequence[Trace], seed: int) -> ToolFidelity | None:
    whole = Corpus(traces)
    if len(set(whole.groups.values())) < 2:
        return None
    corpus = Corpus(traces, test_fraction=_FRACTION, seed=seed)
    return _measured(corpus, _drawn(corpus.test, _ASKED, seed), parts=_PARTS)


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


def _measured(corpus: Corpus, asked: Sequence[Trace], *, parts: Sequence[float] = (1.0,)) -> ToolFidelity:
    """Each held-out conversation is played in its own case where another conversation shows it.

    `parts` of the log are mined one after the other; the last is all of it.
    """
    cases: dict[str, str] = {}
    for trace in corpus.train:
        cases.setdefault(corpus.case(trace), trace.conversation_id)
    mined = [_part(corpus.train, part) for part in parts]
    mockers = [ToolMocker.fit(Corpus(traces)) for traces in mined]
    talks = [_asked(mocker, asked, traces, cases, corpus) for mocker, traces in zip(mockers, mined, strict=True)]
    found = summary(talks[-1])
    if not found.calls:
        return found
    tape, near = Cassette.fit(corpus.train), Neighbour.fit(corpus.train)
    beside = {
        "cassette": summary(ask_all(mockers[-1], asked, lambda _: tape)).exact,
        "nearest neighbour": summary(ask_all(mockers[-1], asked, lambda _: near)).exact,
    }
    growth = _growth(mined, talks)
    advice = advised(found.by_tool, growth, _refusals(mined[-1], talks[-1]))
    return replace(found, beside=beside, growth=growth, advice=advice)


def _asked(
    mocker: ToolMocker, asked: Sequence[Trace], mined: Sequence[Trace], cases: Mapping[str, str], corpus: Corpus
) -> Talks:
    known = {trace.conversation_id for trace in mined}

    def session(trace: Trace) -> Answerer:
        anchor = cases.get(corpus.case(trace))
        return mocker.session(anchor if anchor in known else None)

    return ask_all(mocker, asked, session)


def _growth(mined: Sequence[Sequence[Trace]], talks: Sequence[Talks]) -> tuple[Growth, ...]:
    if len(mined) < 2:
        return ()
    sizes = [Counter(call.name for trace in part for call, _ in trace.calls()) for part in mined]
    tools = sorted({row.recorded.name for talk in talks[-1] for row in talk})
    return tuple(
        grown(
            tool,
            [size[tool] for size in sizes],
            [[[r.found.exact for r in talk if r.recorded.name == tool] for talk in each] for each in talks],
        )
        for tool in tools
    )


def _refusals(mined: Sequence[Trace], talks: Talks) -> dict[str, Refusals]:
    """Of every tool that refused an unseen call."""
    known = Counter(call.name for trace in mined for call in recorded_calls(trace) if call.is_error)
    refused = [[row for row in talk if row.recorded.is_error] for talk in talks]
    tools = sorted({row.recorded.name for talk in refused for row in talk})
    hits = {tool: [[r.found.exact for r in talk if r.recorded.name == tool] for talk in refused] for tool in tools}
    return {tool: Refusals(known[tool], grouped_rate(hits[tool])) for tool in tools}


def _part(traces: Sequence[Trace], share: float) -> list[Trace]:
    """A share of the log, by lot; a larger one holds all of a smaller one."""
    return _drawn(traces, max(1, round(share * len(traces))), 0)


def _drawn(traces: Sequence[Trace], at_most: int, seed: int) -> list[Trace]:
    """As many as allowed, in an order only the seed decides; all of them in their own order where they are few."""
    if len(traces) <= at_most:
        return list(traces)
    return sorted(traces, key=lambda trace: _lot(trace, seed))[:at_most]


def _lot(trace: Trace, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{trace.conversation_id}".encode()).digest()
