"""Signs that anybody can count: refusals left standing, turns that led to nothing, calls and words repeated."""

from collections.abc import Callable, Mapping
from itertools import combinations

from agent_gym.goals import call_key
from agent_gym.reward.conversation import Conversation, spoken
from agent_gym.reward.finding import Finding
from agent_gym.reward.turns import failed

__all__ = ["COUNTED"]

_SAYS_SOMETHING = 4  # shorter turns are yes, no and thank you


def refusals(talk: Conversation) -> Finding | None:
    """Calls that a tool refused and that never went through later."""
    calls = [(call, failed(answer)) for call, answer in talk.calls]
    if not calls:
        return None
    last = {call.name: refused for call, refused in calls}
    left = tuple(spoken(call) for call, refused in calls if refused and last[call.name])
    if not left:
        return Finding(1.0, "no refusal of a tool was left standing")
    return Finding(1 / (1 + len(left)), f"a tool refused {left[0]}, and no later call of it went through", left)


def idle(talk: Conversation) -> Finding | None:
    """Turns of the customer after which no tool was called, or none that answered."""
    turns = talk.turns
    if not turns:
        return None
    led_to_nothing = sum(turn.in_vain for turn in turns)
    return Finding(1 / (1 + led_to_nothing), f"{led_to_nothing} of the customer's {len(turns)} turns led to no deed")


def circles(talk: Conversation) -> Finding | None:
    """The very same call made again."""
    calls = [call_key(call) for call, _ in talk.calls]
    if not calls:
        return None
    again = len(calls) - len(set(calls))
    return Finding(
        1 / (1 + again), f"{again} of {len(calls)} calls had been made before" if again else "no call was repeated"
    )


def insistence(talk: Conversation) -> Finding | None:
    """How much of a turn the customer had already said in an earlier one."""
    said = [frozenset(turn.words) for turn in talk.turns if len(turn.words) >= _SAYS_SOMETHING]
    if not said:
        return None
    most = max((len(one & other) / len(one | other) for one, other in combinations(said, 2)), default=0.0)
    return Finding(1 - most, f"the customer said a turn again to {most:.0%}")


COUNTED: Mapping[str, Callable[[Conversation], Finding | None]] = {
    "refusals": refusals,
    "idle": idle,
    "circles": circles,
    "insistence": insistence,
}
