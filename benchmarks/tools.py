"""Prints how often the mined tools answer as the real ones did, beside cassette replay and nearest neighbour.

python -m benchmarks.tools [--traces DIR] [--only TEXT]
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from agent_gym.corpus import Corpus
from agent_gym.fidelity.baselines import Cassette, Neighbour
from agent_gym.fidelity.tools import Asked, ToolFidelity, ask_all, summary
from agent_gym.stats import bootstrap
from agent_gym.text import canonical
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.recorded import Recorded, recorded_calls
from agent_gym.tool_mocker.sites import nodes
from agent_gym.types import Json, Trace
from benchmarks.sources import (
    Split,
    arguments,
    case_of,
    held_out,
    load,
    sample_split,
    traces_folder,
    weaker_half,
    weakest_run,
)

_FILES = (
    "retail_a retail_b retail_c retail_d retail_scripted_train retail_scripted_dev retail_scripted_test "
    "stateful_apis_scripted sgd_train sgd_dev star apibank"
).split()


def splits(folder: Path | None) -> Iterator[Callable[[], Split]]:
    """Every row of the table, loaded when its turn comes."""
    yield sample_split
    if folder is None:
        return
    yield lambda: weakest_run(folder, "retail_c")
    yield lambda: weakest_run(folder, "retail_a")
    yield lambda: weaker_half(folder, "retail_c")
    yield lambda: held_out(folder, ["retail_a"], lambda t: t.conversation_id, "conversations")
    yield lambda: held_out(folder, ["retail_a", "retail_b"], case_of, "cases")
    yield lambda: held_out(folder, ["stateful_apis_scripted"], lambda t: t.conversation_id, "conversations")
    yield lambda: Split("sgd_train → sgd_dev", load(folder, "sgd_train"), load(folder, "sgd_dev"), False, True)
    yield lambda: held_out(folder, ["star"], lambda t: t.conversation_id, "conversations")
    yield lambda: held_out(folder, ["apibank"], lambda t: t.conversation_id, "conversations")


def main() -> None:
    parser = arguments("How true are the tools?")
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    options = parser.parse_args()
    folder = traces_folder(options.traces)
    if folder is None:
        print("no folder of public traces: pass --traces DIR; measuring the sample business alone\n")
    self_replay(folder, options.only)
    for row in splits(folder):
        split = row()
        if options.only in split.name:
            measure(split)


def measure(split: Split) -> None:
    started = time.perf_counter()
    mocker = ToolMocker.fit(Corpus(split.train))
    fitted = time.perf_counter() - started
    known = set(mocker.world.tools)
    anchor = split.anchor()
    mined = ask_all(mocker, split.test, lambda trace: mocker.session(anchor(trace)))
    tape, near = Cassette.fit(split.train), Neighbour.fit(split.train)
    rows = {
        "mined world": mined,
        "nearest neighbour": ask_all(mocker, split.test, lambda _: near),
        "cassette replay": ask_all(mocker, split.test, lambda _: tape),
    }
    if split.known_tools_only:
        rows = {k: [[a for a in talk if a.recorded.name in known] for talk in v] for k, v in rows.items()}
    print(f"\n{split.name}: {len(split.train)} conversations → {len(split.test)}; fitted in {fitted:.1f} s")
    print(f"  {'':18} {'exact':>28} {'after a write':>24} {'field F1':>9} {'right type':>10} {'errors agree':>12}")
    for name, talks in rows.items():
        print(f"  {name:18} {line(summary(talks))}")
    low, high = gain(rows["mined world"], rows["cassette replay"])
    print(f"  gain over cassette replay: 95 % of resamples by conversation between {low:+.1%} and {high:+.1%}")
    by_leaves, by_rows = ceilings(split, rows["mined world"])
    print(f"  ceiling: {by_leaves:.1%} of the answers stand in the training conversations, {by_rows:.1%} row by row")
    found = summary(rows["mined world"])
    print("  by source: " + "; ".join(f"{name} {right}" for name, right in found.by_source.items()))
    print(f"  stated confidence is off by {found.confidence_error:.3f} on average")


def line(found: ToolFidelity) -> str:
    low, high = found.interval
    exact = f"{found.exact.value:.1%} [{low:.1%}, {high:.1%}]"
    after = f"{found.after_write.value:.1%} of {found.after_write.n}"
    return (
        f"{exact:>28} {after:>24} {found.field_f1:>9.1%} "
        f"{found.right_type.value:>10.1%} {found.error_agreement.value:>12.1%}"
    )


def gain(mined: list[list[Asked]], baseline: list[list[Asked]]) -> tuple[float, float]:
    """The paired difference in exact answers, resampled by conversation."""
    pairs = [
        [float(a.found.exact) - float(b.found.exact) for a, b in zip(left, right, strict=True)]
        for left, right in zip(mined, baseline, strict=True)
        if left
    ]
    return bootstrap(pairs)


def ceilings(split: Split, asked: list[list[Asked]]) -> tuple[float, float]:
    """The share of answers that are right, or could be known: by their leaves, and by their rows.

    By leaves: all of them stand somewhere in the training results. By rows: each object of the answer also
    stands there whole, set aside what it repeats from the arguments. That a price occurs somewhere says little.
    """
    calls = [call for trace in split.train for call in recorded_calls(trace)]
    seen = {leaf for call in calls for part in (call.result, dict(call.arguments)) for leaf in leaves(part)}
    known = {canonical(row): row for call in calls for row in objects(call)}
    indexed: dict[tuple[str, ...], set[bytes]] = {}
    rows = [row for talk in asked for row in talk]
    by_leaves = [row for row in rows if row.found.exact or _stands_in(seen, row)]
    by_rows = [row for row in by_leaves if row.found.exact or _is_made_of(known, indexed, row)]
    return len(by_leaves) / max(1, len(rows)), len(by_rows) / max(1, len(rows))


def _stands_in(seen: set[bytes], row: Asked) -> bool:
    given = set(leaves(dict(row.recorded.arguments)))
    return all(leaf in seen or leaf in given for leaf in leaves(row.recorded.result))


def _is_made_of(known: dict[bytes, dict[str, Json]], indexed: dict[tuple[str, ...], set[bytes]], row: Asked) -> bool:
    given = row.recorded.arguments
    for found in objects(row.recorded):
        rest = {name: value for name, value in found.items() if name not in given or given[name] != value}
        names = tuple(sorted(rest))
        if names not in indexed:
            alike = (one for one in known.values() if all(name in one for name in names))
            indexed[names] = {canonical({name: one[name] for name in names}) for one in alike}
        if names and canonical(rest) not in indexed[names]:
            return False
    return True


def objects(call: Recorded) -> Iterator[dict[str, Json]]:
    """The objects of an answer, each with its scalars alone."""
    for node in nodes(call.result):
        yield {name: value for name, value in node.fields.items() if not isinstance(value, dict | list)}


def leaves(value: object) -> Iterator[bytes]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield canonical(value)


def self_replay(folder: Path | None, only: str) -> None:
    """Every stored trace's own calls in a session anchored to it: equal to the record, or it is a defect."""
    sources: dict[str, list[Trace]] = {"sample business": sample_split(asked=0).train}
    if folder is not None:
        sources |= {name: load(folder, name) for name in _FILES if (folder / f"{name}.jsonl.gz").exists()}
    print("anchored self-replay")
    for name, traces in sources.items():
        if only and only not in name:
            continue
        rows = own_calls(traces)
        wrong = sum(not row.found.exact for row in rows)
        print(f"  {name:24} {len(rows) - wrong:6} of {len(rows):6} answers equal")


def own_calls(traces: list[Trace]) -> list[Asked]:
    mocker = ToolMocker.fit(Corpus(traces))
    talks = ask_all(mocker, traces, lambda trace: mocker.session(trace.conversation_id))
    return [row for talk in talks for row in talk]


if __name__ == "__main__":
    main()
