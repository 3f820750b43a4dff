"""`read_traces`, `parse` and `stream`: nothing is lost, and an error says what to do."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from types import MappingProxyType

import pytest

from agent_gym.errors import TraceError
from agent_gym.trace_parser import Reject, parse, read_traces, stream
from agent_gym.types import Json, Message, Trace

USER = {"role": "user", "content": "cancel it"}


def record(conversation_id: str = "c", **fields: Json) -> dict[str, Json]:
    return {"conversation_id": conversation_id, "messages": [USER], **fields}


MIXED: list[Json] = [
    record("a"),
    {"conversation_id": "b"},
    record("c"),
    5,
    record("a"),
    record("a", outcome="resolved"),
]


def test_a_bad_record_raises_with_its_place_and_the_way_out():
    with pytest.raises(TraceError) as caught:
        read_traces(MIXED)
    error = caught.value
    assert (error.source, error.line) == ("traces", 2)
    assert "no `messages`" in error.reason
    assert "3 more of 6 records cannot be used" in error.reason
    assert "pass rejects=[] to read the other 2" in error.hint


def test_with_a_list_for_rejects_the_good_records_are_returned():
    rejects: list[Reject] = []
    traces = read_traces(MIXED, rejects=rejects)
    assert [trace.conversation_id for trace in traces] == ["a", "c"]
    assert [reject.line for reject in rejects] == [2, 4, 5, 6]


def test_no_usable_record_at_all_raises_even_with_a_list_for_rejects():
    rejects: list[Reject] = []
    with pytest.raises(TraceError, match="no `messages`"):
        read_traces([{}], rejects=rejects)
    assert len(rejects) == 1


def test_every_record_is_accepted_or_rejected():
    reading = parse(MIXED)
    assert (reading.read, reading.accepted, reading.rejected) == (6, 2, 4)


def test_an_id_that_occurs_twice_is_refused_and_told_from_a_copy():
    copy, other = parse(MIXED).rejects[2:]
    assert copy.reason == "conversation_id 'a' was read before, at traces:1, with the same content"
    assert other.reason == "conversation_id 'a' was read before, at traces:1, with other content"


def test_one_trace_or_dict_is_a_list_of_one():
    trace = Trace("c", (Message("user", "cancel it"),))
    assert read_traces(trace) == read_traces(record()) == read_traces([trace]) == [trace]


def test_a_clean_trace_comes_back_as_the_same_object():
    trace = Trace("c", (Message("user", "cancel it"),))
    assert read_traces([trace])[0] is trace


def test_traces_and_dicts_mix_and_may_come_from_a_generator():
    source = (kind for kind in (Trace("a", (Message("user", "hi"),)), record("b")))
    assert [trace.conversation_id for trace in read_traces(source)] == ["a", "b"]


def test_a_wrapper_in_memory_is_opened():
    assert len(read_traces({"data": [record("a"), record("b")]})) == 2


def test_a_trace_does_not_share_the_callers_dicts():
    mine = record(metadata={"k": "before"})
    trace = read_traces([mine])[0]
    mine["metadata"]["k"] = "after"
    assert trace.metadata["k"] == "before"


def test_messages_mappings_and_dates_may_stand_in_a_dict():
    metadata = MappingProxyType({"at": datetime(2024, 5, 1, tzinfo=UTC)})
    trace = read_traces([record(metadata=metadata) | {"messages": (Message("user", "hi"),)}])[0]
    assert trace.messages == (Message("user", "hi"),)
    assert trace.metadata == {"at": "2024-05-01T00:00:00+00:00"}


def test_a_dict_that_holds_no_json_is_refused_by_what_it_holds():
    around = record()
    around["metadata"] = {"self": around}
    deep: list[Json] = []
    for _ in range(100_000):
        deep = [deep]
    odd = [record("set", metadata={"x": {1}}), around, record("deep", metadata={"x": deep})]
    reasons = [reject.reason for reject in parse(odd).rejects]
    assert reasons == [
        "it is not JSON: it holds a set",
        "it is not JSON: Circular reference detected",
        "it is nested deeper than 250 levels",
    ]


def test_a_stream_yields_as_it_reads():
    def source() -> Iterator[Json]:
        yield record("a")
        yield {}
        raise KeyError("not reached by the first two")

    repairs: Counter[str] = Counter()
    items = stream(source(), repairs=repairs)
    assert isinstance(next(items), Trace)
    assert isinstance(next(items), Reject)


def test_a_file_and_its_dicts_read_alike(tmp_path):
    records = [record("a", satisfaction_score=float("nan")), record("b", x=1), {"messages": [USER]}]
    path = tmp_path / "calls.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in records))
    assert read_traces(path) == read_traces(records)
