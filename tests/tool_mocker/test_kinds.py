"""Which tools write: by what their results show, and by their names where that is little."""

from collections.abc import Iterable, Mapping

from agent_gym.corpus import Corpus
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.kinds import commands
from agent_gym.types import Json, Message, ToolCall, Trace


def called(name: str, arguments: Mapping[str, Json], result: Json) -> list[Message]:
    call = ToolCall(name, arguments, "c")
    return [Message("assistant", tool_calls=(call,)), Message("tool", name=name, tool_call_id="c", result=result)]


def customer(number: int, city: str) -> dict[str, Json]:
    return {"customer_id": f"cu_{number:04d}", "city": city, "since": f"{1990 + number}"}


def moved(number: int, tool: str, city: str) -> Trace:
    """A customer who lives in Rome is looked up and, by the tool, set to live in a city."""
    key = {"customer_id": f"cu_{number:04d}"}
    looked = called("get_customer", key, customer(number, "Rome"))
    return Trace(
        f"{tool} {number}",
        (Message("user", "Hi"), *looked, *called(tool, key | {"city": city}, customer(number, city))),
    )


def writes(traces: Iterable[Trace]) -> frozenset[str]:
    return ToolMocker.fit(Corpus(list(traces))).write_tools


def test_a_command_that_mostly_sets_what_is_set_already_is_a_write():
    cities = ["Rome"] * 7 + ["Oslo"] * 3
    assert writes(moved(n, "set_city", city) for n, city in enumerate(cities)) == {"set_city"}
    assert writes(moved(n, "city_of", city) for n, city in enumerate(cities)) == frozenset()


def test_what_never_changes_what_is_known_is_a_write_only_by_its_name():
    assert writes(moved(n, "set_city", "Rome") for n in range(10)) == {"set_city"}
    assert writes(moved(n, "city_of", "Rome") for n in range(10)) == frozenset()


def test_a_tool_that_tells_nothing_but_what_it_was_told_is_a_write():
    told = [called("beep", {"at": f"door {n}"}, {"at": f"door {n}", "ok": True}) for n in range(4)]
    asked = [called("beep", {"at": f"door {n}"}, {"at": f"door {n}", "volume": n * 7}) for n in range(4)]
    assert writes(Trace(f"t{n}", (Message("user", "Hi"), *each)) for n, each in enumerate(told)) == {"beep"}
    assert writes(Trace(f"t{n}", (Message("user", "Hi"), *each)) for n, each in enumerate(asked)) == frozenset()


def test_a_name_that_asks_for_something_is_no_command():
    assert all(map(commands, ("set_city", "Events_1.BuyTickets", "modify_user_address")))
    assert not any(map(commands, ("order_status", "change_history", "get_city", "city_set", "")))
