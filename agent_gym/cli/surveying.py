"""Sources and how to read them in; what they hold, and what is wrong with it, shown out."""

from collections.abc import Callable, Iterator
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from agent_gym.cli.gym_facts import gym_facts, show_gym
from agent_gym.cli.output import data_console, print_json, progress_console
from agent_gym.cli.plain import plain
from agent_gym.cli.progress import reading_progress
from agent_gym.cli.verb import BAD_INPUT
from agent_gym.store import GymFile, is_gym_file
from agent_gym.trace_parser import REPAIRS, Reading, Reject
from agent_gym.trace_parser.survey import Problem, Survey
from agent_gym.types import Trace

__all__ = ["run_inspect"]

_TOOLS, _OUTCOMES, _PROBLEMS = 30, 12, 12  # rows; --json has all
Read = Callable[[Reading], Iterator[Trace | Reject]]


def run_inspect(sources: list[Path], read_by: Callable[[list[Path]], Read], *, as_json: bool, quiet: bool) -> None:
    survey, reading = Survey(), Reading()
    files = [source for source in sources if not is_gym_file(source)]
    for trace in _in_gyms(sources):
        survey.add(trace)
        reading.accepted, reading.conversations = reading.accepted + 1, reading.conversations + 1
        reading.formats["gym"] += 1
    if files:
        read = read_by(files)
        with reading_progress(progress_console(quiet)) as progress:
            for item in read(reading):
                survey.add(item) if isinstance(item, Trace) else survey.refuse(item)
                progress("reading", reading)
    gyms = [GymFile.open(source) for source in sources if is_gym_file(source)]
    if as_json:
        print_json({**survey.to_dict(reading), "gyms": [gym_facts(gym) for gym in gyms]})
    else:
        console = data_console()
        for gym in gyms:
            show_gym(console, gym)
        _show(console, survey, reading)
    if not survey.conversations:
        raise typer.Exit(BAD_INPUT)


def _in_gyms(sources: list[Path]) -> Iterator[Trace]:
    for source in sources:
        if is_gym_file(source):
            for trace, _ in GymFile.open(source).traces():
                yield trace


def _show(console: Console, survey: Survey, reading: Reading) -> None:
    table = Table(title="What the logs hold", title_justify="left", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _overview(survey, reading):
        table.add_row(name, value)
    console.print(table)
    if survey.tools:
        _show_tools(console, survey)
    _show_problems(console, survey.problems(reading))
    _show_repairs(console, reading)


def _overview(survey: Survey, reading: Reading) -> Iterator[tuple[str, str]]:
    yield "records", f"{reading.read:,} read: {reading.accepted:,} used, {reading.rejected:,} rejected"
    yield "formats", _listed(dict(reading.formats.most_common()))
    each = f", {survey.messages / survey.conversations:.1f} each" if survey.conversations else ""
    yield "conversations", f"{survey.conversations:,}"
    yield "messages", f"{survey.messages:,}{each}: {_listed(dict(survey.roles.most_common()))}"
    calls = sum(use.calls for use in survey.tools.values())
    errors = sum(use.errors for use in survey.tools.values())
    yield (
        "tool calls",
        f"{calls:,} of {len(survey.tools):,} tools, {_share(errors, calls)} of them errors" if calls else "none",
    )
    yield "outcomes", _outcomes(survey)
    yield "ratings", _ratings(survey)
    yield "languages", _listed(dict(survey.languages.most_common(6))) or "none told"
    yield "dates", f"{survey.first} to {survey.last}" if survey.first else "none given"


def _outcomes(survey: Survey) -> str:
    named = dict(survey.outcomes.most_common(_OUTCOMES))
    parts = [_listed(named)] if named else []
    if more := len(survey.outcomes) - len(named):
        parts.append(f"{more:,} more")
    if unsaid := survey.conversations - survey.outcomes.total():
        parts.append(f"not said {unsaid:,}")
    return ", ".join(parts) or "none"


def _ratings(survey: Survey) -> str:
    rated = survey.ratings.total()
    if not rated:
        return "none"
    mean = sum(value * n for value, n in survey.ratings.items()) / rated
    said = f"{rated:,}, from {min(survey.ratings):g} to {max(survey.ratings):g}, {mean:.2f} on average"
    if len(survey.ratings) <= 11:
        said += f" ({', '.join(f'{value:g}: {n:,}' for value, n in sorted(survey.ratings.items()))})"
    return said


def _show_tools(console: Console, survey: Survey) -> None:
    table = Table(title="Tools", title_justify="left")
    table.add_column("tool", overflow="fold")
    for column in ("calls", "errors", "no result"):
        table.add_column(column, justify="right")
    ranked = sorted(survey.tools.items(), key=lambda item: (-item[1].calls, item[0]))
    for name, use in ranked[:_TOOLS]:
        lost = f"{use.unanswered:,}" if use.unanswered else ""
        table.add_row(plain(name), f"{use.calls:,}", _share(use.errors, use.calls), lost)
    console.print(table)
    if len(ranked) > _TOOLS:
        console.print(f"… and {len(ranked) - _TOOLS:,} more; --json has all.")


def _show_problems(console: Console, problems: list[Problem]) -> None:
    if not problems:
        console.print("No problems found.")
        return
    console.print(f"[bold]Problems[/], {len(problems)} of them" if len(problems) > 1 else "[bold]One problem[/]")
    for problem in problems[:_PROBLEMS]:
        console.print(f"  [yellow]{problem.count:,} ×[/] {plain(_one_line(problem.cause))}")
        if problem.where:
            console.print(f"      first: {plain(_one_line(problem.where))}", style="dim")
        if problem.example and problem.example != problem.cause:
            console.print(f"      found: {plain(_one_line(problem.example))}", style="dim")
        if problem.fix:
            console.print(f"      to do: {plain(_one_line(problem.fix))}")
    if len(problems) > _PROBLEMS:
        console.print(f"  … and {len(problems) - _PROBLEMS} more; --json has all.")


def _show_repairs(console: Console, reading: Reading) -> None:
    if not reading.repairs:
        return
    console.print("[bold]Repaired on the way[/]")
    for name, n in reading.repairs.most_common():
        meaning = next((text for known, text in REPAIRS.items() if known == name), name)
        console.print(f"  {n:,} × {plain(meaning)}", style="dim")


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{plain(_one_line(name, 40))} {n:,}" for name, n in counts.items())


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if part else "none"


def _one_line(text: str, length: int = 160) -> str:
    short = " ".join(text.split())
    return short if len(short) <= length else short[:length] + " …"
