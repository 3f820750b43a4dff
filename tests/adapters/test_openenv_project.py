"""A project for OpenEnv: its files, what its proofs earn, and what is noticed when they earn something else."""

import json

import orjson
import pytest

from agent_gym.adapters.openenv.project import check, write_project
from agent_gym.adapters.openenv.proofs import canaries, oracles
from agent_gym.adapters.openenv.tasks import Tasks
from agent_gym.environment import create_environment
from tests.environment import clinic


@pytest.fixture(scope="module")
def project(desk, tmp_path_factory):
    return write_project(desk, tmp_path_factory.mktemp("projects") / "The Clinic-1")


def test_the_oracles_are_recorded_successes_and_earn_nearly_all(project):
    assert len(project.oracles) == clinic.PATIENTS
    assert project.least > 0.9 and all(proof.success for proof in project.oracles)


def test_the_canaries_are_the_audits_hacks_and_none_succeeds(project):
    assert {"do nothing", "fake done", "one wrong argument"} <= {proof.name for proof in project.canaries}
    assert project.floor < project.least and not any(proof.success for proof in project.canaries)


def test_no_two_canaries_of_a_case_do_the_same(project):
    written = [orjson.dumps([proof.reset, proof.actions]) for proof in project.canaries]
    assert len(written) == len(set(written))


def test_every_file_that_is_named_is_there_and_nothing_is_left_open(project):
    for name in project.files:
        assert (project.folder / name).exists()
    told = "".join(
        (project.folder / name).read_text("utf-8") for name in ("openenv.yaml", "README.md", "server/app.py")
    )
    assert "name: the_clinic_1\n" in told and "$" not in told


def test_what_was_written_earns_the_same_again(project):
    assert check(project.folder) == (len(project.oracles) + len(project.canaries), [])


def test_a_trajectory_that_earns_something_else_is_named(desk, tmp_path):
    folder = write_project(desk, tmp_path).folder
    path = folder / "validation" / "oracle.jsonl"
    first, *rest = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text(json.dumps(json.loads(first) | {"reward": 0.123}) + "\n" + "".join(rest), "utf-8")
    _, (problem,) = check(folder)
    assert "self-replay in 'c0'" in problem and "0.123" in problem


def test_a_gym_without_a_telling_success_has_nothing_to_prove():
    talk = [clinic.user("Hello?"), clinic.agent("Hello!"), clinic.user("Bye.")]
    traces = [{"conversation_id": f"t{i}", "messages": talk, "outcome": "resolved"} for i in range(4)]
    tasks = Tasks.of(create_environment(traces, agent="embedded"))
    assert not list(oracles(tasks, 5)) and not list(canaries(tasks, 5))
