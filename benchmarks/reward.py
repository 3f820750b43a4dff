"""Prints how far the reward agrees with what really happened, beside similarity and plain equality of write sets.

python -m benchmarks.reward [--traces DIR] [--only TEXT]

Truth files say what really happened; they choose what is asked and measure it, no more. The regimes, the signs and
their constants were developed on retail_a, retail_b and STAR. How a success's facts and look-ups are weighed was chosen
after reading mistakes on retail_c and on day 0 of the sample business, too: those rows are not untouched.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from agent_gym.corpus import Corpus, succeeded
from agent_gym.errors import UnscorableError
from agent_gym.fidelity.reward import within_case
from agent_gym.goals import call_key, leaves
from agent_gym.reward import RewardFunction
from agent_gym.reward.folds import folds_of
from agent_gym.reward.turns import failed
from agent_gym.sample import SKILLS, generate, play
from agent_gym.stats import auc, bootstrap, brier, calibration_error, spearman
from agent_gym.text import values_in
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Score, Trace, paired_calls
from benchmarks.sources import arguments, case_of, load, rewards, traces_folder

_RETAIL = (("retail_a", "retail_b"), ("retail_c",))
_LARGE_RUN = 8
_DAYS = (0, 1, 6, 7)  # seeds of the sample business


class Judged(NamedTuple):
    """A conversation the build has not seen, its scores by every method, and what really happened.

    `build` numbers the build that judged it: the scores of two fits are on two scales.
    """

    build: int
    trace: Trace
    truth: bool
    score: Score
    similarity: float
    equal_writes: float

    @property
    def chance(self) -> float:
        return self.score.parts["chance"].raw or 0.0


def main() -> None:
    parser = arguments("How true is the reward?")
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    options = parser.parse_args()
    folder = traces_folder(options.traces)
    for name, row in rows(folder):
        if options.only in name:
            print(f"\n{name}")
            row()
    if folder is None:
        print("\nno folder of public traces: pass --traces DIR for the other rows")


def rows(folder: Path | None) -> Iterator[tuple[str, Callable[[], None]]]:
    """Every row of the table, worked out when its turn comes. The audit and the speed have benchmarks of their own."""
    if folder is not None:
        for names in _RETAIL:
            what = "+".join(names)
            yield f"ceiling, {what}: same writes and facts, other reward", partial(ceiling, folder, names)
        for names in _RETAIL:
            yield f"one success of the case in the build, {'+'.join(names)}", partial(own_case, folder, names)
        for names in _RETAIL:
            yield f"no conversation of the case in the build, {'+'.join(names)}", partial(other_case, folder, names)
        yield "STAR: the user's own verdict, no conversation of the case in the build", partial(star, folder)
    yield "sample business: agents that leave the recorded path", sample


def ceiling(folder: Path, names: Iterable[str]) -> None:
    """How well a judge could do who knows no more than what was written and told: the best guess for each such deed."""
    traces, truth = _retail(folder, names)
    tools = ToolMocker.fit(Corpus(traces)).write_tools
    held: dict[tuple[object, ...], list[bool]] = defaultdict(list)
    for trace in traces:
        told = {v.norm for m in trace.messages if m.role == "assistant" for v in values_in(m.text)}
        shown = {leaf.lower() for _, a in trace.calls() if a is not None for leaf in leaves(a.result)}
        held[case_of(trace), _writes(trace, tools), frozenset(told & shown)].append(truth[trace.conversation_id])
    again = {key: ends for key, ends in held.items() if len(ends) > 1}
    mixed = sum(len(set(ends)) > 1 for ends in again.values())
    written: dict[tuple[object, ...], list[bool]] = defaultdict(list)
    for (case, writes, _), ends in held.items():
        written[case, writes].extend(ends)
    labels = [end for ends in written.values() for end in ends]
    guess = [sum(ends) / len(ends) for ends in written.values() for _ in ends]
    print(f"  {len(again)} sets of conversations agree in writes and facts told; {mixed} of them hold both rewards")
    print(
        f"  {sum(len(set(e)) > 1 for e in written.values())} of {len(written)} sets with equal writes hold both rewards"
    )
    print(f"  best guess by case and writes: AUC {auc(labels, guess):.3f}")


def own_case(folder: Path, files: Iterable[str]) -> None:
    """Half of the cases fit, half are judged: of those, the build holds one success each."""
    traces, truth = _retail(folder, files)
    judged: list[Judged] = []
    for number, (learned, asked) in enumerate(_split(traces, truth, 2)):
        first: dict[str, Trace] = {}
        for trace in asked:
            if truth[trace.conversation_id]:
                first.setdefault(case_of(trace), trace)
        build = Corpus([*learned, *first.values()])
        kept = {trace.conversation_id for trace in first.values()}
        rest = [trace for trace in asked if case_of(trace) in first and trace.conversation_id not in kept]
        names = {case: trace.conversation_id for case, trace in first.items()}
        judged += judge(number, build, rest, truth, names)
    table(judged)
    by_run(judged)


def other_case(folder: Path, names: Iterable[str]) -> None:
    """A fifth of the cases at a time is held against a build of the others."""
    traces, truth = _retail(folder, names)
    fifths = enumerate(_split(traces, truth, 5))
    judged = [one for number, (learned, asked) in fifths for one in judge(number, Corpus(learned), asked, truth)]
    table(judged)
    taken = sum("reference_of_another_case" not in one.score.flags for one in judged)
    print(f"  {taken} of {len(judged)} were taken for a case of the build: their customer has others there")
    labels, builds = [one.truth for one in judged], [one.build for one in judged]
    for what, of in (("case", case_of), ("agent", lambda trace: str(trace.metadata["run"]))):
        rates = _rates([of(one.trace) for one in judged], labels)
        known = _auc_by_build(list(zip(builds, labels, rates, strict=True)))
        print(f"  who knew nothing but how often each {what} succeeds: AUC {known:.3f}")


def _rates(names: Sequence[str], labels: Sequence[bool]) -> list[float]:
    """How often the conversations of each one's name succeed."""
    held: dict[str, list[bool]] = defaultdict(list)
    for name, label in zip(names, labels, strict=True):
        held[name].append(label)
    return [sum(held[name]) / len(held[name]) for name in names]


def star(folder: Path) -> None:
    """People on both sides. Some say in the end whether they got what they came for; others gave up before.

    Who gave up is easy to tell and has no part in the AUC. The chance is one among all conversations that say how
    they ended, as those of the build do, and its calibration is measured on all of them.
    """
    traces = load(folder, "star")
    ended = [trace for trace in traces if succeeded(trace) is not None]
    truth = {trace.conversation_id: bool(succeeded(trace)) for trace in ended}
    judged: list[Judged] = []
    for number, (_, held) in enumerate(_split(ended, truth, 2)):
        hidden = {trace.conversation_id for trace in held}
        judged += judge(number, Corpus([t for t in traces if t.conversation_id not in hidden]), held, truth)
    table([one for one in judged if one.trace.outcome in ("resolved", "unresolved")], baselines=False)
    print(f"  {len(ended) - len(judged)} of {len(ended)} are like no success of the build, and not scored")
    labels = [one.truth for one in judged]
    error = calibration_error(labels, [float(one.score) for one in judged])
    print(f"  all {len(judged)} that say how they ended: calibration error of the score {error:.3f}", end=", ")
    print(f"of the chance {calibration_error(labels, [one.chance for one in judged]):.3f}")


def sample() -> None:
    """Truth is the backend's. The build is one day's log; agents of other skills then act in its cases."""
    shares = [_day(seed) for seed in _DAYS]
    print(f"  satisfaction, mean of the days: {sum(shares) / len(shares):.0%} of the ceiling")


def _day(seed: int) -> float:
    """Print a day of the sample business; how near predicted satisfaction comes to its ceiling."""
    log = generate(seed, 640)
    build = Corpus([one.trace for one in log])
    function = RewardFunction.fit(build, ToolMocker.fit(build))
    played, scores = [], []
    for one in log[:320]:
        for skill in SKILLS:
            other = play(one.case, skill, seed=1)
            if skill != one.skill and succeeded(one.trace):
                played.append(other)
                scores.append(function.score(other.trace.messages, one.trace.conversation_id))
    labels = [one.success for one in played]
    chances = [score.parts["chance"].raw or 0.0 for score in scores]
    groups = _places([one.case.conversation_id for one in played])
    interval = _interval(labels, list(map(float, scores)), groups, [0] * len(labels))
    agrees = sum(score.success == label for score, label in zip(scores, labels, strict=True)) / len(labels)
    print(f"  day {seed}: AUC {interval} over {len(played)} conversations; `success` agrees in {agrees:.1%}", end="; ")
    print(f"calibration error of the chance {calibration_error(labels, chances):.3f}")
    pairs = [(p, s) for p, s in zip(played, scores, strict=True) if p.trace.satisfaction_score is not None]
    ratings = [p.trace.satisfaction_score or 0.0 for p, _ in pairs]
    predicted = [s.parts["satisfaction"].raw or 0.0 for _, s in pairs]
    reached, most = spearman(predicted, ratings), spearman([p.contentment for p, _ in pairs], ratings)
    print(f"    satisfaction: rank correlation {reached:.3f} with {len(pairs)} ratings", end="; ")
    print(f"the ratings' own noise allows {most:.3f}: {reached / most:.0%} of the ceiling", end="; ")
    alone = spearman([float(p.success) for p, _ in pairs], ratings)
    toneless = spearman([p.contentment - SKILLS[p.skill].tone for p, _ in pairs], ratings)
    print(f"by the true outcome alone {alone / most:.0%}, by all but the agent's tone {toneless / most:.0%}")
    return reached / most


def judge(
    number: int,
    build: Corpus,
    asked: Iterable[Trace],
    truth: Mapping[str, bool],
    references: Mapping[str, str] = MappingProxyType({}),
) -> list[Judged]:
    """`references`: case → the conversation of the build to hold against; without one, the nearest successes."""
    mocker = ToolMocker.fit(build)
    function = RewardFunction.fit(build, mocker)
    judged = []
    for trace in asked:
        named = references.get(case_of(trace))
        try:
            score = function.score(trace.messages, named)
        except UnscorableError:
            continue
        equal = math.nan
        if named is not None:
            equal = float(_writes(trace, mocker.write_tools) == _writes(build[named], mocker.write_tools))
        alike = score.parts["similarity"].raw or 0.0
        judged.append(Judged(number, trace, truth[trace.conversation_id], score, alike, equal))
    return judged


def table(judged: Sequence[Judged], *, baselines: bool = True) -> None:
    labels = [one.truth for one in judged]
    cases, groups = [case_of(one.trace) for one in judged], _places([case_of(one.trace) for one in judged])
    methods = {"score": [float(one.score) for one in judged], "chance": [one.chance for one in judged]}
    if baselines:
        methods["similarity"] = [one.similarity for one in judged]
        if not any(math.isnan(one.equal_writes) for one in judged):
            methods["equal writes"] = [one.equal_writes for one in judged]
    builds = [one.build for one in judged]
    print(f"  {len(judged)} conversations, {sum(labels)} of them successes, {len(groups)} cases")
    print("  AUC over the pairs that one build judged; over all pairs; within a case")
    for name, scores in methods.items():
        within, pairs = within_case(cases, labels, scores)
        print(f"  {name:14} AUC {_interval(labels, scores, groups, builds)}; {auc(labels, scores):.3f}", end="; ")
        print(f"{within:.3f} of {pairs} pairs")
    for name in ("score", "chance"):
        print(f"  {name:14} calibration error {calibration_error(labels, methods[name]):.3f}", end=", ")
        print(f"Brier {brier(labels, methods[name]):.3f}")


def by_run(judged: Sequence[Judged]) -> None:
    """Agents ranked as they really did."""
    runs: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        runs[one.trace.metadata["run"]].append(one)
    large = [run for run in runs.values() if len(run) >= _LARGE_RUN]
    real = [sum(one.truth for one in run) / len(run) for run in large]
    mean = [sum(one.score for one in run) / len(run) for run in large]
    equal = [sum(one.equal_writes for one in run) / len(run) for run in large]
    print(f"  {len(large)} runs of {_LARGE_RUN} conversations or more, ranked by mean score: ", end="")
    print(f"Spearman {spearman(mean, real):.3f}; by equal writes {spearman(equal, real):.3f}")


def _retail(folder: Path, names: Iterable[str]) -> tuple[list[Trace], dict[str, bool]]:
    chosen = list(names)
    traces = [trace for name in chosen for trace in load(folder, name)]
    truth = {key: value == 1.0 for name in chosen for key, value in rewards(folder, name).items()}
    return traces, truth


def _split(traces: Sequence[Trace], truth: Mapping[str, bool], ways: int) -> Iterator[tuple[list[Trace], list[Trace]]]:
    """What is learned from and what is asked, each part once; the conversations of a case are on one side."""
    sides = folds_of([case_of(t) for t in traces], [truth[t.conversation_id] for t in traces], ways)
    for asked in range(ways):
        yield (
            [trace for trace, side in zip(traces, sides, strict=True) if side != asked],
            [trace for trace, side in zip(traces, sides, strict=True) if side == asked],
        )


def _writes(trace: Trace, tools: frozenset[str]) -> frozenset[bytes]:
    calls = paired_calls(trace.messages)
    return frozenset(call_key(call) for call, answer in calls if call.name in tools and not failed(answer))


def _places(names: Sequence[str]) -> list[list[int]]:
    held: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        held[name].append(place)
    return list(held.values())


def _interval(
    labels: Sequence[bool], scores: Sequence[float], groups: Sequence[Sequence[int]], builds: Sequence[int]
) -> str:
    def found(places: Sequence[float]) -> float:
        return _auc_by_build([(builds[int(at)], labels[int(at)], scores[int(at)]) for at in places])

    low, high = bootstrap(groups, found, draws=500)
    return f"{found(range(len(labels))):.3f} [{low:.3f}, {high:.3f}]"


def _auc_by_build(rows: Sequence[tuple[int, bool, float]]) -> float:
    """The mean over the builds, each counting as many times as it holds pairs of a success and a failure."""
    right = pairs = 0.0
    for build in sorted({build for build, _, _ in rows}):
        labels, scores = [label for b, label, _ in rows if b == build], [score for b, _, score in rows if b == build]
        count = sum(labels) * (len(labels) - sum(labels))
        if count:
            right += count * auc(labels, scores)
            pairs += count
    return right / pairs if pairs else math.nan


if __name__ == "__main__":
    main()
