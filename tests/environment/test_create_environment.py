"""The founding call: whatever holds traces in, an environment that unpacks into its three parts out."""

import gzip

import orjson
import pytest

from agent_gym import create_environment
from agent_gym.errors import OptionError, TraceError
from agent_gym.types import Message, Score, Trace
from tests.environment import clinic


class Silent:
    """An agent of one's own."""

    def act(self, messages, tools):
        return Message("assistant", "I am silent.")


def test_dicts_traces_and_a_path_make_the_same_environment(tmp_path):
    dicts = clinic.traces()
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n".join(orjson.dumps(trace) for trace in dicts)))
    made = [create_environment(source, agent="embedded") for source in (dicts, map(Trace.of, dicts), path, str(path))]
    openings = [[s.opening for s in env.scenarios()] for env in made]
    assert openings == [openings[0]] * 4
    assert [env.tool_mocker("get_visit", {"visit_id": clinic.key(1)}) for env in made] == [clinic.visit(1)] * 4


def test_the_environment_unpacks_into_agent_tools_and_reward(desk):
    query_agent, tool_mocker, reward_fn = desk
    assert isinstance(query_agent(f"Please cancel my visit {clinic.key(3)}"), str)
    assert tool_mocker("get_visit", {"visit_id": clinic.key(3)}) == clinic.visit(3)
    score = reward_fn("Your visit is cancelled.", ground_truth="Your visit is cancelled.")
    assert isinstance(score, Score)
    assert 0.0 <= score <= 1.0


def test_an_agent_of_ones_own_is_taken():
    env = create_environment(clinic.traces(), agent=Silent())
    assert env.query_agent("hello") == "I am silent."


def test_an_unknown_agent_is_told_with_the_known_ones():
    with pytest.raises(OptionError, match="did you mean 'embedded'"):
        create_environment(clinic.traces(), agent="embeded")


@pytest.mark.parametrize("nothing", [[], [{}], [{"conversation_id": "a"}]])
def test_traces_that_hold_nothing_are_an_error(nothing):
    with pytest.raises(TraceError):
        create_environment(nothing, agent="embedded")


def test_an_environment_cannot_be_changed(desk):
    with pytest.raises(AttributeError):
        desk.policy = "Be rude."


def test_conversations_without_tools_make_an_environment_too():
    talk = {"conversation_id": "a", "outcome": "resolved", "messages": [clinic.user("Hi"), clinic.agent("Hello!")]}
    env = create_environment([talk], agent="embedded")
    assert env.tool_mocker.tools == ()
    assert env.episode("a").step("Hello!").info["conversation_id"] == "a"
