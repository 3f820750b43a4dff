"""`agent-gym demo`: the sample business's log becomes a gym, and an agent plays an episode in it."""

import tempfile
from pathlib import Path

import typer
from rich.console import Console

from agent_gym.cli.show import show_corpus, show_fidelity, show_rollout, show_tools
from agent_gym.environment import create_environment, play
from agent_gym.fidelity import measure_tools
from agent_gym.sample import POLICY, write_files

__all__ = ["demo"]


def demo(
    folder: Path | None = typer.Option(None, help="Keep the sample logs here, in the formats people have."),
    agent: str | None = typer.Option(None, help="embedded, gemini[:model] or openai:model; Gemini if a key is set."),
    seed: int = typer.Option(0, help="Another seed: another day of the business, another episode."),
) -> None:
    """See a conversation log become a gym: offline, without a key, in seconds.

    Example: agent-gym demo --folder sample-logs
    """
    console = Console(emoji=False)
    with tempfile.TemporaryDirectory() as scratch:
        home = folder or Path(scratch)
        write_files(home, seed=seed)
        log = home / "processed" / "conversations.jsonl"
        console.rule("A day of a business that exists only here")
        environment = create_environment(log, agent=agent, policy=POLICY, test_fraction=0.2, seed=seed)
    show_corpus(console, environment.corpus)
    show_tools(console, environment.tool_mocker)
    show_rollout(console, play(environment.episode(seed=seed), environment.agent))
    show_fidelity(console, measure_tools(environment.tool_mocker, environment.corpus.test))
    if folder is not None:
        console.print(f"The logs are in {folder}.")
