"""Files of every envelope come out as the same records, each with its line."""

import gzip
import json
from pathlib import Path

import pytest

from agent_gym.errors import TraceError
from agent_gym.trace_parser import envelope, parse, read_traces

TALK = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
RECORDS = [{"conversation_id": f"c{n}", "messages": TALK} for n in range(3)]
LINES = "\n".join(json.dumps(record) for record in RECORDS)

ENVELOPES = {
    "jsonl": LINES,
    "jsonl with a last line end": LINES + "\n",
    "jsonl with blank lines": "\n\n" + LINES.replace("\n", "\n\n  \n") + "\n\n",
    "jsonl with CRLF": LINES.replace("\n", "\r\n"),
    "jsonl behind a BOM": "\ufeff" + LINES,
    "array": json.dumps(RECORDS),
    "array over lines": json.dumps(RECORDS, indent=2),
    "array behind a BOM": "\ufeff" + json.dumps(RECORDS),
    "array a line each": "[\n" + LINES.replace("\n", ",\n") + "\n]\n",
    "data wrapper": json.dumps({"object": "list", "data": RECORDS, "has_more": False}),
    "traces wrapper over lines": json.dumps({"traces": RECORDS}, indent=1),
    "conversations wrapper": json.dumps({"conversations": RECORDS}),
    "objects over lines": "\n".join(json.dumps(record, indent=4) for record in RECORDS),
    "objects on one line": "".join(json.dumps(record) for record in RECORDS),
}


def write(folder: Path, content: str | bytes, name: str = "calls.log") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", ENVELOPES)
def test_the_content_of_a_file_decides_how_it_is_read(tmp_path, kind, packed):
    content = ENVELOPES[kind].encode()
    traces = read_traces(write(tmp_path, gzip.compress(content) if packed else content))
    assert [trace.conversation_id for trace in traces] == ["c0", "c1", "c2"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_single_object_is_one_conversation(tmp_path, indent):
    assert len(read_traces(write(tmp_path, json.dumps(RECORDS[0], indent=indent)))) == 1


def test_a_path_may_be_text(tmp_path):
    assert read_traces(str(write(tmp_path, LINES))) == read_traces(RECORDS)


def test_brackets_and_quotes_in_text_do_not_split_an_array(tmp_path):
    talk = [{"role": "user", "content": 'a "]}" and a \\" and [{'}]
    records = [RECORDS[0], {"conversation_id": "odd", "messages": talk}, RECORDS[2]]
    traces = read_traces(write(tmp_path, json.dumps(records)))
    assert traces[1].messages[0].content == talk[0]["content"]


def test_one_bad_item_leaves_the_rest_of_an_array_readable(tmp_path):
    items = [json.dumps(RECORDS[0]), '{"conversation_id": oops}', json.dumps(RECORDS[2])]
    reading = parse(write(tmp_path, "[\n" + ",\n".join(items) + "\n]"))
    assert [trace.conversation_id for trace in reading.traces] == ["c0", "c2"]
    assert [(r.line, r.reason[:10]) for r in reading.rejects] == [(3, "record 2: ")]


def test_items_that_are_no_objects_are_rejected_one_by_one(tmp_path):
    reading = parse(write(tmp_path, f'[1, "two, ]", null, [3], {json.dumps(RECORDS[0])}]'))
    assert (reading.accepted, reading.rejected) == (1, 4)


def test_text_after_the_end_of_an_array_is_not_passed_over(tmp_path):
    reading = parse(write(tmp_path, json.dumps(RECORDS) + "\nthe end"))
    assert (reading.accepted, reading.rejected) == (3, 1)


def test_a_cut_off_array_keeps_its_whole_items(tmp_path):
    reading = parse(write(tmp_path, json.dumps(RECORDS)[:-20]))
    assert (reading.accepted, reading.rejected) == (2, 1)


def test_a_bad_line_leaves_the_other_lines_readable(tmp_path):
    first, _, last = LINES.split("\n")
    reading = parse(write(tmp_path, f"{first}\nnot json\n{last}"))
    assert [trace.conversation_id for trace in reading.traces] == ["c0", "c2"]
    assert [(reject.line, reject.record) for reject in reading.rejects] == [(2, "not json")]


def test_a_first_line_cut_off_at_a_comma_does_not_hide_the_others(tmp_path):
    first, *others = LINES.split("\n")
    reading = parse(write(tmp_path, "\n".join([first[: first.index(",") + 1], *others])))
    assert [trace.conversation_id for trace in reading.traces] == ["c1", "c2"]
    assert [reject.line for reject in reading.rejects] == [1]


def test_turns_of_another_format_are_not_taken_for_a_wrapper(tmp_path):
    foreign = {"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]}
    assert [m.role for m in read_traces(write(tmp_path, json.dumps(foreign)))[0].messages] == ["user", "assistant"]


def test_a_record_with_a_data_field_is_no_wrapper(tmp_path):
    record = {"data": [{"k": 1}], **RECORDS[0]}
    assert read_traces(write(tmp_path, json.dumps(record)))[0].metadata["data"] == [{"k": 1}]


def test_a_cut_off_gzip_keeps_the_whole_records_before_the_cut(tmp_path):
    many = [{"conversation_id": f"c{n}", "messages": TALK, "metadata": {"n": str(hash(n**9))}} for n in range(5000)]
    packed = gzip.compress("\n".join(map(json.dumps, many)).encode())
    reading = parse(write(tmp_path, packed[: len(packed) // 2]))
    assert 1000 < reading.accepted < 4000
    assert "gzip data is damaged" in reading.rejects[-1].reason


def test_a_gzip_without_any_content_says_it_is_damaged(tmp_path):
    with pytest.raises(TraceError, match="gzip data is damaged"):
        read_traces(write(tmp_path, gzip.compress(LINES.encode())[:12]))


def test_a_cut_off_gzip_of_an_array_keeps_whole_items(tmp_path):
    many = [{"conversation_id": f"c{n}", "messages": TALK, "metadata": {"n": str(hash(n**9))}} for n in range(5000)]
    packed = gzip.compress(json.dumps(many).encode())
    reading = parse(write(tmp_path, packed[: len(packed) // 2]))
    assert reading.accepted > 1000
    assert "gzip data is damaged" in reading.rejects[-1].reason


def test_a_line_over_the_limit_is_refused_and_the_next_one_read(tmp_path, monkeypatch):
    monkeypatch.setattr(envelope, "MAX_RECORD", len(LINES.split("\n")[0]))
    long = json.dumps({"conversation_id": "long", "messages": TALK * 50})
    reading = parse(write(tmp_path, f"{LINES}\n{long}\n{json.dumps(RECORDS[0] | {'conversation_id': 'cz'})}"))
    assert [trace.conversation_id for trace in reading.traces] == ["c0", "c1", "c2", "cz"]
    assert "a record may have" in reading.rejects[0].reason


def test_a_document_over_the_limit_names_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(envelope, "MAX_DOCUMENT", 100)
    with pytest.raises(TraceError, match="one conversation a line"):
        parse(write(tmp_path, json.dumps(RECORDS)))


def test_a_line_of_fifty_megabytes_is_read(tmp_path):
    long = '{"conversation_id": "long", "messages": [{"role": "user", "content": "' + "x" * 50_000_000 + '"}]}'
    traces = read_traces(write(tmp_path, f"{LINES}\n{long}\n"))
    assert len(traces[-1].messages[0].text) == 50_000_000
