"""A page of the documentation run as it is written, by somebody who has installed what it asks for."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.environment import clinic
from tests.test_snippets import CHECKOUT, blocks


def run_page(name: str, folder: Path, changes: Mapping[str, str] | None = None, **variables: str) -> str:
    """What its commands and its Python print, in the order of the page; `pip` is taken to have run."""
    log = "".join(json.dumps(trace) + "\n" for trace in clinic.traces())
    (folder / "conversations.jsonl").write_text(log, "utf-8")
    programs = Path(sys.executable).parent
    settings = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"} | variables
    printed = []
    for block in blocks(CHECKOUT / "docs" / "integrations" / f"{name}.md", "bash", "python"):
        text = block.text
        for found, put in (changes or {}).items():
            text = text.replace(found, put)
        lines = [line for line in text.splitlines() if not line.startswith("pip ")]
        command = ["sh", "-ec", "\n".join(lines)] if block.language == "bash" else [sys.executable, "-c", text]
        done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        printed.append(done.stdout)
    return "".join(printed)
