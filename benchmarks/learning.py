"""Prints how much the embedded agent learns: before (cloned) and after (trained), on cases it has never seen.

    python -m benchmarks.learning [--traces DIR] [--only TEXT] [--seeds 0 1] [--curve FILE.png]
                                 [--cases N] [--rounds N]

In the sample business a test case is played in production: the tools are the real backend, the customer is the
generator's own (`benchmarks.production`), and the generator, not our reward, says whether they got what they came for.
The same policy is played in the mined world, and with the mined customer and the real tools: the differences are the
gap between simulation and reality, and how much of it is the tools'.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from agent_gym.environment import Environment, Episode, create_environment, play
from agent_gym.environment.episode import delivered
from agent_gym.evaluation.agents import DoNothing, RandomAgent
from agent_gym.sample import POLICY, SampleConversation, generate, succeeded
from agent_gym.stats import bootstrap
from agent_gym.training import Learner, Options, listed, pictured, started
from agent_gym.training.form import Vector
from agent_gym.types import Agent
from benchmarks.production import BackendSession, ProductionCustomer, heard_scripts
from benchmarks.sources import arguments, load, traces_folder

_WATCHED = 32  # test cases played in production after every round, to see whether true success follows the reward
Cases = Mapping[str, SampleConversation]


def in_production(environment: Environment, case: SampleConversation, agent: Agent) -> bool:
    """Whether the agent brings the case to a right end with the real tools and the real customer."""
    session = BackendSession(case.case.backend())
    user = ProductionCustomer(case.case, session.backend)
    episode = environment.episode(case.trace.conversation_id)
    episode = replace(_unscored(episode), session=session, user=user, messages=(), start=None)
    play(episode, agent)
    return succeeded(case.case, session.backend, delivered(episode.messages), insisted=user.insisted)


def on_backend(environment: Environment, case: SampleConversation, agent: Agent) -> bool:
    """The same with the mined customer."""
    session = BackendSession(case.case.backend())
    episode = environment.episode(case.trace.conversation_id)
    episode = replace(_unscored(episode), session=session, messages=(), start=None)
    play(episode, agent)
    return succeeded(case.case, session.backend, delivered(episode.messages))


def _unscored(episode: Episode) -> Episode:
    """The same episode without our own score: the backend judges."""
    episode.scenario = replace(episode.scenario, goal=None)
    return episode


def main() -> None:
    parser = arguments("How much does the embedded agent learn?")
    parser.add_argument("--only", default="", help="sources whose name holds this text")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1], help="days of the sample business")
    parser.add_argument("--curve", type=Path, default=None, help="write the sample's first curve here, as PNG")
    parser.add_argument("--cases", type=int, default=Options().cases, help="cases practised on")
    parser.add_argument("--rounds", type=int, default=Options().rounds, help="rounds of practice")
    options = parser.parse_args()
    if options.curve is not None and find_spec("matplotlib") is None:  # told now, not after the training
        parser.error("--curve needs matplotlib: pip install 'agent-gym[plot]'")
    training = Options(cases=options.cases, rounds=options.rounds)
    folder = traces_folder(options.traces)
    if options.only in "sample business":
        for seed in options.seeds:
            sample(seed, training, options.curve if seed == options.seeds[0] else None)
    if folder is None:
        print("no folder of public traces: pass --traces DIR; the sample business alone was trained on")
        return
    for name in ("retail_c", "retail_a"):
        if options.only in name:
            public(name, training, create_environment(load(folder, name), agent="embedded", test_fraction=0.2))


def sample(seed: int, training: Options, curve: Path | None) -> None:
    conversations = generate(seed)
    environment = create_environment(
        [each.trace for each in conversations], agent="embedded", policy=POLICY, test_fraction=0.2, seed=seed
    )
    held = {trace.conversation_id for trace in environment.corpus.test}
    cases = {each.trace.conversation_id: each for each in conversations if each.trace.conversation_id in held}
    print(f"\nsample business, seed {seed}: {len(environment.corpus.train)} conversations, {len(cases)} test cases")
    watched: list[float] = []

    def true_success(learner: Learner) -> str:
        agent = learner.agent.with_weights(learner.named(learner.weights))
        seen = [in_production(environment, case, agent) for case in list(cases.values())[:_WATCHED]]
        watched.append(float(np.mean(seen)))
        return f", in production {watched[-1]:.3f}"

    learner = trained(environment, training, true_success)
    if curve is not None:
        title = "The sample business: cases not practised on"
        curve.write_bytes(pictured(learner.history, title, {"true success": watched}))
    clone, best = (learner.agent.with_weights(learner.named(w)) for w in (learner.cloned, learner.best))
    rows = {
        "do nothing": [float(in_production(environment, case, DoNothing())) for case in cases.values()],
        "random": [float(in_production(environment, case, RandomAgent(n))) for n, case in enumerate(cases.values())],
        "recorded agents": [float(case.success) for case in cases.values()],
        "... heard as text": [float(heard_scripts(case.case, case.skill)) for case in cases.values()],
        "cloned": [float(in_production(environment, case, clone)) for case in cases.values()],
        "trained": [float(in_production(environment, case, best)) for case in cases.values()],
    }
    print("  success in production (real tools, real customers), all test cases")
    for name, values in rows.items():
        print(f"    {name:17} {interval(values)}")
    print(f"    {'trained - cloned':17} {gain(rows['cloned'], rows['trained'])}", flush=True)
    gap(environment, cases, {"cloned": clone, "trained": best}, rows)


def gap(
    environment: Environment, cases: Cases, agents: Mapping[str, Agent], rows: Mapping[str, Sequence[float]]
) -> None:
    """The same cases, those with a goal, in all three worlds."""
    scorable = [s.conversation_id for s in environment.scenarios("test") if s.scorable]
    places = {name: place for place, name in enumerate(cases)}
    print(f"  the {len(scorable)} test cases with a goal: mined world, mined customer and real tools, production")
    for name, agent in agents.items():
        mined = [success for _, success in in_gym(environment, scorable, agent)]
        tools = [float(on_backend(environment, cases[case], agent)) for case in scorable]
        real = [rows[name][places[case]] for case in scorable]
        print(f"    {name:8} {interval(mined)}   {interval(tools)}   {interval(real)}   gap {gain(real, mined)}")


def public(name: str, training: Options, environment: Environment) -> None:
    scorable = [s.conversation_id for s in environment.scenarios("test") if s.scorable]
    cases = [environment.corpus.cases[each] for each in scorable]
    print(
        f"\n{name}: {len(environment.corpus.train)} conversations, "
        f"{len(scorable)} in the test split with a goal, of {len(set(cases))} cases"
    )
    learner = trained(environment, training, lambda _: "")
    rows = {}
    for who, weights in (("cloned", learner.cloned), ("trained", learner.best)):
        rows[who] = in_gym(environment, scorable, learner.agent.with_weights(learner.named(weights)))
        rewards, successes = zip(*rows[who], strict=True)
        print(f"    {who:8} reward {interval(rewards, cases)}   success {interval(successes, cases)}")
    before, after = ([reward for reward, _ in rows[who]] for who in ("cloned", "trained"))
    print(f"    reward, trained - cloned {gain(before, after, cases)}")


def trained(environment: Environment, training: Options, watch: Callable[[Learner], str]) -> Learner:
    """Train as the command does; what is watched costs no training time. Of a busy machine, count the processor's."""
    spent, began = np.zeros(2), _clocks()
    learner = started(environment, "no such file", training)
    learner.imitate()
    while True:
        spent += _clocks() - began
        last = learner.history[-1]
        time_spent = f"{spent[0]:5.0f} s (processor {spent[1]:.0f} s)"
        print(
            f"  round {last.number}: {time_spent}, reward {last.reward:.3f}, success {last.success:.3f}"
            f"{watch(learner)}; {last.turns / spent[1]:,.0f} turns a second"
            f"; held against it: {listed(last.flags) or 'nothing'}; hacks that pay: {listed(last.paying) or 'none'}",
            flush=True,
        )
        began = _clocks()
        if learner.over:
            print(
                f"  {learner.over}; round {learner.kept.number} is kept (0: the clone); "
                f"trained in {spent[0]:.0f} s, of the processor's {spent[1]:.0f}"
            )
            return learner
        learner.practise()


def _clocks() -> Vector:
    return np.array([time.perf_counter(), time.process_time()])


def in_gym(environment: Environment, names: Sequence[str], agent: Agent) -> list[tuple[float, float]]:
    """(reward, success) of each case."""
    scores = [play(environment.episode(name), agent).score for name in names]
    return [(float(score or 0.0), float(score is not None and score.success)) for score in scores]


def interval(values: Sequence[float], cases: Sequence[str] = ()) -> str:
    """The mean with its interval; `cases`: of which case each value is, where several are of one."""
    return "{:.3f} [{:.3f}, {:.3f}]".format(*_spread(values, cases))


def gain(before: Sequence[float], after: Sequence[float], cases: Sequence[str] = ()) -> str:
    """The mean difference, conversation by conversation, with its interval."""
    gained = [late - early for early, late in zip(before, after, strict=True)]
    return "{:+.3f} [{:+.3f}, {:+.3f}]".format(*_spread(gained, cases))


def _spread(values: Sequence[float], cases: Sequence[str]) -> tuple[float, float, float]:
    rows: dict[str, list[float]] = {}
    for case, value in zip(cases or map(str, range(len(values))), values, strict=True):
        rows.setdefault(case, []).append(value)
    return (float(np.mean(values)), *bootstrap(list(rows.values())))


if __name__ == "__main__":
    main()
