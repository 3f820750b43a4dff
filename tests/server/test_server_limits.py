"""How many, how much, how deep, how long: each limit is told, and the application never sees what is over it."""

import json
from typing import Any

import pytest

from agent_gym.server.limits import Counts, Gate, Limits
from agent_gym.server.pulse import Pulse
from tests.server.asking import DENIAL, app_of, asked

SMALL = Limits(sessions=1, requests=1, size=100, depth=3, idle_seconds=0.01)


async def echo(receive: Any, send: Any) -> None:
    event = await receive()
    await send({"type": "got", "what": event.get("body") or event.get("text") or event["type"]})


def gate(counts: Counts | None = None, inner: Any = echo) -> Gate:
    return Gate(app_of(inner), SMALL, counts or Counts())


def body(content: bytes, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": content, "more_body": more}


def message(**content: Any) -> dict[str, Any]:
    return {"type": "websocket.receive", **content}


def test_a_body_that_comes_in_parts_arrives_whole():
    assert asked(gate(), events=[body(b"[1", True), body(b"]")]) == [{"type": "got", "what": b"[1]"}]


@pytest.mark.parametrize("parts", [[b"x" * 101], [b"x" * 60] * 2, [b"[" * 4 + b"]" * 4], [b'{"a":' * 4]])
def test_a_body_too_large_or_too_deep_is_turned_away(parts):
    counts = Counts()
    events = [body(part, at + 1 < len(parts)) for at, part in enumerate(parts)]
    assert asked(gate(counts), events=events)[0]["status"] == 413
    assert counts.requests == 0 and counts.total["over_limit"] == 1


def test_brackets_in_a_text_are_not_depth():
    text = json.dumps(["[[[[{{{{", '\\"[[[[']).encode()
    assert asked(gate(), events=[body(text)]) == [{"type": "got", "what": text}]


def test_a_body_that_does_not_come_is_not_waited_for():
    assert asked(gate(), events=[body(b"half", True)])[0]["status"] == 408
    assert asked(gate(), events=[body(b"half", True), {"type": "http.disconnect"}]) == []


@pytest.mark.parametrize("sent", [{"text": "x" * 101}, {"text": "é" * 60}, {"text": "[" * 4}, {"bytes": b"{}"}])
def test_a_message_over_a_limit_closes_its_socket(sent):
    counts = Counts()
    (close,) = [e for e in asked(gate(counts), "websocket", [message(**sent)]) if e["type"] == "websocket.close"]
    assert close["code"] == 1009 and close["reason"]
    assert counts.sessions == 0 and counts.total["over_limit"] == 1


def test_a_socket_that_says_nothing_is_closed_and_the_application_told():
    sent = asked(gate(), "websocket")
    assert sent[0]["type"] == "websocket.close" and "seconds" in sent[0]["reason"]
    assert len(sent) == 1  # what the application still says goes nowhere


def test_over_capacity_a_client_is_told_when_to_come_back():
    full = Counts(sessions=1, requests=1)
    for kind, start in (("http", "http.response.start"), ("websocket", "websocket.http.response.start")):
        refused = asked(gate(full), kind, extensions=DENIAL)[0]
        assert refused["type"] == start and refused["status"] == 503
        assert (b"retry-after", b"5") in refused["headers"]
    assert full.total["full"] == 2 and full.sessions == full.requests == 1


def test_an_application_that_fails_gives_its_place_back():
    async def fails(_receive, _send):
        raise RuntimeError("broken")

    counts = Counts()
    for kind in ("http", "websocket"):
        with pytest.raises(RuntimeError):
            asked(gate(counts, inner=fails), kind, [body(b"")])
    assert counts.sessions == counts.requests == 0


def test_a_full_server_still_says_how_it_is():
    counts = Counts(sessions=1)
    app = Pulse(gate(counts), counts)
    assert asked(app, path="/health")[1]["body"] == b'{"status":"healthy"}'
    told = asked(app, path="/metrics")[1]["body"].decode()
    assert "agent_gym_sessions_open 1\n" in told and "agent_gym_full_total 0\n" in told
