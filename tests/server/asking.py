"""An ASGI application asked by hand: what comes in is listed beforehand, what goes out is kept."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

Sent = list[dict[str, Any]]
DENIAL: dict[str, Any] = {"websocket.http.response": {}}


def asked(app: Any, kind: str = "http", events: list[dict[str, Any]] | None = None, **scope: Any) -> Sent:
    """What the application sends; after the last event nothing comes any more."""
    sent: Sent = []
    coming = list(events or [])

    async def receive() -> dict[str, Any]:
        if coming:
            return coming.pop(0)
        return await asyncio.Event().wait()  # type: ignore[return-value]  # it never comes

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    headers = [(name.encode(), value.encode()) for name, value in scope.pop("headers", [])]
    asyncio.run(app({"type": kind, "path": "/", **scope, "headers": headers}, receive, send))
    return sent


def app_of(handle: Callable[[Any, Any], Coroutine[Any, Any, None]]) -> Any:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await handle(receive, send)

    return app


async def let_in(_receive: Any, send: Any) -> None:
    await send({"type": "let in"})
