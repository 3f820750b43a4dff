"""Our socket beside OpenEnv's own: the same talk, the same answers."""

import json

import pytest
from openenv.core.env_server.http_server import create_fastapi_app
from websockets.sync.client import connect

from agent_gym.adapters.openenv.tasks import Tasks
from agent_gym.adapters.openenv.wire import wire
from agent_gym.environment import create_environment
from agent_gym.server.limits import Limits
from agent_gym.server.openenv import openenv_app
from tests.environment import clinic
from tests.integrations.serving import served

pytestmark = pytest.mark.filterwarnings("default")


def said(kind, **data):
    return {"type": kind, "data": data}


TALK = [
    {"type": "state"},
    said("step", content="Hello."),  # no episode yet
    said("reset", conversation_id="c1", seed=3, episode_id="mine"),
    said("step", tool_calls=[clinic.call("get_visit", 1)]),
    {"type": "state"},
    said("step", content="One moment.", metadata={"by": "me"}),
    said("step", content=7),
    said("step", contnt="x"),
    said("step", tool_calls=None),
    said("step", tool_calls=[{"arguments": 1}]),
    {"type": "step"},
    {"type": "step", "data": []},
    {"type": "step", "data": {}, "more": 1},
    {"type": "dance"},
    said("reset", seed="x"),
    said("reset", from_tunr=1),
    said("step", tool_calls=[clinic.call("cancel_visit", 1)], content=None),
    said("step", content=f"Your visit {clinic.key(1)} is cancelled. Anything else?"),
    {"type": "state"},
    said("step", content="Hello?"),  # it is over
    {"type": "reset"},
]


def answers(app, limits):
    with served(app, limits) as address, connect(address.replace("http", "ws") + "/ws", proxy=None) as socket:
        for message in ["{", *map(json.dumps, TALK)]:
            socket.send(message)
            yield message, json.loads(socket.recv())


def test_every_message_is_answered_as_openenvs_own_server_answers_it():
    gym, limits = create_environment(clinic.traces(), agent="embedded"), Limits()
    made = wire(Tasks.of(gym), "clinic")
    own = create_fastapi_app(made.environment, made.action, made.observation, 4, state_cls=made.state)
    theirs, ours = list(answers(own, limits)), list(answers(openenv_app(gym, limits), limits))
    assert ours == theirs
