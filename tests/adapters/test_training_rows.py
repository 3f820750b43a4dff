"""Rows for supervised and preference trainers, from recorded successes and from rollouts."""

import pytest

from agent_gym.adapters.datasets.kept import Kept, Wanted, kept_rollouts, kept_traces
from agent_gym.adapters.datasets.rows import FORMS, dpo_rows, sft_turns
from agent_gym.environment import Environment, create_environment
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.environment.rollout import Rollout, play
from agent_gym.evaluation.agents import DoNothing
from agent_gym.types import Json
from tests.environment import clinic


@pytest.fixture(scope="module")
def desk() -> Environment:
    failed = clinic.cancelled(5) | {"conversation_id": "bad", "outcome": "failed"}
    return create_environment([*clinic.traces(), failed], agent="embedded", policy="Be kind.")


def played(desk: Environment, name: str, case: str = "c1") -> Rollout:
    agent = DoNothing() if name == "idle" else ReplayAgent(desk.corpus[case])
    return play(desk.episode(case, max_turns=6), agent)


def pairs(desk: Environment, *rollouts: Rollout) -> list[tuple[Kept, dict[str, Json]]]:
    return list(dpo_rows(kept_rollouts(desk, rollouts, Wanted("all"))))


def test_only_successes_are_shown_whole_with_the_policy_they_lacked(desk):
    rows = [FORMS["sft"](kept) for kept in kept_traces(desk, Wanted())]
    assert len(rows) == len(desk.scenarios(outcome="succeeded")) < len(desk.scenarios())
    assert rows[0]["messages"][0] == {"role": "system", "content": "Be kind."} and rows[0]["tools"]


def test_every_turn_of_the_agent_is_a_row_and_its_prompt_ends_before_it(desk):
    rows = [row for row in sft_turns(kept_traces(desk, Wanted())) if "V-7011" in str(row["prompt"][1])]
    assert len(rows) == 3
    assert all(row["completion"][0]["role"] == "assistant" and row["prompt"][-1]["role"] != "assistant" for row in rows)


def test_a_greeting_is_part_of_the_prompt_and_never_a_completion(desk):
    assert not any("Welcome" in str(row["completion"]) for row in sft_turns(kept_traces(desk, Wanted())))


def test_the_best_and_the_worst_of_a_case_become_a_pair(desk):
    good, bad = played(desk, "replay"), played(desk, "idle")
    ((_, row),) = pairs(desk, bad, good)
    assert "cancel_visit" in str(row["chosen"]) and "cancel_visit" not in str(row["rejected"])
    assert row["prompt"][-1]["role"] == "user" and row["chosen"][0]["role"] == row["rejected"][0]["role"] == "assistant"


def test_rollouts_that_scored_alike_teach_no_preference(desk):
    assert not pairs(desk, played(desk, "idle"), played(desk, "idle"))


def test_rollouts_of_two_cases_are_never_paired(desk):
    assert not pairs(desk, played(desk, "replay", "c1"), played(desk, "idle", "c4"))
