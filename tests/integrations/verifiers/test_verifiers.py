"""The generated package in verifiers itself: loaded by its name, and played by a model that says what it is told."""

import asyncio
import importlib
import json

import pytest
import verifiers.v1 as vf

from agent_gym.adapters.chat import chat_message
from agent_gym.adapters.verifiers import export_verifiers
from agent_gym.environment import create_environment
from agent_gym.types import Message
from tests.environment import clinic
from tests.integrations.conformance import MOST_TURNS, Played, check_adapter
from tests.integrations.pages import run_page
from tests.integrations.verifiers.endpoint import endpoint

pytestmark = pytest.mark.filterwarnings("default")  # what verifiers warns of is its own


@pytest.fixture(scope="module")
def gym():
    return create_environment(clinic.traces(), agent="embedded", policy="Be kind.")


@pytest.fixture(scope="module")
def package(gym, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written") / "clinic"
    export_verifiers(gym, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setenv("PYTHONPATH", str(folder))  # for the tools' own process
        yield importlib.import_module("clinic_gym")


def environment(**task):
    taskset = {"id": "clinic-gym", "task": {"max_turns": MOST_TURNS, **task}}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset}))


async def played(environment, tasks, address):
    """All side by side; the model's name says whose turn it is."""
    client = vf.EvalClientConfig(base_url=address, api_key_var="NO_SUCH_KEY")
    async with environment.serving():
        contexts = [vf.ModelContext(model=f"case-{at}", client=client) for at in range(len(tasks))]
        both = zip(tasks, contexts, strict=True)
        return await asyncio.gather(*(environment.run_episode(task, context) for task, context in both))


def wire(action):
    """The action as OpenAI's wire has it."""
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in action.tool_calls
    ]
    return {"role": "assistant", "content": action.content, **({"tool_calls": calls} if calls else {})}


def heard_after_each(messages):
    """What stands behind each of the model's own turns; a greeting before the customer's first words is not one."""
    opened = next(at for at, message in enumerate(messages) if message["role"] == "user")
    heard = []
    for message in messages[opened:]:
        if message["role"] == "assistant":
            heard.append([])
        elif heard:
            heard[-1].append(message["content"])
    return ["\n".join(texts) for texts in heard]


def test_the_conversation_is_that_of_our_own_episode(gym, package):
    def play(cases):
        shown = {}

        def say(body):
            shown[body["model"]] = body["messages"]
            case = cases[int(body["model"].removeprefix("case-"))]
            return wire(case.actions[len(heard_after_each(body["messages"]))])

        loaded = environment()
        known = {task.data.conversation_id: task for task in loaded.taskset}
        tasks = [known[case.conversation_id].with_data(seed=case.seed) for case in cases]
        with endpoint(say) as address:
            episodes = asyncio.run(played(loaded, tasks, address))
        return [result(episode, shown[f"case-{at}"]) for at, episode in enumerate(episodes)]

    check_adapter(gym, play)


def result(episode, shown):
    """What the model heard before its last turn, what was said after it, and what it earned."""
    (trace,) = episode.traces
    assert episode.ok and trace.agent.trainable, episode.errors or trace.errors
    lived = trace.info["agent_gym"]
    messages = [Message.of(message) for message in lived["messages"]]
    last = max(at for at, message in enumerate(messages) if message.role == "assistant")
    closing = "\n".join(chat_message(message)["content"] for message in messages[last + 1 :])
    return Played((*heard_after_each(shown), closing), trace.reward, lived["ending"])


def test_the_package_shows_one_taskset_and_the_cases_of_a_split(gym, package):
    shown = [getattr(package, name) for name in package.__all__]
    assert [issubclass(thing, vf.Taskset) for thing in shown].count(True) == 1
    loaded = environment().taskset
    assert {task.data.conversation_id for task in loaded} == {s.conversation_id for s in gym.scenarios() if s.scorable}


def test_validation_is_self_replay(gym, package, monkeypatch):
    task = next(iter(environment().taskset))
    assert asyncio.run(task.validate(None)) is True
    monkeypatch.setattr(type(package.taskset.gym().tool_mocker.session()), "__call__", lambda *_: "something else")
    assert asyncio.run(task.validate(None)) is False


def test_calls_that_the_record_cannot_answer_are_not_trained_on(gym, package):
    actions = [clinic.calls(clinic.call("get_lab_report", 1, "a")), clinic.agent("I cannot help.")]

    def say(body):
        turn = min(len(heard_after_each(body["messages"])), 1)
        return wire(Message.of(actions[turn]))

    loaded = environment(max_turns=3)
    task = next(task for task in loaded.taskset if task.data.conversation_id == "c0")
    with endpoint(say) as address:
        (episode,) = asyncio.run(played(loaded, [task], address))
    (trace,) = episode.traces
    assert trace.metrics["off_support"] == 1.0 and trace.agent.trainable is False and trace.metrics["success"] == 0.0


def test_the_page_runs_as_written(tmp_path):
    def say(body):
        return {"role": "assistant", "content": f"I cannot help, says {body['model']}."}

    with endpoint(say) as address:
        installed = str(tmp_path / "support")
        printed = run_page("verifiers", tmp_path, {"http://127.0.0.1:8000/v1": address}, PYTHONPATH=installed)
    assert "c1:0" in printed
    (traces,) = tmp_path.glob("outputs/*my-model*/**/traces.jsonl")
    assert len(traces.read_text("utf-8").splitlines()) == 2
