"""How much the reply says what the reference says."""

from agent_gym.reward.finding import Finding
from agent_gym.reward.likeness import blend
from agent_gym.reward.reply import Reply

__all__ = ["similarity"]


def similarity(reply: Reply) -> Finding | None:
    if reply.reference is None:
        return None
    alike = blend(reply.overlap, reply.order)
    # Any two replies of one business share about .15; an honest paraphrase seldom shares more than .7.
    raw = min(1.0, max(0.0, (alike - 0.15) / 0.55))
    return Finding(raw, f"it is {alike:.0%} like the reference in words and order")
