"""A gym, what was measured of it, and runs in; the report as one file out."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from agent_gym import __version__
from agent_gym.environment import Environment
from agent_gym.report.customers import customers
from agent_gym.report.learning import NamedHistory, learning
from agent_gym.report.overview import overview, quality
from agent_gym.report.page import Section, page
from agent_gym.report.reward import reward
from agent_gym.report.runs import NamedRun, compared, rollouts, runs
from agent_gym.report.tools import tools
from agent_gym.types import Json
from agent_gym.whole_files import whole_files

__all__ = ["NamedHistory", "NamedRun", "write_report"]


def write_report(
    environment: Environment,
    fidelity: Mapping[str, Json],
    found: Sequence[NamedRun],
    histories: Sequence[NamedHistory],
    path: Path,
    name: str,
) -> None:
    """`fidelity` is what `agent-gym fidelity --json` prints; `name` is what the gym is called."""
    measured = fidelity.get("tools") or {}
    sections = [
        Section("overview", "Overview", overview(environment, fidelity)),
        Section("quality", "Data quality", quality(environment)),
        Section("tools", "Tools", tools(environment, measured)),
        Section("customers", "Customers", customers(environment, fidelity.get("users") or {})),
        Section("reward", "Reward", reward(fidelity.get("reward") or {})),
        Section("runs", "Evaluation", [runs(found), learning(histories)]),
        Section("rollouts", "Rollouts", rollouts(found)),
    ]
    if len(found) > 1:
        sections.append(Section("compare", "Two runs", compared(found[0], found[1])))
    written = page(
        f"Agent Gym: {name}", f"How far to trust this gym, and what agents did in it. agent-gym {__version__}", sections
    )
    with whole_files(path) as (file,):
        file.write(written.encode())
