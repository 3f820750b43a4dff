"""Every format's own fixture is told apart from all others and read whole."""

import json
from pathlib import Path

import pytest

from agent_gym.trace_parser import FORMATS, Reading, Reject, format_names, read_source
from agent_gym.types import Json, Trace

FIXTURES = Path(__file__).parents[1] / "fixtures" / "formats"
EXPECTED: dict[str, dict[str, Json]] = json.loads((FIXTURES / "expected.json").read_text("utf-8"))


def shown(trace: Trace) -> str:
    return " ".join("+".join([m.role, *(call.name for call in m.tool_calls)]) for m in trace.messages)


def read(name: str, **options: str) -> tuple[list[Trace], list[Reject], Reading]:
    reading = Reading()
    items = list(read_source(FIXTURES / name, reading=reading, **options))  # type: ignore[arg-type]  # format only
    rejects = [item for item in items if isinstance(item, Reject)]
    return [item for item in items if isinstance(item, Trace)], rejects, reading


@pytest.mark.parametrize("name", EXPECTED)
def test_a_fixture_is_recognised_and_read_whole(name):
    traces, rejects, reading = read(name)
    assert not rejects
    assert list(reading.formats) == [EXPECTED[name]["format"]]
    assert [shown(trace) for trace in traces] == EXPECTED[name]["talks"]


@pytest.mark.parametrize("name", EXPECTED)
def test_outcomes_ratings_and_ids_come_from_the_formats_own_fields(name):
    traces, _, _ = read(name)
    wanted = EXPECTED[name]
    assert wanted.get("outcomes", [t.outcome for t in traces]) == [t.outcome for t in traces]
    assert wanted.get("scores", [t.satisfaction_score for t in traces]) == [t.satisfaction_score for t in traces]
    assert wanted.get("ids", [t.conversation_id for t in traces]) == [t.conversation_id for t in traces]


@pytest.mark.parametrize("name", EXPECTED)
def test_every_record_of_a_fixture_is_counted_and_every_call_answered_by_id(name):
    traces, _, reading = read(name)
    assert reading.read == reading.accepted > 0
    for trace in traces:
        results = {m.tool_call_id for m in trace.messages if m.role == "tool"}
        assert results <= {call.id for m in trace.messages for call in m.tool_calls}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_named_format_reads_as_the_recognised_one_does(name):
    assert read(name, format=EXPECTED[name]["format"])[0] == read(name)[0]


def test_every_format_has_a_fixture():
    without = set(format_names()) - {row["format"] for row in EXPECTED.values()}
    assert without == {"trace_schema", "atof"}  # read everywhere else; recognised only to be refused


def test_names_are_unique_and_titles_are_given():
    assert len({form.name for form in FORMATS}) == len(FORMATS)
    assert all(form.title for form in FORMATS)


def test_the_documentation_lists_every_format_as_it_is():
    text = (FIXTURES.parents[2] / "docs" / "formats.md").read_text("utf-8")
    for form in FORMATS:
        assert f"| `{form.name}` | {form.title} | {'experimental' if form.experimental else 'real files'} |" in text
