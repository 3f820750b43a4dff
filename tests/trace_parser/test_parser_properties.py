"""Whatever comes in, only `TraceError` comes out; what is accepted is settled and can be read again."""

import gzip
import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_gym.errors import TraceError
from agent_gym.trace_parser import Parsed, parse, read_source
from agent_gym.types import Json, Trace, paired_calls

BOUNDED = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
NAMES = st.sampled_from(["look", "list", "", None, 3])
IDS = st.sampled_from(["1", "2", "call_1", "", None, 7])
TEXTS = st.sampled_from(["hi", "bye ###STOP###", "###STOP###", "", None, "### Plan", "\ud800"])
ARGUMENTS = st.sampled_from(['{"x": 1}', "", "{", None, [1], {"x": 1}, {}])
CALLS = st.fixed_dictionaries({}, optional={"id": IDS, "name": st.just("look") | NAMES, "arguments": ARGUMENTS})
FUNCTIONS = st.fixed_dictionaries({"type": st.just("function"), "function": CALLS}, optional={"id": IDS})
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system", "Tool", "planner"])},
    optional={
        "content": TEXTS,
        "tool_calls": st.lists(CALLS | FUNCTIONS, max_size=3),
        "name": NAMES,
        "tool_call_id": IDS,
        "result": VALUES,
        "is_error": st.booleans() | st.none(),
        "arguments": ARGUMENTS,
        "extra": VALUES,
    },
)
RECORDS = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGES, max_size=8) | VALUES},
    optional={
        "conversation_id": st.sampled_from(["a", "b", 1, None]) | VALUES,
        "outcome": VALUES,
        "satisfaction_score": VALUES,
        "tools": VALUES,
        "metadata": VALUES,
        "other": VALUES,
    },
)


def parsed(source: Json) -> Parsed | None:
    try:
        return parse(source)
    except TraceError:
        return None


def is_sound(trace: Trace) -> bool:
    """Ids are unique, every result with an id directly belongs to its call, no token is spoken."""
    ids = [call.id for message in trace.messages for call in message.tool_calls]
    told = [result for _, result in paired_calls(trace.messages) if result is not None]
    by_id = [m for m in trace.messages if m.role == "tool" and m.tool_call_id is not None]
    spoken = [m.text for m in trace.messages if m.role in ("user", "assistant")]
    return len(set(ids)) == len(ids) and told == by_id and not any("###STOP###" in text for text in spoken)


@BOUNDED
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_any_bytes_in_a_file_give_traces_rejects_or_a_trace_error(tmp_path, content):
    path = Path(tmp_path) / "any"
    path.write_bytes(content)
    parsed(path)
    path.write_bytes(gzip.compress(content)[: len(content)])
    parsed(path)


@BOUNDED
@given(records=st.lists(RECORDS, min_size=1, max_size=3), cut=st.integers(0, 400), junk=st.binary(max_size=3))
def test_a_damaged_file_gives_traces_rejects_or_a_trace_error(tmp_path, records, cut, junk):
    for content in (json.dumps(records), "\n".join(json.dumps(record) for record in records)):
        raw = content.encode()
        (Path(tmp_path) / "any").write_bytes(raw[:cut] + junk + raw[cut + len(junk) :])
        parsed(Path(tmp_path) / "any")


@BOUNDED
@given(records=st.lists(RECORDS | VALUES, min_size=1, max_size=4))
def test_no_record_is_lost(tmp_path, records):
    reading = parse(records)
    assert reading.read == len(records)
    path = Path(tmp_path) / "any"
    path.write_text(json.dumps(records))
    from_file = list(read_source(path, format="trace_schema"))
    assert len(from_file) == reading.read
    assert tuple(item for item in from_file if isinstance(item, Trace)) == reading.traces


@BOUNDED
@given(record=RECORDS)
def test_an_accepted_trace_is_sound_and_is_read_again_as_it_is(record):
    for trace in parse([record]).traces:
        assert is_sound(trace)
        assert parse([trace.to_dict()]).traces == (trace,)


@BOUNDED
@given(messages=st.lists(MESSAGES, min_size=1, max_size=8))
def test_no_result_and_no_text_is_lost(messages):
    marked = [m | {"result": f"result {n}"} if m["role"].lower() == "tool" else m for n, m in enumerate(messages)]
    for trace in parse([{"conversation_id": "c", "messages": marked}]).traces:
        everything = json.dumps(trace.to_dict())
        assert all(f"result {n}" in everything for n, m in enumerate(marked) if m["role"].lower() == "tool")
        assert everything.count('"hi"') == sum(m.get("content") == "hi" for m in marked)
