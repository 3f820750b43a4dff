"""An ASGI application and a token in, the same application for those who know the token out."""

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["LOOPBACK", "Guard"]

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
Scope = MutableMapping[str, Any]
App = Callable[
    [Scope, Callable[[], Awaitable[Any]], Callable[[MutableMapping[str, Any]], Awaitable[None]]], Awaitable[None]
]


class Guard:
    """Pure ASGI: middleware that only knows requests would let WebSockets by."""

    def __init__(self, app: App, token: str) -> None:
        self._app, self._wanted = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan" or self._knows(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send(
                {"type": "http.response.body", "body": b"this server needs its token: Authorization: Bearer ..."}
            )
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _knows(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name.lower() == b"authorization"]
        return len(given) == 1 and hmac.compare_digest(given[0], self._wanted)
