"""Records of every format, damaged anywhere: traces and rejects come out, never a crash, and no record is lost."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_gym.errors import TraceError
from agent_gym.trace_parser import Reading, Reject, read_source
from agent_gym.types import Json, Trace

FIXTURES = Path(__file__).parents[1] / "fixtures" / "formats"
EXPECTED: dict[str, dict[str, Json]] = json.loads((FIXTURES / "expected.json").read_text("utf-8"))
NAMES = sorted(EXPECTED)
JSON_NAMES = [name for name in NAMES if name.endswith((".json", ".jsonl", ".traj"))]
ODD: list[Json] = [
    None,
    0,
    -1,
    1e9,
    True,
    "",
    "x",
    "[",
    "{}",
    [],
    {},
    [None],
    [[]],
    {"a": None},
    "\ud83d",
    {"role": "user"},
    [{}],
    7.5,
]
BOUNDED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(path: Path, **options: str) -> None:
    reading = Reading()
    try:
        for item in read_source(path, reading=reading, **options):  # type: ignore[arg-type]  # format only
            assert isinstance(item, Trace | Reject)
            if isinstance(item, Trace):
                json.dumps(item.to_dict())
    except TraceError:
        pass
    assert reading.read == reading.accepted + reading.rejected


def damaged(value: Json, rng: random.Random, share: float) -> Json:
    if rng.random() < share:
        return rng.choice(ODD)
    if isinstance(value, dict):
        return {key: damaged(inner, rng, share) for key, inner in value.items() if rng.random() > share / 2}
    if isinstance(value, list):
        return [damaged(inner, rng, share) for inner in value if rng.random() > share / 2]
    return value


@pytest.mark.parametrize("name", JSON_NAMES)
def test_damaged_structure_is_never_a_crash(tmp_path, name):
    text = (FIXTURES / name).read_text("utf-8")
    records = [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else [json.loads(text)]
    for seed in range(12):
        rng = random.Random(f"{name} {seed}")
        lines = [json.dumps(damaged(record, rng, 0.02 + 0.03 * (seed % 4))) for record in records]
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
        read(tmp_path / name)
        read(tmp_path / name, format=EXPECTED[name]["format"])


@BOUNDED
@given(name=st.sampled_from(NAMES), at=st.integers(0, 4000), junk=st.binary(max_size=6), cut=st.booleans())
def test_damaged_bytes_are_never_a_crash(tmp_path, name, at, junk, cut):
    raw = (FIXTURES / name).read_bytes()
    at %= len(raw)
    path = Path(tmp_path) / name
    path.write_bytes(raw[:at] + junk + (b"" if cut else raw[at + len(junk) :]))
    read(path)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@BOUNDED
@given(
    form=st.sampled_from(sorted({row["format"] for row in EXPECTED.values()})),
    records=st.lists(VALUES, min_size=1, max_size=3),
)
def test_any_json_read_as_any_format_is_never_a_crash(tmp_path, form, records):
    path = Path(tmp_path) / "any.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records), "utf-8")
    read(path, format=form)
