"""Whether required writes were made with the right arguments: the right tool with a wrong argument is named."""

from agent_gym.goals import arguments_of
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.text import same
from agent_gym.types import ToolCall

__all__ = ["arguments"]


def arguments(talk: Conversation) -> Finding | None:
    """Of the required writes whose tool was called; the tools never called are another part's business."""
    called = {call.name for call in talk.deeds.writes}
    required = [call for call in talk.goal.writes if call.name in called]
    if not required:
        return None
    left = list(talk.writes.needless)
    shares, wrong = [], []
    for call in talk.writes.missing:
        near = max((other for other in left if other.name == call.name), key=lambda o: _share(call, o), default=None)
        if near is not None:
            left.remove(near)
            shares.append(_share(call, near))
            wrong += [f"{call.name}: {fault}" for fault in _faults(call, near)]
    if not shares:
        return Finding(1.0, "every required write it tried had the right arguments")
    right = len(required) - len(shares)
    return Finding((right + sum(shares)) / len(required), f"wrong arguments: {'; '.join(wrong[:3])}", tuple(wrong))


def _share(call: ToolCall, other: ToolCall) -> float:
    names = arguments_of(call).keys() | arguments_of(other).keys()
    return 1 - len(_faults(call, other)) / (len(names) or 1)


def _faults(call: ToolCall, other: ToolCall) -> list[str]:
    wanted, given = arguments_of(call), arguments_of(other)
    return [
        f"{name}={given.get(name)!r} instead of {wanted.get(name)!r}"
        for name in sorted(wanted.keys() | given.keys())
        if not same(wanted.get(name), given.get(name))
    ]
