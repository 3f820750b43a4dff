"""The package's public face: light to import, its lists true, the founding spelling the same objects."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import agent_gym

CHECKOUT = Path(__file__).resolve().parent.parent
FOUNDING = ["trace_parser", "environment", "tool_mocker", "reward", "agent"]
FRAMEWORKS = {"fastapi", "google", "gymnasium", "minari", "openai", "openenv", "torch", "trl", "verifiers"}
MODULES = ["agent_gym", *sorted(m.name for m in pkgutil.walk_packages(agent_gym.__path__, "agent_gym."))]
# A package directly under agent_gym is a public face; those further down are its own business.
PACKAGES = [f"agent_gym.{m.name}" for m in pkgutil.iter_modules(agent_gym.__path__) if m.ispkg]


def loaded_by(statement: str) -> set[str]:
    """The top-level packages that a fresh Python has loaded after the statement."""
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT)
    return {name.split(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize("statement", ["import agent_gym", "from agent_gym import create_environment"])
def test_importing_loads_no_framework(statement):
    loaded = loaded_by(statement)
    assert "agent_gym" in loaded
    assert not loaded & FRAMEWORKS


def test_the_public_names_are_sorted_and_all_there():
    assert agent_gym.__all__ == sorted(agent_gym.__all__)
    assert dir(agent_gym) == agent_gym.__all__
    assert all(getattr(agent_gym, name) is not None for name in agent_gym.__all__)


def test_the_public_names_a_type_checker_sees_are_those_that_exist():
    tree = ast.parse((CHECKOUT / "agent_gym" / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.name for line in block.body if isinstance(line, ast.ImportFrom) for alias in line.names}
    assert seen == set(agent_gym.__all__) - {"__version__"}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonesuch'"):
        _ = agent_gym.nonesuch


@pytest.mark.parametrize("name", MODULES)
def test_what_a_module_lists_exists(name):
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", [])
    assert len(listed) == len(set(listed))
    assert [n for n in listed if not hasattr(module, n)] == []


@pytest.mark.parametrize("name", PACKAGES)
def test_what_a_package_offers_is_listed(name):
    package = importlib.import_module(name)
    assert offered(package) <= set(getattr(package, "__all__", []))


def offered(package: ModuleType) -> set[str]:
    """The classes and functions of its own that a package shows without an underscore."""
    return {
        name
        for name, value in vars(package).items()
        if not name.startswith("_")
        and not inspect.ismodule(value)
        and f"{getattr(value, '__module__', '')}.".startswith(f"{package.__name__}.")
    }


@pytest.mark.parametrize("part", FOUNDING)
def test_the_founding_spelling_gives_the_same_objects(part):
    ours, founding = (importlib.import_module(f"{root}.{part}") for root in ("agent_gym", "src"))
    assert ours.__all__
    assert [n for n in ours.__all__ if getattr(founding, n, None) is not getattr(ours, n)] == []


def test_the_founding_package_gives_the_public_names():
    founding = importlib.import_module("src")
    assert founding.create_environment is agent_gym.create_environment
    assert set(agent_gym.__all__) <= set(vars(founding))


def test_the_wheel_holds_the_package_alone():
    builder = pytest.importorskip("hatchling.builders.wheel", reason="hatchling builds the wheel")
    files = {f.distribution_path for f in builder.WheelBuilder(str(CHECKOUT)).recurse_included_files()}
    assert {"agent_gym/__init__.py", "agent_gym/py.typed"} <= files
    assert {path.split("/")[0] for path in files} == {"agent_gym"}


def test_no_file_is_over_500_lines():
    folders = ["agent_gym", "benchmarks", "examples", "scripts", "src", "tests"]
    files = [path for folder in folders for path in (CHECKOUT / folder).rglob("*.py")]
    lengths = {str(path.relative_to(CHECKOUT)): path.read_text(encoding="utf-8").count("\n") for path in files}
    assert lengths
    assert {path: length for path, length in lengths.items() if length > 500} == {}
