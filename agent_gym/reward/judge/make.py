"""A spec in, a judge out: what the options `judge` and `criteria` of an environment may say."""

from collections.abc import Iterable

from agent_gym.errors import OptionError
from agent_gym.llm import MODEL_SPECS, is_model_spec
from agent_gym.reward.judge.criteria import CriterionLike, read_criteria
from agent_gym.reward.judge.judge import Judge, JudgeOptions

__all__ = ["JudgeLike", "make_judge"]

JudgeLike = str | JudgeOptions | Judge


def make_judge(
    spec: JudgeLike | None, criteria: Iterable[CriterionLike] | None = None, policy: str | None = None
) -> Judge | None:
    """The judge itself, or the one named, not yet sworn in. Without a key, or offline, this fails at once."""
    if spec is None and criteria is not None:
        raise OptionError("judge", None, MODEL_SPECS, "cannot judge by the criteria given")
    if spec is None or isinstance(spec, Judge):
        return spec
    options = spec if isinstance(spec, JudgeOptions) else JudgeOptions(spec)
    if isinstance(options.model, str) and not is_model_spec(options.model):
        raise OptionError("judge", options.model, MODEL_SPECS)
    return Judge(options, None if criteria is None else read_criteria(criteria), policy)
