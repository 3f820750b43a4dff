"""What a server was asked in, a plain answer out: for requests, and for sockets that are not opened."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

import orjson

from agent_gym.types import Json

__all__ = ["App", "Event", "Receive", "Scope", "Send", "answer", "header", "tell"]

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_REFUSED = 1008  # the WebSocket code for what policy forbids
_DENIAL = "websocket.http.response"


def header(scope: Scope, name: bytes) -> bytes | None:
    """The one value of a header; None where there is none, or more than one."""
    found = [value for given, value in scope["headers"] if given.lower() == name]
    return found[0] if len(found) == 1 else None


async def tell(
    scope: Scope, send: Send, status: int, problem: str, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Say what is wrong."""
    await answer(scope, send, status, orjson.dumps({"error": problem}), headers=headers)


async def answer(
    scope: Scope,
    send: Send,
    status: int,
    body: bytes,
    kind: bytes = b"application/json",
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    """A whole answer. A socket that is not open yet gets it too, where the server can; else it is closed."""
    prefix = "http.response"
    if scope["type"] == "websocket":
        if _DENIAL not in (scope.get("extensions") or {}):
            await send({"type": "websocket.close", "code": _REFUSED})
            return
        prefix = _DENIAL
    told: Json = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": f"{prefix}.start", "status": status, "headers": told})
    await send({"type": f"{prefix}.body", "body": body})
