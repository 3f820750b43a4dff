"""Makes the corpus of malformed files: name, bytes, ids of the good conversations. Run it to write a folder.

python -m tests.trace_parser.bad_corpus FOLDER
"""

import gzip
import io
import json
import stat
import struct
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from agent_gym.types import Json

__all__ = ["corpus", "large"]

Case = tuple[str, bytes, tuple[str, ...]]


def good(name: str) -> str:
    talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    return json.dumps({"conversation_id": name, "messages": talk})


A, B = good("a"), good("b")


def between(raw: str | bytes) -> bytes:
    """A bad line between two good ones."""
    return (
        A.encode()
        + b"\n"
        + (raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw)
        + b"\n"
        + B.encode()
    )


def talk(*messages: Json, **fields: Json) -> str:
    return json.dumps({"conversation_id": "odd", "messages": list(messages), **fields})


USER = {"role": "user", "content": "hi"}


def corpus() -> Iterator[Case]:
    yield from _whole_files()
    yield from _lines()
    yield from _structures()
    yield from _foreign()
    yield from _packed()


def _whole_files() -> Iterator[Case]:
    both = ("a", "b")
    jsonl = f"{A}\n{B}\n"
    yield "empty", b"", ()
    yield "blank", b" \n\n\t\n", ()
    yield "only a BOM", b"\xef\xbb\xbf", ()
    yield "BOM", b"\xef\xbb\xbf" + jsonl.encode(), both
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        yield encoding, jsonl.encode(encoding), both
    yield "half a UTF-16 character", jsonl.encode("utf-16")[:-1], ("a",)
    yield "CRLF", jsonl.replace("\n", "\r\n").encode(), both
    yield "CR only", jsonl.replace("\n", "\r").encode(), both
    yield "no last line end", jsonl.rstrip().encode(), both
    yield "a binary file", bytes(range(256)) * 40, ()
    yield "an ELF file", b"\x7fELF\x02\x01\x01" + b"\0" * 500, ()
    yield "a PNG", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 99, ()
    yield "a parquet stub", b"PAR1" + b"\0" * 20 + b"PAR1", ()
    yield "an SQLite file", b"SQLite format 3\0" + b"\0" * 99, ()
    yield "prose", b"Dear team,\nplease find the logs attached.\nRegards", ()
    yield "HTML", b"<!doctype html><html><body>Sign in</body></html>", ()
    yield "XML", b"<?xml version='1.0'?><a><b/></a>", ()
    yield "YAML", b"- role: user\n  content: hi\n", ()
    yield "an array cut off", ("[" + A + "," + B)[:-9].encode(), ("a",)
    yield "an array never closed", ("[" + A + "," + B).encode(), both
    yield "an array with a trailing comma", f"[{A},{B},]".encode(), both
    yield "arrays one after the other", f"[{A}][{B}]".encode(), both
    yield "objects one after the other", f"{A}{B}".encode(), both
    yield "text behind an array", f"[{A},{B}] the end".encode(), both
    yield "a wrapper cut off", ('{"data": [' + A + "," + B).encode(), both
    yield "an error page as JSON", b'{"error": {"code": 401, "message": "no key"}}', ()
    yield "an empty list", b"[]", ()
    yield "an empty wrapper", b'{"data": []}', ()
    yield "a number", b"42", ()
    yield "a string", b'"hi"', ()


def _lines() -> Iterator[Case]:
    both = ("a", "b")
    deep = "[" * 100_000 + "]" * 100_000
    for name, line in {
        "not JSON": "hello there",
        "Python's repr": "{'messages': []}",
        "cut off": A[:30],
        "two objects glued": A[:-1],
        "a bare number": "5",
        "null": "null",
        "an empty list": "[]",
        "an empty object": "{}",
        "NaN alone": "NaN",
        "depth 100k": deep,
        "depth 100k never closed": "[" * 100_000,
        "deep objects": '{"a":' * 5000 + "1" + "}" * 5000,
        "a control character": '{"messages": [{"role": "user", "content": "a\x01b"}]}',
        "a terminal escape": "\x1b[31m\x1b]0;owned\x07red",
        "a null byte": '{"messages": "\0"}',
        "a lone quote": '{"messages": "',
        "10k digits": '{"n": ' + "9" * 10_000 + "}",
        "a byte order mark in the middle": "\ufeff{}",
        "a comment": "// a comment",
    }.items():
        yield f"line: {name}", between(line), both
    yield "line: latin-1", between('{"messages": [{"role": "user", "content": "José"}]}'.encode("latin-1")), both
    yield "line: invalid UTF-8", between(b"\xff\xfe\xfd"), both


def _structures() -> Iterator[Case]:
    ok = ("a", "odd", "b")
    bad = ("a", "b")
    call = {"id": "1", "name": "look", "arguments": {}}
    for name, (line, ids) in {
        "NaN as a score": (talk(USER)[:-1] + ', "satisfaction_score": NaN}', ok),
        "infinity": (talk(USER)[:-1] + ', "metadata": {"x": -Infinity}}', ok),
        "1e400": (talk(USER)[:-1] + ', "metadata": {"x": 1e400}}', ok),
        "a huge integer": (talk(USER)[:-1] + ', "metadata": {"x": ' + "9" * 400 + "}}", ok),
        "duplicate keys": (talk(USER)[:-1] + ', "outcome": "x", "outcome": "y"}', ok),
        "a lone surrogate": ('{"conversation_id": "odd", "messages": [{"role": "user", "content": "\\ud83d"}]}', ok),
        "wrong roles only": (talk({"role": "wizard", "content": "hi"}), bad),
        "a wrong role among others": (talk(USER, {"role": "wizard", "content": "hi"}), ok),
        "roles in capitals": (talk({"role": "USER", "content": "hi"}), ok),
        "a role that is a number": (talk({"role": 3, "content": "hi"}), bad),
        "no role": (talk({"content": "hi"}), bad),
        "messages as text": ('{"conversation_id": "odd", "messages": "hi"}', bad),
        "messages as an object": ('{"conversation_id": "odd", "messages": {"0": "hi"}}', bad),
        "messages of lists": ('{"conversation_id": "odd", "messages": [[]]}', bad),
        "an orphan result": (talk(USER, {"role": "tool", "tool_call_id": "9", "content": "x"}), ok),
        "a result before its call": (
            talk({"role": "tool", "tool_call_id": "1", "content": "x"}, {"role": "assistant", "tool_calls": [call]}),
            ok,
        ),
        "a call twice under one id": (talk({"role": "assistant", "tool_calls": [call, call]}), ok),
        "a call without a name": (talk({"role": "assistant", "tool_calls": [{"arguments": {}}]}), bad),
        "arguments that are no JSON": (
            talk({"role": "assistant", "tool_calls": [{**call, "arguments": "{oops"}]}),
            ok,
        ),
        "arguments as a list": (talk({"role": "assistant", "tool_calls": [{**call, "arguments": [1]}]}), ok),
        "a list as id": ('{"conversation_id": [], "messages": [{"role": "user"}]}', bad),
        "an id read before": (A, bad),
    }.items():
        yield f"record: {name}", between(line), ids


def _foreign() -> Iterator[Case]:
    said = [{"role": "assistant", "parts": [{"type": "text", "content": "hi"}]}]
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(said)}
    span = {"name": "chat", "start_time": "1", "attributes": attributes, "parent_id": "s0"}
    first = {**span, "context": {"trace_id": "t", "span_id": "s0"}}
    second = {**span, "context": {"trace_id": "t", "span_id": "s1"}}
    yield "cyclic parents", _jsonl({**first, "parent_id": "s1"}, second), ("t",)
    yield "a span that is its own parent", _jsonl(first), ("t",)
    yield "spans without content", _jsonl({**first, "attributes": {"gen_ai.operation.name": "chat"}}), ()
    line = {"type": "user", "sessionId": "s", "message": USER}
    lines = [{**line, "uuid": f"u{n}", "parentUuid": f"u{1 - n}"} for n in range(2)]
    yield "a session with cyclic parents", _jsonl(*lines), ("s",)
    chat = {"id": "chat", "system": "x", "messages": [USER]}
    contents = {"id": "gem", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    yield "mixed formats", _jsonl(json.loads(A), chat, contents, json.loads(B)), ("a", "chat", "gem", "b")
    yield (
        "server events cut off",
        b'data: {"object": "chat.completion.chunk", "id": "x", "choices": [{"delta": {"con',
        (),
    )
    yield "a CSV row too long", b"id,speaker,text\n1,agent,hi,there\n1,customer,hello\n1,agent,bye\n", ("1",)
    yield "a CSV quote never closed", b'id,speaker,text\n1,agent,hi\n1,customer,"hello\n', ("1",)
    yield "a CSV header alone", b"id,speaker,text\n", ()


def _jsonl(*records: Json) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


def _packed() -> Iterator[Case]:
    both = ("a", "b")
    lines = f"{A}\n{B}\n".encode()
    packed = gzip.compress(lines)
    yield "gzip", packed, both
    yield "gzip cut off", packed[:30], ()
    yield "gzip with a wrong checksum", packed[:-8] + struct.pack("<II", 1, 1), both
    yield "gzip header alone", packed[:10], ()
    yield "gzip of nothing", gzip.compress(b""), ()
    yield "gzip of gzip", gzip.compress(packed), ()
    yield "zip", _zip({"calls.jsonl": lines}), both
    yield "zip of gzip", _zip({"calls.jsonl.gz": packed}), both
    yield "zip of nothing", _zip({}), ()
    yield "zip cut off", _zip({"calls.jsonl": lines})[:60], ()
    yield "zip with a way out", _zip({"../calls.jsonl": lines, "good.jsonl": lines}), both
    yield "zip with an absolute path", _zip({"/etc/calls.jsonl": lines, "good.jsonl": lines}), both
    yield "zip with a link", _zip({"good.jsonl": lines}, link="calls.jsonl"), both
    yield "zstd", b"\x28\xb5\x2f\xfd" + b"\0" * 20, ()


def _zip(members: dict[str, bytes], link: str = "") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in members.items():
            archive.writestr(name, raw)
        if link:
            entry = zipfile.ZipInfo(link)
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, "/etc/passwd")
    return file.getvalue()


def large() -> Iterator[Case]:
    """Those that need memory to make: kept apart, so that a test can weigh the reader by itself."""
    yield "a line of 200 MB", between('{"x": "' + "x" * (200 << 20) + '"}'), ("a", "b")
    yield "gzip bomb", gzip.compress(b"\0" * (70 << 20), 1), ()
    yield "gzip bomb of spaces", gzip.compress(A.encode() + b"\n" + b" " * (70 << 20), 1), ("a",)
    yield "zip bomb", _zip({"bomb.jsonl": b" " * (70 << 20), "good.jsonl": f"{A}\n{B}\n".encode()}), ("a", "b")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number, case in enumerate([*corpus(), *large()]):
        (folder / f"bad-{number:03}").write_bytes(case[1])
