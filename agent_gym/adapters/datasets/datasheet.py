"""What a dataset is, in words: for whoever finds the folder in a year."""

from collections.abc import Mapping, Sequence

from agent_gym import __version__
from agent_gym.adapters.datasets.kept import Wanted
from agent_gym.environment import Environment

__all__ = ["datasheet"]

_FORMS = {
    "sft": "one conversation a row, as chat messages, for supervised fine-tuning",
    "openai": "one conversation a row, as OpenAI's fine-tuning reads it",
    "sharegpt": "one conversation a row, as ShareGPT's tool variant has it",
    "dpo": "a better and a worse continuation of the same beginning a row, for preference training",
    "grpo": "the beginning of an episode a row; `case` in its last message says which, and the gym plays it",
}


def datasheet(
    environment: Environment,
    kind: str,
    counts: Mapping[str, int],
    wanted: Wanted,
    *,
    played: bool,
    columns: Sequence[str],
) -> str:
    gym = environment.counts
    source = "episodes played in the gym (simulated customers and tools)" if played else "recorded conversations"
    held = f"{gym['train']} conversations to learn from and {gym['test']} held out"
    rows = "\n".join(f"| {split} | {count} |" for split, count in sorted(counts.items()))
    return f"""# Datasheet

- What: {_FORMS[kind]} (`{kind}`).
- Columns: {", ".join(f"`{name}`" for name in columns)}. In Parquet, lists and objects are JSON text.
- From: {source} of a gym of {gym["conversations"]} conversations, {gym["calls"]} tool calls and {gym["tools"]} tools.
- Kept: {"every case that can be scored" if kind == "grpo" else wanted.words()}.
- Splits: those of the gym ({held}), whole customers at a time. Train on `train` only: the gym's tools, customers and
  reward have learned nothing from `test`.
- Personal data: whatever the log held. `agent-gym convert --redact` replaces it before a gym is built.
- Written by agent-gym {__version__}.

| split | rows |
|---|---|
{rows}
"""
