"""Whether a customer who asked how much was told the sum that the success had worked out for them.

No tool's record shows such a sum, so nothing else notices that it is missing or another. One success does not show
which of its sums was the one asked for: any that it told in its last words about them will do.
"""

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.sums import amounts_in, asks_how_much

__all__ = ["worked_out"]


def worked_out(talk: Conversation) -> Finding | None:
    wanted = talk.reference.worked_out if talk.is_own_case else frozenset()
    if not wanted or not asks_how_much(talk.messages):
        return None
    told = {amount for reply in talk.replies for amount in amounts_in(reply)}
    if wanted & told:
        return Finding(1.0, "it told the customer the sum they had asked for")
    sums = tuple(f"{amount / 100:.2f}" for amount in sorted(wanted))
    return Finding(0.0, f"the customer asked how much, and was not told {' or '.join(sums[:3])}", sums)
