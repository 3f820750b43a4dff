"""A gym file in, its conversations out as a `Corpus` whose traces are read as they are asked for.

What is asked of all of them at once (whose they are, how they ended) is kept beside them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import overload

from agent_gym.corpus import Corpus
from agent_gym.keeping import Codec, Keeper, Kept, found_in
from agent_gym.outcomes import Label, Outcomes
from agent_gym.store.gymfile import GymFile
from agent_gym.text import TextIndex
from agent_gym.types import Json, Trace

__all__ = ["CORPUS_TYPES", "StoredCorpus", "corpus_in", "keep_corpus"]

CORPUS_TYPES: tuple[type, ...] = (Outcomes, Label)
_AT_HAND = 256  # traces that stay read
_FACTS, _OUTCOMES, _OPENERS = "conversations", "outcomes", "openers"


def keep_corpus(corpus: Corpus, keeper: Keeper) -> None:
    names = list(corpus.endings)
    facts = {
        "names": names,
        "test": [name for name in names if corpus.split(name) == "test"],
        "groups": [corpus.groups[name] for name in names],
        "cases": [corpus.cases[name] for name in names],
        "endings": [corpus.endings[name] for name in names],
    }
    keeper.section(_FACTS, facts)
    keeper.section(_OUTCOMES, Codec(CORPUS_TYPES).encode(corpus.outcomes))
    corpus.openers.keep(keeper, _OPENERS)


def corpus_in(file: GymFile, *, grouped: bool = False) -> Corpus:
    """The conversations of a file in memory, with the split they were kept with.

    `grouped`: this version wrote it, so that it need not be found again whose they are.
    """
    rows = list(file.traces())
    test = {trace.conversation_id for trace, split in rows if split == "test"}
    groups = StoredCorpus(file, file.parts).groups if grouped and file.parts is not None else None
    return Corpus((trace for trace, _ in rows), test_ids=test, groups=groups)


class StoredCorpus(Corpus):
    """The conversations of a gym file, with the split they were kept with."""

    def __init__(self, file: GymFile, kept: Kept) -> None:  # a corpus of traces in memory is made otherwise
        self._kept = kept
        self._traces = _StoredTraces(file, self)

    @cached_property
    def facts(self) -> Mapping[str, Json]:
        return found_in(self._kept, _FACTS, dict)

    @cached_property
    def groups(self) -> Mapping[str, int]:
        return self._column("groups")

    @cached_property
    def cases(self) -> Mapping[str, str]:
        return self._column("cases")

    @cached_property
    def endings(self) -> Mapping[str, bool | None]:
        return self._column("endings")

    @cached_property
    def outcomes(self) -> Outcomes:
        return found_in(self._kept, _OUTCOMES, Outcomes, Codec(CORPUS_TYPES))

    @cached_property
    def openers(self) -> TextIndex:
        return TextIndex.kept_in(self._kept, _OPENERS)

    @cached_property
    def test_ids(self) -> frozenset[str]:
        return frozenset(self.facts["test"])

    def _column(self, name: str) -> dict[str, Json]:
        return dict(zip(self.facts["names"], self.facts[name], strict=True))

    def those(self, ids: Iterable[str]) -> Sequence[Trace]:
        return _Traces(self._traces, tuple(ids))


class _StoredTraces(Mapping[str, Trace]):
    def __init__(self, file: GymFile, corpus: StoredCorpus) -> None:
        self._corpus = corpus
        self._found = lru_cache(maxsize=_AT_HAND)(file.trace)

    def __getitem__(self, conversation_id: str) -> Trace:
        found = self._found(conversation_id)
        if found is None:
            raise KeyError(conversation_id)
        return found

    def __contains__(self, conversation_id: object) -> bool:
        return isinstance(conversation_id, str) and self._found(conversation_id) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._corpus.facts["names"])

    def __len__(self) -> int:
        return len(self._corpus.facts["names"])


class _Traces(Sequence[Trace]):
    """Some of the traces, in order; each is read when it is looked at."""

    def __init__(self, traces: Mapping[str, Trace], names: tuple[str, ...]) -> None:
        self._traces, self._names = traces, names

    @overload
    def __getitem__(self, at: int) -> Trace: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Trace]: ...

    def __getitem__(self, at: int | slice) -> Trace | Sequence[Trace]:
        if isinstance(at, slice):
            return _Traces(self._traces, self._names[at])
        return self._traces[self._names[at]]

    def __len__(self) -> int:
        return len(self._names)
