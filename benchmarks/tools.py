"""Prints how often the mined tools answer as the real ones did, beside cassette replay and nearest neighbour.

    python -m benchmarks.tools [--traces DIR] [--only TEXT]

Every rate is given over all calls, and apart for those before and after the session's first successful write. So are
two ceilings. The loose one counts an answer as knowable if each of its values stands anywhere in the training
conversations. The other, for sessions in a recorded case, asks that it stand in the call, in the case's own
conversation, or at that place in one of twenty recorded answers of the tool: a value that is computed or comes from
another case's log is not counted, a date that some other customer's record happens to hold is not either. An answer
that was right counts as knowable in both.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from agent_gym.corpus import Corpus
from agent_gym.fidelity.baselines import Cassette, Neighbour
from agent_gym.fidelity.tools import Asked, ask_all, summary
from agent_gym.stats import bootstrap
from agent_gym.text import canonical
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.recorded import recorded_calls
from agent_gym.types import Trace
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
_COMMON = 20  # a value at its place in one of so many answers of a tool is common

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
    for name, knowable in ceilings(split, rows["mined world"]).items():
        print(f"  {name:18} {rates(rows['mined world'], knowable)}")
    low, high = gain(rows["mined world"], rows["cassette replay"])
    print(f"  gain over cassette replay: 95 % of resamples by conversation between {low:+.1%} and {high:+.1%}")
    found = summary(rows["mined world"])
    print("  by source: " + "; ".join(f"{name} {right}" for name, right in found.by_source.items()))
    print(f"  stated confidence is off by {found.confidence_error:.3f} on average")


def line(talks: Talks) -> str:
    found = summary(talks)
    low, high = found.interval
    return (
        f"{rates(talks, lambda row: row.found.exact, f' [{low:.1%}, {high:.1%}]')} {found.field_f1:>9.1%} "
        f"{found.right_type.value:>10.1%} {found.error_agreement.value:>12.1%}"
    )


def rates(talks: Talks, counts: Callable[[Asked], bool], interval: str = "") -> str:
    """The share of the calls that count: of all, and of those before and after the session's first write."""
    rows = [row for talk in talks for row in talk]
    before, after = ([row for row in rows if row.after_write is wrote] for wrote in (False, True))
    shares = [f"{sum(map(counts, part)) / len(part):.1%}" if part else "-" for part in (rows, before, after)]
    parts = [f"{share} of {len(part)}" for share, part in zip(shares[1:], (before, after), strict=True)]
    return f"{shares[0] + interval:>22} {parts[0]:>16} {parts[1]:>15}"


def gain(mined: Talks, baseline: Talks) -> tuple[float, float]:
    """The paired difference in exact answers, resampled by conversation."""
    pairs = [
        [float(a.found.exact) - float(b.found.exact) for a, b in zip(left, right, strict=True)]
        for left, right in zip(mined, baseline, strict=True)
        if left
    ]
    return bootstrap(pairs)


def ceilings(split: Split, asked: Talks) -> dict[str, Callable[[Asked], bool]]:
    """What counts as knowable, by the name of the ceiling."""
    anywhere: set[bytes] = set()
    own: dict[str, set[bytes]] = {}
    common: Counter[tuple[str, str, bytes]] = Counter()
    answers: Counter[str] = Counter()
    for trace in split.train:
        for call in recorded_calls(trace):
            shown = set(placed(call.result))
            answers[call.name] += 1
            common.update((call.name, place, leaf) for place, leaf in shown)
            told = {leaf for _, leaf in shown} | set(leaves(call.arguments))
            anywhere |= told
            own.setdefault(trace.conversation_id, set()).update(told)
    found: dict[str, Callable[[Asked], bool]] = {"ceiling, anywhere": lambda row: _stands(row, anywhere)}
    if not split.anchored:
        return found
    anchor = split.anchor()
    case = {
        id(row): own.get(anchor(trace) or "", set())
        for trace, talk in zip(split.test, asked, strict=True)
        for row in talk
    }

    def usual(row: Asked, place: str, leaf: bytes) -> bool:
        name = row.recorded.name
        return _COMMON * common[name, place, leaf] >= answers[name] > 0

    found["ceiling, own case"] = lambda row: _stands(row, case[id(row)], usual)
    return found


def _stands(
    row: Asked, known: Collection[bytes], usual: Callable[[Asked, str, bytes], bool] = lambda *_: False
) -> bool:
    given = set(leaves(row.recorded.arguments))
    return row.found.exact or all(
        leaf in known or leaf in given or usual(row, place, leaf) for place, leaf in placed(row.recorded.result)
    )


def leaves(value: object) -> Iterator[bytes]:
    return (leaf for _, leaf in placed(value))


def placed(value: object, place: str = "") -> Iterator[tuple[str, bytes]]:
    """Every scalar with the place it stands at; elements of a list share one."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from placed(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from placed(inner, f"{place}[]")
    else:
        yield place, canonical(value)


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
