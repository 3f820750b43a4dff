"""Attempts at one case judged together: once each, in an order nobody chooses, by the same questions."""

import pytest

from agent_gym.reward.judge import Criterion, Judge, JudgeOptions, Verdict
from agent_gym.types import Message
from tests.reward.bench import Asked, Opinion, honest, reply, serving

SORRY = Criterion("The agent apologised.", "pitfall", id="sorry")
DONE = Criterion("It was carried out.", id="done")
OPENING = (Message("user", "Cancel my visit, please."), Message("assistant", "One moment."))


@pytest.fixture(autouse=True)
def _online(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENT_GYM_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def attempt(words: str) -> tuple[Message, ...]:
    return (*OPENING, Message("assistant", words))


def verdicts(*words: str, opinion: Opinion = honest, seed: int = 0, max_calls: int = 9) -> list[tuple[Verdict, ...]]:
    with serving(opinion) as (_, model):
        judge = Judge(JudgeOptions(model, seed=seed, max_calls=max_calls), [SORRY, DONE])
        return judge.group_verdicts([(attempt(text), None) for text in words])


def order_asked(*words: str, seed: int = 0) -> list[str]:
    with serving() as (service, model):
        Judge(JudgeOptions(model, seed=seed), [SORRY]).group_verdicts([(attempt(text), None) for text in words])
    return [line.split('"said":')[1] for line in service.prompts[0].splitlines() if '"said":' in line]


def test_what_all_attempts_begin_with_is_shown_once_and_equal_attempts_are_one():
    with serving() as (service, model):
        judge = Judge(JudgeOptions(model), [SORRY])
        found = judge.group_verdicts([(attempt(text), None) for text in ("Sorry!", "Done.", "Sorry!")])
    [prompt] = service.prompts
    assert prompt.count("Cancel my visit") == prompt.count("Sorry!") == 1
    assert [one.shown for (one,) in found] == [True, False, True]
    assert found[0] == found[2]


def test_verdicts_do_not_depend_on_the_order_given():
    forward = verdicts("Sorry!", "Done.", "So sorry.")
    backward = verdicts("So sorry.", "Done.", "Sorry!")
    assert forward == backward[::-1]


def test_the_seed_alone_decides_the_order_shown():
    words = [f"Attempt {n}" for n in range(6)]
    assert order_asked(*words) == order_asked(*words[::-1])
    assert len({tuple(order_asked(*words, seed=seed)) for seed in range(5)}) > 1


def test_a_quote_has_to_stand_in_the_attempt_it_is_about():
    def mixed_up(asked: Asked) -> str:
        return reply(*[(True, "so very sorry") for _ in asked.attempts])

    found = verdicts("I am so very sorry.", "Done.", opinion=mixed_up)
    assert [sorry.shown for sorry, _ in found] == [True, False]
    assert found[1][0].flags == ("judge_quote_not_found",)


def test_a_large_group_is_asked_about_in_several_calls():
    words = [f"Attempt {n}" + " sorry" * (n % 2) for n in range(19)]
    with serving() as (service, model):
        judge = Judge(JudgeOptions(model), [SORRY])
        found = judge.group_verdicts([(attempt(text), None) for text in words])
        assert judge.spent == (3, 300)
    assert len(service.prompts) == 3
    assert [one.shown for (one,) in found] == [bool(n % 2) for n in range(19)]


def test_a_group_is_asked_the_same_of_all_or_of_none():
    words = [f"Attempt {n} sorry" for n in range(9)]
    found = verdicts(*words, max_calls=3)
    assert {sorry.shown for sorry, _ in found} == {True}
    assert {done.shown for _, done in found} == {None}
    assert {done.flags for _, done in found} == {("judge_budget_spent",)}


def test_no_attempts_need_no_answers():
    assert verdicts() == []
