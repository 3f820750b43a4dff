"""An ASGI application in, the same application for those who may ask it out: by token, Host and Origin."""

import hmac
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from agent_gym.errors import OptionError
from agent_gym.server.asgi import App, Receive, Scope, Send, header, tell

__all__ = ["LOOPBACK", "Guard", "check_address"]

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def check_address(host: str, token: str | None, *, unsafe: bool = False) -> None:
    """Refuse to be open to others for anybody."""
    if host not in LOOPBACK and not token and not unsafe:
        raise OptionError(
            "host",
            host,
            sorted(LOOPBACK),
            "is open to others: give --token, which every request must bear (or --unsafe-open, to let anybody in)",
        )


class Guard:
    """Pure ASGI: middleware that only knows requests would let WebSockets by.

    Without a token it is the names a server goes by that keep web pages out: a page that makes its own name lead to
    this machine asks under that name. With or without, the address of a page that asks has to be the server's own.
    """

    def __init__(self, app: App, token: str | None = None, hosts: Iterable[str] = LOOPBACK) -> None:
        self._app, self._hosts = app, frozenset(hosts)
        self._wanted = f"Bearer {token}".encode() if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        host = (header(scope, b"host") or b"").decode("latin-1").lower()
        if self._wanted is None and self._hosts <= LOOPBACK and not _is_local(scope):
            await tell(scope, send, 403, "this server answers nobody but its own machine")
        elif self._wanted is None and not self._goes_by(host):
            await tell(scope, send, 403, f"this server does not go by the name {host!r}")
        elif not _same_origin(scope, host):
            await tell(scope, send, 403, "this server answers no web page of another origin")
        elif not self._knows_token(scope):
            problem = "this server needs its token: Authorization: Bearer ..."
            await tell(scope, send, 401, problem, [(b"www-authenticate", b"Bearer")])
        else:
            await self._app(scope, receive, send)

    def _goes_by(self, host: str) -> bool:
        name = _name(host)
        return name in self._hosts or (bool(self._hosts - LOOPBACK) and _is_address(name))

    def _knows_token(self, scope: Scope) -> bool:
        given = header(scope, b"authorization")
        return self._wanted is None or (given is not None and hmac.compare_digest(given, self._wanted))


def _is_local(scope: Scope) -> bool:
    """Whoever starts the application may have it listen elsewhere; a caller's address is not theirs to choose."""
    client = scope.get("client")
    return client is None or (_is_address(client[0]) and ip_address(client[0]).is_loopback)


def _same_origin(scope: Scope, host: str) -> bool:
    """Programs send no Origin; browsers do, and its name and port are then those of the Host."""
    origins = [value for name, value in scope["headers"] if name.lower() == b"origin"]
    return not origins or [value.decode("latin-1").lower().partition("://")[2] for value in origins] == [host]


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    """A number cannot be made to lead elsewhere, so it is as good as a name that was given."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
