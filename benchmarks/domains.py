"""Prints how true a mined world is in many domains: a row a domain, and the mean over domains.

    python -m benchmarks.domains [--domains DIR] [--only TEXT]

The setting is that of training: see `attempts`. `cassette` gives the commonest recorded answer of the very same call.
An answer is `knowable` if it was right, or if each value of it stands in the log or in a call of the attempt so far.
Means are over domains, so that a large one does not outvote the rest; their intervals draw cases anew within each
domain. What counts as a contradiction is said in `coherence`.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.attempts import FEWEST, Domain, measure
from benchmarks.coherence import contradictions
from benchmarks.sources import domains_folder
from benchmarks.speed import microseconds

_KNOWN = "recorded state function rule effect query not_found".split()  # labels that say: this is known
_INVENTED = "neighbour"
_TRUE, _ENOUGH = 0.97, 20  # how often a label must be right, and from how many answers on that is asked
_GAP = 2.0  # points between cassette and knowable: where it is smaller, the closed share of it is noise
_DRAWS = 1000

Numbers = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description="How true is a mined world in many domains?")
    parser.add_argument("--domains", type=Path, default=None, help="folder of NAME.jsonl.gz and NAME.writes.json")
    parser.add_argument("--only", default="", help="domains whose name holds this text")
    options = parser.parse_args()
    folder = domains_folder(options.domains)
    if folder is None:
        parser.error("no folder of domains: pass --domains DIR")
    names = (path.name.removesuffix(".writes.json") for path in sorted(folder.glob("*.writes.json")))
    found = [domain for name in names if options.only in name and (domain := measure(folder, name)) is not None]
    if not found:
        parser.error(f"no domain of {folder} with {options.only!r} in its name has {FEWEST} attempts to play")
    for lines in (rates(found), labels(found), coherence(found), speed(found)):
        print("\n".join(lines), end="\n\n")


def rates(domains: Sequence[Domain]) -> Iterator[str]:
    """The table, then the means over domains with their intervals."""
    columns = " calls cassette  exact knowable"
    yield f"{'':26} {columns} | {columns} of reads after a write"
    counts = [_counts(domain) for domain in domains]
    for domain, each in zip(domains, counts, strict=True):
        total = each.sum(axis=0)
        shown = ["–" if np.isnan(share) else f"{share:.1f}" for share in figures(total)]
        shares = [f"{cassette:>8} {exact:>6} {knowable:>8}" for exact, cassette, knowable in (shown[:3], shown[3:6])]
        yield f"{domain.name:26} {total[0]:6.0f} {shares[0]} | {total[4]:6.0f} {shares[1]}"
    rng = np.random.default_rng(0)
    drawn = [each[rng.integers(0, len(each), (_DRAWS, len(each)))].sum(axis=1) for each in counts]
    means = _mean([figures(each.sum(axis=0)) for each in counts])
    told = list(map(_interval, means, _mean([figures(each) for each in drawn]).T))
    yield f"mean of {len(domains)} domains, in brackets 95 % of resamples by case:"
    yield f"  exact {told[0]} (cassette {told[1]}, knowable {told[2]})"
    yield f"  reads after a write {told[3]} (cassette {told[4]}, knowable {told[5]})"
    yield f"  share of the knowable gap closed, in %: {told[6]}, of domains with a gap of {_GAP:.0f} points at least"


def _counts(domain: Domain) -> Numbers:
    """By case: calls; exact, cassette and knowable ones; and the same of reads after a write."""
    found = np.zeros((len(domain.cases), 8))
    for at, talks in enumerate(domain.cases.values()):
        for row in (row for talk in talks for row in talk):
            one = np.array([1, row.exact, row.cassette, row.knowable], float)
            found[at] += np.concatenate([one, one * row.read_after_write])
    return found


def figures(counts: Numbers) -> Numbers:
    """In points: exact, cassette, knowable, the same of reads after a write, the gap closed. NaN: nothing to count."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = 100 * counts[..., (1, 2, 3, 5, 6, 7)] / counts[..., (0, 0, 0, 4, 4, 4)]
        gap = shares[..., 2] - shares[..., 1]
        closed = np.where(gap >= _GAP, 100 * (shares[..., 0] - shares[..., 1]) / gap, np.nan)
    return np.concatenate([shares, closed[..., None]], axis=-1)


def _mean(domains: Sequence[Numbers]) -> Numbers:
    """Over the domains that have the figure."""
    found: Numbers = np.ma.masked_invalid(np.stack(domains)).mean(axis=0).filled(np.nan)
    return found


def _interval(mean: float, drawn: Numbers) -> str:
    low, high = np.percentile(drawn[~np.isnan(drawn)], (2.5, 97.5)) if not np.isnan(mean) else (mean, mean)
    return f"{mean:.1f} [{low:.1f}, {high:.1f}]"


def labels(domains: Sequence[Domain]) -> Iterator[str]:
    """How often the answers of each label were right, and which labels say they know and do not."""
    names, untrue = (*_KNOWN, _INVENTED), []
    yield f"{'right of answers labelled':26} " + " ".join(f"{label:>9}" for label in names)
    for domain in domains:
        right = {label: [row.exact for row in domain.rows if row.source == label] for label in names}
        yield f"{domain.name:26} " + " ".join(f"{f'{sum(r)}/{len(r)}' if r else '–':>9}" for r in right.values())
        untrue += [
            f"{domain.name} {label} {sum(r)}/{len(r)} = {sum(r) / len(r):.1%}"
            for label, r in right.items()
            if label in _KNOWN and len(r) >= _ENOUGH and sum(r) < _TRUE * len(r)
        ]
    yield f"below {_TRUE:.0%} with {_ENOUGH} answers or more: {'; '.join(untrue) or 'none'}"


def coherence(domains: Sequence[Domain]) -> Iterator[str]:
    """How often an invented answer contradicts its session, and how often the real one in its place does."""
    invented = sum(row.source == _INVENTED for domain in domains for row in domain.rows)
    for whose, really in (("invented answers", False), ("real answers in their place", True)):
        judged = {domain.name: _judged(domain, really=really) for domain in domains}
        wrong = {name: sum(found) for name, found in judged.items() if any(found)}
        yield (
            f"contradictions per 100 {whose}: {100 * sum(wrong.values()) / max(invented, 1):.2f} "
            f"({sum(wrong.values())} of {invented:,}; {sum(map(len, judged.values())):,} show a record told before)"
            + "".join(f"; {name} {n}" for name, n in wrong.items())
        )


def _judged(domain: Domain, *, really: bool) -> list[bool]:
    """Whether it contradicts, for each invented answer, or the real one in its place, that shows a record again."""
    found = []
    for talk in (talk for talks in domain.cases.values() for talk in talks):
        judged = zip(talk, contradictions([row.real if really else row.mined for row in talk]), strict=True)
        found += [one for row, one in judged if row.source == _INVENTED and one is not None]
    return found


def speed(domains: Sequence[Domain]) -> Iterator[str]:
    calls = sum(domain.log_calls for domain in domains)
    mining = sum(domain.mining_seconds for domain in domains)
    yield f"an answer takes {microseconds([row.seconds for domain in domains for row in domain.rows])}"
    yield f"mining takes {1e3 * mining / calls:.2f} ms of processor time a call ({calls:,} calls in {mining:.1f} s)"


if __name__ == "__main__":
    main()
