"""`doctor`: what it finds, and what it never shows."""

import shutil
import socket
from collections import namedtuple

import orjson
import pytest
from typer.testing import CliRunner

from agent_gym.cli.app import checked_config, program
from agent_gym.cli.checks import Check, checks

Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AGENT_GYM_OFFLINE", "1")


def found(port: int = 0) -> dict[str, Check]:
    return {check.name: check for check in checks(port, checked_config)}


def test_a_machine_that_runs_the_tests_is_ready():
    done = CliRunner().invoke(program(), ["doctor", "--json"])
    told = orjson.loads(done.stdout)
    assert done.exit_code == 0 and told["ready"] and {check["state"] for check in told["checks"]} <= {"ok", "warn"}


def test_every_check_that_is_not_ok_says_what_to_do():
    assert [check.name for check in found().values() if check.state != "ok" and not check.fix] == []


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOOGLE_API_KEY", "AIza-not-to-be-seen")
    done = CliRunner().invoke(program(), ["doctor"])
    assert "Gemini key" in done.output and "not-to-be-seen" not in done.output and found()["Gemini key"].state == "ok"


def test_a_full_disk_is_a_failure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100, 100, 0))
    done = CliRunner().invoke(program(), ["doctor"])
    assert done.exit_code == 1 and "make room" in done.output


def test_a_port_in_use_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert found(port)[f"port {port}"].state == "warn"


def test_offline_by_choice_asks_no_host(monkeypatch: pytest.MonkeyPatch):
    def connect(*_: object, **__: object) -> None:
        raise AssertionError("somebody was asked")

    monkeypatch.setattr(socket, "create_connection", connect)
    assert found()["network"].state == "ok"


def test_a_host_that_does_not_answer_is_a_warning(monkeypatch: pytest.MonkeyPatch):
    def connect(*_: object, **__: object) -> None:
        raise OSError("no route")

    monkeypatch.delenv("AGENT_GYM_OFFLINE")
    monkeypatch.setattr(socket, "create_connection", connect)
    assert found()["network"].state == "warn"
