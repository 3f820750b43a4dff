"""Counts in, `/health` and `/metrics` out, beside whatever else an application answers."""

from agent_gym.server.asgi import App, Receive, Scope, Send, answer
from agent_gym.server.limits import Counts

__all__ = ["Pulse"]

_HELP = {
    "sessions": "Sessions opened.",
    "requests": "Requests answered.",
    "messages": "Messages received over sockets.",
    "full": "Sessions and requests turned away because there were too many.",
    "over_limit": "Bodies and messages that were too large or too deep.",
    "idle": "Sessions and requests closed because nothing more came.",
}


class Pulse:
    """Inside the guard, outside the gate: a server that is full still says how it is."""

    def __init__(self, app: App, counts: Counts) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path") if scope["type"] == "http" else None
        if path == "/health":
            await answer(scope, send, 200, b'{"status":"healthy"}')
        elif path == "/metrics":
            await answer(scope, send, 200, _metrics(self._counts).encode(), b"text/plain; version=0.0.4")
        else:
            await self._app(scope, receive, send)


def _metrics(counts: Counts) -> str:
    """In the text format that Prometheus reads."""
    lines = []
    for name, now in (("sessions", counts.sessions), ("requests", counts.requests)):
        lines += [f"# HELP agent_gym_{name}_open {name.capitalize()} open now.", f"# TYPE agent_gym_{name}_open gauge"]
        lines.append(f"agent_gym_{name}_open {now}")
    for name, seen in counts.total.items():
        lines += [f"# HELP agent_gym_{name}_total {_HELP[name]}", f"# TYPE agent_gym_{name}_total counter"]
        lines.append(f"agent_gym_{name}_total {seen}")
    return "\n".join(lines) + "\n"
