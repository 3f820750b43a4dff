"""What a trainer is paid: the score, or nothing at all where an episode teaches nothing."""

from collections.abc import Sequence

import pytest

from agent_gym.adapters.trl.cases import Case, Cases
from agent_gym.adapters.trl.scoring import Scoring
from agent_gym.environment import Environment, Episode, create_environment
from agent_gym.environment.action import Action
from agent_gym.errors import AgentGymError, OffSupportError
from agent_gym.types import Json
from tests.environment import clinic


def episode(desk: Environment, actions: Sequence[Action], case: str = "c1", **options: Json) -> Episode:
    live = desk.episode(case, **options)
    for action in actions:
        live.step(action)
    return live


def test_an_episode_cut_off_is_scored_as_far_as_it_came(desk):
    halfway = episode(desk, clinic.ACT[:1])
    part, whole = Scoring().rewards([halfway, episode(desk, clinic.ACT)])
    assert not halfway.over and part is not None and whole is not None and 0.0 <= part < whole


def test_an_episode_that_the_record_cannot_answer_is_masked_not_zero(desk):
    lost = episode(desk, [clinic.calls(clinic.call("get_lab_report", 1)), *clinic.ACT], off_support="flag")
    assert Scoring().rewards([lost, episode(desk, clinic.ACT)]) == [None, 1.0]


def test_a_run_that_leaves_the_record_too_often_is_stopped(desk):
    scoring = Scoring()
    lost = [episode(desk, [clinic.calls(clinic.call("get_lab_report", 1))]) for _ in range(11)]
    fine = [episode(desk, clinic.ACT) for _ in range(39)]
    with pytest.raises(OffSupportError, match="11 of 50"):
        scoring.rewards([*lost, *fine])


def test_shares_and_sources_are_logged(desk):
    logged: dict[str, float] = {}
    Scoring().rewards([episode(desk, clinic.ACT), episode(desk, ["Goodbye."])], logged.__setitem__)
    assert logged["gym/success"] == 0.5 and logged["gym/tool_calls"] == 1.0 and logged["gym/answers/recorded"] == 1.0


def test_what_the_reward_held_against_an_episode_is_logged_and_what_it_was_held_against_is_not(desk):
    logged: dict[str, float] = {}
    lying = episode(desk, ["Your visit V-7011 is cancelled. Anything else?"])
    Scoring().rewards([episode(desk, clinic.ACT), lying], logged.__setitem__)
    assert logged["gym/hacks"] == 0.5


def test_rows_say_their_case_and_come_again_with_another_seed(desk):
    cases = Cases(desk)
    once = list(cases.rows(None, seed=3))
    twice = list(cases.rows(2 * len(once), seed=3))
    assert twice[: len(once)] == once
    assert {row["seed"] for row in twice[len(once) :]} == {4}
    assert cases.of_prompt(once[0]["prompt"]) == Case(once[0]["conversation_id"], 3, 0)


def test_an_episode_may_begin_near_the_end_of_the_record(desk):
    row = next(row for row in Cases(desk, turns_left=1).rows(None, 0) if row["conversation_id"] == "c1")
    assert row["from_turn"] == 2 and row["prompt"][-1]["role"] == "tool"


def test_a_gym_without_a_success_has_no_rows():
    failed = [clinic.cancelled(i) | {"outcome": "failed"} for i in range(4)]
    with pytest.raises(AgentGymError, match="recorded successes"):
        list(Cases(create_environment(failed, agent="embedded")).rows(None, 0))
