"""`read_source`: folders, archives and wrappers, the options, and what it counts on the way."""

import json
import zipfile
from pathlib import Path

import pytest

from agent_gym.errors import OptionError, TraceError
from agent_gym.trace_parser import Reading, Reject, format_names, read_source, read_traces
from agent_gym.types import Json, Trace

TALK = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
DATA = Path(__file__).parents[2] / "data" / "raw"


def record(name: str, **fields: Json) -> str:
    return json.dumps({"conversation_id": name, "messages": TALK, **fields})


def ids(source: Path | list[Path], **options: Json) -> list[str]:
    return [item.conversation_id for item in read_source(source, **options) if isinstance(item, Trace)]


def test_a_folder_is_its_files_in_order_hidden_ones_left_out(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("b.jsonl", "sub/c.jsonl", "a.jsonl", ".hidden.jsonl"):
        (tmp_path / name).write_text(record(name))
    assert ids(tmp_path) == ["a.jsonl", "b.jsonl", "sub/c.jsonl"]


def test_a_glob_is_opened_and_a_file_is_read_once(tmp_path):
    for name in ("a.jsonl", "b.jsonl", "c.txt"):
        (tmp_path / name).write_text(record(name))
    assert ids([tmp_path / "*.jsonl", tmp_path / "a.jsonl"]) == ["a.jsonl", "b.jsonl"]


def test_the_members_of_an_archive_are_named_in_rejects(tmp_path):
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
        archive.writestr("a.jsonl", record("a"))
        archive.writestr("b.jsonl", record("b") + "\noops")
    items = list(read_source(tmp_path / "logs.zip"))
    assert [item.source for item in items if isinstance(item, Reject)] == [f"{tmp_path}/logs.zip!b.jsonl"]


def test_one_bad_file_among_good_ones_is_a_reject_but_a_missing_one_an_error(tmp_path):
    (tmp_path / "a").write_text(record("a"))
    (tmp_path / "b").write_bytes(b"\0" * 100)
    reading = Reading()
    assert [type(item) for item in read_source(tmp_path, reading=reading)] == [Trace, Reject]
    assert (reading.read, reading.accepted, reading.rejected) == (2, 1, 1)
    with pytest.raises(TraceError, match="no such file"):
        read_traces(tmp_path / "c")


def test_an_api_answer_is_opened_whatever_its_list_is_called(tmp_path):
    answer = {
        "object": "list",
        "has_more": False,
        "page": {"entries": [json.loads(record("a")), json.loads(record("b"))]},
    }
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    assert ids(tmp_path / "answer.json") == ["a", "b"]


def test_pointers_and_a_scale_find_what_a_log_keeps_elsewhere(tmp_path):
    (tmp_path / "log.jsonl").write_text(record("a", review={"stars": 4, "ended": "sold"}))
    options: dict[str, Json] = {"outcome": "/review/ended", "satisfaction": "/review/stars", "scale": (1, 5)}
    (trace,) = read_source(tmp_path / "log.jsonl", **options)
    assert isinstance(trace, Trace)
    assert (trace.outcome, trace.satisfaction_score) == ("sold", 0.75)
    assert trace.metadata["satisfaction"] == {"raw": 4, "scale": "1..5"}


def test_a_table_of_labels_is_joined_by_id(tmp_path):
    (tmp_path / "log.jsonl").write_text(record("a") + "\n" + record("b"))
    (tmp_path / "labels.csv").write_text("conversation_id,outcome,rating\na,resolved,2\nb,,5\n")
    traces = [t for t in read_source(tmp_path / "log.jsonl", labels=tmp_path / "labels.csv") if isinstance(t, Trace)]
    assert [(t.outcome, t.satisfaction_score) for t in traces] == [("resolved", 2.0), (None, 5.0)]


@pytest.mark.parametrize(
    "options", [{"outcome": "a.b"}, {"scale": (5, 1)}, {"format": "langfused"}, {"roles": {"DOCTOR": "boss"}}]
)
def test_an_option_that_is_none_is_an_option_error(tmp_path, options):
    (tmp_path / "log.jsonl").write_text(record("a"))
    with pytest.raises(OptionError):
        list(read_source(tmp_path / "log.jsonl", **options))


def test_roles_say_who_is_who_in_a_transcript(tmp_path):
    text = "GUIDE: Where to?\nWALKER: Up.\nGUIDE: This way.\nWALKER: Thanks. Is it far? Is it steep? Is it wet?\n"
    (tmp_path / "talk.txt").write_text(text)
    (trace,) = read_source(tmp_path / "talk.txt", roles={"guide": "user", "Walker": "assistant"})
    assert isinstance(trace, Trace)
    assert [m.role for m in trace.messages] == ["user", "assistant", "user", "assistant"]


def test_a_guess_at_who_is_who_is_a_warning(tmp_path):
    (tmp_path / "talk.txt").write_text("GUIDE: Where to?\nWALKER: Up.\nGUIDE: Why?\nWALKER: Fun.\n")
    reading = Reading()
    list(read_source(tmp_path / "talk.txt", reading=reading))
    notice = next(iter(reading.warnings.values()))
    assert "GUIDE=assistant,WALKER=user" in notice.example


def test_spans_without_content_are_refused_in_those_words(tmp_path):
    span = {
        "name": "chat",
        "context": {"trace_id": "t", "span_id": "s"},
        "attributes": {"gen_ai.operation.name": "chat"},
    }
    (tmp_path / "spans.jsonl").write_text(json.dumps(span))
    (reject,) = read_source(tmp_path / "spans.jsonl")
    assert isinstance(reject, Reject)
    assert "This export holds no message content" in reject.reason


def test_records_of_one_conversation_may_lie_in_two_files(tmp_path):
    asked = {"custom_id": "q", "method": "POST", "body": {"messages": TALK[:1]}}
    told = {"custom_id": "q", "response": {"body": {"choices": [{"message": TALK[1]}]}}}
    (tmp_path / "in.jsonl").write_text(json.dumps(asked))
    (tmp_path / "out.jsonl").write_text(json.dumps(told))
    (trace,) = read_source(tmp_path)
    assert isinstance(trace, Trace)
    assert [m.role for m in trace.messages] == ["user", "assistant"]


def test_a_log_larger_than_its_share_of_memory_waits_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("agent_gym.trace_parser.pool._IN_MEMORY", 1)
    lines = [{"session_id": f"s{n % 3}", "role": "user" if n < 3 else "assistant", "content": f"{n}"} for n in range(6)]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, lines)))
    traces = [item for item in read_source(tmp_path / "log.jsonl") if isinstance(item, Trace)]
    assert [[m.content for m in trace.messages] for trace in traces] == [["0", "3"], ["1", "4"], ["2", "5"]]


@pytest.mark.parametrize(
    ("name", "calls"), [("openai_chat.jsonl", 530), ("anthropic_messages.jsonl", 503), ("helpdesk.csv", 0)]
)
def test_our_own_raw_logs_are_read_whole(name, calls):
    reading = Reading()
    traces = [item for item in read_source(DATA / name, reading=reading) if isinstance(item, Trace)]
    assert (len(traces), reading.rejected) == (120, 0)
    assert sum(len(m.tool_calls) for trace in traces for m in trace.messages) == calls


def test_a_clean_chat_record_reads_as_the_dialects_read_it(tmp_path):
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
    talk: list[Json] = [TALK[0], {"role": "assistant", "content": None, "tool_calls": [call]}]
    talk += [{"role": "tool", "tool_call_id": "1", "content": "x"}, TALK[1]]
    (tmp_path / "clean.jsonl").write_text(json.dumps({"id": "a", "messages": talk}))
    (tmp_path / "odd.jsonl").write_text(
        json.dumps({"id": "a", "messages": [*talk, {"role": "developer", "content": "x"}]})
    )
    clean, odd = (read_traces(tmp_path / name)[0] for name in ("clean.jsonl", "odd.jsonl"))
    assert clean.messages == odd.messages[:-1]


def test_one_conversation_that_says_nothing_does_not_hide_the_others_of_its_record(tmp_path):
    talks = {f"M{n}": {"goal": {}, "log": [{"text": text}]} for n, text in enumerate(["hi", "", "hello"])}
    (tmp_path / "woz.json").write_text(json.dumps(talks))
    reading = Reading()
    assert [type(item) for item in read_source(tmp_path / "woz.json", reading=reading)] == [Trace, Trace, Reject]
    assert (reading.read, reading.accepted, reading.conversations) == (1, 1, 2)


def test_every_name_of_a_format_can_be_asked_for():
    assert len(format_names()) == len(set(format_names())) > 50
