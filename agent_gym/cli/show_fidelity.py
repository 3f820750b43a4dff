"""What was measured of a gym in, tables and verdicts for a terminal out."""

from rich.console import Console
from rich.table import Table

from agent_gym.cli.plain import plain
from agent_gym.cli.show import show_fidelity
from agent_gym.fidelity import Audit, Fidelity, HeldOut, HeldOutUsers, Ranking, ToolFidelity
from agent_gym.fidelity.verdict import verdict
from agent_gym.reward.card import card_text

__all__ = ["show_all", "show_audit", "show_held_out", "show_ranking", "show_users"]

_SHOWN = 5  # exceptions, agents or advice printed; --json has all


def show_all(console: Console, found: Fidelity) -> None:
    show_held_out(console, found.tools)
    show_users(console, found.users)
    console.print(plain(card_text(found.reward)))
    show_ranking(console, found.ranking)
    if found.audit is not None:
        show_audit(console, found.audit)


def show_ranking(console: Console, found: Ranking) -> None:
    """Whether the gym tells better agents from worse ones as the log does."""
    if found.why:
        console.print(f"Do agents rank as they really did? Not measured: {plain(found.why)}.")
        return
    low, high = found.interval
    title = (
        f"Do agents rank as they really did? Spearman {found.spearman:.2f} [{low:.2f}, {high:.2f}], "
        f"{len(found.agents)} agents; of pairs in the right order: {found.ordered}"
    )
    table = Table(title=title, title_justify="left")
    for column in (f"metadata.{plain(found.key)}", "succeeded, by the log", "in the gym"):
        table.add_column(column, overflow="fold")
    for agent in found.agents:
        table.add_row(plain(agent.name), str(agent.real), str(agent.live))
    console.print(table)


def show_held_out(console: Console, found: HeldOut) -> None:
    if found.mined < found.conversations:
        console.print(f"Drawn: {found.mined:,} of {found.conversations:,} conversations, to keep this short.")
    if found.against is not None:
        show_fidelity(console, found.against, "of the conversations given")
    if found.new_rollout is not None:
        show_fidelity(console, found.new_rollout, "of other attempts at cases that the log also holds (new rollouts)")
    if found.new_case is not None:
        show_fidelity(console, found.new_case, "of customers that nothing mined shows (new cases)")
    _show_verdicts(console, found)
    if found.main is None:
        console.print("All conversations are of one customer: nothing can be held out. Pass --against.")
    elif found.main.calls == 0:
        console.print("The conversations held out call no tools: there is nothing to measure the tools on.")
    elif found.against is None and found.new_rollout is None:
        console.print(
            "No case has two conversations (the same metadata.task_id or case_id), so other agents in recorded cases "
            "could not be asked about. Pass --against to measure that."
        )


_ASKED = {
    "against": "on the conversations given",
    "new_rollout": "in recorded cases",
    "new_case": "for customers that no record shows",
}


def _show_verdicts(console: Console, found: HeldOut) -> None:
    for name, how in _ASKED.items():
        asked: ToolFidelity | None = getattr(found, name)
        for line in verdict(asked.by_tool).words() if asked is not None else ():
            console.print(f"{how}, {plain(line)}")
    if found.main is not None and found.main.advice:
        console.print("What data would help most:")
        for advice in found.main.advice[:_SHOWN]:
            console.print(f"  {plain(advice.words)}")


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
