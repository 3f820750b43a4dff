"""The founding call: traces in, an Environment out."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from agent_gym.agent import check_agent, make_agent
from agent_gym.corpus import Corpus
from agent_gym.environment.environment import Environment
from agent_gym.environment.facts import KeptFacts
from agent_gym.errors import OptionError
from agent_gym.keeping import Kept
from agent_gym.reward import RewardFunction
from agent_gym.reward.judge import CriterionLike, Judge, JudgeLike, make_judge
from agent_gym.reward.stored import KeptReward
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.stored import kept_world
from agent_gym.trace_parser import read_traces
from agent_gym.types import Agent, TraceLike

__all__ = ["assembled", "create_environment"]


def create_environment(
    traces: str | PathLike[str] | Iterable[TraceLike],
    agent: str | Agent | None = None,
    user: str = "agenda",
    policy: str | None = None,
    test_fraction: float = 0.0,
    seed: int = 0,
    judge: JudgeLike | None = None,
    criteria: str | PathLike[str] | Iterable[CriterionLike] | None = None,
) -> Environment:
    """Mine the traces: a list of dicts in the trace schema, of `Trace`, or the path of a file of them.

    `agent` is "embedded", "gemini[:model]", "openai:model" or any object with `act`; None means Gemini where
    a key is set and the embedded agent elsewhere. `policy` is the system prompt of traces that carry none.
    With a `test_fraction`, everything is fitted on the rest, and nothing of the test part reaches it.
    `judge` is "gemini[:model]", "openai:model" or `JudgeOptions`: that model is asked whether the `criteria` hold (a
    list, or the path of a text file with one a line; without them, the rules of the policy), and can lower a score.
    """
    check_agent(agent)
    asked = make_judge(judge, _listed(criteria), policy)
    corpus = Corpus(read_traces(traces), test_fraction=test_fraction, seed=seed)
    return assembled(corpus, agent, user, policy, seed, judge=asked)


def assembled(
    corpus: Corpus,
    agent: str | Agent | None,
    user: str,
    policy: str | None,
    seed: int,
    judge: Judge | None = None,
    kept: Kept | None = None,
) -> Environment:
    """Everything fitted on the corpus's train split, or found where it was kept, put together."""
    if kept is None:
        mocker = ToolMocker.fit(corpus)
        reward = RewardFunction.fit(corpus, mocker, judge=judge)
    else:
        mocker = ToolMocker(kept_world(kept, corpus.__getitem__), corpus)
        reward = RewardFunction(corpus, mocker, judge, KeptReward(kept))
    return Environment(
        corpus=corpus,
        tool_mocker=mocker,
        reward_fn=reward,
        agent=make_agent(agent, corpus=corpus, write_tools=mocker.write_tools, policy=policy),
        user_kind=user,
        policy=policy,
        seed=seed,
        _facts=[KeptFacts(kept)] if kept is not None else [],
    )


def _listed(criteria: str | PathLike[str] | Iterable[CriterionLike] | None) -> Iterable[CriterionLike] | None:
    if not isinstance(criteria, str | PathLike):
        return criteria
    try:
        return Path(criteria).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError("criteria", str(criteria), ("a list", "a text file"), f"cannot be read ({error})") from error
