"""A gym and a folder in, an OpenEnv project that serves it out, with what proves its reward."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template

import orjson

from agent_gym.adapters.openenv.proofs import Proof, canaries, oracles, replay
from agent_gym.adapters.openenv.tasks import Tasks
from agent_gym.environment import Environment, load
from agent_gym.types import Json
from agent_gym.whole_files import whole_files

__all__ = ["Project", "check", "write_project"]

_ORACLES, _CANARY_CASES = 50, 10  # cases: enough to tell, few enough to play in seconds
_ORACLE, _CANARIES = "validation/oracle.jsonl", "validation/canaries.jsonl"
_TEMPLATES = {
    "openenv.yaml": "openenv.yaml",
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "server/app.py": "app.py",
    "validation/check.py": "check.py",
}


@dataclass(frozen=True, slots=True)
class Project:
    """What was written, and what its proofs earn."""

    folder: Path
    name: str
    files: tuple[str, ...]
    oracles: tuple[Proof, ...]
    canaries: tuple[Proof, ...]

    @property
    def least(self) -> float:
        """What the worst oracle earns."""
        return min((proof.reward for proof in self.oracles), default=1.0)

    @property
    def floor(self) -> float:
        """What the best canary earns."""
        return max((proof.reward for proof in self.canaries), default=0.0)


def write_project(gym: Environment, folder: Path) -> Project:
    """Write the project; whatever else is in the folder stays."""
    tasks = Tasks.of(gym)
    name = re.sub(r"\W+", "_", folder.resolve().name.lower()).strip("_") or "agent_gym"
    files = (*_TEMPLATES, "server/__init__.py", _ORACLE, _CANARIES, "environment.gym")
    proved, hacked = tuple(oracles(tasks, _ORACLES)), tuple(canaries(tasks, _CANARY_CASES))
    project = Project(folder, name, files, proved, hacked)
    for inner in ("server", "validation"):
        (folder / inner).mkdir(parents=True, exist_ok=True)
    gym.save(folder / "environment.gym")
    words = _words(project, tasks)
    for target, template in _TEMPLATES.items():
        source = resources.files(__package__) / "templates" / f"{template}.txt"
        _write(folder / target, [Template(source.read_text(encoding="utf-8")).substitute(words).encode()])
    _write(folder / "server/__init__.py", [])
    for target, proofs in ((_ORACLE, proved), (_CANARIES, hacked)):
        _write(folder / target, (orjson.dumps(proof.to_dict()) + b"\n" for proof in proofs))
    return project


def check(folder: Path) -> tuple[int, list[str]]:
    """How many trajectories of a project were played, and those that earn something else than they did."""
    tasks = Tasks.of(load(folder / "environment.gym", agent="embedded"))
    played, problems = 0, []
    for path in (_ORACLE, _CANARIES):
        for line in (folder / path).read_bytes().splitlines():
            proof = orjson.loads(line)
            earned, _ = replay(tasks, proof["reset"], proof["actions"])
            played += 1
            if not math.isclose(earned, proof["reward"], abs_tol=1e-9):
                where = f"{proof['name']} in {proof['reset']['conversation_id']!r}"
                problems.append(f"{path}: {where} earns {earned:.3f}, and earned {proof['reward']:.3f}")
    return played, problems


def _words(project: Project, tasks: Tasks) -> Mapping[str, Json]:
    """What the templates leave open; JSON is YAML."""
    train, test = (len(tasks.ids[split]) for split in ("train", "test"))
    tools = [tool.get("function", tool)["name"] for tool in tasks.gym.tool_mocker.tools]
    oracle = "    oracle:\n      form: script\n      location: validation/check.py\n"
    return {
        "name": project.name,
        "conversations": len(tasks.gym.corpus),
        "train": train,
        "test": test,
        "tools": orjson.dumps(tools).decode(),
        "tasks": orjson.dumps({"train": train, "test": test}).decode(),
        "proofs": f"{oracle}    canaries: {_CANARIES}\n" if project.oracles else "",
        "tolerance": math.ceil(100 * (1.0 - project.least)) / 100,
        "margin": max(0.0, math.floor(100 * (1.0 - project.floor)) / 100),
        "oracles": len(project.oracles),
        "canaries": len(project.canaries),
        "least": f"{project.least:.2f}",
        "floor": f"{project.floor:.2f}",
    }


def _write(path: Path, parts: Iterable[bytes]) -> None:
    with whole_files(path) as (file,):
        file.writelines(parts)
