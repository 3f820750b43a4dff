"""Training conversations in, out whether a session's answer could be known from its case's own log.

Each value of the answer must stand in the call, in the case's own conversation, or at that place in one of twenty
recorded answers of the tool. So a value that is computed, or comes from another case's log, is not counted; a date
that some other customer's record happens to hold is not either.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from agent_gym.fidelity.tools import Asked
from agent_gym.text import canonical
from agent_gym.tool_mocker.log import recorded_calls
from agent_gym.types import Json, Trace

__all__ = ["case_ceiling"]

_COMMON = 20  # a value at its place in one of so many answers of a tool is common


def case_ceiling(
    train: Iterable[Trace], cases: Iterable[tuple[str | None, Sequence[Asked]]]
) -> Callable[[Asked], bool]:
    """`cases`: the conversation that each session's case is of, and what the session asked."""
    own: dict[str, set[bytes]] = {}
    common: Counter[tuple[str, str, bytes]] = Counter()
    answers: Counter[str] = Counter()
    for trace in train:
        told = own.setdefault(trace.conversation_id, set())
        for call in recorded_calls(trace):
            shown = set(placed_leaves(call.result))
            answers[call.name] += 1
            common.update((call.name, place, leaf) for place, leaf in shown)
            told |= {leaf for _, leaf in shown} | _leaves(call.arguments)
    case = {id(row): own.get(name or "", set()) for name, talk in cases for row in talk}

    def knowable(row: Asked) -> bool:
        tool = row.recorded.name
        known = case[id(row)] | _leaves(row.recorded.arguments)
        return row.found.exact or all(
            leaf in known or _COMMON * common[tool, place, leaf] >= answers[tool] > 0
            for place, leaf in placed_leaves(row.recorded.result)
        )

    return knowable


def _leaves(value: Json) -> set[bytes]:
    return {leaf for _, leaf in placed_leaves(value)}


def placed_leaves(value: Json, path: str = "") -> Iterator[tuple[str, bytes]]:
    """Every scalar in canonical form with the place it stands at; elements of a list share one."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from placed_leaves(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from placed_leaves(inner, f"{path}[]")
    else:
        yield path, canonical(value)
