"""The reward card: cross-fitted numbers where there are labels, plain words where there is nothing to learn."""

import json
from dataclasses import replace

import pytest

from agent_gym.corpus import Corpus
from agent_gym.fidelity import measure_reward
from agent_gym.fidelity.reward import within_case
from agent_gym.reward import RewardFunction
from agent_gym.reward.card import RewardCard, card_text
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Message, ToolCall, Trace


def log(cases: int = 24) -> list[Trace]:
    """Each case three times: cancelled, cancelled, and only promised."""
    return [trace(case, attempt) for case in range(cases) for attempt in range(3)]


def trace(case: int, attempt: int) -> Trace:
    account = f"acc-{case:04d}"
    done = attempt < 2
    call = ToolCall("cancel_plan", {"account": account}, "1")
    ask = Message("user", f"Please cancel my plan, account {account}")
    wrote = (
        Message("assistant", None, (call,)),
        Message("tool", None, (), "cancel_plan", "1", {"account": account, "status": "cancelled"}),
    )
    end = (Message("assistant", "Anything else?"), Message("user", "No, thanks" if done else "So is it cancelled"))
    messages = (ask, *(wrote if done else ()), *end)
    outcome = "resolved" if done else "failed"
    return Trace(f"{case}/{attempt}", messages, outcome, metadata={"task_id": case})


def card(traces: list[Trace]) -> RewardCard:
    corpus = Corpus(traces)
    return measure_reward(corpus, ToolMocker.fit(corpus))


@pytest.fixture(scope="module")
def full() -> RewardCard:
    return card(log(40))


def test_both_regimes_order_what_can_be_told_apart(full: RewardCard):
    assert full.own_case is not None and full.other_case is not None
    assert full.own_case.auc.value == 1.0 and full.own_case.within_case.value == 1.0
    assert full.other_case.auc.value > 0.9
    assert full.own_case.calibration_error < 0.05
    assert (full.own_case.successes, full.own_case.failures) == (80, 40)


def test_the_goal_enters_and_what_is_not_needed_stays_out(full: RewardCard):
    assert full.own_case is not None
    entered = {part.name for part in full.own_case.parts if part.weight > 0}
    assert entered and entered <= {"prior", "goal", "end_state", "write_recall", "work"}


def test_a_card_survives_json(full: RewardCard):
    assert RewardCard.from_dict(json.loads(json.dumps(full.to_dict()))) == full


def test_the_text_says_what_was_measured(full: RewardCard):
    text = card_text(full)
    assert "orders them right (AUC)     1.000" in text
    assert "80 successes, 40 failures" in text
    assert "Satisfaction: 0 ratings" in text


def test_without_any_outcome_the_card_says_so():
    found = card([replace(trace, outcome=None) for trace in log(4)])
    assert (found.own_case, found.other_case) == (None, None)
    assert any("No conversation says how it ended" in sentence for sentence in found.not_learned)


def test_with_one_class_only_the_defaults_decide_and_the_card_says_so():
    found = card([trace for trace in log(35) if trace.outcome == "resolved"])
    assert found.own_case is not None and found.own_case.fitted == "defaults"
    assert any("the published defaults decide" in sentence for sentence in found.not_learned)


def test_pairs_are_counted_within_a_case_alone():
    assert within_case(["a", "a", "b"], [True, False, False], [0.6, 0.4, 0.9]) == (1.0, 1)


def test_a_conversation_of_an_unknown_case_gets_the_chance_and_never_success():
    corpus = Corpus(log(40))
    function = RewardFunction.fit(corpus, ToolMocker.fit(corpus))
    good, bad = (function.score(trace(77, attempt).messages) for attempt in (0, 2))
    assert good > 0.8 > 0.3 > bad
    assert not good.success and "reference_of_another_case" in good.flags
    assert "with a chance of" in good.explanation


def test_only_having_done_what_a_success_of_the_customer_did_shows_that_it_is_the_same_case():
    corpus = Corpus(log(40))
    function = RewardFunction.fit(corpus, ToolMocker.fit(corpus))
    bye = Message("user", "Bye")
    done, undone = (function.score((*trace(7, attempt).messages, bye)) for attempt in (0, 2))
    assert done.success and "reference_of_another_case" not in done.flags
    assert not undone.success and "reference_of_another_case" in undone.flags
