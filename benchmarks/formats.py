"""Real files of other formats in, a table by format out: how many import exactly as the expectation beside them says.

The files are found with `--samples DIR`, or in a folder `shared/samples` beside the checkout: one folder a format, and
beside every FILE a FILE.expect.json with the counts that a right import gives.
"""

import argparse
import traceback
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import orjson

from agent_gym.trace_parser import Reading, Reject, read_source
from agent_gym.types import Json, Trace

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "samples"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("--samples", type=Path, default=_BESIDE, help="folder of folders of files with .expect.json")
    parser.add_argument("--verbose", action="store_true", help="also the files that import exactly")
    options = parser.parse_args()
    rows: dict[str, list[bool]] = defaultdict(list)
    for expected in sorted(options.samples.glob("*/*.expect.json")):
        path = expected.with_name(expected.name.removesuffix(".expect.json"))
        wrong = _compared(path, orjson.loads(expected.read_bytes()))
        rows[path.parent.name].append(not wrong)
        if wrong or options.verbose:
            print(f"{path.parent.name}/{path.name}: {wrong or 'exact'}")
    print(f"\n{'format':28} {'files':>5} {'exact':>5}")
    for name, right in sorted(rows.items()):
        print(f"{name:28} {len(right):>5} {sum(right):>5}")
    every = [one for right in rows.values() for one in right]
    print(f"{'all':28} {len(every):>5} {sum(every):>5}  {sum(every) / max(1, len(every)):.1%}")


def _compared(path: Path, expected: dict[str, Json]) -> str:
    """What differs from the expectation; "" for nothing."""
    reading = Reading()
    try:
        items = list(read_source(path, reading=reading))
    except Exception:  # noqa: BLE001  # the benchmark counts crashes, whatever they are
        return "crashed: " + traceback.format_exc().strip().splitlines()[-1]
    traces = [item for item in items if isinstance(item, Trace)]
    rejects = [item for item in items if isinstance(item, Reject)]
    if reading.read != reading.accepted + reading.rejected or not (traces or rejects):
        return "records were lost"
    if len(traces) != expected["conversations"]:
        first = f"; {rejects[0].reason}" if rejects else ""
        return f"{len(traces)} conversations, expected {expected['conversations']}{first}"
    wrong = _counts_differ(_counts(traces), expected["totals"], expected)
    return "; ".join([*wrong, *_conversations_differ(traces, expected)])


def _conversations_differ(traces: Sequence[Trace], expected: dict[str, Json]) -> list[str]:
    """Every expected conversation has one of its own: under its id, or, where none has that, with the same counts."""
    wrong: list[str] = []
    left = list(traces)
    named = {trace.conversation_id for trace in traces}
    for want in expected["per_conversation"]:
        name = want.get("id")
        # A row without an id is expected under its number.
        candidates = [
            trace
            for trace in left
            if trace.conversation_id == name or (name not in named and (name is None or _id_was_made(trace)))
        ]
        differing = [_one_differs(trace, want, expected) for trace in candidates]
        if not differing:
            wrong.append(f"no conversation {name}")
        elif [] in differing:
            left.remove(candidates[differing.index([])])
        else:
            wrong += [f"{name}: {difference}" for difference in differing[0]]
    return wrong


def _one_differs(trace: Trace, want: dict[str, Json], expected: dict[str, Json]) -> list[str]:
    wrong = _counts_differ(_counts([trace]), want, expected)
    names = sorted({call.name for message in trace.messages for call in message.tool_calls})
    if names != sorted(want.get("tool_names", names)):
        wrong.append(f"tools {names}, expected {want['tool_names']}")
    return wrong


def _id_was_made(trace: Trace) -> bool:
    return "conversation_id_made" in trace.metadata.get("repairs", {})


def _counts(traces: Sequence[Trace]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for trace in traces:
        for message in trace.messages:
            counts[message.role] += 1
            counts["tool_calls"] += len(message.tool_calls)
    return counts


def _counts_differ(found: Counter[str], want: dict[str, Json], expected: dict[str, Json]) -> list[str]:
    wrong = [f"{found[key]} {key}, expected {want[key]}" for key in ("system", "user") if found[key] != want[key]]
    if wrong and "accept either" in orjson.dumps(expected).decode():
        wrong = []
    if not want["assistant_min"] <= found["assistant"] <= want["assistant_max"]:
        wrong.append(f"{found['assistant']} assistant, expected {want['assistant_min']}..{want['assistant_max']}")
    if found["tool_calls"] != want["tool_calls"]:
        wrong.append(f"{found['tool_calls']} calls, expected {want['tool_calls']}")
    if found["tool"] != want["tool_results"]:
        wrong.append(f"{found['tool']} results, expected {want['tool_results']}")
    return wrong


if __name__ == "__main__":
    main()
