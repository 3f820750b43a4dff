"""A kind of server in, a process that serves it out: a gym of the sample business, or OpenEnv's own echo."""

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, resources
from pathlib import Path
from typing import Any

from agent_gym.environment import Environment, create_environment
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.sample import POLICY, generate
from agent_gym.server.front import Address, guarded, run
from agent_gym.server.limits import Limits
from agent_gym.server.openenv import openenv_app
from benchmarks.serving_clients import Acts, free_port

ROOM = 600  # sessions


@dataclass(frozen=True, slots=True)
class Host:
    """A running server: what it costs and holds."""

    pid: int
    address: str

    def cpu(self) -> float:
        """Seconds of processor that it has taken so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Megabytes that it holds now."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def sessions(self) -> int:
        """Sessions that are open, once those that were dropped have been noticed."""
        for _ in range(100):
            with urllib.request.urlopen(self.address.replace("ws:", "http:") + "/metrics") as told:
                found = re.search(r"^agent_gym_sessions_open (\d+)", told.read().decode(), re.MULTILINE)
            left = int(found[1]) if found else -1
            if not left:
                break
            time.sleep(0.1)
        return left


@contextmanager
def hosted(kind: str, conversations: int) -> Iterator[Host]:
    port = free_port()
    words = [sys.executable, "-m", "benchmarks.serving_hosts", kind, str(port), str(conversations)]
    with subprocess.Popen(words) as process:
        address = f"ws://127.0.0.1:{port}"
        while not _answers(address):
            if process.poll() is not None:
                sys.exit(f"the {kind} server did not start")
            time.sleep(0.2)
        try:
            yield Host(process.pid, address)
        finally:
            process.terminate()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address.replace("ws:", "http:") + "/health"):
            return True
    except OSError:
        return False


def gym_of(conversations: int) -> Environment:
    traces = [conversation.trace for conversation in generate()][:conversations]
    return create_environment(traces, agent="embedded", policy=POLICY)


def recorded_acts(conversations: int) -> list[Acts]:
    """What the recorded agent did in every case that succeeded."""
    found = []
    for conversation in generate()[:conversations]:
        turns = ReplayAgent(conversation.trace).turns
        acts = [{"content": m.content, "tool_calls": [call.to_dict() for call in m.tool_calls]} for m in turns]
        found.append(Acts({"conversation_id": conversation.trace.conversation_id}, acts))
    return found


def echo_app() -> Any:
    """The echo environment that OpenEnv makes for whoever starts a project, with as many sessions as ours."""
    from openenv.core.env_server.http_server import create_fastapi_app  # noqa: PLC0415  an optional extra

    template = resources.files("openenv.cli.templates") / "openenv_env"
    folder = Path(tempfile.mkdtemp())
    names = {"__ENV_CLASS_NAME__": "Echo", "__ENV_TITLE_NAME__": "Echo", "__ENV_NAME__": "echo"}
    for source, target in (("models.py", "models.py"), ("server/__ENV_NAME___environment.py", "echo_environment.py")):
        text = template.joinpath(source).read_text(encoding="utf-8")
        for name, value in names.items():
            text = text.replace(name, value)
        (folder / target).write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    models, made = import_module("models"), import_module("echo_environment").EchoEnvironment
    return create_fastapi_app(made, models.EchoAction, models.EchoObservation, max_concurrent_envs=ROOM)


def _serve(kind: str, port: int, conversations: int) -> None:
    if kind == "echo":
        import uvicorn  # noqa: PLC0415  an optional extra

        uvicorn.run(echo_app(), port=port, log_level="warning")  # as OpenEnv's own projects run it
        return
    limits, address = Limits(sessions=ROOM), Address(port=port)
    run(guarded(openenv_app(gym_of(conversations), limits), address, limits), address, limits)


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
