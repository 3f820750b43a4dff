"""The address of a server that another process starts, once it answers."""

import time

import httpx


def waited_for(address: str) -> str:
    """The address, once a server answers there."""
    while True:
        try:
            httpx.get(f"{address}/health").raise_for_status()
        except httpx.ConnectError:
            time.sleep(0.1)
        else:
            return address
