"""A protocol's application in, a server out: guarded, within limits, with its health to be asked for."""

from dataclasses import dataclass

from agent_gym.server.asgi import App
from agent_gym.server.guard import LOOPBACK, Guard, check_address
from agent_gym.server.limits import Counts, Gate, Limits
from agent_gym.server.pulse import Pulse

__all__ = ["Address", "guarded", "run"]

_GRACE = 10  # seconds that steps under way have when the server stops


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens, and for whom; `names` are others than its own that it goes by."""

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    names: tuple[str, ...] = ()
    unsafe: bool = False

    def __post_init__(self) -> None:
        check_address(self.host, self.token, unsafe=self.unsafe)

    @property
    def hosts(self) -> frozenset[str]:
        return LOOPBACK.union((self.host,), (name.lower() for name in self.names))


def guarded(app: App, address: Address, limits: Limits) -> App:
    """The application behind what every server of ours has in front."""
    counts = Counts()
    return Guard(Pulse(Gate(app, limits, counts), counts), address.token, address.hosts)


def run(app: App, address: Address, limits: Limits) -> None:
    """Serve until told to stop; then the steps under way are finished and the sockets closed."""
    import uvicorn  # noqa: PLC0415  comes with the extra of every protocol

    uvicorn.run(
        app,
        host=address.host,
        port=address.port,
        log_level="warning",
        server_header=False,
        ws_max_size=limits.size,
        ws_per_message_deflate=False,  # a step's frame is small: packing it takes longer than sending it
        timeout_graceful_shutdown=_GRACE,
    )
