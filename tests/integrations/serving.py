"""An application served on loopback for the length of a test, and its address."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from agent_gym.server.front import Address, guarded
from agent_gym.server.limits import Limits


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def served(app: Any, limits: Limits, token: str | None = None) -> Iterator[str]:
    """`http://127.0.0.1:PORT` of the guarded application."""
    address = Address(port=free_port(), token=token)
    config = uvicorn.Config(
        guarded(app, address, limits), port=address.port, log_level="error", ws_max_size=limits.size
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{address.port}"
    server.should_exit = True
    thread.join()
