"""Small conversations for the tests of the mined tools: a shop with orders, and nothing of any real one."""

from collections.abc import Sequence

from agent_gym.corpus import Corpus
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json, Message, ToolCall, Trace

Call = tuple[str, dict[str, Json], Json]  # tool, arguments, result; an exception's text makes it an error


def conversation(name: str, calls: Sequence[Call], outcome: str = "resolved") -> Trace:
    messages = [Message("user", f"hello, this is {name}")]
    for at, (tool, arguments, result) in enumerate(calls):
        is_error = isinstance(result, Exception)
        call = ToolCall(tool, arguments, f"c{at}")
        messages.append(Message("assistant", None, (call,)))
        told = str(result) if is_error else result
        messages.append(Message("tool", None, (), tool, f"c{at}", told, is_error))
    return Trace(name, (*messages, Message("assistant", "done")), outcome)


def mocker(*conversations: Sequence[Call]) -> ToolMocker:
    return ToolMocker.fit(Corpus(conversation(f"t{at}", calls) for at, calls in enumerate(conversations)))


def order(key: str, status: str = "open", **fields: Json) -> dict[str, Json]:
    return {"order_id": key, "status": status, "street": f"{sum(map(ord, key)) % 97} Main Street", **fields}


def cancelled(key: str) -> list[Call]:
    """A conversation that looks at an order and cancels it."""
    return [
        ("get_order", {"order_id": key}, order(key)),
        ("cancel_order", {"order_id": key, "reason": f"reason {key}"}, order(key, "cancelled", reason=f"reason {key}")),
    ]


def seen_cancelled(key: str, reason: str) -> list[Call]:
    """A conversation that cancels an order and looks at it before and after."""
    done = order(key, "cancelled", reason=reason)
    look: Call = ("get_order", {"order_id": key}, order(key))
    return [look, ("cancel_order", {"order_id": key, "reason": reason}, done), ("get_order", {"order_id": key}, done)]


def busy_shop(*more: Sequence[Call]) -> ToolMocker:
    """Each of six orders in two conversations: enough to earn the labels of what is recorded, of writes and of state.

    The conversations given come last.
    """
    return mocker(*(seen_cancelled(f"O{n % 6}", f"reason {n}") for n in range(12)), *more)
