"""The ladder: from the surest way to answer a call to the least; the first rung that knows, answers."""

from collections.abc import Callable
from typing import TypeAlias

from agent_gym.tool_mocker.rungs import (
    anchored,
    effect,
    function,
    invalid,
    neighbour,
    not_found,
    query,
    refusal,
    replay,
    state,
    unknown,
)
from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["LADDER", "Rung"]

Rung: TypeAlias = Callable[[ToolCall, View], ToolAnswer | None]

LADDER: tuple[Rung, ...] = (
    anchored.answer,  # what this very conversation was told at this point
    invalid.answer,  # a call no tool could answer
    state.answer,  # what this session's own writes have left
    refusal.answer,  # what the record says is refused
    function.answer,  # what follows from the arguments alone
    replay.answer,  # what other conversations were told
    effect.answer,  # what a write would do to a known record
    query.answer,  # what a search of the tables finds
    not_found.answer,  # what most likely does not exist
    neighbour.answer,  # the nearest recorded answer, adapted
    unknown.answer,  # nothing is known
)
