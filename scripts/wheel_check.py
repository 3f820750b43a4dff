"""The test environment in, 0 out if the wheel it builds holds the package alone and works elsewhere."""

import subprocess
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from stamped_venv import CHECKOUT, StampedVenv, ready, run, variables

__all__ = ["check_wheel", "misplaced"]

_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY")


def check_wheel(builder: StampedVenv) -> int:
    with tempfile.TemporaryDirectory() as temporary:
        elsewhere = Path(temporary)
        build = ["-m", "build", "--wheel", "--no-isolation", "--outdir", temporary]
        code = _quietly([builder.python, *build])
        if code != 0:
            return code
        (wheel,) = elsewhere.glob("*.whl")
        wrong = misplaced(zipfile.ZipFile(wheel).namelist())
        if wrong:
            print(f"the wheel holds what it should not, or lacks what it should: {', '.join(wrong)}")
            return 1
        return _try_out(wheel, elsewhere)


def misplaced(names: list[str]) -> list[str]:
    """What a wheel with these files has too much or too little."""
    strangers = [n for n in names if not n.startswith("agent_gym/") and ".dist-info/" not in n]
    return strangers + [n for n in ("agent_gym/py.typed", "agent_gym/__init__.py") if n not in names]


def _try_out(wheel: Path, elsewhere: Path) -> int:
    pyproject = CHECKOUT / "pyproject.toml"
    needs = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["dependencies"]
    clean = StampedVenv(CHECKOUT / ".venv-wheel", tuple(needs), (pyproject, CHECKOUT / "constraints.txt"))
    ready(clean)
    pip: list[str | Path] = [clean.python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    code = _quietly([*pip, "install", "--no-deps", "--no-index", "--force-reinstall", wheel])
    if code != 0:
        return code
    home = elsewhere / "home"
    home.mkdir()
    # Every key the product reads is absent here, and the home is empty: as on a stranger's machine.
    keyless = {name: value for name, value in variables(HOME=str(home)).items() if name not in _KEYS}
    smoke = CHECKOUT / "scripts" / "wheel_smoke.py"
    return _quietly([*pip, "check"]) or run([clean.python, "-I", smoke], cwd=home, env=keyless)


def _quietly(command: Sequence[str | Path]) -> int:
    """The exit code; what the command printed is shown only if it failed."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=CHECKOUT,
        env=variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(done.stdout, flush=True)
    return done.returncode
