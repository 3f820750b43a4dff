"""`agent-gym fidelity`: how far to trust what was mined from a log, measured on conversations it has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from agent_gym.cli.plain import plain
from agent_gym.cli.show import show_fidelity
from agent_gym.cli.sources import SOURCES_HELP, print_json, progress_console, read_policy, traces_of
from agent_gym.environment import Environment, create_environment
from agent_gym.errors import GymFileError
from agent_gym.fidelity import (
    Audit,
    HeldOut,
    HeldOutUsers,
    audit,
    measure_held_out,
    measure_held_out_users,
    measure_reward,
)
from agent_gym.fidelity.verdict import verdict
from agent_gym.reward.card import RewardCard, card_text
from agent_gym.reward.hacks import HACKS
from agent_gym.store import GymFile, is_gym_file
from agent_gym.types import Json, Trace

__all__ = [
    "AUDIT_FAILED",
    "FIDELITY",
    "fidelity",
    "keep_fidelity",
    "measured",
    "show_audit",
    "show_held_out",
    "show_users",
]

AUDIT_FAILED = 4
FIDELITY = "fidelity"  # the name under which a gym keeps it
_SHOWN = 5  # exceptions printed; --json has all


def fidelity(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    against: Path | None = typer.Option(None, help="Conversations to ask about that are not in the source."),
    run_audit: bool = typer.Option(False, "--audit", help="Also try every hack on the reward. Takes minutes."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object instead of tables."),
    policy: Path | None = typer.Option(None, help="A text file: the system prompt of conversations without one."),
    seed: int = typer.Option(0, help="Which conversations are held out or drawn."),
) -> None:
    """How far to trust the tools, the customers and the reward, on what they have not seen.

    Without --against, whole customers are held out (new cases), and single conversations
    of cases that have others (new rollouts). A gym file keeps the result, for its report.

    Example: agent-gym fidelity support.jsonl --against next-week.jsonl --audit

    Exit codes: 0 measured, 2 wrong usage, 3 an error, 4 measured, and a hack pays.
    """
    aside = progress_console()
    traces = traces_of(sources, aside)
    others = traces_of([against], aside) if against else None
    found = _measured(traces, others, aside, policy=read_policy(policy), run_audit=run_audit, seed=seed)
    if len(sources) == 1 and is_gym_file(sources[0]) and against is None:
        keep_fidelity(sources[0], found.to_dict(), aside)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(Console(emoji=False), found)
    if found.audit is not None and not found.audit.passed:
        raise typer.Exit(AUDIT_FAILED)


def keep_fidelity(gym: Path, found: dict[str, Json], aside: Console) -> None:
    """Store what was measured in the gym, for its report; a gym that may not be written is no reason to fail."""
    try:
        GymFile.open(gym).keep(FIDELITY, found)
    except GymFileError as error:
        aside.print(f"not stored: {error}", markup=False)


@dataclass(frozen=True, slots=True)
class _Measured:
    tools: HeldOut
    users: HeldOutUsers
    card: RewardCard
    audit: Audit | None

    def to_dict(self) -> dict[str, Json]:
        audited: dict[str, Json] = {} if self.audit is None else {"audit": self.audit.to_dict()}
        return {
            "tools": self.tools.to_dict(),
            "users": self.users.to_dict(),
            "reward": {**self.card.to_dict(), **audited},
        }


def measured(
    traces: Sequence[Trace], aside: Console, *, policy: str | None, run_audit: bool, seed: int
) -> dict[str, Json]:
    """What `--json` prints, of traces at hand."""
    return _measured(traces, None, aside, policy=policy, run_audit=run_audit, seed=seed).to_dict()


def _measured(
    traces: Sequence[Trace],
    others: Sequence[Trace] | None,
    aside: Console,
    *,
    policy: str | None,
    run_audit: bool,
    seed: int,
) -> _Measured:
    with aside.status(f"mining {len(traces):,} conversations and asking about others …"):
        tools = measure_held_out(traces, others, seed)
    with aside.status("holding the customers against other conversations of their cases …"):
        users = measure_held_out_users(traces, others)
    with aside.status("holding the reward against how the conversations ended …"):
        environment = create_environment(traces, agent="embedded", policy=policy)
        card = measure_reward(environment.corpus, environment.tool_mocker)
    return _Measured(tools, users, card, _audited(environment, aside) if run_audit else None)


def _show(console: Console, found: _Measured) -> None:
    show_held_out(console, found.tools)
    show_users(console, found.users)
    console.print(plain(card_text(found.card)))
    if found.audit is not None:
        show_audit(console, found.audit)


def _audited(environment: Environment, aside: Console) -> Audit:
    names = [hack.name for hack in HACKS]
    with aside.status("trying hacks …") as status:
        return audit(
            environment,
            progress=lambda hack: status.update(f"hack {names.index(hack.name) + 1} of {len(names)}: {hack.name} …"),
        )


def show_held_out(console: Console, found: HeldOut) -> None:
    if found.mined < found.conversations:
        console.print(f"Drawn: {found.mined:,} of {found.conversations:,} conversations, to keep this short.")
    if found.against is not None:
        show_fidelity(console, found.against, "of the conversations given")
    if found.new_rollout is not None:
        show_fidelity(console, found.new_rollout, "of other conversations in recorded cases (new rollouts)")
    if found.new_case is not None:
        show_fidelity(console, found.new_case, "of customers that nothing mined shows (new cases)")
    if found.main is not None:
        for line in verdict(found.main.by_tool).words():
            console.print(plain(line))
    if found.main is None:
        console.print("All conversations are of one customer: nothing can be held out. Pass --against.")
    elif found.main.calls == 0:
        console.print("The conversations held out call no tools: there is nothing to measure the tools on.")
    elif found.against is None and found.new_rollout is None:
        console.print(
            "No case has two conversations (the same metadata.task_id or case_id), so other agents in recorded cases "
            "could not be asked about. Pass --against to measure that."
        )


def show_users(console: Console, found: HeldOutUsers) -> None:
    """Whether the customers do what the real ones did, and talk as they did."""
    told, manner = found.foretold, found.manner
    table = Table(title=f"How true are the customers? {found.attempts:,} unseen attempts", title_justify="left")
    table.add_column("")
    table.add_column("")
    if told is not None:
        low, high = told.interval
        table.add_row("the values they tell, F1", f"{told.fact_f1:.3f} [{low:.3f}, {high:.3f}]")
        table.add_row("stay or leave as the real one", str(told.stops))
        table.add_row("do the same next", str(told.acts))
        table.add_row("say what they cannot know", str(told.leaks))
        real = f"{told.volunteered_really.value:.1%}"
        table.add_row("of new values, told unasked", f"{told.volunteered} (the real ones: {real})")
    if manner is not None:
        table.add_row("turns, real and simulated", f"{manner.turns[0]:.1f}, {manner.turns[1]:.1f}")
        table.add_row("words a turn", f"{manner.words[0]:.1f}, {manner.words[1]:.1f}")
        table.add_row("short replies", f"{manner.short[0]:.1%}, {manner.short[1]:.1%}")
        table.add_row("episodes in which they err", str(found.errors))
    console.print(table)
    if told is None:
        console.print(
            "No case has two conversations, so customers could not be held against another attempt at theirs: "
            "they ran free against the agents of their own."
        )


def show_audit(console: Console, found: Audit) -> None:
    """Every hack with what it earned, and where one paid, why."""
    title = f"Does any hack pay? {found.scenarios:,} of {found.of:,} scenarios"
    table = Table(title=title, title_justify="left")
    for column in ("hack", "tried", "mean", "worst", "must be below", "pays?"):
        table.add_column(column, justify="left" if column in ("hack", "pays?") else "right")
    kind = ""
    for row in found.rows:
        if row.kind != kind:
            kind = row.kind
            table.add_section()
            table.add_row(f"[bold]{kind}[/]")
        verdict = "[green]no[/]" if row.passed else f"[red]in {len(row.wins)}[/]"
        worst = f"{row.worst:.3f}" if row.n else "–"
        table.add_row(row.hack, str(row.n), f"{row.mean:.3f}" if row.n else "–", worst, f"{row.line:.3f}", verdict)
    console.print(table)
    _show_lines(console, found)
    for win in found.exceptions[:_SHOWN]:
        console.print(f"[red]{win.hack}[/] in {plain(win.conversation_id)}: {win.score:.3f}. {plain(win.explanation)}")
    if len(found.exceptions) > _SHOWN:
        console.print(f"… and {len(found.exceptions) - _SHOWN} more; --json names all of them.")


def _show_lines(console: Console, found: Audit) -> None:
    for name, honest in (("failures", found.failures), ("successes", found.successes)):
        how = (
            f"median {honest.median:.3f}" if honest.measured else "too few to draw a line from: the published one holds"
        )
        console.print(f"Honest {name} that can be held against a success: {honest.n:,}, {how}.")
    if found.not_discriminating:
        some = ", ".join(plain(name) for name in found.not_discriminating[:3])
        n = len(found.not_discriminating)
        console.print(
            f"Not discriminating, a success did nothing there that can be checked: {n:,} scenarios ({some} …)."
        )
