"""What tools have answered, in marks that are there or not: a state in, marks that tell one answer from another out.

`status pending`, `eligible False`, `balance zero`, `outages empty`, `due_on before paid_on`: what an agent looks at to
decide what comes next, without the values that are different in every conversation.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

from agent_gym.agent.embedded.leaves import Call, text_of
from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.talk import DAY, State, is_over
from agent_gym.text import parsed
from agent_gym.types import Json

__all__ = ["answer_marks"]

_DEEP, _MOST = 6, 60  # of one answer
_CALLS = 4  # answers since the customer spoke, the latest
_DATES = 4  # of one record, which are compared


def answer_marks(state: State) -> list[str]:
    """What the tools have answered since the customer last spoke, each with the tool's name."""
    calls = [call for call in state.calls if call.at > state.spoke and call.answer is not None][-_CALLS:]
    return list(
        dict.fromkeys(f"{call.call.name} {mark}" for call in calls for mark in _marks_of(call, state.talk.today))
    )


def _marks_of(made: Call, today: str) -> list[str]:
    assert made.answer is not None
    result = parsed(made.answer.result)
    if isinstance(result, str) or made.failed:
        return list(tokens(text_of(made)))
    marks = dict.fromkeys(mark for mark, _ in zip(_facets(result, "", today), range(_MOST), strict=False))
    return list(marks)


def _facets(value: Json, path: str, today: str, depth: int = 0) -> Iterator[str]:
    name = path or "it"
    if depth > _DEEP:
        return
    if isinstance(value, Mapping):
        yield from _order(value, path, today)
        for key, item in value.items():
            yield from _facets(item, f"{path}.{key}".lstrip("."), today, depth + 1)
    elif isinstance(value, list | tuple):
        yield f"{name} {'empty' if not value else 'one' if len(value) == 1 else 'many'}"
        for item in value:
            yield from _facets(item, path, today, depth + 1)
    elif value is None:
        yield f"{name} none"
    elif isinstance(value, bool):
        yield f"{name} {value}"
    elif isinstance(value, int | float):
        yield f"{name} {'zero' if value == 0 else 'below' if value < 0 else 'some'}"
    elif isinstance(value, str) and value.isascii() and value.isidentifier():
        yield f"{name} {value}"


def _order(record: Mapping[str, Json], path: str, today: str) -> Iterator[str]:
    """Which of a record's dates comes first, and which of them are over."""
    dates = [(key, value) for key, value in record.items() if isinstance(value, str) and DAY.match(value)]
    for (one, early), (other, late) in combinations(dates[:_DATES], 2):
        yield f"{path}.{one} {'before' if early < late else 'after'} {other}".lstrip(".")
    for key, day in dates if today else ():
        yield f"{path}.{key} {'over' if is_over(day, today) else 'ahead'}".lstrip(".")
