"""One question about a reply each: `(Reply) -> Finding | None`, None where it does not apply."""

from collections.abc import Callable, Mapping

from agent_gym.reward.finding import Finding
from agent_gym.reward.reply import Reply
from agent_gym.reward.reply_parts.echo import echo
from agent_gym.reward.reply_parts.facts import facts
from agent_gym.reward.reply_parts.polarity import polarity
from agent_gym.reward.reply_parts.quality import quality
from agent_gym.reward.reply_parts.similarity import similarity
from agent_gym.reward.reply_parts.swaps import swaps

__all__ = ["REPLY_PARTS"]

REPLY_PARTS: Mapping[str, Callable[[Reply], Finding | None]] = {
    "similarity": similarity,
    "quality": quality,
    "facts": facts,
    "polarity": polarity,
    "swaps": swaps,
    "echo": echo,
}
