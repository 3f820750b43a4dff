"""The released client against our server: episodes, tasks, many sessions at once."""

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from openenv.core import GenericEnvClient

from agent_gym.adapters.openenv.project import write_project
from agent_gym.adapters.openenv.session import Session
from agent_gym.adapters.openenv.tasks import Tasks
from agent_gym.environment import create_environment
from agent_gym.server.limits import Limits
from agent_gym.server.openenv import openenv_app
from tests.environment import clinic
from tests.integrations.openenv.waiting import waited_for
from tests.integrations.serving import free_port, served

pytestmark = pytest.mark.filterwarnings("default")
SESSIONS = 64


@pytest.fixture(scope="module")
def gym():
    return create_environment(clinic.traces(), agent="embedded", policy="Be kind.")


@pytest.fixture(scope="module")
def address(gym):
    limits = Limits(sessions=SESSIONS + 4)
    with served(openenv_app(gym, limits, name="clinic"), limits) as found:
        yield found


def acts(i):
    """A success in case `i`."""
    said = f"Your visit {clinic.key(i)} is cancelled. Anything else?"
    called = [{"tool_calls": [clinic.call(name, i)]} for name in ("get_visit", "cancel_visit")]
    return [*called, {"content": said}]


def test_the_released_client_plays_an_episode(address):
    with GenericEnvClient(base_url=address).sync() as client:
        first = client.reset(seed=3, conversation_id="c1")
        assert clinic.key(1) in first.observation["text"] and first.reward is None
        results = [client.step(act) for act in acts(1)]
        assert [result.done for result in results] == [False, False, True]
        assert results[-1].reward > 0.5 and results[-1].observation["success"]
        state = client.state()
        assert (state["conversation_id"], state["step_count"], state["seed"]) == ("c1", 3, 3)
        assert state["score"]["value"] == results[-1].reward and state["score"]["parts"]


def test_over_the_wire_an_episode_is_what_it_is_in_process(address, gym):
    session = Session(Tasks.of(gym))
    session.reset(seed=1, conversation_id="c2")
    alone = [session.step(act) for act in acts(2)]
    with GenericEnvClient(base_url=address).sync() as client:
        client.reset(seed=1, conversation_id="c2")
        for here, there in zip(alone, [client.step(act) for act in acts(2)], strict=True):
            assert (here.text, here.reward, here.ending) == (
                there.observation["text"], there.reward, there.observation["ending"],
            )  # fmt: skip


def test_many_sessions_at_once_do_not_see_each_other(address):
    async def one(at):
        i = at % clinic.PATIENTS
        async with GenericEnvClient(base_url=address) as client:
            await client.reset(conversation_id=f"c{i}")
            await together.wait()
            looked = await client.step(acts(i)[0])
            assert looked.observation["messages"][0]["result"]["status"] == "booked"
            return [await client.step(act) for act in acts(i)[1:]][-1].reward

    async def all_of_them():
        return await asyncio.gather(*(one(at) for at in range(SESSIONS)))

    together = asyncio.Barrier(SESSIONS)
    rewards = asyncio.run(all_of_them())
    assert len(rewards) == SESSIONS and min(rewards) > 0.5


def test_tasks_are_listed_by_split_and_each_can_be_played(address):
    def ask(route, **body):
        return httpx.post(f"{address}/clinic/{route}", json=body).json()

    assert [split["name"] for split in httpx.get(f"{address}/clinic/splits").json()] == ["train", "test"]
    tasks = ask("tasks", split="train")["tasks"]
    assert len(tasks) == ask("num_tasks", split="train")["num_tasks"] == clinic.PATIENTS
    assert ask("task_range", split="train", start=1, stop=3)["tasks"] == tasks[1:3]
    task = ask("task", split="train", index=2)["task"]
    with GenericEnvClient(base_url=address).sync() as client:
        assert client.reset(**task).observation["conversation_id"] == task["conversation_id"]


def test_an_agents_mistake_is_an_observation_and_a_callers_an_error(address):
    with GenericEnvClient(base_url=address).sync() as client:
        with pytest.raises(RuntimeError, match="reset"):
            client.step({"content": "Hello."})
        client.reset(conversation_id="c1")
        assert "error" in client.step({"tool_calls": [{"arguments": 1}]}).observation["text"]
        with pytest.raises(RuntimeError, match="did you mean"):
            client.reset(from_tunr=1)
        assert client.step({"content": "Hello."}).observation["messages"]


def test_a_step_after_the_end_says_what_to_do_and_the_session_goes_on(address):
    with GenericEnvClient(base_url=address).sync() as client:
        client.reset(conversation_id="c1", max_turns=1)
        assert client.step({"content": "Hello."}).done
        with pytest.raises(RuntimeError, match="is over"):
            client.step({"content": "Hello."})
        assert not client.reset().done


def test_a_stuck_or_failing_step_delays_no_other_session(gym):
    limits, go_on = Limits(), threading.Event()
    app = openenv_app(gym, limits)
    step = Session.step

    def stepped(session, action):
        if action["content"] == "stick":
            go_on.wait()
        if action["content"] == "fail":
            raise ZeroDivisionError("a defect of ours")
        return step(session, action)

    async def play(address):
        async with GenericEnvClient(base_url=address) as stuck, GenericEnvClient(base_url=address) as other:
            await asyncio.gather(stuck.reset(), other.reset())
            waiting = asyncio.create_task(stuck.step({"content": "stick"}))
            for _ in range(3):
                assert (await other.step({"content": "Hello."})).observation["messages"]
            with pytest.raises(RuntimeError, match="a defect"):
                await other.step({"content": "fail"})
            assert (await other.reset()).observation["messages"] and not waiting.done()
            go_on.set()
            assert (await waiting).observation["messages"]

    with pytest.MonkeyPatch.context() as patch, served(app, limits) as address:
        patch.setattr(Session, "step", stepped)
        asyncio.run(play(address))


def test_a_written_project_runs_and_openenv_finds_it_valid(gym, tmp_path):
    folder, port = write_project(gym, tmp_path / "clinic").folder, free_port()
    openenv = str(Path(sys.executable).with_name("openenv"))
    words = [openenv, "validate", str(folder), "--level", "static", "--skip-build"]
    assert "Verdict: PASS" in subprocess.run(words, check=True, capture_output=True, text=True).stdout
    subprocess.run([sys.executable, str(folder / "validation" / "check.py")], check=True)
    server = [sys.executable, "-m", "server.app", "--port", str(port)]
    with subprocess.Popen(server, cwd=folder) as running:
        answers = waited_for(f"http://127.0.0.1:{port}")
        with GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() as client:
            for proof in map(json.loads, (folder / "validation/oracle.jsonl").read_text("utf-8").splitlines()):
                client.reset(**proof["reset"])
                assert [client.step(act) for act in proof["actions"]][-1].reward == proof["reward"]
        probe = subprocess.run([openenv, "validate", "--url", answers], check=True, capture_output=True, text=True)
        running.terminate()
    assert "FAIL" not in probe.stdout
