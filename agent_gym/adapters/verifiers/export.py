"""A gym in, a folder out that verifiers installs: a package of one taskset, with the gym inside it."""

import re
from importlib import resources
from pathlib import Path

from agent_gym import __version__
from agent_gym.adapters.datasets.export import Export
from agent_gym.environment import Environment
from agent_gym.errors import AgentGymError
from agent_gym.whole_files import whole_files

__all__ = ["export_verifiers"]

_MODULES = ("__init__.py", "conversations.py", "environment.py", "harness.py", "taskset.py", "tools.py")
_PROJECT = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "0.1.0"
description = "{cases} recorded customer-service cases to play, as a taskset of verifiers."
requires-python = ">=3.11"
dependencies = ["agent-gym>={version}", "verifiers>=0.4,<0.5"]

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
artifacts = ["*.gym"]
"""


def export_verifiers(environment: Environment, folder: Path) -> Export:
    """Write the package. It is named after the folder: `support/` becomes `support_gym`, to be run as `support-gym`."""
    counts: dict[str, int] = {
        split: sum(scenario.scorable for scenario in environment.scenarios(split)) for split in ("train", "test")
    }
    if not any(counts.values()):
        raise AgentGymError("no conversation has a goal to play for: a taskset needs recorded successes")
    name = package_name(folder)
    module = name.replace("-", "_")
    (folder / module).mkdir(parents=True, exist_ok=True)
    environment.save(folder / module / "conversations.gym")
    texts = {f"{module}/{file}": _template(file) for file in _MODULES}
    texts["pyproject.toml"] = _PROJECT.format(name=name, module=module, version=__version__, cases=sum(counts.values()))
    with whole_files(*(folder / path for path in texts)) as files:
        for file, text in zip(files, texts.values(), strict=True):
            file.write(text.encode())
    return Export(folder, "verifiers", counts, ("pyproject.toml", module))


def package_name(folder: Path) -> str:
    """A name that is free: a folder called like a framework would hide it."""
    words = re.findall(r"[a-z0-9]+", folder.resolve().name.lower())
    named = "-".join(words if words and not words[0][0].isdigit() else ["cases", *words])
    return named if named.endswith("-gym") else f"{named}-gym"


def _template(file: str) -> str:
    return (resources.files("agent_gym.adapters.verifiers") / "package" / f"{file}.txt").read_text("utf-8")
