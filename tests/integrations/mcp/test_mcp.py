"""The official client against our server: over HTTP and over stdio."""

import json
import sys
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters

from agent_gym.environment import create_environment
from agent_gym.server.limits import Limits
from agent_gym.server.mcp import mcp_app
from agent_gym.server.worlds import Worlds
from agent_gym.types import SOURCES
from tests.environment import clinic
from tests.integrations.serving import served

pytestmark = pytest.mark.filterwarnings("default")
VISIT = {"visit_id": "V-7011"}


@pytest.fixture(scope="module")
def worlds():
    return Worlds(create_environment(clinic.traces(), agent="embedded").tool_mocker)


@pytest.fixture(scope="module")
def address(worlds):
    with served(mcp_app(worlds, Limits()), Limits()) as found:
        yield f"{found}/mcp"


def read(result):
    return json.loads(result.content[0].text)


def test_every_address_has_a_world_of_its_own(address):
    async def talk():
        async with Client(f"{address}?world=a") as a, Client(f"{address}?world=b") as b:
            assert {tool.name for tool in (await a.list_tools()).tools} == set(clinic.NAMES)
            assert read(await a.call_tool("cancel_visit", VISIT))["status"] == "cancelled"
            seen = await a.call_tool("get_visit", VISIT)
            assert read(seen)["status"] == "cancelled" and seen.meta["agent-gym/source"] in SOURCES
            assert read(await b.call_tool("get_visit", VISIT))["status"] == "booked"

    anyio.run(talk)


def test_a_client_without_a_world_is_told_how_to_name_one(address):
    async def talk():
        async with Client(address) as client:
            told = await client.call_tool("get_visit", VISIT)
            assert told.is_error and "?world=" in told.content[0].text

    anyio.run(talk)


def test_a_wrong_call_is_an_error_the_client_can_read(address):
    async def talk():
        async with Client(f"{address}?world=c") as client:
            assert (await client.call_tool("get_visitt", VISIT)).is_error

    anyio.run(talk)


def test_over_stdio_the_command_serves_one_client(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(trace) + "\n" for trace in clinic.traces()), "utf-8")
    program = str(Path(sys.executable).with_name("agent-gym"))
    started = StdioServerParameters(command=program, args=["serve", str(log), "--transport", "stdio"])

    async def talk():
        async with Client(started) as client:
            await client.call_tool("cancel_visit", VISIT)
            assert read(await client.call_tool("get_visit", VISIT))["status"] == "cancelled"

    anyio.run(talk)


def test_the_guard_and_the_limits_stand_before_the_tools(address):
    server = address.removesuffix("/mcp")
    assert httpx2.get(f"{server}/health").json() == {"status": "healthy"}
    assert httpx2.post(address, content="[" * 70).status_code == 413
    assert httpx2.get(f"{server}/health", headers={"Origin": "http://evil.example"}).status_code == 403
    assert httpx2.get(f"{server}/health", headers={"Host": "evil.example"}).status_code == 403


def test_where_all_worlds_are_in_use_a_client_is_told_so(worlds, address, monkeypatch):
    async def talk():
        async with Client(f"{address}?world=one-too-many") as client:
            told = await client.call_tool("get_visit", VISIT)
            assert told.is_error and "in use" in told.content[0].text

    worlds.call("named a", "get_visit", VISIT)
    monkeypatch.setattr(worlds, "most", 1)
    anyio.run(talk)
