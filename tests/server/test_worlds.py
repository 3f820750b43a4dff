"""Worlds by name, and who is let in."""

import asyncio
from importlib import metadata
from typing import Any

import pytest

from agent_gym.errors import MissingExtra
from agent_gym.server import mcp
from agent_gym.server.guard import Guard
from agent_gym.server.worlds import Worlds


def test_a_name_keeps_its_world_and_another_has_its_own(desk):
    worlds = Worlds(desk.tool_mocker)
    worlds.of("a").call("cancel_visit", {"visit_id": "V-7011"})
    assert worlds.of("a").call("get_visit", {"visit_id": "V-7011"}).result["status"] == "cancelled"
    assert worlds.of("b").call("get_visit", {"visit_id": "V-7011"}).result["status"] == "booked"


def test_the_world_left_alone_longest_makes_room(desk):
    worlds = Worlds(desk.tool_mocker, most=2)
    first = worlds.of("a")
    for name in ("b", "a", "c"):
        worlds.of(name)
    assert len(worlds) == 2 and worlds.of("a") is first


def asked(scope: dict[str, Any]) -> list[Any]:
    sent: list[Any] = []

    async def inner(_scope: Any, _receive: Any, send: Any) -> None:
        await send("let in")

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Guard(inner, "secret")(scope, None, send))
    return sent


@pytest.mark.parametrize(
    "header", [[], [(b"authorization", b"Bearer wrong")], [(b"authorization", b"Bearer secret")] * 2]
)
def test_who_does_not_know_the_token_is_told_so_and_nothing_else(header):
    assert asked({"type": "http", "headers": header})[0]["status"] == 401
    assert asked({"type": "websocket", "headers": header}) == [{"type": "websocket.close", "code": 1008}]


def test_who_knows_the_token_is_let_in():
    assert asked({"type": "http", "headers": [(b"authorization", b"Bearer secret")]}) == ["let in"]


def test_without_the_extra_the_command_says_which(monkeypatch):
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(MissingExtra, match=r"agent-gym\[mcp\]"):
        mcp.require_mcp()
