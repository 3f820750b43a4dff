"""A session as OpenEnv asks for it, without OpenEnv: cases, options, what is seen, and what is refused."""

from importlib import metadata
from typing import Any

import pytest

from agent_gym.adapters.openenv.session import Seen, Session
from agent_gym.adapters.openenv.tasks import Tasks
from agent_gym.adapters.openenv.versions import require_openenv
from agent_gym.environment import create_environment
from agent_gym.errors import AgentGymError, EpisodeOver, MissingExtra, OptionError
from tests.environment import clinic


@pytest.fixture(scope="module")
def tasks(desk):
    return Tasks.of(desk)


@pytest.fixture
def session(tasks):
    return Session(tasks)


def played(session: Session, acts: list[Any] = clinic.ACT) -> Seen:
    session.reset(conversation_id="c1")
    for act in acts:
        seen = session.step(act if isinstance(act, dict) else {"content": act})
    return seen


def test_a_reset_shows_the_prompt_and_the_tools_and_no_reward(session):
    seen = session.reset(conversation_id="c1")
    assert [message.role for message in seen.messages] == ["system", "user"] and clinic.key(1) in seen.text
    assert len(seen.tools) == len(clinic.NAMES)
    assert seen.reward is None and not seen.done


def test_a_step_shows_only_what_is_new_and_where_it_comes_from(session):
    session.reset(conversation_id="c1")
    seen = session.step(clinic.calls(clinic.call("get_visit", 1)))
    assert [message.role for message in seen.messages] == ["tool"] and seen.sources == ("recorded",)
    assert seen.reward == 0.0 and seen.tools == ()


def test_a_whole_episode_ends_with_a_score(session):
    seen = played(session, [*clinic.ACT, "Goodbye."][:3])
    assert seen.done and seen.success and seen.reward == session.episode.score > 0.5


def test_text_may_hold_tool_calls_and_a_mistake_is_something_to_learn_from(session):
    session.reset(conversation_id="c1")
    seen = session.step({"content": '{"tool_calls": [{"name": "get_visit", "arguments": {"visit_id": "V-7011"}}]}'})
    assert seen.sources == ("recorded",)
    wrong: list[Any] = [{}, {"content": ""}, {"tool_calls": [7]}, {"tool_calls": [{"arguments": {}}]}]
    assert all("error" in session.step(action).text for action in wrong)
    assert session.step({"tool_calls": [{}]}).flags == ("malformed_action",)


def test_the_same_seed_is_the_same_case_and_without_one_the_cases_take_turns(session, tasks):
    assert session.reset(seed=5).conversation_id == Session(tasks).reset(seed=5).conversation_id
    turns = [session.reset().conversation_id for _ in tasks.ids["train"]]
    assert sorted(turns) == sorted(tasks.ids["train"])


def test_a_task_says_how_to_play_it(session, tasks):
    task = tasks.task("train", 2)
    assert session.reset(**task).conversation_id == task["conversation_id"] == tasks.ids["train"][2]
    assert session.reset(split="train", index=2).conversation_id == task["conversation_id"]


@pytest.mark.parametrize(
    "asked",
    [
        {"splitt": "train"}, {"split": "dev"}, {"index": 99}, {"index": -1}, {"index": "1"}, {"seed": -1},
        {"seed": "x"}, {"seed": True}, {"user": "gemini"}, {"user": "openai:x"}, {"model": "gemini"}, {"max_turns": 0},
        {"from_turn": 99}, {"from_turn": True}, {"off_support": "hm"}, {"conversation_id": 3}, {"conversation_id": "x"},
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused_and_the_episode_goes_on(session, asked):
    session.reset(conversation_id="c1")
    with pytest.raises(AgentGymError):
        session.reset(**asked)
    assert session.step({"content": "Hello."}).messages


def test_a_step_without_an_episode_or_after_its_end_says_what_to_do(session):
    with pytest.raises(AgentGymError, match="reset"):
        session.step({"content": "Hello."})
    assert played(session).done
    with pytest.raises(EpisodeOver, match="reset"):
        session.step({"content": "Hello."})
    assert not session.reset().done


def test_a_split_without_cases_and_a_gym_without_goals_say_so(session):
    with pytest.raises(AgentGymError, match="test split"):
        session.reset(split="test")
    with pytest.raises(OptionError):
        session.reset(split="test", index=0)
    failed = [clinic.handed_over(i) for i in range(3)]
    with pytest.raises(AgentGymError, match="goal"):
        Tasks.of(create_environment(failed, agent="embedded"))


@pytest.mark.parametrize("found", ["", "0.9.1", "1.0.0"])
def test_another_openenv_than_the_one_that_was_tried_is_named(monkeypatch, found: str):
    def version(name: str) -> str:
        if not found:
            raise metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(MissingExtra, match="openenv"):
        require_openenv()
