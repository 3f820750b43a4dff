"""`agent-gym demo`: the sample business's log becomes a gym, and an agent plays an episode in it."""

import tempfile
from pathlib import Path

import typer
from rich.console import Console

from agent_gym.cli.show import show_corpus, show_fidelity, show_rollout, show_tools
from agent_gym.environment import create_environment, play
from agent_gym.fidelity import measure_tools
from agent_gym.sample import POLICY, generate, write_files
from agent_gym.sample import play as play_for_real

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
    tools = environment.tool_mocker
    others = [play_for_real(c.case, "careful", seed + 1).trace for c in generate(seed) if c.skill != "careful"]
    known = [trace for trace in others if environment.corpus.split(trace.conversation_id) == "train"]
    in_known_cases = measure_tools(tools, known, anchor=lambda trace: trace.conversation_id)
    show_fidelity(console, in_known_cases, "of another agent in the recorded cases, against the real backend")
    unseen = measure_tools(tools, environment.corpus.test)
    show_fidelity(console, unseen, "about customers that no log has shown: their records nobody can know")
    if folder is not None:
        console.print(f"The logs are in {folder}.")
