"""Policies on disk: read back as written, refused when torn or of another gym."""

from pathlib import Path

import pytest

from agent_gym.agent import PolicyFile, gym_digest
from agent_gym.corpus import Corpus
from agent_gym.environment import Environment, create_environment
from agent_gym.errors import OptionError, PolicyFileError
from tests.environment import clinic


def policy(environment: Environment, path: Path) -> str:
    PolicyFile(gym_digest(environment.corpus), {"vote": 9.0}).write(path)
    return str(path)


def test_a_policy_reads_back_as_it_was_written(tmp_path: Path):
    file = PolicyFile("abc", {"vote": 1.5}, {"vote": 1.0}, {"rounds": 3})
    file.write(tmp_path / "p.json")
    assert PolicyFile.read(tmp_path / "p.json") == file


def test_a_policy_is_an_agent(desk: Environment, tmp_path: Path):
    path = policy(desk, tmp_path / "p.json")
    query_agent, _, _ = create_environment(clinic.traces(), agent=path, policy="Be kind.")
    assert query_agent.agent.weights == {"vote": 9.0}
    assert isinstance(query_agent("Please cancel my visit V-7011"), str)


@pytest.mark.parametrize("content", [b"", b'{"kind": "agent_gym pol', b"[]", b'{"kind": "other"}', b"\xff\xfe"])
def test_a_torn_or_strange_file_is_told(tmp_path: Path, content: bytes):
    (tmp_path / "p.json").write_bytes(content)
    with pytest.raises(PolicyFileError, match="agent-gym train"):
        PolicyFile.read(tmp_path / "p.json")


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path):
    text = '{"kind": "agent_gym policy", "version": 1, "gym": "", "weights": {"vote": "x"}, "cloned": {}}'
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(PolicyFileError, match="not numbers"):
        PolicyFile.read(tmp_path / "p.json")


def test_a_missing_policy_is_told(tmp_path: Path):
    with pytest.raises(PolicyFileError, match="cannot be read"):
        create_environment(clinic.traces(), agent=str(tmp_path / "none.json"))


def test_a_policy_of_another_gym_is_no_agent(desk: Environment, tmp_path: Path):
    path = policy(desk, tmp_path / "p.json")
    with pytest.raises(PolicyFileError, match="another gym"):
        create_environment(clinic.traces()[:4], agent=path)


def test_another_split_is_another_gym():
    traces = create_environment(clinic.traces(), agent="embedded").corpus
    assert gym_digest(Corpus(traces, test_fraction=0.3)) != gym_digest(Corpus(traces))


def test_an_unknown_agent_is_told_what_there_is():
    with pytest.raises(OptionError, match=r"POLICY\.json"):
        create_environment(clinic.traces(), agent="polcy")
