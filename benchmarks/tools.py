"""Prints how often the mined tools answer as the real ones did, beside cassette replay and nearest neighbour.

    python -m benchmarks.tools [--traces DIR] [--only TEXT]

The rate of exact answers is given over all calls, and apart for those before and after the session's first successful
write. So are the ceilings, in that order: what `ceiling`, `row_ceiling` and, for sessions in a recorded case,
`case_ceiling` count as knowable. An answer that was right counts as knowable in all of them.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from agent_gym.corpus import Corpus
from agent_gym.fidelity.baselines import Cassette, Neighbour
from agent_gym.fidelity.tools import Asked, ask_all, summary
from agent_gym.stats import bootstrap
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Trace
from benchmarks.case_ceiling import case_ceiling
from benchmarks.ceiling import Ceiling
from benchmarks.row_ceiling import row_ceiling
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

Talks = list[list[Asked]]  # by conversation


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
    print(
        f"  {'':18} {'exact':>22} {'before a write':>16} {'after a write':>15} {'field F1':>9} {'right type':>10} "
        f"{'errors agree':>12}"
    )
    for name, talks in rows.items():
        print(f"  {name:18} {line(talks)}")
    low, high = gain(rows["mined world"], rows["cassette replay"])
    print(f"  gain over cassette replay: 95 % of resamples by conversation between {low:+.1%} and {high:+.1%}")
    print(f"  ceilings: {ceilings(split, rows['mined world'])}")
    found = summary(rows["mined world"])
    print("  by source: " + "; ".join(f"{name} {right}" for name, right in found.by_source.items()))
    print(f"  stated confidence is off by {found.confidence_error:.3f} on average")


def line(talks: Talks) -> str:
    found = summary(talks)
    low, high = found.exact.low, found.exact.high
    return (
        f"{rates(talks, f' [{low:.1%}, {high:.1%}]')} {found.field_f1:>9.1%} "
        f"{found.right_type.value:>10.1%} {found.error_agreement.value:>12.1%}"
    )


def rates(talks: Talks, interval: str) -> str:
    exact, before, after = shares(talks, lambda row: row.found.exact)
    wrote = sum(row.after_write for talk in talks for row in talk)
    asked = sum(map(len, talks))
    return f"{exact + interval:>22} {f'{before} of {asked - wrote}':>16} {f'{after} of {wrote}':>15}"


def shares(talks: Talks, counts: Callable[[Asked], bool]) -> tuple[str, str, str]:
    """The share of the calls that count: of all, and of those before and after the session's first write."""
    rows = [(row.after_write, counts(row)) for talk in talks for row in talk]
    before, after = ([counted for wrote, counted in rows if wrote is later] for later in (False, True))
    return share([counted for _, counted in rows]), share(before), share(after)


def share(counted: list[bool]) -> str:
    return f"{sum(counted) / len(counted):.1%}" if counted else "–"


def gain(mined: Talks, baseline: Talks) -> tuple[float, float]:
    """The paired difference in exact answers, resampled by conversation."""
    pairs = [
        [float(a.found.exact) - float(b.found.exact) for a, b in zip(left, right, strict=True)]
        for left, right in zip(mined, baseline, strict=True)
        if left
    ]
    return bootstrap(pairs)


def ceilings(split: Split, talks: Talks) -> str:
    """How many answers could be known: of all, and of those before and after the first write."""
    record = Ceiling.of(split.train)
    bounds: dict[str, Callable[[Asked], bool]] = {
        "each text recorded": lambda row: record.beyond(row) is None,
        "each object recorded whole": row_ceiling(split.train),
    }
    if split.anchored:
        anchor = split.anchor()
        cases = [(anchor(trace), talk) for trace, talk in zip(split.test, talks, strict=True)]
        bounds["the case's own log alone"] = case_ceiling(split.train, cases)
    listed = (f"{name} {' / '.join(shares(talks, counts))}" for name, counts in bounds.items())
    return "; ".join(listed) + f"; beyond the record: {record.reasons(row for talk in talks for row in talk)}"


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
