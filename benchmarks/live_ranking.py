"""Prints whether live episodes rank agents as their real conversations do.

    python -m benchmarks.live_ranking [--traces DIR] [--builds N] [--show N]

The recorded agents of retail_c say and call what they did, against customers and tools mined from one other agent's
run alone: one conversation a case. Beside it, the reward alone: the real conversations, held against the same goals.
What really happened stands in the truth file, and measures only.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_gym.environment import Environment, create_environment
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.environment.rollout import Rollout, play
from agent_gym.stats import auc, spearman
from agent_gym.types import Trace
from benchmarks.sources import arguments, by_run, load, rewards, traces_folder
from benchmarks.users import transcript

_LARGE_RUN = 8


class Played(NamedTuple):
    """One recorded agent in one case of a build: how it really ended, live, and by the reward of the real words."""

    run: str
    real: bool
    live: Rollout
    scored: bool

    @property
    def won(self) -> bool:
        return self.live.score is not None and self.live.score.success


def main() -> None:
    parser = arguments("Do live episodes rank agents right?")
    parser.add_argument("--builds", type=int, default=4, help="runs that are built from, the largest")
    parser.add_argument(
        "--show", type=int, default=0, help="print this many episodes that ended otherwise than in truth"
    )
    options = parser.parse_args()
    folder = traces_folder(options.traces)
    if folder is None:
        print("no folder of public traces: pass --traces DIR")
        return
    found = list(everybody(folder, "retail_c", options.builds))
    report(found)
    for one in [one for one in found if one.won != one.real][: options.show]:
        print(f"\n=== really {'a success' if one.real else 'no success'}, live {one.live.score!r}")
        print(transcript(one.live))
        print(one.live.score.explanation if one.live.score is not None else "")


def everybody(folder: Path, name: str, builds: int) -> Iterator[Played]:
    """Every large run in every build that is not its own."""
    truth = rewards(folder, name)
    runs = {run: traces for run, traces in sorted(by_run(load(folder, name)).items()) if len(traces) >= _LARGE_RUN}
    for built in sorted(runs, key=lambda run: (-len(runs[run]), run))[:builds]:
        environment = create_environment(runs[built], agent="embedded")
        cases = {s.case: s.conversation_id for s in environment.scenarios() if s.scorable}
        for run, traces in runs.items():
            if run != built:
                yield from in_build(environment, cases, run, traces, truth)


def in_build(
    environment: Environment, cases: dict[str, str], run: str, traces: Sequence[Trace], truth: dict[str, float]
) -> Iterator[Played]:
    for trace in traces:
        case = cases.get(environment.corpus.case(trace))
        if case is not None:
            live = play(environment.episode(case), ReplayAgent(trace))
            scored = environment.reward_fn.score(trace.messages, case).success
            yield Played(run, truth[trace.conversation_id] == 1.0, live, scored)


def report(found: Sequence[Played]) -> None:
    runs = sorted({one.run for one in found})
    rows = {run: [one for one in found if one.run == run] for run in runs}
    rates = {name: [share(rows[run], name) for run in runs] for name in ("real", "won", "scored")}
    print(f"{'run':50} {'played':>6} {'real':>6} {'live':>6} {'reward':>7}")
    for at, run in sorted(enumerate(runs), key=lambda pair: rates["real"][pair[0]]):
        print(
            f"{run[-50:]:50} {len(rows[run]):6} {rates['real'][at]:6.3f} {rates['won'][at]:6.3f} "
            f"{rates['scored'][at]:7.3f}"
        )
    for name, what in (("won", "live episodes"), ("scored", "the reward alone")):
        hits = [getattr(one, name) == one.real for one in found]
        print(
            f"{what:17}: Spearman over {len(runs)} runs {spearman(rates['real'], rates[name]):.3f}; "
            f"{len(found)} conversations: right {sum(hits) / len(hits):.3f}, "
            f"AUC {auc([one.real for one in found], [float(getattr(one, name)) for one in found]):.3f}"
        )
    pairs = Counter((one.real, one.won) for one in found)
    print(f"really a success, live none: {pairs[True, False]}; the other way round: {pairs[False, True]}")
    lost = Counter(one.live.ending for one in found if one.real and not one.won)
    print(f"endings of the former: {', '.join(f'{ending} {n}' for ending, n in lost.most_common())}")


def share(rows: Sequence[Played], name: str) -> float:
    return sum(bool(getattr(one, name)) for one in rows) / len(rows)


if __name__ == "__main__":
    main()
