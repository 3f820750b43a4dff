"""The learner: it clones, practises, stops, and goes on as if it had never stopped."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest

from agent_gym.agent import PolicyFile, gym_digest
from agent_gym.agent.embedded.choose import worth
from agent_gym.environment import Environment, create_environment
from agent_gym.errors import AgentGymError, PolicyFileError
from agent_gym.training import Learner, Options, started, written
from agent_gym.training.gradient import Batch, follow, tried
from agent_gym.types import Json
from tests.environment import clinic

FEW = Options(rounds=2, cases=4, examples=30, validation=2)


def fresh(environment: Environment, options: Options = FEW) -> Learner:
    return started(environment, "no such file", options)


def practised(environment: Environment, rounds: int) -> Learner:
    learner = fresh(environment)
    learner.imitate()
    for _ in range(rounds):
        learner.practise()
    return learner


def test_a_clone_of_easy_successes_succeeds_where_it_has_not_been(desk: Environment):
    learner = fresh(desk)
    learner.imitate()
    assert learner.history[0].number == 0 and learner.history[0].success == 1.0


def test_the_same_seed_gives_the_same_policy(gym: Environment):
    one, two = practised(gym, 1), practised(gym, 1)
    assert one.named(one.weights) == two.named(two.weights) and one.history == two.history


def test_practice_moves_the_weights(gym: Environment):
    learner = fresh(gym, replace(FEW, cases=16))
    learner.imitate()
    learner.practise()
    assert not np.array_equal(learner.weights, learner.cloned)


def test_a_round_takes_on_no_further_case_after_so_many_turns(gym: Environment):
    learner = fresh(gym, replace(FEW, turns=1))
    learner.imitate()
    seen: list[int] = []
    learner.practise(lambda n, _: seen.append(n))
    assert seen == [0]


def test_no_test_case_is_ever_practised_on(gym: Environment):
    learner = fresh(gym, replace(FEW, cases=1000, validation=1000))
    played = {*learner.practice, *learner.validation}
    assert played and not played & {trace.conversation_id for trace in gym.corpus.test}
    assert not set(learner.practice) & set(learner.validation)


def test_of_few_customers_with_many_cases_some_are_left_to_practise_on(
    gym: Environment, monkeypatch: pytest.MonkeyPatch
):
    names = [s.conversation_id for s in gym.scenarios("train") if s.scorable]
    groups = {**gym.corpus.groups, **{name: place % 3 for place, name in enumerate(names)}}
    monkeypatch.setattr(type(gym.corpus), "groups", groups)
    learner = fresh(gym, replace(FEW, validation=60))
    tried_on = {groups[name] for name in learner.validation}
    assert len(tried_on) == 1 and not tried_on & {groups[name] for name in learner.practice}
    assert len(learner.validation) > 1 and len(learner.practice) + len(learner.validation) == len(names)


def test_who_practises_in_a_case_does_not_see_its_record(gym: Environment):
    learner = fresh(gym)
    name = learner.practice[0]
    root = learner.forest.root(name)
    candidates = learner.agent.candidates(root.episode.messages, root.episode.tools, learner.forest.hidden(name))
    assert name in learner.forest.hidden(name)
    assert all(name not in candidate.evidence for candidate in candidates)


def test_a_turn_played_before_is_not_worked_out_again(gym: Environment):
    learner = fresh(gym)
    first = follow(learner.forest, learner.practice[0], learner.weights)
    grown = learner.forest.grown
    assert follow(learner.forest, learner.practice[0], learner.weights) is first and learner.forest.grown == grown


def test_the_direction_makes_the_better_of_two_moves_likelier(gym: Environment):
    learner = fresh(gym)
    groups = [g for name in learner.practice[:6] for g in tried(learner.forest, name, learner.weights, 3.0, 0.1)[0]]
    batch = Batch(learner.form, [group for group in groups if group.telling])
    better = learner.weights + 0.1 * batch.direction(learner.weights, 1.0)
    assert batch.reward(better, 1.0) > batch.reward(learner.weights, 1.0)


def test_the_moves_of_a_group_start_from_one_moment(gym: Environment):
    learner = fresh(gym)
    groups, ends = tried(learner.forest, learner.practice[0], learner.weights, 3.0, 0.1)
    assert groups and all(end.over for end in ends)
    for group in groups:
        assert learner.forest.reached(learner.practice[0], group.road) is group.node
        assert len(group.moves) == len(group.rewards) > 1


def test_an_agent_chooses_as_the_learner_does(gym: Environment):
    learner = practised(gym, 2)
    root = learner.forest.root(learner.practice[0])
    hidden = learner.forest.hidden(learner.practice[0])
    candidates = learner.agent.candidates(root.episode.messages, root.episode.tools, hidden)
    named = learner.named(learner.weights)
    assert np.allclose([worth(each, named) for each in candidates], learner.forest.points(root, learner.weights))


def test_a_stopped_training_goes_on_as_if_it_had_not(gym: Environment, tmp_path: Path):
    learner = practised(gym, 1)
    written(learner, tmp_path / "p.json")
    resumed = started(gym, tmp_path / "p.json", FEW)
    learner.practise()
    resumed.practise()
    assert resumed.named(resumed.weights) == learner.named(learner.weights)
    assert [(each.reward, each.hacks) for each in resumed.history] == [
        (each.reward, each.hacks) for each in learner.history
    ]


def test_every_round_says_how_often_each_hack_pays_in_the_policys_own_episodes(desk: Environment):
    learner = practised(desk, 1)
    assert [each.hacks["do nothing"] for each in learner.history] == [0.0, 0.0]


def test_a_policy_of_before_the_watch_goes_on(desk: Environment, tmp_path: Path):
    learner = practised(desk, 1)
    written(learner, tmp_path / "p.json")
    file = orjson.loads((tmp_path / "p.json").read_bytes())
    assert all(each.pop("hacks") for each in file["training"]["history"])
    (tmp_path / "p.json").write_bytes(orjson.dumps(file))
    resumed = started(desk, tmp_path / "p.json", FEW)
    assert [each.hacks for each in resumed.history] == [{}, {}] and resumed.practise().hacks


def test_it_ends_when_all_rounds_are_played_or_it_gets_no_better(gym: Environment):
    learner = practised(gym, 1)
    learner.options = replace(FEW, off_support=1.0)
    going_on = learner.over
    best, last = learner.history[0], learner.history[1]
    learner.history = [best, replace(last, reward=-1.0), *(replace(last, number=n, reward=-1.0) for n in (2, 3))]
    learner.options = replace(FEW, off_support=1.0, rounds=9, patience=3)
    assert (going_on, learner.over) == ("", "it gets no better")


def test_a_round_that_does_better_by_chance_alone_is_not_kept(gym: Environment):
    learner = practised(gym, 1)
    clone, last = learner.history
    lucky, sure = replace(last, reward=2.0, gain_low=-0.01), replace(last, number=2, reward=1.5, gain_low=0.01)
    learner.history = [clone, lucky]
    kept = learner.kept
    learner.history.append(sure)
    assert (kept, learner.kept) == (clone, sure)


def test_what_a_round_gains_is_counted_case_by_case(gym: Environment):
    learner = practised(gym, 1)
    clone, last = learner.history
    assert (clone.gain, clone.gain_low) == (0.0, 0.0)
    assert last.gain == pytest.approx(last.reward - clone.reward) and last.gain_low <= last.gain


def test_who_seems_better_is_tried_on_cases_nobody_has_looked_at(gym: Environment, monkeypatch: pytest.MonkeyPatch):
    learner = practised(gym, 0)
    learner.options = replace(FEW, cases=1)
    asked: list[list[str]] = []

    def better(_: Learner, names: list[str]) -> tuple[float, float]:
        asked.append([*names])
        return 0.2, 0.1

    monkeypatch.setattr(Learner, "_compared", better)
    learner.practise()
    assert asked == [learner.validation, [*learner.validation, *learner.practice[1:]]]


def test_too_many_questions_the_record_cannot_answer_end_it(gym: Environment):
    learner = practised(gym, 1)
    learner.history[-1] = replace(learner.history[-1], off_support=0.5)
    assert "cannot answer" in learner.over


def test_without_a_success_there_is_nothing_to_learn_from():
    failed = [{**trace, "outcome": "failed"} for trace in clinic.traces()]
    with pytest.raises(AgentGymError, match="nothing to learn from"):
        fresh(create_environment(failed, agent="embedded"))


def test_a_single_scenario_is_practised_and_tried_on():
    learner = fresh(create_environment([clinic.cancelled(1)], agent="embedded"))
    learner.imitate()
    learner.practise()
    assert learner.practice == learner.validation == ["c1"]


def test_talk_without_tools_can_be_cloned():
    talks = [talk(n, f"Room {n}00, next to the stairs.") for n in range(1, 5)]
    learner = fresh(create_environment(talks, agent="embedded"))
    learner.imitate()
    learner.practise()
    assert len(learner.history) == 2


def talk(n: int, answer: str) -> dict[str, Json]:
    messages = [clinic.user(f"Where is Dr. {clinic.DOCTORS[n]}?"), clinic.agent(answer), clinic.user("Thanks, bye.")]
    return {"conversation_id": f"t{n}", "messages": messages, "outcome": "resolved"}


def test_a_policy_of_another_gym_is_refused(desk: Environment, gym: Environment, tmp_path: Path):
    learner = fresh(desk)
    learner.imitate()
    written(learner, tmp_path / "p.json")
    with pytest.raises(PolicyFileError, match="another gym"):
        started(gym, tmp_path / "p.json", FEW)


def test_a_policy_trained_with_other_options_is_not_gone_on_with(desk: Environment, tmp_path: Path):
    learner = fresh(desk)
    learner.imitate()
    written(learner, tmp_path / "p.json")
    with pytest.raises(PolicyFileError, match="other options"):
        started(desk, tmp_path / "p.json", replace(FEW, seed=9))


@pytest.mark.parametrize(
    "damage", [{"weights": None}, {"rng": {"state": "x"}}, {"groups": [["c1", [99], [0, 1], [0.0, 1.0]]]}]
)
def test_a_damaged_state_of_training_is_told(desk: Environment, tmp_path: Path, damage: Mapping[str, Json]):
    learner = fresh(desk)
    learner.imitate()
    file = PolicyFile(gym_digest(desk.corpus), {}, {}, {**learner.to_dict(), **damage})
    file.write(tmp_path / "p.json")
    with pytest.raises(PolicyFileError, match="cannot be used"):
        started(desk, tmp_path / "p.json", FEW)


def test_what_is_written_is_plain_json_of_named_weights(desk: Environment, tmp_path: Path):
    learner = fresh(desk)
    learner.imitate()
    written(learner, tmp_path / "p.json")
    found = orjson.loads((tmp_path / "p.json").read_bytes())
    assert (
        found["weights"].keys() == found["cloned"].keys()
        and found["weights"]["vote"] == learner.best[learner.form.columns["vote"]]
    )
