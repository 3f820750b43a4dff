"""Whether the reply only gives back what was said before."""

from collections.abc import Sequence

from agent_gym.reward.finding import Finding
from agent_gym.reward.reply import Reply

__all__ = ["echo"]

_RUN = 4  # words in a row that nobody repeats by chance


def echo(reply: Reply) -> Finding | None:
    if not reply.context:
        return None
    runs = _runs(reply.response.words)
    if not runs:
        return None
    wanted = _runs(reply.reference.words) if reply.reference else set()
    heard = {run for text in reply.context for run in _runs(text.words)}
    share = len((runs & heard) - wanted) / len(runs)
    if share < 0.3:
        return Finding(1.0, "it is no echo of the conversation")
    return Finding(1 - share, f"{share:.0%} of it only repeats the conversation")


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)}
