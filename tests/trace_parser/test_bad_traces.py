"""Bad input is a clear `TraceError` or a named repair, never a traceback from inside."""

import errno
import json
from pathlib import Path

import pytest

from agent_gym.errors import TraceError
from agent_gym.trace_parser import parse, read_traces
from agent_gym.types import Trace

GOOD = '{"conversation_id": "good", "messages": [{"role": "user", "content": "hi"}]}'


def between_good_lines(folder: Path, raw: bytes | str) -> Path:
    path = folder / "calls.jsonl"
    bad = raw.encode() if isinstance(raw, str) else raw
    path.write_bytes(GOOD.encode() + b"\n" + bad + b"\n" + GOOD.replace("good", "good too").encode())
    return path


def with_content(content: str) -> str:
    return '{"conversation_id": "odd", "messages": [{"role": "user", "content": ' + content + "}]}"


DEEP = with_content('"x"')[:-1] + ', "metadata": {"deep": ' + "[" * 10_000 + "]" * 10_000 + "}}"

UNUSABLE: dict[str, tuple[bytes | str, str]] = {
    "not JSON": ("hello there", "not JSON"),
    "Python's repr": ("{'conversation_id': 'x', 'messages': []}", "double quotes"),
    "cut off": (GOOD[:40], "not JSON"),
    "a number": ("5", "it is a number, not an object"),
    "null": ("null", "it is null, not an object"),
    "a list": ("[]", "it is an array, not an object"),
    "no messages": (
        '{"conversation_id": "x", "text": "hi"}',
        "no `messages`; its fields are 'conversation_id', 'text'",
    ),
    "messages as text": ('{"conversation_id": "x", "messages": "hi"}', "`messages` is text, not a list"),
    "a message as text": ('{"conversation_id": "x", "messages": ["hi"]}', "message 0 is not an object: 'hi'"),
    "no role": ('{"conversation_id": "x", "messages": [{"content": "hi"}]}', "message 0 has no role"),
    "only unknown roles": ('{"messages": [{"role": "bot"}, {"role": "ai"}]}', "found 'ai', 'bot'"),
    "an object as content": (with_content('{"a": 1}'), "content of message 0 is not text"),
    "a call without a name": (
        '{"messages": [{"role": "assistant", "tool_calls": [{"arguments": {}}]}]}',
        "tool call 0 of message 0 has no name",
    ),
    "calls that are no list": (
        '{"messages": [{"role": "assistant", "tool_calls": {"a": 1}}]}',
        "tool_calls of message 0 is not a list of objects",
    ),
    "a list as id": ('{"conversation_id": [1], "messages": []}', "`conversation_id` is an array"),
    "10,000 levels": (DEEP, "nested deeper than 250 levels"),
    "10,000 levels, never closed": ("[" * 10_000, "not JSON|nested"),
    "600 levels": (DEEP.replace("[" * 9400, "").replace("]" * 9400, ""), "nested deeper than 250 levels"),
    "latin-1": ('{"messages": [{"role": "user", "content": "José"}]}'.encode("latin-1"), "not UTF-8 text: byte 0xe9"),
    "a null byte": (with_content('"a\0b"'), "not JSON"),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_an_unusable_record_is_named_with_its_line_and_the_good_ones_are_kept(tmp_path, case):
    raw, reason = UNUSABLE[case]
    path = between_good_lines(tmp_path, raw)
    reading = parse(path)
    assert [trace.conversation_id for trace in reading.traces] == ["good", "good too"]
    assert [(reject.source, reject.line) for reject in reading.rejects] == [(str(path), 2)]
    with pytest.raises(TraceError, match=reason):
        raise reading.rejects[0].error()


@pytest.mark.parametrize("case", UNUSABLE)
def test_every_reject_says_what_to_do(tmp_path, case):
    reject = parse(between_good_lines(tmp_path, UNUSABLE[case][0])).rejects[0]
    assert len(reject.fix) > 10


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_a_number_json_does_not_have_is_read_as_null_and_kept(tmp_path, number):
    raw = with_content('"hi"')[:-1] + f', "satisfaction_score": {number}}}'
    trace = read_traces(between_good_lines(tmp_path, raw))[1]
    assert trace.satisfaction_score is None
    assert trace.metadata == {"repairs": {"not_finite_as_null": 1}, "raw": {"not_finite": [number]}}


@pytest.mark.parametrize("text", ["a \\ud83d b", "a \\ude00 b"])
def test_a_lone_surrogate_is_replaced_and_noted(tmp_path, text):
    trace = read_traces(between_good_lines(tmp_path, with_content(f'"{text}"')))[1]
    assert trace.messages[0].content == "a \ufffd b"
    assert trace.metadata["repairs"] == {"lone_surrogate_replaced": 1}


def test_a_whole_surrogate_pair_is_left_alone(tmp_path):
    trace = read_traces(between_good_lines(tmp_path, with_content('"\\ud83d\\ude00"')))[1]
    assert (trace.messages[0].content, trace.metadata) == ("\U0001f600", {})


def test_an_excerpt_carries_no_terminal_escapes(tmp_path):
    reject = parse(between_good_lines(tmp_path, b"\x1b[31mred")).rejects[0]
    assert reject.record == "\\x1b[31mred"


SOURCES = {
    "empty": (b"", "the file is empty"),
    "blank": (b" \n\n ", "holds no conversations"),
    "empty list": (b"[]", "holds no conversations"),
    "empty wrapper": (b'{"data": []}', "holds no conversations"),
    "binary": (bytes(range(256)) * 20, "binary file"),
    "zip": (b"PK\x03\x04rest", "zip archive is damaged"),
    "zstd": (b"\x28\xb5\x2f\xfdrest", "zstd"),
    "parquet": (b"PAR1rest", "Parquet"),
    "gzip header alone": (b"\x1f\x8b", "damaged"),
}


@pytest.mark.parametrize("case", SOURCES)
def test_a_file_without_records_says_what_it_is(tmp_path, case):
    content, reason = SOURCES[case]
    (tmp_path / "calls.jsonl").write_bytes(content)
    with pytest.raises(TraceError, match=reason):
        parse(tmp_path / "calls.jsonl")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_text_in_another_encoding_is_read(tmp_path, encoding):
    (tmp_path / "calls.jsonl").write_bytes(GOOD.replace("hi", "grüezi").encode(encoding))
    assert read_traces(tmp_path / "calls.jsonl")[0].messages[0].content == "grüezi"


def test_an_empty_folder_says_so(tmp_path):
    with pytest.raises(TraceError, match="the folder holds no files"):
        read_traces(tmp_path)


def test_a_missing_file_comes_with_a_near_name(tmp_path):
    (tmp_path / "calls.jsonl").write_text(GOOD)
    with pytest.raises(TraceError, match=r"no such file \(did you mean 'calls.jsonl'"):
        read_traces(tmp_path / "call.jsonl")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(TraceError, match="there is no folder"):
        read_traces(tmp_path / "nowhere" / "calls.jsonl")


def test_a_file_that_may_not_be_read_says_so(tmp_path, monkeypatch):
    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(TraceError, match="no permission to read it"):
        read_traces(tmp_path / "calls.jsonl")


@pytest.mark.parametrize("source", ["x" * 5000, "a\0b", json.dumps([{"messages": []}]), ""])
def test_text_that_is_no_path_is_a_trace_error(source):
    with pytest.raises(TraceError):
        read_traces(source)


def test_a_trace_made_of_dicts_is_refused():
    with pytest.raises(TraceError, match=r"Trace\.of"):
        read_traces([Trace("c", ({"role": "user"},))])  # type: ignore[arg-type]  # what the test is about


@pytest.mark.parametrize("source", [None, 5, b'{"messages": []}', {}, [], [None], ["calls.jsonl"], [[]]])
def test_what_is_no_source_of_traces_is_a_trace_error(source):
    with pytest.raises(TraceError):
        read_traces(source)


def test_an_open_file_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "calls.jsonl").write_text(GOOD)
    with (tmp_path / "calls.jsonl").open() as file, pytest.raises(TraceError, match="give a path"):
        read_traces(file)
