"""What a person sees: a corpus, tools, a rollout with its reasons, and how far to trust it all, for a terminal."""

from collections import Counter

import orjson
from rich.console import Console
from rich.table import Table

from agent_gym.cli.plain import plain
from agent_gym.corpus import Corpus
from agent_gym.environment import Rollout
from agent_gym.fidelity import ToolFidelity
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json, Message, Score, ToolAnswer, paired_calls

__all__ = ["show_corpus", "show_fidelity", "show_message", "show_rollout", "show_score", "show_tools"]

_SOURCE_STYLE = {
    "recorded": "green",
    "state": "green",
    "function": "green",
    "effect": "cyan",
    "rule": "cyan",
    "query": "cyan",
    "not_found": "yellow",
    "neighbour": "yellow",
    "llm": "magenta",
}


def show_corpus(console: Console, corpus: Corpus) -> None:
    """What was found in the logs."""
    messages = sum(len(trace.messages) for trace in corpus)
    calls = sum(len(message.tool_calls) for trace in corpus for message in trace.messages)
    outcomes = Counter(trace.outcome or "not said" for trace in corpus)
    rated = [trace.satisfaction_score for trace in corpus if trace.satisfaction_score is not None]
    table = Table(title="What the log holds", show_header=False, title_justify="left")
    table.add_row(
        "conversations", f"{len(corpus):,} ({len(corpus.train):,} to learn from, {len(corpus.test):,} held out)"
    )
    table.add_row("messages, tool calls", f"{messages:,}, {calls:,}")
    table.add_row("outcomes", ", ".join(f"{plain(name)} {n:,}" for name, n in outcomes.most_common(6)))
    if rated:
        table.add_row("ratings", f"{len(rated):,}, {sum(rated) / len(rated):.1f} on average")
    console.print(table)


def show_tools(console: Console, mocker: ToolMocker) -> None:
    """What was learned about each tool."""
    table = Table(title="The tools, as the log shows them", title_justify="left")
    for column in ("tool", "does", "because", "rules learned"):
        table.add_column(column, overflow="fold")
    for name, model in mocker.world.tools.items():
        does = "hands over" if model.kind.ends else "writes" if model.kind.writes else "reads"
        rules = mocker.explain(name).rules
        table.add_row(plain(name), does, plain(model.kind.why), str(len(rules)))
    console.print(table)


def show_rollout(console: Console, rollout: Rollout) -> None:
    """One episode, message by message, with where every tool answer came from."""
    console.rule(f"An episode in the case of {plain(rollout.conversation_id)}")
    # Every call got an answer, in order; a message without one is the environment's word on a malformed action.
    calls = zip(paired_calls(rollout.messages), rollout.answers, strict=True)
    answers = {id(told): answer for (_, told), (_, answer) in calls}
    for message in rollout.messages:
        show_message(console, message, answers.get(id(message)))
    console.print(f"ended: {rollout.ending.replace('_', ' ')}")
    if rollout.failure:
        console.print(f"[red]stopped from outside[/]: {plain(rollout.failure)}")
    elif rollout.score is not None:
        show_score(console, rollout.score)


def show_message(console: Console, message: Message, answer: ToolAnswer | None = None) -> None:
    """One message; a tool's with where its answer came from. System text stays out."""
    if message.role == "user":
        console.print(f"[bold]customer[/]  {plain(message.text)}")
    elif message.role == "assistant":
        _show_assistant(console, message)
    elif message.role == "tool":
        _show_answer(console, message, answer)


def _show_assistant(console: Console, message: Message) -> None:
    if message.text:
        console.print(f"[bold blue]agent[/]     {plain(message.text)}")
    for call in message.tool_calls:
        console.print(f"[bold blue]agent[/]     calls {plain(call.name)}({plain(_short(call.arguments))})")


def _show_answer(console: Console, message: Message, answer: ToolAnswer | None) -> None:
    where = ""
    if answer is not None:
        style = _SOURCE_STYLE.get(answer.source, "red")
        seen = f", seen in {plain(', '.join(answer.evidence[:2]))}" if answer.evidence else ""
        where = f"  [{style}]‹{answer.source}{seen}›[/]"
    console.print(f"[dim]tool[/]      {plain(_short(message.result))}{where}")


def show_score(console: Console, score: Score) -> None:
    """The reward and its reasons."""
    table = Table(title=f"Reward {float(score):.2f}, success: {'yes' if score.success else 'no'}", title_justify="left")
    for column in ("part", "value", "weight", "why"):
        table.add_column(column, overflow="fold")
    for name, part in score.parts.items():
        if part.raw is not None:
            table.add_row(name, f"{part.raw:.2f}", f"{part.weight:g}", plain(part.why))
    console.print(table)
    silent = [name for name, part in score.parts.items() if part.raw is None]
    if silent:
        console.print(f"[dim]does not apply here: {', '.join(silent)}[/]")
    console.print(plain(score.explanation))


def show_fidelity(console: Console, found: ToolFidelity, whose: str) -> None:
    """How far to trust the tools, measured on calls they have not seen; `whose` says what calls."""
    table = Table(title=f"How true are the tools? {found.calls:,} calls {whose}", title_justify="left")
    for column in ("answers", "how many", "equal to the real one"):
        table.add_column(column)
    table.add_row("all", f"{found.exact.n:,}", str(found.exact))
    table.add_row("after a write", f"{found.after_write.n:,}", str(found.after_write))
    for source, right in found.by_source.items():
        table.add_row(f"labelled {source}", f"{right.n:,}", str(right))
    for name, right in found.beside.items():
        table.add_row(f"[dim]beside it: {name}[/]", f"{right.n:,}", f"[dim]{right}[/]")
    console.print(table)


def _short(value: Json, length: int = 220) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    return text if len(text) <= length else text[:length] + " …"
