"""Whether what goes before a write in every success went before it here: identify, look up, ask, then write."""

from agent_gym.reward.conversation import Conversation, spoken
from agent_gym.reward.customs import made_writes
from agent_gym.reward.finding import Finding

__all__ = ["order"]


def order(talk: Conversation) -> Finding | None:
    if talk.customs is None or not talk.customs.known:
        return None
    made = list(made_writes(talk.messages, talk.goal.write_tools))
    if not made:
        return None
    faults = [(write, without) for write in made if (without := talk.customs.broken(write))]
    if not faults:
        return Finding(1.0, "before it wrote, it did what successes do before")
    said = tuple(f"{spoken(write.call)} without {', '.join(without)}" for write, without in faults)
    return Finding(1 - len(faults) / len(made), f"it wrote too early: {said[0]}", said)
