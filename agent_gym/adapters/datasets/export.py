"""A gym and a form in, a folder of files out: one for each split, and a datasheet that says what they are."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import orjson

from agent_gym.adapters.datasets.datasheet import datasheet
from agent_gym.adapters.datasets.kept import Wanted, kept_rollouts, kept_traces
from agent_gym.adapters.datasets.rows import FORMS, Row, dpo_rows
from agent_gym.adapters.trl.cases import Cases
from agent_gym.corpus import Split
from agent_gym.environment import Environment
from agent_gym.environment.rollout import Rollout
from agent_gym.errors import AgentGymError, MissingExtra, OptionError
from agent_gym.types import Json
from agent_gym.whole_files import whole_files

__all__ = ["KINDS", "Export", "export", "write_rows"]

KINDS = (*FORMS, "dpo", "grpo")
FileForm = Literal["jsonl", "parquet"]


@dataclass(frozen=True, slots=True)
class Export:
    """What was written."""

    folder: Path
    kind: str
    rows: dict[str, int] = field(default_factory=dict)  # split → rows
    files: tuple[str, ...] = ()


def export(
    environment: Environment,
    kind: str,
    folder: Path,
    *,
    wanted: Wanted,
    rollouts: Sequence[Rollout] | None = None,
    form: FileForm = "jsonl",
) -> Export:
    """Write the dataset: of `rollouts` that were played in this gym, or of the recorded conversations."""
    if kind not in KINDS:
        raise OptionError("to", kind, KINDS)
    rows: dict[Split, list[Row]] = {}
    for split, row in _rows(environment, kind, wanted, rollouts):
        rows.setdefault(split, []).append(row)
    if not rows:
        raise AgentGymError(f"nothing to write: no conversation fits ({wanted.words()})")
    folder.mkdir(parents=True, exist_ok=True)
    files = [write_rows(folder / f"{split}.{form}", found, form) for split, found in sorted(rows.items())]
    counts: dict[str, int] = {split: len(found) for split, found in rows.items()}
    sheet = datasheet(environment, kind, counts, wanted, played=rollouts is not None, columns=list(rows[min(rows)][0]))
    with whole_files(folder / "DATASHEET.md") as (file,):
        file.write(sheet.encode())
    return Export(folder, kind, counts, (*files, "DATASHEET.md"))


def _rows(
    environment: Environment, kind: str, wanted: Wanted, rollouts: Sequence[Rollout] | None
) -> Iterator[tuple[Split, Row]]:
    if kind == "grpo":
        for split in ("train", "test"):
            if any(scenario.scorable for scenario in environment.scenarios(split)):
                yield from ((split, row) for row in Cases(environment, split).rows(None, environment.seed))
    elif kind == "dpo":
        if rollouts is None:
            raise OptionError("to", kind, FORMS, "needs rollouts to compare: --run FILE, of agent-gym eval -k 4")
        for kept, row in dpo_rows(kept_rollouts(environment, rollouts, wanted)):
            yield kept.split, row
    elif rollouts is not None:
        yield from ((kept.split, FORMS[kind](kept)) for kept, _ in kept_rollouts(environment, rollouts, wanted))
    else:
        yield from ((kept.split, FORMS[kind](kept)) for kept in kept_traces(environment, wanted))


def write_rows(path: Path, rows: Iterable[Row], form: FileForm = "jsonl") -> str:
    """The file, whole; its name."""
    if form == "jsonl":
        with whole_files(path) as (file,):
            file.writelines(orjson.dumps(row, default=dict) + b"\n" for row in rows)
        return path.name
    try:
        import pyarrow  # noqa: PLC0415  an optional extra
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("parquet", "Parquet needs pyarrow") from None
    table = pyarrow.Table.from_pylist([{name: _cell(value) for name, value in row.items()} for row in rows])
    with whole_files(path) as (file,):
        pyarrow.parquet.write_table(table, file)
    return path.name


def _cell(value: Json) -> Json:
    """Lists and objects become JSON text: a column has one type, and calls have different arguments."""
    return (
        value if isinstance(value, str | int | float) or value is None else orjson.dumps(value, default=dict).decode()
    )
