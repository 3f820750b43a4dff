"""Files that appear whole or not at all: written beside their place under another name, moved there at the end."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

__all__ = ["whole_files"]


@contextmanager
def whole_files(*paths: Path) -> Iterator[list[IO[bytes]]]:
    """Open files to write; if the block fails or is interrupted, nothing of them is left."""
    parts = [path.with_name(f".{path.name}.{os.getpid()}.part") for path in paths]
    try:
        with ExitStack() as stack:
            yield [stack.enter_context(part.open("wb")) for part in parts]
        for part, path in zip(parts, paths, strict=True):
            part.replace(path)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
