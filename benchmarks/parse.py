"""Made-up logs in, how fast they are read beside bare `orjson.loads` of the same file, and the most memory it takes.

Each log is written once to a temporary folder. Both are timed in turn, five times; the rate is the best of them, the
ratio the median of the five. Reading counts everything from the file to settled traces. Memory is the peak of a process
of its own, which reads and forgets.
"""

import argparse
import gc
import multiprocessing
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

from agent_gym.sample import generate
from agent_gym.trace_parser import Reject, read_source
from agent_gym.types import Json, Message, Trace

_RUNS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("--megabytes", type=int, default=40, help="size of the logs whose speed is measured")
    parser.add_argument("--memory", type=int, default=1024, help="megabytes of the log whose memory is measured")
    options = parser.parse_args()
    traces = [conversation.trace for conversation in generate(0, 200)]
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'format':14} {'MB':>6} {'orjson MB/s':>12} {'read MB/s':>10} {'ratio':>7}")
        for name, lines in _WRITERS.items():
            path = Path(folder) / f"{name}.jsonl"
            _write(path, lines, traces, options.megabytes)
            _speed(name, path)
            path.unlink()
        path = Path(folder) / "large.jsonl"
        for name in ("trace_schema", "otel"):
            _write(path, _WRITERS[name], traces, options.memory)
            print(f"\n{name}: {path.stat().st_size >> 20:,} MB read with at most {_peak(path):,.0f} MB of memory")


def _write(path: Path, lines: Callable[[Trace, int], Iterator[Json]], traces: list[Trace], megabytes: int) -> None:
    written = number = 0
    with path.open("wb") as file:
        while written < megabytes << 20:
            for line in lines(traces[number % len(traces)], number):
                written += file.write(orjson.dumps(line) + b"\n")
            number += 1


def _speed(name: str, path: Path) -> None:
    megabytes = path.stat().st_size / 2**20
    pairs = [(_timed(_bare, path), _timed(_read, path)) for _ in range(_RUNS)]
    bare, read = (megabytes / min(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(read / bare for bare, read in pairs)
    print(f"{name:14} {megabytes:6.0f} {bare:12.0f} {read:10.1f} {f'1/{ratio:.1f}':>7}")


def _timed(run: Callable[[Path], None], path: Path) -> float:
    gc.collect()
    begun = time.process_time()
    run(path)
    return time.process_time() - begun


def _bare(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)


def _read(path: Path) -> None:
    for item in read_source(path):
        if isinstance(item, Reject):
            raise SystemExit(f"the log was not read: {item}")


def _peak(path: Path) -> float:
    """The most memory, in MB, of a process that reads the file."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_read_and_weigh, (path,))


def _read_and_weigh(path: Path) -> float:
    _read(path)
    status = Path("/proc/self/status")  # `ru_maxrss` would count the memory of the process that started this one
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _trace_schema(trace: Trace, number: int) -> Iterator[Json]:
    yield {**trace.to_dict(), "conversation_id": f"{trace.conversation_id}-{number}"}


def _openai_chat(trace: Trace, number: int) -> Iterator[Json]:
    yield {"id": f"{trace.conversation_id}-{number}", "messages": [_openai(message) for message in trace.messages]}


def _openai(message: Message) -> Json:
    if message.role == "tool":
        content = orjson.dumps(message.result).decode()
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()},
        }
        for call in message.tool_calls
    ]
    return {"role": message.role, "content": message.content, **({"tool_calls": calls} if calls else {})}


def _otel(trace: Trace, number: int) -> Iterator[Json]:
    """One span a model call, each with the whole history, as most instrumentations log it."""
    history: list[Json] = []
    for at, message in enumerate(trace.messages):
        parts = _parts(message)
        if message.role == "assistant":
            yield {
                "name": "chat",
                "context": {"trace_id": f"{trace.conversation_id}-{number}", "span_id": f"{number}-{at}"},
                "start_time": f"{number:012}.{at:06}",
                "attributes": {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.input.messages": orjson.dumps(history).decode(),
                    "gen_ai.output.messages": orjson.dumps([{"role": "assistant", "parts": parts}]).decode(),
                },
            }
        history.append({"role": message.role, "parts": parts})


def _parts(message: Message) -> list[Json]:
    if message.role == "tool":
        return [{"type": "tool_call_response", "id": message.tool_call_id, "response": message.result}]
    text = [{"type": "text", "content": message.content}] if message.content else []
    calls = [{"type": "tool_call", "id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
    return [*text, *calls]


_WRITERS: dict[str, Callable[[Trace, int], Iterator[Json]]] = {
    "trace_schema": _trace_schema,
    "openai_chat": _openai_chat,
    "otel": _otel,
}

if __name__ == "__main__":
    main()
