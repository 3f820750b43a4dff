"""A gym file in, what it says of itself out: for `inspect`."""

from rich.console import Console
from rich.table import Table

from agent_gym.cli.plain import plain
from agent_gym.store import GymFile
from agent_gym.types import Json

__all__ = ["gym_facts", "show_gym"]


def gym_facts(file: GymFile) -> dict[str, Json]:
    sections = file.sections
    return {
        "path": str(file.path),
        "bytes": file.path.stat().st_size,
        "version": file.version,
        "digest": file.content_digest,
        "counts": sections.get("counts"),
        "options": sections.get("options"),
        "manifest": sections.get("manifest") or None,
        "packed_bytes": file.sizes(),
        "reports": file.reports(),
    }


def show_gym(console: Console, file: GymFile) -> None:
    table = Table(title=plain(f"What {file.path.name} says of itself"), title_justify="left", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    facts = gym_facts(file)
    table.add_row("file", f"{facts['bytes'] / 1e6:.1f} MB, version {facts['version']}, digest {facts['digest'][:16]}")
    for name in ("counts", "options"):
        if isinstance(facts[name], dict):
            table.add_row(name, plain(", ".join(f"{key} {_short(value)}" for key, value in facts[name].items())))
    if facts["manifest"]:
        sources = facts["manifest"].get("sources") or ()
        table.add_row("built from", plain(", ".join(f"{one['path']} ({one['bytes']:,} bytes)" for one in sources)))
    table.add_row("packed", ", ".join(f"{name} {size / 1e6:.2f} MB" for name, size in facts["packed_bytes"].items()))
    table.add_row("reports", plain(", ".join(facts["reports"])) or "none")
    console.print(table)


def _short(value: Json) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:60] + " …"
