"""The documentation is true: its Python runs, its commands and links lead somewhere.

The Python blocks of one page run from top to bottom in one namespace, as a reader would run them, without a key and
in a scratch folder that shows the repository's `data` and `examples`. A block that cannot run here is preceded by
`<!-- not run: the reason -->`.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
PAGES = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY")
FENCE = re.compile(r"(?ms)^(?P<not_run><!-- not run: [^\n]+ -->\n+)?```(?P<language>\w+)\n(?P<text>.*?)^```")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<target>[^)#\s]+)")
# A path of the repository as prose writes it: in backquotes, from the root.
PATH = re.compile(r"`(?P<path>(?:agent_gym|data|docs|examples|scripts|src)/[\w./-]*)`")
# Programs a reader has, of which the repository cannot say more.
FOREIGN = {"cd", "export", "git", "pip", "source", "vf-eval", "vf-validate"}


@dataclass(frozen=True, slots=True)
class Block:
    language: str
    text: str
    line: int
    runs: bool


def blocks(page: Path, *languages: str) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = FENCE.finditer(text)
    return [
        Block(m["language"], m["text"], text.count("\n", 0, m.start("text")) + 1, not m["not_run"])
        for m in found
        if m["language"] in languages
    ]


def named(page: Path) -> str:
    return str(page.relative_to(CHECKOUT))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    for folder in ("data", "examples"):
        (tmp_path / folder).symlink_to(CHECKOUT / folder)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "snippet"}
    for block in blocks(page, "python"):
        # The blank lines in front make a traceback show the line of the page.
        code = compile("\n" * (block.line - 1) + block.text, str(page), "exec", dont_inherit=True)
        if block.runs:
            exec(code, namespace)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_commands_of_a_page_exist(page):
    lines = [line for block in blocks(page, "bash", "sh", "console") for line in commands(block.text)]
    assert [" ".join(line) for line in lines if not exists(line)] == []


def commands(text: str) -> Iterator[list[str]]:
    """The command lines of a shell block, without prompts, comments and `NAME=value` in front."""
    for line in text.replace("\\\n", " ").splitlines():
        for part in re.split(r"&&|\|\||\||;", line.removeprefix("$ ")):
            words = shlex.split(part, comments=True)
            while words and re.match(r"^[A-Z_]+=", words[0]):
                words.pop(0)
            if words:
                yield words


def exists(words: list[str]) -> bool:
    program, *rest = words
    if program in ("python", "python3"):
        return not rest or rest[0].startswith("-") or (CHECKOUT / rest[0]).is_file()
    if program == "agent-gym":
        return not rest or rest[0].startswith("-") or rest[0] in verbs()
    if program == "pip" and "-r" in rest:
        return (CHECKOUT / rest[rest.index("-r") + 1]).is_file()
    return program in FOREIGN or (CHECKOUT / program).is_file()


@cache
def verbs() -> frozenset[str]:
    """The words that the command line's own help shows."""
    asked = [sys.executable, "-c", "from agent_gym.cli import main; main()", "--help"]
    shown = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"[a-z-]+", shown))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_links_of_a_page_lead_to_files(page):
    targets = [m["target"] for m in LINK.finditer(page.read_text(encoding="utf-8"))]
    assert [t for t in targets if not (page.parent / t).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_paths_a_page_names_exist(page):
    paths = [m["path"] for m in PATH.finditer(page.read_text(encoding="utf-8"))]
    assert [path for path in paths if not (CHECKOUT / path).exists()] == []


def test_a_missing_script_or_verb_would_be_noticed():
    assert exists(["python", "scripts/run_example.py", "--seed", "1"])
    assert not exists(["python", "scripts/nonesuch.py"])
    assert not exists(["pip", "install", "-r", "nonesuch.txt"])
    assert not exists(["nonesuch"])
    text = "$ KEY=1 python a.py | git log  # why\n\npip install \\\n  x"
    assert list(commands(text)) == [["python", "a.py"], ["git", "log"], ["pip", "install", "x"]]


def test_a_block_knows_its_line_and_whether_it_runs(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# T\n\n```python\na = 1\n```\n\n<!-- not run: needs a key -->\n```python\nb\n```\n```bash\nls\n```\n"
    )
    assert [(b.text, b.line, b.runs) for b in blocks(page, "python")] == [("a = 1\n", 4, True), ("b\n", 9, False)]
