"""An environment from a gym file answers, plays and scores as the one that was mined, whatever the domain."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import agent_gym
from agent_gym.environment import Environment, create_environment, play
from agent_gym.errors import AgentGymError, GymFileError
from agent_gym.types import Json, ToolAnswer
from tests.environment.test_text_only_traces import ZONES, parking
from tests.store.gyms import change, written_long_ago


@pytest.fixture(scope="module")
def office() -> Environment:
    """A help desk without a tool."""
    return create_environment([parking(zone, f"{at}1.50") for at, zone in enumerate(ZONES)], agent="embedded")


@pytest.fixture(params=["gym", "desk", "office"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Environment, Environment]:
    mined = request.getfixturevalue(request.param)
    mined.save(tmp_path / "x.gym")
    return mined, agent_gym.load(tmp_path / "x.gym", agent="embedded")


def answers(env: Environment, anchored: bool) -> list[ToolAnswer]:
    """Each conversation's calls, and ones like them that nobody made, in the session of the one before."""
    traces, found = list(env.corpus)[:40], []
    for trace, before in zip(traces, [traces[-1], *traces], strict=False):
        session = env.tool_mocker.session(before.conversation_id if anchored else None)
        for call, _ in trace.calls():
            odd = {name: f"{value}7" if isinstance(value, str) else 7 for name, value in call.arguments.items()}
            found += [session.call(call.name, arguments) for arguments in (call.arguments, odd)]
    return found


@pytest.mark.parametrize("anchored", [True, False])
def test_the_tools_answer_alike_and_for_the_same_reasons(pair, anchored):
    mined, kept = (answers(env, anchored) for env in pair)
    assert mined == kept


def test_all_that_is_told_of_the_tools_is_the_same(pair):
    mined, kept = pair
    assert mined.tool_mocker.tools == kept.tool_mocker.tools
    assert mined.tool_mocker.explain() == kept.tool_mocker.explain()
    assert mined.counts == kept.counts and mined.corpus.outcomes == kept.corpus.outcomes


def test_the_same_cases_are_played_for_the_same_goals(pair):
    mined, kept = pair
    assert mined.scenarios() == kept.scenarios() != ()
    assert [s.conversation_id for s in kept.scenarios("test") if s.scorable] == kept.playable("test", scorable=True)
    assert [s.conversation_id for s in mined.scenarios() if s.scorable] == mined.playable(scorable=True)


def test_episodes_are_the_same_to_the_last_word(pair):
    one, two = ([play(env.episode(seed=seed), env.agent).to_dict() for seed in range(3)] for env in pair)
    assert one == two


def scores(env: Environment, named: bool) -> list[Json]:
    def score(name: str) -> Json:
        try:
            return env.reward_fn.score(env.corpus[name].messages, name if named else None).to_dict()
        except AgentGymError as error:
            return str(error)

    return [score(name) for name in env.playable()[:12]]


@pytest.mark.parametrize("named", [True, False])
def test_conversations_score_alike_and_for_the_same_reasons(pair, named):
    mined, kept = (scores(env, named) for env in pair)
    assert mined == kept


def test_similar_conversations_are_the_same(pair):
    one, two = (env.corpus.similar("I want to cancel my visit, please", k=5) for env in pair)
    assert one == two


def test_a_kept_environment_can_be_saved_again(pair, tmp_path):
    mined, kept = pair
    assert kept.save(tmp_path / "y.gym").content_digest == mined.save(tmp_path / "z.gym").content_digest
    assert answers(agent_gym.load(tmp_path / "y.gym", agent="embedded"), True) == answers(mined, True)


@pytest.mark.parametrize("version", [1, 2])
def test_a_gym_of_an_older_version_is_mined_when_it_is_opened(desk, tmp_path, version):
    options = {"user": "agenda", "policy": "Be kind.", "seed": 0}
    path = written_long_ago(tmp_path / "x.gym", version, list(desk.corpus), options)
    assert answers(agent_gym.load(path, agent="embedded"), True) == answers(desk, True)


def test_a_gym_whose_parts_look_otherwise_is_mined_again(desk, tmp_path):
    desk.save(tmp_path / "x.gym")
    change(
        tmp_path / "x.gym",
        "UPDATE sections SET body = '1' WHERE name = 'shape'",
        "DELETE FROM parts WHERE name = 'world'",
    )
    assert answers(agent_gym.load(tmp_path / "x.gym", agent="embedded"), True) == answers(desk, True)


def opened_and_played(path: Path) -> None:
    env = agent_gym.load(path, agent="embedded")
    play(env.episode(), env.agent)


@pytest.mark.parametrize("name", ["world", "forms", "reward", "conversations", "scenarios", "dictionary"])
def test_a_part_that_is_damaged_is_an_error_with_the_path(desk, tmp_path, name):
    desk.save(tmp_path / "x.gym")
    change(tmp_path / "x.gym", f"UPDATE parts SET body = x'789c03000000000100' WHERE name = '{name}'")
    with pytest.raises(GymFileError, match=r"x\.gym: it is damaged"):
        opened_and_played(tmp_path / "x.gym")


def test_opening_reads_no_trace_and_loads_no_fitting(gym, tmp_path):
    gym.save(tmp_path / "x.gym")
    traces = "(SELECT number FROM shelves WHERE name = 'traces')"
    change(tmp_path / "x.gym", f"UPDATE blocks SET body = x'00' WHERE shelf = {traces}")
    code = f"""import sys, agent_gym; env = agent_gym.load({str(tmp_path / "x.gym")!r}, agent="embedded")
print(env.counts["conversations"], len(env.tool_mocker.tools), "scipy" in sys.modules)"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=dict(os.environ))
    assert told.stdout.split() == [b"80", str(len(gym.tool_mocker.tools)).encode(), b"False"]
