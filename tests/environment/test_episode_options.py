"""The options of an episode: limits by length, what a step tells, weights of cases, names that do not exist."""

import pytest

from agent_gym.environment.episode import about_tokens
from agent_gym.environment.gymnasium import TraceEnv
from agent_gym.environment.vector import TraceVectorEnv
from agent_gym.errors import AgentGymError, OptionError
from tests.environment.clinic import ACT, call, calls


def test_an_episode_is_truncated_when_it_is_too_long_for_a_model(desk):
    episode = desk.episode("c1", max_tokens=200)
    assert not episode.step("Hello, what can I do?").truncated
    step = episode.step("word " * 200)
    assert (step.truncated, step.terminated, step.info["ending"]) == (True, False, "too_many_tokens")
    assert step.info["score"] is not None


def test_tokens_are_counted_as_the_caller_counts_them(desk):
    episode = desk.episode("c1", max_tokens=10_000, count_tokens=lambda text: len(text.split()))
    before = episode.tokens
    episode.step("one two three four")
    assert episode.tokens == before + 4 + len(episode.messages[-1].text.split())


def test_calls_and_their_results_count_too(desk):
    episode = desk.episode("c1", max_tokens=10_000)
    before = episode.tokens
    step = episode.step(calls(call("get_visit", 1)))
    assert episode.tokens >= before + about_tokens(step.observation)


def test_a_fork_counts_on_from_where_it_was(desk):
    episode = desk.episode("c1", max_tokens=10_000)
    episode.step("One moment, please.")
    fork = episode.fork()
    for one in (episode, fork):
        one.step("What is your visit's number?")
    assert (fork.tokens, fork.turns) == (episode.tokens, episode.turns)


def test_a_step_tells_the_customers_patience_and_what_the_answers_rest_on(desk):
    episode = desk.episode("c1")
    steps = [episode.step(action) for action in (ACT[0], "Which year is it?", "Which year is it?")]
    assert steps[0].info["answers"][0][1].source == "recorded"
    left = [step.info["patience"] for step in steps]
    assert left[0] == left[1] > left[2] >= 0
    assert desk.episode("c1", user="replay").step("Hello.").info["patience"] is None


def test_messages_say_what_the_policy_wrote(desk):
    _, info = TraceEnv(desk).reset(seed=0, options={"conversation_id": "c1"})
    assert {message["trainable"] for message in info["messages"]} == {False}
    assert [tool["function"]["name"] for tool in info["tools"]]
    assert desk.episode("c1").step("Hello.").info["messages"][-2].trainable


@pytest.mark.parametrize(
    ("option", "meant"),
    [("max_turn", "max_turns"), ("shapping", "shaping"), ("fault", "faults"), ("usr", "user")],
)
def test_an_option_that_does_not_exist_is_told_with_what_was_meant(desk, option, meant):
    for made in (desk.episode, desk.to_gymnasium, lambda **options: TraceVectorEnv(desk, 2, **options)):
        with pytest.raises(OptionError, match=f"did you mean '{meant}'"):
            made(**{option: 1})


@pytest.mark.parametrize("options", [{"max_tokens": 0}, {"max_turns": -1}, {"max_tokens": "many"}])
def test_a_limit_that_is_none_is_refused(desk, options):
    with pytest.raises(OptionError, match=next(iter(options))):
        desk.episode("c1", **options)


def test_a_reset_knows_its_one_option(desk):
    env = desk.to_gymnasium()
    with pytest.raises(OptionError, match="did you mean 'conversation_id'"):
        env.reset(options={"conversation": "c1"})


def test_cases_are_drawn_as_often_as_they_weigh(desk):
    weights = {"c1": 3.0, "c2": 1.0}
    env = desk.to_gymnasium(weight=lambda scenario: weights.get(scenario.conversation_id, 0.0))
    env.reset(seed=0)
    drawn = [env.reset()[1]["conversation_id"] for _ in range(200)]
    assert set(drawn) == {"c1", "c2"}
    assert 120 < drawn.count("c1") < 180


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_what_is_no_weight_is_refused(desk, weight):
    with pytest.raises(OptionError, match="is no weight"):
        desk.to_gymnasium(weight=lambda _: weight)


def test_weights_that_leave_nothing_are_told(desk):
    with pytest.raises(AgentGymError, match="every one weighs 0"):
        desk.to_gymnasium(weight=lambda _: 0.0)
