"""What Minari reads back is what was played, and what is read can be played again."""

import json

import minari
import numpy as np
import pytest
from typer.testing import CliRunner

from agent_gym.adapters.datasets import Wanted
from agent_gym.adapters.minari import export_minari
from agent_gym.cli.app import program
from agent_gym.environment import Environment, create_environment
from agent_gym.environment.rollout import rolled_out
from agent_gym.errors import AgentGymError
from tests.environment import clinic
from tests.integrations.conformance import MOST_TURNS, Played, as_observation, check_adapter
from tests.integrations.pages import run_page

pytestmark = pytest.mark.filterwarnings("default")  # what Minari warns of is its own


@pytest.fixture(scope="module")
def gym() -> Environment:
    return create_environment(clinic.traces(), agent="embedded", policy="Be kind.", test_fraction=0.3)


def read(folder, name, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
    return minari.load_dataset(name)


def test_rollouts_are_read_back_as_they_were_played(gym, tmp_path, monkeypatch):
    folders = iter(range(1000))

    def play(cases):
        episodes = [gym.episode(case.conversation_id, seed=case.seed, max_turns=MOST_TURNS) for case in cases]
        for at in range(MOST_TURNS):
            for episode, case in zip(episodes, cases, strict=True):
                if not episode.over:
                    episode.step(case.actions[at])
        folder, played = tmp_path / str(next(folders)), [rolled_out(episode) for episode in episodes]
        export_minari(gym, folder, wanted=Wanted("all"), rollouts=played)
        found = [read(folder, f"{case_split(gym, case)}-v0", monkeypatch) for case in cases]
        return [
            of_dataset(dataset, case, cases[:at]) for at, (dataset, case) in enumerate(zip(found, cases, strict=True))
        ]

    check_adapter(gym, play, as_observation)


def case_split(gym, case):
    return gym.scenario(case.conversation_id).split


def of_dataset(dataset, case, before):
    """The episode of this case: of those of one conversation, the one at its place."""
    metadata = list(dataset.storage.get_episode_metadata(range(dataset.total_episodes)))
    same = [told["id"] for told in metadata if told["options"]["conversation_id"] == case.conversation_id]
    at = same[sum(other.conversation_id == case.conversation_id for other in before)]
    episode = dataset[at]
    assert episode.terminations[-1] != episode.truncations[-1] and metadata[at]["seed"] == case.seed
    return Played(tuple(episode.observations[1:]), float(np.sum(episode.rewards)), metadata[at]["ending"])


def test_recorded_conversations_are_scored_and_split_as_in_the_gym(gym, tmp_path, monkeypatch):
    written = export_minari(gym, tmp_path, wanted=Wanted())
    for split in ("train", "test"):
        dataset = read(tmp_path, f"{split}-v0", monkeypatch)
        ids = {told["options"]["conversation_id"] for told in dataset.storage.get_episode_metadata(range(len(dataset)))}
        assert ids == {s.conversation_id for s in gym.scenarios(split, "succeeded")}
        assert dataset.total_episodes == written.rows[split]
        assert all(episode.rewards[-1] > 0.9 and not episode.rewards[:-1].any() for episode in dataset)


def test_the_spaces_hold_every_text_and_survive_being_stored(gym, tmp_path, monkeypatch):
    export_minari(gym, tmp_path, wanted=Wanted("all"))
    dataset = read(tmp_path, "train-v0", monkeypatch)
    for episode in dataset:
        assert all(dataset.observation_space.contains(text) for text in episode.observations)
        assert all(dataset.action_space.contains(text) for text in episode.actions)


def test_what_is_read_can_be_played_in_the_gymnasium_environment(gym, tmp_path, monkeypatch):
    export_minari(gym, tmp_path, wanted=Wanted("all"))
    dataset, live = read(tmp_path, "train-v0", monkeypatch), gym.to_gymnasium("train", user="replay")
    for told, episode in zip(dataset.storage.get_episode_metadata(range(len(dataset))), dataset, strict=True):
        seen = [live.reset(options=told["options"])[0], *(live.step(action)[0] for action in episode.actions)]
        assert seen == list(episode.observations)


def test_the_metadata_name_prompt_tools_and_ending(gym, tmp_path, monkeypatch):
    export_minari(gym, tmp_path, wanted=Wanted("all"))
    dataset = read(tmp_path, "train-v0", monkeypatch)
    told = next(iter(dataset.storage.get_episode_metadata([0])))
    assert told["prompt"][0] == {"role": "system", "content": "Be kind."} and told["success"] is True
    tools = dataset.storage.metadata["toolsets"][told["toolset"]]
    assert {tool["function"]["name"] for tool in tools} <= set(clinic.NAMES)


def test_a_dataset_is_not_written_over(gym, tmp_path):
    export_minari(gym, tmp_path, wanted=Wanted())
    with pytest.raises(AgentGymError, match="exists already"):
        export_minari(gym, tmp_path, wanted=Wanted())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test-v0", "train-v0"]


def test_the_command_writes_failures_too_unless_told_otherwise(tmp_path, monkeypatch):
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(trace) + "\n" for trace in clinic.traces()), "utf-8")
    asked = ["export", str(log), "--to", "minari", "-o", str(tmp_path / "out"), "--test-fraction", "0", "--json"]
    told = json.loads(CliRunner().invoke(program(), asked).stdout)
    assert told["files"] == ["train-v0"] and told["rows"]["train"] == len(
        read(tmp_path / "out", "train-v0", monkeypatch)
    )


def test_the_page_runs_as_written(tmp_path):
    assert "terminated: True" in run_page("minari", tmp_path)
