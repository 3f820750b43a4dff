"""A seed in; a day of the sample business, the gym of its log, and an episode in it out."""

import tempfile
from pathlib import Path

from agent_gym.cli.output import data_console, print_json, progress_console, stage
from agent_gym.cli.show import show_corpus, show_fidelity, show_rollout, show_tools
from agent_gym.environment import Environment, Rollout, create_environment, play
from agent_gym.fidelity import ToolFidelity, measure_tools
from agent_gym.sample import POLICY, generate, write_files
from agent_gym.sample import play as play_for_real

__all__ = ["run_demo"]


def run_demo(folder: Path | None, agent: str | None, seed: int, *, as_json: bool, quiet: bool) -> None:
    with stage(progress_console(quiet), "a day of a business that exists only here …"):
        environment = _business(folder, agent, seed)
        rollout = play(environment.episode(seed=seed), environment.agent)
        known, unseen = _measured(environment, seed)
    if as_json:
        tools = {"known_cases": known.to_dict(), "unseen_customers": unseen.to_dict()}
        print_json({**environment.counts, "rollout": rollout.to_dict(), "tools": tools})
        return
    _show(environment, rollout, known, unseen)
    if folder is not None:
        data_console().print(f"The logs are in {folder}.", markup=False)


def _business(folder: Path | None, agent: str | None, seed: int) -> Environment:
    with tempfile.TemporaryDirectory() as scratch:
        home = folder or Path(scratch)
        write_files(home, seed=seed)
        log = home / "processed" / "conversations.jsonl"
        return create_environment(log, agent=agent, policy=POLICY, test_fraction=0.2, seed=seed)


def _measured(environment: Environment, seed: int) -> tuple[ToolFidelity, ToolFidelity]:
    """The tools beside the real backend, in recorded cases, and about customers that no log shows."""
    tools, corpus = environment.tool_mocker, environment.corpus
    others = [play_for_real(c.case, "careful", seed + 1).trace for c in generate(seed) if c.skill != "careful"]
    known = [trace for trace in others if corpus.split(trace.conversation_id) == "train"]
    return measure_tools(tools, known, anchor=lambda trace: trace.conversation_id), measure_tools(tools, corpus.test)


def _show(environment: Environment, rollout: Rollout, known: ToolFidelity, unseen: ToolFidelity) -> None:
    console = data_console()
    console.rule("A day of a business that exists only here")
    show_corpus(console, environment.corpus)
    show_tools(console, environment.tool_mocker)
    show_rollout(console, rollout)
    show_fidelity(console, known, "of another agent in the recorded cases, against the real backend")
    show_fidelity(console, unseen, "about customers that no log has shown: their records nobody can know")
