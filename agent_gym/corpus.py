"""Traces as one body: by id, by case, split into train and test, with what counts as success.

Everything fitted or retrieved comes from `train`; a test conversation is reachable by its id alone, for
the one episode that is anchored to it.
"""

import difflib
import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from agent_gym.errors import AgentGymError, OptionError, TraceError, UnknownConversation
from agent_gym.outcomes import SUCCESS_LABELS, Outcomes, label_of, outcomes_of
from agent_gym.text import TextIndex, may_hold_values, tokens, values_in
from agent_gym.types import Json, Trace

__all__ = ["SUCCESS_LABELS", "Corpus", "Split", "opener", "succeeded"]

Split = Literal["train", "test"]

_CUSTOMER_KEYS = ("customer_id", "customer", "user_id", "account_id", "case_id", "task_id")
_RARE = 6  # a value said by more customers than this identifies none of them


def succeeded(trace: Trace, labels: Mapping[str, bool] = SUCCESS_LABELS) -> bool | None:
    """Whether the conversation ended well, by its label alone, or None where that does not say."""
    label = label_of(trace)
    return None if label is None else labels.get(label)


def opener(trace: Trace) -> str:
    """The customer's first words."""
    return next((m.text for m in trace.messages if m.role == "user"), "")


class Corpus:
    """An immutable body of traces in memory."""

    def __init__(
        self,
        traces: Iterable[Trace],
        *,
        test_fraction: float = 0.0,
        seed: int = 0,
        test_ids: Collection[str] | None = None,
        groups: Mapping[str, int] | None = None,
    ) -> None:
        """`test_ids`, `groups`: as they were found before, for a corpus that comes back from a file."""
        by_id: dict[str, Trace] = {}
        for trace in traces:
            if trace.conversation_id in by_id:
                raise TraceError("traces", None, f"conversation {trace.conversation_id!r} occurs twice")
            by_id[trace.conversation_id] = trace
        self._traces: Mapping[str, Trace] = by_id
        self._grouped = _groups(list(by_id.values())) if groups is None else groups
        self._drawn = _drawn(self._grouped, test_fraction, seed) if test_ids is None else frozenset(test_ids)

    @property
    def groups(self) -> Mapping[str, int]:
        """conversation → its group: one customer, and conversations that are nearly the same, are one."""
        return self._grouped

    @property
    def test_ids(self) -> frozenset[str]:
        return self._drawn

    def those(self, ids: Iterable[str]) -> Sequence[Trace]:
        """The traces of these conversations."""
        return tuple(self._traces[conversation_id] for conversation_id in ids)

    def __len__(self) -> int:
        return len(self._traces)

    def __iter__(self) -> Iterator[Trace]:
        return iter(self._traces.values())

    def __contains__(self, conversation_id: object) -> bool:
        return conversation_id in self._traces

    def __getitem__(self, conversation_id: str) -> Trace:
        trace = self._traces.get(conversation_id)
        if trace is None:
            near = difflib.get_close_matches(str(conversation_id), self._traces, n=2)
            raise UnknownConversation(conversation_id, near)
        return trace

    def split(self, conversation_id: str) -> Split:
        return "test" if conversation_id in self.test_ids else "train"

    @cached_property
    def train(self) -> Sequence[Trace]:
        return self.those(name for name in self._traces if name not in self.test_ids)

    @cached_property
    def test(self) -> Sequence[Trace]:
        return self.those(name for name in self._traces if name in self.test_ids)

    @cached_property
    def outcomes(self) -> Outcomes:
        """What the outcome labels mean, as far as the train conversations tell."""
        return outcomes_of(self.train)

    def succeeded(self, trace: Trace) -> bool | None:
        """Whether the conversation ended well, or None where its outcome does not say."""
        return succeeded(trace, self._meaning)

    @cached_property
    def _meaning(self) -> Mapping[str, bool]:
        return self.outcomes.meaning()

    @cached_property
    def endings(self) -> Mapping[str, bool | None]:
        """conversation → whether it ended well."""
        return {trace.conversation_id: self.succeeded(trace) for trace in self}

    @cached_property
    def successes(self) -> Sequence[Trace]:
        """The train conversations known to have ended well: all that goals and references come from."""
        return self.those(name for name, success in self.endings.items() if success and name not in self.test_ids)

    def case(self, trace: Trace) -> str:
        """What names the case: conversations of one case share it."""
        return _case(trace)

    @cached_property
    def cases(self) -> Mapping[str, str]:
        """conversation → its case."""
        return {trace.conversation_id: _case(trace) for trace in self}

    @cached_property
    def _successes_by_case(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for name, success in self.endings.items():
            if success:
                found[self.cases[name]].append(name)
        return dict(found)

    def successes_of_case(self, trace: Trace) -> tuple[Trace, ...]:
        """The successful conversations of the trace's case and split, without the trace itself."""
        side, own = self.split(trace.conversation_id), trace.conversation_id
        mates = self._successes_by_case.get(_case(trace), ())
        return tuple(self[mate] for mate in mates if mate != own and self.split(mate) == side)

    @cached_property
    def labelled(self) -> bool:
        """Whether any train conversation says how it ended."""
        return any(success is not None for name, success in self.endings.items() if name not in self.test_ids)

    @cached_property
    def openers(self) -> TextIndex:
        return TextIndex(opener(t) for t in self.successes)

    def similar(self, text: str, k: int = 3, exclude: Sequence[str] = ()) -> list[tuple[Trace, float]]:
        """The successful train conversations whose openers are nearest to the text, best first."""
        hidden = set(exclude)
        found = self.openers.nearest(text, k + len(hidden))
        near = [(self.successes[i], score) for i, score in found]
        return [(t, score) for t, score in near if t.conversation_id not in hidden][:k]


def _case(trace: Trace) -> str:
    task = trace.metadata.get("task_id", trace.metadata.get("case_id"))
    return f"case:{task}" if task is not None else f"conversation:{trace.conversation_id}"


def _groups(traces: Sequence[Trace]) -> Mapping[str, int]:
    """conversation id → group: one customer, and near-duplicate conversations, are one group."""
    parent = list(range(len(traces)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    holders: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, trace in enumerate(traces):
        for mark in sorted(_marks(trace)):
            holders[mark].append(i)
    for (kind, _), members in sorted(holders.items()):
        if kind == "said" and len(members) > _RARE:
            continue
        for member in members[1:]:
            parent[max(root(members[0]), root(member))] = min(root(members[0]), root(member))
    return {trace.conversation_id: root(i) for i, trace in enumerate(traces)}


def _marks(trace: Trace) -> set[tuple[str, str]]:
    """What two conversations of one customer would have in common."""
    marks = {(key, str(value)) for key in _CUSTOMER_KEYS if _scalar(value := trace.metadata.get(key))}
    users = [m.text for m in trace.messages if m.role == "user"]
    if words := " ".join(tokens(" ".join(users))):
        marks.add(("words", words[:400]))
    # What a customer says of themselves: an address, an account number. Short numbers identify nobody.
    for text in users:
        for value in values_in(text) if may_hold_values(text) else ():
            if value.kind in ("email", "phone") or (value.kind == "id" and len(value.norm) >= 5):
                marks.add(("said", value.norm))
    return marks


def _scalar(value: Json) -> bool:
    return isinstance(value, str | int) and value != ""


def _drawn(groups: Mapping[str, int], fraction: float, seed: int) -> frozenset[str]:
    """Whole groups, in an order only the seed decides, until the fraction is reached; one at least, if any is asked."""
    if not 0.0 <= fraction < 1.0:
        raise OptionError("test_fraction", fraction, ("a number from 0 up to, but not including, 1",))
    members: dict[int, list[str]] = defaultdict(list)
    for conversation_id, group in groups.items():
        members[group].append(conversation_id)
    order = sorted(members.values(), key=lambda ids: hashlib.sha256(f"{seed}:{min(ids)}".encode()).digest())
    wanted, drawn = round(fraction * len(groups)), set[str]()
    for ids in order:
        if len(drawn) + len(ids) <= wanted:
            drawn |= set(ids)
    if fraction and order and not drawn:
        if len(order) == 1:
            raise AgentGymError(f"nothing to hold out: all {len(groups)} conversations are of one customer or alike")
        order.sort(key=len)
        drawn |= set(order[0])
    return frozenset(drawn)
