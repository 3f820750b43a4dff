"""Files that need a library: Parquet and zstd, read, written, and loaded by the library others use."""

import json

import datasets
import pyarrow
import pyarrow.parquet
import pytest
import zstandard

from agent_gym.adapters.datasets import Wanted, export
from agent_gym.environment import create_environment
from agent_gym.trace_parser import Reading, read_source
from agent_gym.types import Trace
from tests.environment import clinic

pytestmark = pytest.mark.filterwarnings("default")


def read(path) -> list[Trace]:
    reading = Reading()
    found = list(read_source([path], reading=reading))
    assert reading.rejected == 0, found
    return found


def plain(trace: Trace) -> list[tuple[str, str, list[str]]]:
    return [(m.role, m.text, [call.name for call in m.tool_calls]) for m in trace.messages]


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(trace) + "\n" for trace in clinic.traces()), "utf-8")
    return path


def test_a_zstd_file_reads_as_what_is_in_it(written, tmp_path):
    packed = tmp_path / "log.jsonl.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(written.read_bytes()))
    assert read(packed) == read(written)


def test_a_parquet_file_of_conversations_reads_whole(written, tmp_path):
    rows = [
        {"conversation_id": trace["conversation_id"], "outcome": trace["outcome"], "messages": trace["messages"]}
        for trace in clinic.traces()
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "log.parquet")
    found = read(tmp_path / "log.parquet")
    assert [plain(trace) for trace in found] == [plain(trace) for trace in read(written)]
    # Arrow gives every call the arguments of all others: what nobody gave must not come back as null.
    calls = [call for trace in found for message in trace.messages for call in message.tool_calls]
    assert calls and all(list(call.arguments) == ["visit_id"] for call in calls)


def test_a_parquet_table_of_speakers_reads_as_conversations(tmp_path):
    rows = [
        {"conversation_id": "a", "speaker": "customer", "text": "Hello, my visit?"},
        {"conversation_id": "a", "speaker": "agent", "text": "It is cancelled."},
        {"conversation_id": "b", "speaker": "customer", "text": "Anybody there?"},
        {"conversation_id": "b", "speaker": "agent", "text": "Yes."},
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "log.parquet")
    found = read(tmp_path / "log.parquet")
    assert [[m.role for m in trace.messages] for trace in found] == [["user", "assistant"]] * 2


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_an_exported_dataset_loads_where_others_load_theirs(tmp_path, form):
    environment = create_environment(clinic.traces(), agent="embedded", test_fraction=0.3)
    told = export(environment, "sft", tmp_path / "sft", wanted=Wanted(), form=form)
    files = {split: str(tmp_path / "sft" / f"{split}.{form}") for split in told.rows}
    loaded = datasets.load_dataset("json" if form == "jsonl" else "parquet", data_files=files, cache_dir=tmp_path / "c")
    assert {split: len(rows) for split, rows in loaded.items()} == told.rows
    row = loaded["train"][0]
    messages = row["messages"] if form == "jsonl" else json.loads(row["messages"])
    assert messages[0]["role"] in ("user", "system")
