"""The pages run as they are written: their commands first, then their Python."""

import asyncio
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.openenv.waiting import waited_for
from tests.integrations.serving import free_port
from tests.test_snippets import CHECKOUT, blocks

pytestmark = pytest.mark.filterwarnings("default")
PAGES = CHECKOUT / "docs" / "integrations"


def test_the_pages_run_as_written(tmp_path, capsys):
    (tmp_path / "data").symlink_to(CHECKOUT / "data")
    port = str(free_port())
    build, serve = [words for words in commands("openenv.md", port) if words[0] == "agent-gym"][:2]
    subprocess.run(ours(build), check=True, cwd=tmp_path)
    with subprocess.Popen(ours(serve), cwd=tmp_path) as server:
        address = waited_for(f"http://127.0.0.1:{port}")
        exec(python("openenv.md", port), {})
        namespace: dict = {}
        exec(python("others.md", port), namespace)
        messages, reward = asyncio.run(namespace["episode"]({"split": "test", "index": 0}, goodbye, address))
        server.terminate()
    assert "customer_left" in capsys.readouterr().out
    assert messages[-1]["role"] in ("user", "assistant") and reward == 0.0


async def goodbye(_messages, _tools):
    return "I am sorry, I cannot help with that. Goodbye."


def commands(page, port):
    text = "".join(block.text for block in blocks(PAGES / page, "bash"))
    return [shlex.split(line) for line in text.replace("8000", port).splitlines()]


def python(page, port):
    (block,) = blocks(PAGES / page, "python")
    return block.text.replace("8000", port)


def ours(words):
    return [str(Path(sys.executable).with_name(words[0])), *words[1:]]
