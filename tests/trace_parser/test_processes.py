"""Chunks go through other processes and come back in order, with their errors."""

from contextlib import closing

import pytest

from agent_gym.errors import AgentGymError
from agent_gym.trace_parser.processes import chunked, in_processes


def ten() -> int:
    return 10


def added(state: int, chunk: list[int]) -> list[int]:
    if -1 in chunk:
        raise AgentGymError("a negative number")
    return [state + n for n in chunk]


def test_chunks_are_of_the_size_asked_for_and_the_last_is_what_is_left():
    assert [len(chunk) for chunk in chunked(range(7), 3)] == [3, 3, 1] and list(chunked([])) == []


@pytest.mark.parametrize(("workers", "count"), [(1, 0), (1, 5), (2, 5)])
def test_results_come_in_the_order_of_the_chunks(workers: int, count: int):
    assert list(in_processes(ten, added, ([n] for n in range(count)), workers)) == [[10 + n] for n in range(count)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_process_is_an_error_here(workers: int):
    with pytest.raises(AgentGymError, match="a negative number"):
        list(in_processes(ten, added, [[1], [-1], [2], [3]], workers))


def test_who_stops_early_leaves_no_process_behind():
    with closing(in_processes(ten, added, ([n] for n in range(100)), 2)) as results:
        assert next(results) == [10]
