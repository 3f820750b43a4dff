"""Worlds by name: kept, apart, and no more than there is room for."""

from importlib import metadata

import pytest

from agent_gym.errors import AgentGymError, MissingExtra
from agent_gym.server import mcp
from agent_gym.server.worlds import Worlds
from agent_gym.types import Json
from tests.environment import clinic

VISIT = {"visit_id": clinic.key(1)}


def status(worlds: Worlds, name: str) -> Json:
    return worlds.call(name, "get_visit", VISIT).result["status"]


def test_a_name_keeps_its_world_and_another_has_its_own(desk):
    worlds = Worlds(desk.tool_mocker)
    worlds.call("a", "cancel_visit", VISIT)
    assert status(worlds, "a") == "cancelled"
    assert status(worlds, "b") == "booked"


def test_only_a_world_left_alone_makes_room(desk):
    now = iter([0.0, 1.0, 2.0, 100.0, 100.0, 100.0, 100.0])
    worlds = Worlds(desk.tool_mocker, most=2, idle_seconds=60.0, clock=lambda: next(now))
    worlds.call("a", "cancel_visit", VISIT)
    for name in ("b", "a"):
        status(worlds, name)
    status(worlds, "c")  # at 100: b was left alone longest
    assert len(worlds) == 2 and status(worlds, "a") == "cancelled"


def test_where_all_worlds_are_in_use_a_new_one_is_refused_and_the_others_live(desk):
    worlds = Worlds(desk.tool_mocker, most=1, clock=lambda: 0.0)
    worlds.call("a", "cancel_visit", VISIT)
    with pytest.raises(AgentGymError, match="in use"):
        status(worlds, "b")
    assert status(worlds, "a") == "cancelled"


def test_without_the_extra_the_command_says_which(monkeypatch):
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(MissingExtra, match=r"agent-gym\[mcp\]"):
        mcp.require_mcp()
