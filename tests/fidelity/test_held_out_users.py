"""Customers held against other conversations of their cases, or, where there are none, let run free."""

import math

from agent_gym.fidelity import measure_held_out_users
from agent_gym.types import Trace
from tests.environment import clinic


def log(attempts: int) -> list[Trace]:
    rows = [
        clinic.cancelled(case, conversation_id=f"c{case}-{at}", metadata={"task_id": case})
        for case in range(3)
        for at in range(attempts)
    ]
    return [Trace.of(row) for row in rows]


def test_a_case_met_twice_tells_how_true_its_customer_is():
    told = measure_held_out_users(log(2)).to_dict()
    assert (told["attempts"], told["leaks"], told["stops"]) == (3, 0.0, 1.0)
    assert len(told["fact_f1_interval"]) == len(told["acts_interval"]) == 2
    assert told["free_running"]["episodes"] == 3


def test_a_case_met_once_is_played_and_nothing_is_foretold():
    found = measure_held_out_users(log(1))
    assert (found.attempts, found.foretold) == (0, None)
    assert found.to_dict()["turns"] == 0
    assert found.manner is not None and found.manner.turns == (2.0, 2.0)


def test_conversations_given_are_held_against_the_customers_of_their_case():
    others = [Trace.of(clinic.cancelled(1, conversation_id="new", metadata={"task_id": 1}))]
    assert measure_held_out_users(log(2), others).attempts == 1


def test_a_log_without_customers_is_no_crash():
    silent = Trace.of({"conversation_id": "s", "messages": [clinic.agent("Hello?")], "outcome": "resolved"})
    found = measure_held_out_users([silent])
    assert (found.manner, found.errors.n) == (None, 0)
    assert math.isnan(found.errors.value)
