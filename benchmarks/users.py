"""Prints how true the customers are: on attempts they have not seen, and free-running against recorded agents.

python -m benchmarks.users [--traces DIR] [--only TEXT] [--pairs N] [--show N] [--embedded N]

Every environment is built from one attempt per case; the other attempts at these cases are held out. In STAR the
case is the task the person was given, which stands in the truth file alone.
"""

import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import orjson

from agent_gym.environment import Environment, create_environment
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.environment.rollout import Rollout, play
from agent_gym.fidelity.free_running import compare_manners, copied, customer_turns, told_apart
from agent_gym.fidelity.user_baselines import BASELINES, RecordedTurns
from agent_gym.fidelity.users import Foretold, UserFidelity, foretell, summary
from agent_gym.sample import POLICY, generate
from agent_gym.types import Trace, User
from benchmarks.sources import arguments, case_of, load, sample_split, traces_folder

_PAIRS = 150


@dataclass(frozen=True, slots=True)
class Attempts:
    """`pairs`: the conversation a customer is built from, and another attempt at its case."""

    name: str
    train: list[Trace]
    pairs: list[tuple[str, Trace]]


def main() -> None:
    parser = arguments("How true are the customers?")
    parser.add_argument("--only", default="", help="files whose name holds this text")
    parser.add_argument("--pairs", type=int, default=_PAIRS, help="pairs of attempts to measure on")
    parser.add_argument("--show", type=int, default=0, help="print this many free-running conversations")
    parser.add_argument("--embedded", type=int, default=0, help="only print this many, sample business, embedded agent")
    options = parser.parse_args()
    if options.embedded:
        embedded(options.embedded)
        return
    folder = traces_folder(options.traces)
    if folder is None:
        print("no folder of public traces: pass --traces DIR; measuring the sample business alone\n")
    for attempts in sources(folder, options.only, options.pairs):
        measure(attempts, options.show)


def sources(folder: Path | None, only: str, pairs: int) -> Iterator[Attempts]:
    if only in "sample business":
        split = sample_split(200, 100)
        yield paired("sample business", [split.train, split.test], pairs)
    if folder is None:
        return
    for name in ("retail_a", "retail_c"):
        if only in name:
            yield paired(name, [load(folder, name)], pairs)
    if only in "star":
        yield paired("star", [load(folder, "star")], pairs, star_tasks(folder))


def paired(name: str, groups: Sequence[Sequence[Trace]], most: int, cases: dict[str, str] | None = None) -> Attempts:
    """One attempt per case to build from, and pairs of it with the others, in an order the seed decides.

    With two groups the first is built from and the second held out.
    """
    dice = Random(0)
    by_case: dict[str, list[Trace]] = {}
    for trace in groups[0]:
        if any(message.role == "user" for message in trace.messages):
            case = case_of(trace) if cases is None else cases.get(trace.conversation_id, "")
            by_case.setdefault(case, []).append(trace)
    by_case.pop("", None)
    train, pairs = [], []
    for _, tries in sorted(by_case.items()):
        if len(groups) > 1:
            built, others = tries[0], [t for t in groups[1] if case_of(t) == case_of(tries[0])]
        else:
            built, *others = dice.sample(tries, len(tries))
        train.append(built)
        pairs += [(built.conversation_id, trace) for trace in others[:4]]
    dice.shuffle(pairs)
    pairs = pairs[:most]
    needed = {built for built, _ in pairs}
    return Attempts(name, [t for t in train if t.conversation_id in needed], pairs)


def star_tasks(folder: Path) -> dict[str, str]:
    """The task each person was given, where it names more than "follow the instructions" or "make one up"."""
    with gzip.open(folder / "star.truth.jsonl.gz") as lines:
        rows = [orjson.loads(line) for line in lines]
    tasks = {row["conversation_id"]: (row.get("scenario") or {}).get("UserTask") or "" for row in rows}
    return {i: task for i, task in tasks.items() if not task.startswith(("Follow the inst", "Come up with"))}


def measure(attempts: Attempts, show: int) -> None:
    environment = create_environment(attempts.train, agent="embedded")
    print(f"\n{attempts.name}: {len(attempts.train)} customers, {len(attempts.pairs)} unseen attempts at their cases")
    foretold(environment, attempts.pairs)
    free_running(environment, attempts.pairs, show)


def foretold(environment: Environment, pairs: Sequence[tuple[str, Trace]]) -> None:
    head = f"{'fact F1':>20} {'P':>6} {'R':>6} {'stop':>6} {'act':>6} {'leaks':>6} {'unasked':>8} {'(real)':>7}"
    print(f"  {'led through them':22} {head}")
    names = ["agenda", *BASELINES]
    found: dict[str, list[list[Foretold]]] = {name: [] for name in names}
    for built, trace in pairs:
        recorded = environment.corpus[built]
        users: list[User] = [environment.user(built), *(RecordedTurns(recorded, b) for b in BASELINES.values())]
        for name, rows in zip(names, foretell(environment, built, trace, users), strict=True):
            found[name].append(rows)
    for name in names:
        print(f"  {name:22} {line(summary(found[name]))}")


def free_running(environment: Environment, pairs: Sequence[tuple[str, Trace]], show: int) -> None:
    """The customers go their own way while the agent says and does what the held-out one did."""
    rollouts = [play(environment.episode(built), ReplayAgent(trace)) for built, trace in pairs]
    simulated = [customer_turns(rollout.messages) for rollout in rollouts]
    real = [customer_turns(trace.messages) for _, trace in pairs]
    own = [customer_turns(environment.corpus[built].messages) for built, _ in pairs]
    found = compare_manners(real, simulated)
    print("  free-running against the held-out agents' words, real → simulated")
    print(
        f"    turns {found.turns[0]:.1f} → {found.turns[1]:.1f}, distance {found.turns_distance:.2f}; "
        f"words a turn {found.words[0]:.1f} → {found.words[1]:.1f}, distance {found.words_distance:.2f}; "
        f"short replies {found.short[0]:.1%} → {found.short[1]:.1%}"
    )
    print(
        f"    told apart with AUC {told_apart(real, simulated):.3f} (two attempts of the real customers: "
        f"{told_apart(real, own):.3f}); copied word for word {copied(simulated, own):.1%}"
    )
    erred = [rollout for rollout in rollouts if rollout.user_errors]
    kinds = Counter(error.split(":")[0] for rollout in erred for error in rollout.user_errors)
    print(
        f"    episodes with an error of the customer's: {len(erred) / len(rollouts):.1%} "
        f"({', '.join(f'{kind} {n}' for kind, n in kinds.most_common()) or 'none'})"
    )
    for rollout in rollouts[:show]:
        print(transcript(rollout))


def embedded(count: int) -> None:
    """Conversations of the sample business's customers with the embedded agent: those of docs/customers.md are here."""
    traces = [conversation.trace for conversation in generate(0, 200)]
    environment = create_environment(traces, agent="embedded", policy=POLICY)
    cases = [scenario.conversation_id for scenario in environment.scenarios() if scenario.scorable]
    for seed, case in enumerate(cases[:count]):
        print(transcript(play(environment.episode(case, seed=seed), environment.agent)))


def transcript(rollout: Rollout) -> str:
    lines = [f"\n--- {rollout.conversation_id}, {rollout.ending}"]
    for message in rollout.messages:
        if message.role in ("user", "assistant") and message.text:
            lines.append(f"{'CUSTOMER' if message.role == 'user' else 'agent   '} {message.text}")
        lines += [f"    calls {call.name} {dict(call.arguments)}" for call in message.tool_calls]
    return "\n".join([*lines, *(f"    ERROR {error}" for error in rollout.user_errors)])


def line(found: UserFidelity) -> str:
    low, high = found.interval
    return (
        f"{found.fact_f1:6.3f} [{low:.3f}, {high:.3f}] {found.fact_precision:6.3f} {found.fact_recall:6.3f} "
        f"{found.stops.value:6.3f} {found.acts.value:6.3f} {found.leaks.value:6.3f} "
        f"{found.volunteered.value:8.3f} {found.volunteered_really.value:7.3f}"
    )


if __name__ == "__main__":
    main()
