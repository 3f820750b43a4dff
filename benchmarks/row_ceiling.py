"""Training conversations in, out whether an asked call's answer could be known by whole rows."""

from collections.abc import Callable, Iterable, Iterator

from agent_gym.fidelity.tools import Asked
from agent_gym.text import canonical
from agent_gym.tool_mocker.entities import nodes
from agent_gym.tool_mocker.log import Recorded, recorded_calls
from agent_gym.types import Json, Trace

__all__ = ["row_ceiling"]


def row_ceiling(train: Iterable[Trace]) -> Callable[[Asked], bool]:
    """Whether an answer is right, or its every object stands in the training results as it is.

    What an object repeats from the arguments is set aside. Leaves that occur somewhere say little of a list of
    prices; that each of its rows was seen whole says that the answer could be known.
    """
    seen = {canonical(row): row for trace in train for call in recorded_calls(trace) for row in objects(call)}
    indexed: dict[tuple[str, ...], set[bytes]] = {}
    return lambda row: row.found.exact or _is_made_of(seen, indexed, row)


def _is_made_of(seen: dict[bytes, dict[str, Json]], indexed: dict[tuple[str, ...], set[bytes]], row: Asked) -> bool:
    given = row.recorded.arguments
    for found in objects(row.recorded):
        rest = {name: value for name, value in found.items() if name not in given or given[name] != value}
        names = tuple(sorted(rest))
        if names not in indexed:
            known = (known for known in seen.values() if all(name in known for name in names))
            indexed[names] = {canonical({name: one[name] for name in names}) for one in known}
        if names and canonical(rest) not in indexed[names]:
            return False
    return isinstance(row.recorded.result, dict | list)


def objects(call: Recorded) -> Iterator[dict[str, Json]]:
    """The objects of an answer, each with its scalars alone."""
    for node in nodes(call.result):
        yield {name: value for name, value in node.fields.items() if not isinstance(value, dict | list)}
