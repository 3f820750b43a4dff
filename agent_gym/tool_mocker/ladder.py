"""The ladder: from the surest way to answer a call to the least; the first rung that knows, answers.

A call climbs down `LADDER` in order. How far a session may go is the caller's choice: an answer counts only
if its source is among those up to the caller's last one, in the order of `BY_SURETY`. The two orders differ
in one point: a recorded answer is the surest there is, but what this session has written comes before it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from agent_gym.errors import OptionError
from agent_gym.tool_mocker.rungs import (
    anchored,
    effect,
    function,
    invalid,
    neighbour,
    not_found,
    query,
    read_back,
    refusal,
    replay,
    search,
    selection,
    state,
    unknown,
    variables,
)
from agent_gym.tool_mocker.view import View
from agent_gym.types import Source, ToolAnswer, ToolCall

__all__ = ["BY_SURETY", "LADDER", "Ladder", "Rung", "ladder"]

Rung: TypeAlias = Callable[[ToolCall, View], ToolAnswer | None]

LADDER: tuple[Rung, ...] = (
    anchored.answer,  # what this very conversation was told at this point
    invalid.answer,  # a call no tool could answer
    read_back.answer,  # what this session has made
    state.answer,  # what this session's own writes have left
    variables.answer,  # what it was shown last of the one thing there is
    refusal.answer,  # what the record says is refused
    function.answer,  # what follows from the arguments alone
    replay.answer,  # what other conversations were told
    selection.answer,  # what follows from a row that this session was shown
    effect.answer,  # what a write would do to a known record
    query.answer,  # the record that holds what was asked for
    search.answer,  # every record that does
    not_found.answer,  # what most likely does not exist
    neighbour.answer,  # the nearest recorded answer, adapted; a remote model stands here where the caller gives one
    unknown.answer,  # nothing is known
)

BY_SURETY: tuple[Source, ...] = (
    "recorded",
    "state",
    "function",
    "rule",
    "effect",
    "query",
    "not_found",
    "neighbour",
    "llm",
)
_ALWAYS: frozenset[Source] = frozenset({"invalid", "unknown"})


@dataclass(frozen=True, slots=True)
class Ladder:
    """The rungs of a session, and the sources it takes answers from."""

    rungs: tuple[Rung, ...]
    sources: frozenset[Source]

    def answer(self, call: ToolCall, view: View) -> ToolAnswer:
        for rung in self.rungs:
            answer = rung(call, view)
            if answer is not None and answer.source in self.sources:
                return answer
        raise AssertionError("the last rung always answers")


def ladder(max_rung: str = "neighbour", remote: Rung | None = None) -> Ladder:
    """The ladder down to `max_rung`, a source of `BY_SURETY`; "llm" needs `remote`, which asks a model."""
    last = next((at for at, source in enumerate(BY_SURETY) if source == max_rung), None)
    if last is None:
        raise OptionError("max_rung", max_rung, BY_SURETY)
    sources = _ALWAYS.union(BY_SURETY[: last + 1])
    if max_rung != "llm":
        return Ladder(LADDER, sources)
    if remote is None:
        raise OptionError("max_rung", max_rung, BY_SURETY[:-1], why="needs a model=… to ask")
    # The model is shown the neighbours: what it makes of them is better than any one of them.
    rungs = tuple(remote if rung is neighbour.answer else rung for rung in LADDER)
    return Ladder(rungs, sources - {"neighbour"})
