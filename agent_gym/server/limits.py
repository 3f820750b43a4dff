"""An ASGI application in, the same application within limits out: how many at once, how much, how deep, how long.

What is over a limit is told so, and costs the others nothing.
"""

import asyncio
import re
from dataclasses import dataclass, field

from agent_gym.server.asgi import App, Event, Receive, Scope, Send, tell

__all__ = ["Counts", "Gate", "Limits"]

_TOO_BIG, _GOING_AWAY = 1009, 1001  # WebSocket codes
_RETRY = (b"retry-after", b"5")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Limits:
    """`sessions` counts open sockets, `requests` those being answered; `size` is of a body or a message."""

    sessions: int = 512
    requests: int = 512
    size: int = 2**20
    depth: int = 64
    idle_seconds: float = 600.0


@dataclass(slots=True)
class Counts:
    """What a server has seen since it started."""

    sessions: int = 0
    requests: int = 0
    total: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("sessions", "requests", "messages", "full", "over_limit", "idle"), 0)
    )

    def saw(self, what: str) -> None:
        self.total[what] += 1


class Gate:
    """Sockets and requests are counted in and out, and every message is measured before the application sees it."""

    def __init__(self, app: App, limits: Limits, counts: Counts) -> None:
        self._app, self._limits, self._counts = app, limits, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._counts.sessions >= self._limits.sessions:
            await self._full(scope, send, f"all {self._limits.sessions} sessions are taken")
            return
        self._counts.sessions += 1
        self._counts.saw("sessions")
        socket = _Socket(receive, send, self._limits, self._counts)
        try:
            await self._app(scope, socket.receive, socket.send)
        finally:
            self._counts.sessions -= 1

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._counts.requests >= self._limits.requests:
            await self._full(scope, send, f"{self._limits.requests} requests are being answered")
            return
        self._counts.requests += 1
        self._counts.saw("requests")
        try:
            body = await self._body(scope, receive, send)
            if body is not None:
                await self._app(scope, _replaying(body, receive), send)
        finally:
            self._counts.requests -= 1

    async def _full(self, scope: Scope, send: Send, problem: str) -> None:
        self._counts.saw("full")
        await tell(scope, send, 503, f"{problem}; try again later", [_RETRY])

    async def _body(self, scope: Scope, receive: Receive, send: Send) -> bytes | None:
        """The whole body; None where there is nobody to answer any more, or the answer has been given."""
        try:
            async with asyncio.timeout(self._limits.idle_seconds):
                body = await _read(receive, self._limits.size)
        except TimeoutError:
            self._counts.saw("idle")
            await tell(scope, send, 408, "the body did not come in time")
            return None
        problem = _over(body.decode("utf-8", "replace"), len(body), self._limits) if body else None
        if problem is None:
            return body
        self._counts.saw("over_limit")
        await tell(scope, send, 413, f"the body is {problem}")
        return None


async def _read(receive: Receive, most: int) -> bytes | None:
    """The body, or more than `most` of it; None where the client left before its end."""
    body, more = bytearray(), True
    while more and len(body) <= most:
        event = await receive()
        if event["type"] == "http.disconnect":
            return None
        body += event.get("body", b"")
        more = event.get("more_body", False)
    return bytes(body)


@dataclass(slots=True)
class _Socket:
    """One socket's two ends. Once we have closed it, what the application still sends goes nowhere."""

    _receive: Receive
    _send: Send
    limits: Limits
    counts: Counts
    closed: bool = False

    async def receive(self) -> Event:
        if self.closed:
            return {"type": "websocket.disconnect", "code": _GOING_AWAY}
        try:
            async with asyncio.timeout(self.limits.idle_seconds):
                event = await self._receive()
        except TimeoutError:
            self.counts.saw("idle")
            return await self._close(_GOING_AWAY, f"nothing was sent for {self.limits.idle_seconds:g} seconds")
        if event["type"] != "websocket.receive":
            return event
        self.counts.saw("messages")
        text = event.get("text")
        problem = _over(text, len(text.encode()), self.limits) if text is not None else "binary: send JSON text"
        if problem is None:
            return event
        self.counts.saw("over_limit")
        return await self._close(_TOO_BIG, f"the message is {problem}")

    async def send(self, event: Event) -> None:
        if not self.closed:
            await self._send(event)

    async def _close(self, code: int, reason: str) -> Event:
        await self._send({"type": "websocket.close", "code": code, "reason": reason})
        self.closed = True
        return {"type": "websocket.disconnect", "code": code, "reason": reason}


def _over(text: str, size: int, limits: Limits) -> str | None:
    if size > limits.size:
        return f"over {limits.size} bytes"
    # Nothing is deeper than it has brackets: only texts with many of them are looked at closely.
    if text.count("[") + text.count("{") > limits.depth and _depth(text) > limits.depth:
        return f"nested over {limits.depth} levels deep"
    return None


def _depth(text: str) -> int:
    deepest = depth = 0
    for sign in _STRING.sub("", text):
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest


def _replaying(body: bytes, receive: Receive) -> Receive:
    events: list[Event] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Event:
        return events.pop() if events else await receive()

    return replayed
