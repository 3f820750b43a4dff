"""Refused calls in, complaints out: how a tool words it that an argument is missing or of a wrong type."""

from collections.abc import Iterable, Mapping

from agent_gym.text import canonical
from agent_gym.tool_mocker.defects import Defect, defect_of
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.types import Json

__all__ = ["find_complaints"]


def find_complaints(refused: Iterable[Recorded], parameters: Mapping[str, Json]) -> dict[Defect, Recorded]:
    """What is wrong → the first recorded call that was, if its error speaks of that argument."""
    found: dict[Defect, Recorded] = {}
    for call in refused:
        defect = defect_of(call.arguments, parameters)
        if defect is not None and defect not in found and _speaks_of(call.result, defect.argument):
            found[defect] = call
    return found


def _speaks_of(error: Json, argument: str) -> bool:
    told = canonical(error).decode().lower()
    return argument.lower() in told or argument.lower().replace("_", " ") in told
