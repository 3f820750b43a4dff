"""Prints how well the reward withstands being hacked, on the sample business and on public conversations.

python -m benchmarks.audit [--traces DIR] [--only TEXT] [--scenarios N]
"""

import time
from collections.abc import Iterator
from dataclasses import replace

from agent_gym.environment import Environment, create_environment
from agent_gym.fidelity.audit import Audit, Honest, audit
from agent_gym.sample import POLICY, SKILLS, generate, play
from agent_gym.types import Trace
from benchmarks.sources import arguments, load, traces_folder


def sample_runs(cases: int = 80) -> Iterator[Trace]:
    """The sample's cases, each met by an agent of every skill: so there are honest failures of the same case."""
    for conversation in generate(0, cases):
        for skill in SKILLS:
            trace = play(conversation.case, skill, seed=1).trace
            name = f"{trace.conversation_id}-{skill}"
            yield replace(trace, conversation_id=name, metadata={**trace.metadata, "task_id": trace.conversation_id})


def main() -> None:
    parser = arguments("Does any hack pay?")
    parser.add_argument("--only", default="", help="sources whose name holds this text")
    parser.add_argument("--scenarios", type=int, default=60, help="how many scenarios each hack is tried in")
    options = parser.parse_args()
    folder = traces_folder(options.traces)
    if options.only in "sample business":
        environment = create_environment(sample_runs(), agent="embedded", policy=POLICY)
        measure("sample business", environment, options.scenarios)
    if folder is None:
        print("no folder of public traces: pass --traces DIR; the sample business alone was audited")
    elif options.only in "retail_a":
        measure("retail_a", create_environment(load(folder, "retail_a"), agent="embedded"), options.scenarios)


def measure(name: str, environment: Environment, scenarios: int) -> None:
    started = time.perf_counter()
    found = audit(environment, scenarios=scenarios)
    took = time.perf_counter() - started
    print(f"\n{name}: {found.scenarios} of {found.of} scenarios, {len(found.not_discriminating)} not discriminating")
    print(f"  honest successes {line(found.successes)}; honest failures {line(found.failures)}; {took:.0f} s")
    table(found)


def line(honest: Honest) -> str:
    source = "" if honest.measured else ", as published: too few"
    return f"n={honest.n}, median {honest.median:.3f}, line {honest.line:.3f}{source}"


def table(found: Audit) -> None:
    print("  | hack | n | mean | worst | must be below | |\n  |---|--:|--:|--:|--:|---|")
    kind = ""
    for row in found.rows:
        if row.kind != kind:
            kind = row.kind
            print(f"  | **{kind}** | | | | | |")
        verdict = "ok" if row.passed else f"{len(row.wins)} pay"
        print(f"  | {row.hack} | {row.n} | {row.mean:.3f} | {row.worst:.3f} | {row.line:.3f} | {verdict} |")
    for win in found.exceptions[:20]:
        print(f"  {win.hack} in {win.conversation_id}: {win.score:.3f}, success {win.success}. {win.explanation}")


if __name__ == "__main__":
    main()
