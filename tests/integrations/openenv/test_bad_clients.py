"""What clients do to a server: each is told what is wrong, or dropped, and the server goes on."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from openenv.core import GenericEnvClient
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from agent_gym.environment import create_environment
from agent_gym.server.limits import Limits
from agent_gym.server.openenv import openenv_app
from tests.environment import clinic
from tests.integrations.openenv.waiting import waited_for
from tests.integrations.serving import free_port, served

pytestmark = pytest.mark.filterwarnings("default")
LIMITS = Limits(sessions=8, size=10_000, depth=20)
KNOWS = {"Authorization": "Bearer secret"}
RESET = json.dumps({"type": "reset", "data": {"conversation_id": "c1"}})


@pytest.fixture(scope="module")
def app():
    return openenv_app(create_environment(clinic.traces(), agent="embedded"), LIMITS)


@pytest.fixture(scope="module")
def address(app):
    with served(app, LIMITS, token="secret") as found:
        yield found


@pytest.fixture(autouse=True)
def alive(address):
    """After every test the server still plays, and nobody is left in it."""
    yield
    deadline = time.monotonic() + 30
    while "agent_gym_sessions_open 0\n" not in httpx.get(f"{address}/metrics", headers=KNOWS).text:
        assert time.monotonic() < deadline, "a session was left behind"
        time.sleep(0.01)
    with GenericEnvClient(base_url=address, headers=KNOWS).sync() as client:
        assert client.reset(conversation_id="c1").observation["text"]


def opened(address, **options):
    return connect(address.replace("http", "ws") + "/ws", additional_headers=KNOWS, proxy=None, **options)


def answered(socket_, text):
    socket_.send(text)
    return json.loads(socket_.recv())


@pytest.mark.parametrize("given", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic c2VjcmV0"}])
def test_without_the_token_no_route_and_no_socket_answers(address, given):
    for route in ("/health", "/metrics", "/schema", "/agent_gym/splits", "/docs", "/nonesuch"):
        assert httpx.get(address + route, headers=given).status_code == 401
    with pytest.raises(InvalidStatus, match="401"):
        connect(address.replace("http", "ws") + "/ws", additional_headers=given, proxy=None)
    with pytest.raises(ConnectionError, match="401"):
        GenericEnvClient(base_url=address, headers=given).sync().connect()


def test_a_page_of_another_origin_reaches_neither_routes_nor_sockets(address):
    assert httpx.get(f"{address}/health", headers={**KNOWS, "Origin": "http://evil.example"}).status_code == 403
    with pytest.raises(InvalidStatus, match="403"):
        opened(address, origin="http://evil.example")


def test_half_a_frame_and_a_dropped_line_leave_nothing_behind(address):
    for cut in (b"\x81", b"\x81\xfe\x03\xe8\x00\x00\x00\x00half of what was announced"):
        with opened(address) as ws:
            assert answered(ws, RESET)["type"] == "observation"
            ws.socket.sendall(cut)
            ws.socket.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"type": "dance"}', '{"type": "step", "data": {"contnt": "x"}}'])
def test_a_message_that_is_none_is_told_so(address, text):
    with opened(address) as ws:
        assert answered(ws, text)["type"] == "error"


@pytest.mark.parametrize("text", ["[" * 21, json.dumps({"type": "step", "data": {"content": "x" * 10_000}})])
def test_a_message_too_deep_or_too_large_closes_its_socket(address, text):
    with opened(address) as ws, pytest.raises(ConnectionClosed, match="1009"):
        answered(ws, text)
    body = httpx.post(f"{address}/reset", content=text, headers=KNOWS)
    assert body.status_code == 413 and "body is" in body.json()["error"]


def test_a_step_on_a_closed_session_is_refused(address):
    with opened(address) as ws:
        ws.send('{"type": "close"}')
        with pytest.raises(ConnectionClosed):
            answered(ws, '{"type": "step", "data": {"content": "Hello."}}')


def test_of_ten_thousand_sessions_asked_for_the_others_are_told_to_come_back(address):
    async def knock(line, at):
        path = f"/ws?at={at} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n"
        wanted = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        async with line:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
            writer.write(f"GET {path}{wanted}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
            told = await reader.readuntil(b"\r\n\r\n")
            writer.close()
        return told.startswith(b"HTTP/1.1 503") and b"retry-after: 5" in told

    async def all_of_them():
        line = asyncio.Semaphore(200)  # as many at once as a machine has files to spare
        return await asyncio.gather(*(knock(line, at) for at in range(10_000)))

    with ExitStack() as held:
        sockets = [held.enter_context(opened(address)) for _ in range(LIMITS.sessions)]
        assert all(asyncio.run(all_of_them()))
        assert {answered(ws, RESET)["type"] for ws in sockets} == {"observation"}


def test_a_session_that_says_nothing_is_closed(app):
    limits = Limits(idle_seconds=0.2)
    with served(app, limits) as address:
        with connect(address.replace("http", "ws") + "/ws", proxy=None) as ws:
            assert answered(ws, RESET)["type"] == "observation"
            with pytest.raises(ConnectionClosed, match="nothing was sent"):
                ws.recv()
        assert "agent_gym_sessions_open 0\n" in httpx.get(f"{address}/metrics").text


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(trace) + "\n" for trace in clinic.traces()), "utf-8")
    return path


def command(log, *options):
    program = str(Path(sys.executable).with_name("agent-gym"))
    return [program, "serve", str(log), "--protocol", "openenv", *options]


def test_the_command_serves_and_stops_when_asked(log):
    port = free_port()
    with subprocess.Popen(command(log, "--port", str(port)), stderr=subprocess.PIPE, text=True) as server:
        assert any("ws://" in line for line in server.stderr)
        with connect(waited_for(f"http://127.0.0.1:{port}").replace("http", "ws") + "/ws", proxy=None) as ws:
            assert answered(ws, RESET)["type"] == "observation"
            os.kill(server.pid, signal.SIGTERM)
            with pytest.raises(ConnectionClosed, match="1012"):
                ws.recv()
        assert server.wait() in (0, -signal.SIGTERM)


def test_the_command_does_not_open_up_to_others_without_a_token(log):
    done = subprocess.run(command(log, "--host", "0.0.0.0"), check=False, capture_output=True, text=True)
    assert done.returncode == 3 and "--token" in done.stderr
