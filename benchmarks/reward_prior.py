"""Fits what differences from a success mean, over many domains, and prints how well that carries over to others.

python -m benchmarks.reward_prior [--domains DIR] [--traces DIR] [--write]

One recorded conversation a case is the log; every other attempt at a case whose recorded one succeeded is a row: its
differences from that success, and its true success. A domain weighs as much as any other, however large it is. The
figures are of domains left out of the fit. `--write` keeps the fit to all of them as the prior that the reward uses.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent_gym.corpus import Corpus
from agent_gym.reward import RewardFunction
from agent_gym.reward.evidence import EXPLAINED_BY, differences
from agent_gym.stats import auc, calibration_error
from agent_gym.tool_mocker import ToolMocker
from benchmarks.attempts import FEWEST, one_of_each_case
from benchmarks.sources import arguments, domains_folder, load, rewards, traces_folder

_RETAIL = (("retail_a", "retail_b"), ("retail_c",))
_MOST = 700  # attempts of one file: more would not change the fit
_A_DOMAIN = 30.0  # rows that every domain counts as
_RIDGE = 0.1
_STEPS = 200

Matrix = NDArray[np.float64]


class Row(NamedTuple):
    domain: str
    found: Mapping[str, float]
    success: bool


def main() -> None:
    parser = arguments("What do differences from a success mean?")
    parser.add_argument("--domains", type=Path, help="a folder of domains")
    parser.add_argument("--write", action="store_true", help="keep the fit as the prior")
    options = parser.parse_args()
    files = sources(domains_folder(options.domains), traces_folder(options.traces))
    rows = [row for folder, names in files for row in rows_of(folder, names)]
    names = sorted(EXPLAINED_BY)
    table = np.array([[row.found[name] for name in names] for row in rows])
    truth = np.array([row.success for row in rows], float)
    domains = np.array([row.domain for row in rows])
    measured = []
    for domain in sorted(set(domains)):
        own = domains == domain
        intercept, *weights = solve(table[~own], truth[~own], domains[~own])
        stated = 1 / (1 + np.exp(table[own] @ np.array(weights) - intercept))
        if 0 < truth[own].sum() < own.sum():
            labels = [bool(one) for one in truth[own]]
            measured.append((auc(labels, stated.tolist()), calibration_error(labels, stated.tolist())))
            print(f"{domain:28} n {own.sum():4}  AUC {measured[-1][0]:.3f}  calibration error {measured[-1][1]:.3f}")
    print(f"mean of {len(measured)}, each left out of the fit: AUC {np.mean([a for a, _ in measured]):.3f}, ", end="")
    print(f"calibration error {np.mean([c for _, c in measured]):.3f}")
    intercept, *weights = solve(table, truth, domains)
    fitted = {
        "intercept": round(intercept, 3),
        "weights": {n: round(w, 3) for n, w in zip(names, weights, strict=True)},
    }
    print(json.dumps(fitted, indent=1))
    if options.write:
        place = Path(str(resources.files("agent_gym.reward").joinpath("prior.json")))
        place.write_text(json.dumps(fitted, indent=1) + "\n")


def sources(domains: Path | None, traces: Path | None) -> Iterator[tuple[Path, Sequence[str]]]:
    """Folder and files of each domain."""
    for path in sorted(domains.glob("*.writes.json")) if domains is not None else ():
        yield path.parent, (path.name.removesuffix(".writes.json"),)
    for files in _RETAIL if traces is not None else ():
        assert traces is not None
        yield traces, files


def rows_of(folder: Path, names: Sequence[str]) -> Iterator[Row]:
    truth = {trace: reward == 1 for name in names for trace, reward in rewards(folder, name).items()}
    log, others = one_of_each_case([trace for name in names for trace in load(folder, name)])
    if sum(map(len, others.values())) < FEWEST:
        return
    corpus = Corpus(log.values())
    reward = RewardFunction.fit(corpus, ToolMocker.fit(corpus))
    won = {case: trace.conversation_id for case, trace in log.items() if truth[trace.conversation_id]}
    judged = [(won[case], trace) for case, traces in others.items() if case in won for trace in traces]
    for reference, trace in judged[:_MOST]:
        found = differences(reward.beside(trace.messages, reference))
        yield Row("+".join(names), found, truth[trace.conversation_id])


def solve(table: Matrix, truth: Matrix, domains: NDArray[np.str_]) -> list[float]:
    """Intercept and what each difference takes from it, none below 0: projected gradient on the penalised logistic."""
    counts = Counter(domains.tolist())
    share = np.array([_A_DOMAIN / counts[domain] for domain in domains])
    columns = np.column_stack([np.ones(len(table)), -table])
    penalty = np.array([1e-6, *[_RIDGE] * table.shape[1]])
    guess = np.zeros(len(penalty))
    for _ in range(_STEPS):
        stated = 1 / (1 + np.exp(-np.clip(columns @ guess, -30, 30)))
        slope = columns.T @ (share * (stated - truth)) + penalty * guess
        free = (guess > 0) | (slope < 0) | (np.arange(len(guess)) == 0)
        bend = (columns[:, free].T * (share * stated * (1 - stated))) @ columns[:, free] + np.diag(penalty[free])
        step = np.zeros(len(guess))
        step[free] = np.linalg.solve(bend, slope[free])
        better = guess - 0.5 * step
        better[1:] = np.maximum(better[1:], 0.0)
        if np.abs(better - guess).max() < 1e-9:
            break
        guess = better
    return [float(one) for one in guess]


if __name__ == "__main__":
    main()
