"""Recorded successes and played rollouts in, rows that SFT and preference trainers read out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from agent_gym.adapters.chat import chat_messages, chat_tools
from agent_gym.corpus import Split
from agent_gym.environment import Environment
from agent_gym.environment.rollout import Rollout
from agent_gym.types import Json, Message

__all__ = ["dpo_rows", "sft_rows", "sft_turns"]


def sft_rows(environment: Environment, split: Split = "train") -> Iterator[dict[str, Json]]:
    """Every successful conversation of the split, whole: `messages` and `tools`."""
    for scenario in environment.scenarios(split, "succeeded"):
        yield {
            "messages": chat_messages(_lived(environment, scenario.conversation_id)),
            "tools": chat_tools(scenario.tools),
        }


def sft_turns(environment: Environment, split: Split = "train") -> Iterator[dict[str, Json]]:
    """Every turn of the agent in a successful conversation: `prompt` before it, `completion` what it did."""
    for scenario in environment.scenarios(split, "succeeded"):
        messages = _lived(environment, scenario.conversation_id)
        opened = next(at for at, message in enumerate(messages) if message.role == "user")
        chat, tools = chat_messages(messages), chat_tools(scenario.tools)
        for at, message in enumerate(messages):
            if at > opened and message.role == "assistant":
                yield {"prompt": chat[:at], "completion": [chat[at]], "tools": tools}


def _lived(environment: Environment, conversation_id: str) -> list[Message]:
    """The conversation as an episode shows it: with the policy where the trace has none."""
    trace, prompt = environment.corpus[conversation_id], environment.scenario(conversation_id).prompt
    opened = next(at for at, message in enumerate(trace.messages) if message.role == "user")
    return [*prompt, *trace.messages[opened:]]


def dpo_rows(rollouts: Iterable[Rollout], environment: Environment, gap: float = 0.2) -> Iterator[dict[str, Json]]:
    """The best and the worst rollout of a case, where their scores lie `gap` apart: `prompt`, `chosen`, `rejected`.

    The prompt is what both have in common, up to where the agents first did something else. Failed calls of a
    model are no rollouts to learn from, nor are those in which the customer erred.
    """
    scored = [rollout for rollout in rollouts if rollout.score is not None and not rollout.user_errors]
    for conversation_id, group in groupby(sorted(scored, key=_case), key=_case):
        ranked = sorted(group, key=lambda rollout: rollout.score or 0.0)
        worst, best = ranked[0], ranked[-1]
        parted = _parting(best.messages, worst.messages)
        if parted is not None and (best.score or 0.0) - (worst.score or 0.0) >= gap:
            yield {
                "prompt": chat_messages(best.messages[:parted]),
                "chosen": chat_messages(best.messages[parted:]),
                "rejected": chat_messages(worst.messages[parted:]),
                "tools": chat_tools(environment.scenario(conversation_id).tools),
            }


def _case(rollout: Rollout) -> str:
    return rollout.conversation_id


def _parting(left: Sequence[Message], right: Sequence[Message]) -> int | None:
    """Where the agents first differ; None where it was the customer who did."""
    differ = (at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)
    at = next(differ, None)
    return at if at is not None and left[at].role == right[at].role == "assistant" else None
