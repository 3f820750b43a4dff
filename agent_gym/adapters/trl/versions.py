"""Nothing in; a clear error out where TRL is missing, or is one that this adapter was not tried with."""

from importlib import metadata

from agent_gym.errors import MissingExtra

__all__ = ["SUPPORTED", "require_trl"]

SUPPORTED = ">=1.16,<1.17"  # `rollout_func` is experimental: each minor version may change it


def require_trl() -> None:
    try:
        found = metadata.version("trl")
        metadata.version("torch")
        metadata.version("datasets")
    except metadata.PackageNotFoundError as error:
        raise MissingExtra("trl", f"{error.name} is not installed") from None
    if found.split(".")[:2] != ["1", "16"]:
        raise MissingExtra("trl", f"trl {found} is installed, and this adapter supports trl{SUPPORTED}")
