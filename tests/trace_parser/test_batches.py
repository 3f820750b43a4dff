"""Several processes write what one does, in the same order."""

import json
from pathlib import Path

import pytest

from agent_gym.trace_parser import Reading, read_source
from agent_gym.trace_parser.convert import convert
from agent_gym.trace_parser.source import write_source
from agent_gym.trace_parser.written import Written, written
from agent_gym.types import Json


def talk(number: int, name: str | None = None) -> Json:
    said = [{"role": "user", "content": f"Question {number}"}, {"role": "assistant", "content": "An answer."}]
    return {"id": name or f"c{number}", "messages": said}


def both_ways(path: Path, **options: str) -> tuple[Written, Written, Reading, Reading]:
    one, several = Reading(), Reading()
    alone = written(read_source(path, reading=one, outcome=options.get("outcome")))
    together = Written()
    for part in write_source([path], 2, several, outcome=options.get("outcome")):
        together.lines += part.lines
        together.rejects += part.rejects
    return alone, together, one, several


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Three batches: an id that comes back in a later one, lines that are no JSON, and one that has to be mended."""
    lines = [json.dumps(talk(n, "c3" if n == 290 else None)) for n in range(300)]
    lines[150] = "{no json"
    lines[200] = lines[200].replace('"An answer."', "NaN")
    lines[201] = json.dumps({**talk(201), "status": {"end": "resolved"}})
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_the_lines_the_rejects_and_the_counts_are_the_same(log: Path):
    alone, together, one, several = both_ways(log, outcome="/status/end")
    assert (together.lines, together.rejects) == (alone.lines, alone.rejects) and len(alone.rejects) == 2
    assert (several.accepted, several.rejected, several.conversations) == (298, 2, 298)
    assert (several.formats, several.repairs, several.rejects) == (one.formats, one.repairs, one.rejects)


def test_a_conversion_takes_lines_in_the_place_of_conversations(log: Path, tmp_path: Path):
    done = convert(
        lambda reading: read_source(log, reading=reading),
        tmp_path / "out.jsonl",
        write=lambda reading: write_source([log], 2, reading),
    )
    assert done.reading.conversations == len((tmp_path / "out.jsonl").read_text("utf-8").splitlines()) == 298
