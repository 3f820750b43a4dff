"""What is installed in, whether this adapter was made for it out."""

from importlib import metadata

from agent_gym.errors import MissingExtra

__all__ = ["require_openenv"]

SUPPORTED = ">=0.10,<0.11"  # its interface is marked experimental: each minor version may change it


def require_openenv() -> None:
    try:
        found = metadata.version("openenv")
        metadata.version("uvicorn")
    except metadata.PackageNotFoundError as error:
        raise MissingExtra("openenv", f"{error.name} is not installed") from None
    if found.split(".")[:2] != ["0", "10"]:
        raise MissingExtra("openenv", f"openenv {found} is installed, and this adapter supports openenv{SUPPORTED}")
