"""A trainer and prompts of token ids in, what its model says next out, with the log-probability of every token."""

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

from agent_gym.errors import OptionError

__all__ = ["Sampled", "sample"]


class Sampled(NamedTuple):
    """One turn of the model: as sampled, up to and with its end-of-turn token if it came to that."""

    ids: list[int]
    logprobs: list[float]


def sample(trainer: Any, prompts: Sequence[Sequence[int]], limits: Sequence[int]) -> list[Sampled]:
    """One turn for every prompt, at most so many tokens each."""
    import torch  # noqa: PLC0415  heavy, and optional
    from trl.models import unwrap_model_for_generation  # noqa: PLC0415

    if trainer.args.use_vllm:
        raise OptionError("use_vllm", True, ("False",), "does not go with rollout_func: use environment_factory")
    ids, mask = _left_padded(torch, prompts, trainer.processing_class.pad_token_id, trainer.accelerator.device)
    watch = _Watch(torch, trainer.args.temperature)
    settings = copy(trainer.generation_config)
    settings.max_new_tokens = max(limits)
    with (
        torch.no_grad(),
        unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator) as model,
    ):
        out = model.generate(
            input_ids=ids,
            attention_mask=mask,
            generation_config=settings,
            logits_processor=[watch],
        )
    said = out[:, ids.shape[1] :]
    logprobs = watch.logprobs(said)
    ends = {trainer.processing_class.eos_token_id}
    return [
        Sampled(words[:length], [round(value, 6) for value in row[:length]])
        for words, row, limit in zip(said.tolist(), logprobs, limits, strict=True)
        for length in [_length(words, ends, limit)]
    ]


def _length(words: Sequence[int], ends: set[int], limit: int) -> int:
    """Up to the first end of turn, and no more than the limit."""
    stop = next((at + 1 for at, token in enumerate(words) if token in ends), len(words))
    return min(stop, limit)


def _left_padded(torch: Any, prompts: Sequence[Sequence[int]], pad: int, device: Any) -> tuple[Any, Any]:
    width = max(len(prompt) for prompt in prompts)
    ids = [[pad] * (width - len(prompt)) + list(prompt) for prompt in prompts]
    mask = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


class _Watch:
    """Sees the scores before each token is drawn, and keeps the one of the token that was: not the whole vocabulary."""

    def __init__(self, torch: Any, temperature: float) -> None:
        self._torch, self._temperature = torch, temperature
        self._last: Any = None
        self._kept: list[Any] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        self._keep(input_ids[:, -1])
        self._last = self._torch.log_softmax(scores.float() / self._temperature, dim=-1)
        return scores

    def logprobs(self, said: Any) -> list[list[float]]:
        self._keep(said[:, -1])
        rows: list[list[float]] = self._torch.stack(self._kept, dim=1).tolist()
        return rows

    def _keep(self, drawn: Any) -> None:
        if self._last is not None:
            self._kept.append(self._last.gather(-1, drawn.unsqueeze(-1)).squeeze(-1))
