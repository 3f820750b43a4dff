"""This machine in, whether it is ready out: one check a thing, ok, warn or fail, and what to do."""

import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from agent_gym.errors import ConfigError, LlmUnavailable
from agent_gym.llm.gemini import gemini_key
from agent_gym.llm.guard import offline
from agent_gym.llm.key import read_key

__all__ = ["Check", "checks"]

_PYTHON = (3, 11)
_HOST = "generativelanguage.googleapis.com"  # where Gemini answers
_PATIENCE = 3.0  # seconds for a connection
_LITTLE, _TOO_LITTLE = 2 * 2**30, 100 * 2**20  # bytes free
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")


@dataclass(frozen=True, slots=True)
class Check:
    """`fail`: nothing works before it is put right; `warn`: some things do not."""

    name: str
    state: Literal["ok", "warn", "fail"]
    found: str
    fix: str = ""


def checks(port: int, configured: Callable[[], str]) -> Iterator[Check]:
    """`configured` tells of the configuration file, or raises `ConfigError`."""
    yield _python()
    yield _config(configured)
    yield from _packages()
    yield from _keys()
    yield _network()
    yield _disk("disk, here", Path.cwd())
    yield _disk("disk, temporary files", Path(tempfile.gettempdir()))
    yield _port(port)


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _PYTHON:
        return Check("Python", "fail", version, "install Python 3.11 or newer")
    return Check("Python", "ok", version)


def _config(configured: Callable[[], str]) -> Check:
    try:
        return Check("configuration", "ok", configured())
    except ConfigError as error:
        return Check("configuration", "fail", str(error), error.hint or "correct this line, or take it out")


def _packages() -> Iterator[Check]:
    """The packages Agent Gym needs, and for each extra whether it is there."""
    try:
        wanted = metadata.requires("agent-gym") or []
    except metadata.PackageNotFoundError:
        yield Check("agent-gym", "warn", "not installed, only checked out", "run: pip install -e .")
        return
    core = [name for name, extra in map(_requirement, wanted) if extra is None]
    missing = [name for name in core if _version(name) is None]
    if missing:
        yield Check("packages", "fail", f"missing: {', '.join(missing)}", "run: pip install agent-gym")
    else:
        yield Check("packages", "ok", f"all {len(core)} of the core")
    extras: dict[str, list[str]] = {}
    for name, extra in map(_requirement, wanted):
        if extra is not None and extra != "dev":
            extras.setdefault(extra, []).append(name)
    for extra, names in sorted(extras.items()):
        lacking = [name for name in names if _version(name) is None]
        there = ", ".join(f"{name} {_version(name)}" for name in names)
        if lacking:
            fix = f"only if you need it: pip install 'agent-gym[{extra}]'"
            yield Check(f"extra {extra}", "warn", f"not installed: {', '.join(lacking)}", fix)
        else:
            yield Check(f"extra {extra}", "ok", there)


def _requirement(text: str) -> tuple[str, str | None]:
    name, extra = _NAME.match(text), _EXTRA.search(text)
    return name.group() if name else text, extra.group(1) if extra else None


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _keys() -> Iterator[Check]:
    """Whether a key is set, never what it is."""
    for name, variables in (("Gemini key", "GOOGLE_API_KEY or GEMINI_API_KEY"), ("OpenAI key", "OPENAI_API_KEY")):
        try:
            key = gemini_key() if name == "Gemini key" else read_key("OPENAI_API_KEY")
        except LlmUnavailable as error:
            yield Check(name, "fail", str(error), "set it again, or unset it")
            continue
        if key is None:
            yield Check(name, "warn", "not set; everything but that model's agents works", f"set {variables}")
        else:
            yield Check(name, "ok", "set")


def _network() -> Check:
    if offline():
        return Check("network", "ok", "forbidden by AGENT_GYM_OFFLINE: nothing leaves this machine")
    try:
        with socket.create_connection((_HOST, 443), timeout=_PATIENCE):
            return Check("network", "ok", f"{_HOST} answers")
    except OSError as error:
        fix = "only remote models need it; check the connection or the proxy"
        return Check("network", "warn", f"{_HOST} cannot be reached: {error}", fix)


def _disk(name: str, folder: Path) -> Check:
    free = shutil.disk_usage(folder).free
    found = f"{free / 2**30:.1f} GB free"
    if not os.access(folder, os.W_OK):
        return Check(name, "warn", f"{found}, but {folder} cannot be written to", "work in another folder")
    if free < _TOO_LITTLE:
        return Check(name, "fail", found, f"make room in {folder}")
    if free < _LITTLE:
        return Check(name, "warn", found, f"a large gym needs more; make room in {folder}")
    return Check(name, "ok", found)


def _port(port: int) -> Check:
    name = f"port {port}"
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            return Check(name, "warn", f"cannot be used: {error.strerror}", "a server needs another one: try --port")
    return Check(name, "ok", "free")
