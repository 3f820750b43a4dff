"""Limits, lifted refusals and branches: rules over which of two numbers or dates is larger."""

from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json
from tests.tool_mocker.builders import Call, mocker


def room(key: str, booked_until: str) -> Call:
    return ("get_room", {"room_id": key}, {"room_id": key, "booked_until": booked_until, "state": "booked"})


def leave(key: str, booked_until: str, **given: Json) -> list[Call]:
    """Who leaves early pays, and has to agree to it."""
    early = booked_until > "2024-06-01"
    result: Json = {"room_id": key, "state": "left", "fee": 20 if early else 0}
    if early and not given:
        result = ValueError(f"Error: booked until {booked_until}, accept the fee first")
    return [room(key, booked_until), ("cancel_room", {"room_id": key, **given}, result)]


def hotel(*more: Call) -> ToolMocker:
    past = [leave(f"P{n}", f"2024-0{n}-10") for n in range(1, 6)]
    early = [leave(f"E{n}", f"2024-0{n}-20") for n in range(6, 9)]
    agreed = [leave(f"A{n}", f"2024-0{n}-15", accept_fee=True) for n in range(6, 9)]
    return mocker(*past, *early, *agreed, list(more))


def test_a_refusal_beyond_a_date_is_learned_and_names_the_date() -> None:
    answer = hotel(room("N", "2024-09-30")).session().call("cancel_room", {"room_id": "N"})
    assert (answer.source, answer.result) == ("rule", "Error: booked until 2024-09-30, accept the fee first")


def test_the_argument_that_lifts_a_refusal_lifts_it_and_decides_the_fee() -> None:
    tools = hotel(room("N", "2024-09-30"), room("O", "2024-02-02"))
    answer = tools.session().call("cancel_room", {"room_id": "N", "accept_fee": True})
    assert (answer.is_error, answer.result["fee"]) == (False, 20)
    assert tools.session()("cancel_room", {"room_id": "O"})["fee"] == 0


def move(key: str, old: int, new: int, ends: str) -> list[Call]:
    """A dearer flat starts a new contract; a cheaper one keeps the old one's end."""
    flat: Json = {"flat_id": key, "rent": old, "ends_on": ends}
    told = {"flat_id": key, "rent": new, "ends_on": ends if new < old else "2030-01-01"}
    return [("get_flat", {"flat_id": key}, flat), ("change_flat", {"flat_id": key, "rent": new}, told)]


def test_a_field_is_kept_or_set_by_which_of_two_numbers_is_larger() -> None:
    moves = [move(f"F{n}", 500, 500 + step, f"2026-01-{10 + n}") for n, step in enumerate([-50, 60, -70, 80, -90] * 3)]
    seen: Call = ("get_flat", {"flat_id": "N"}, {"flat_id": "N", "rent": 700, "ends_on": "2027-07-07"})
    tools = mocker(*moves, [seen])
    ends = [tools.session()("change_flat", {"flat_id": "N", "rent": rent})["ends_on"] for rent in (650, 750)]
    assert ends == ["2027-07-07", "2030-01-01"]


def test_a_short_number_is_not_taken_for_part_of_a_longer_one() -> None:
    fees = [("F1", 0.0), ("F2", 0.0), ("F3", 0.0), ("F4", 0.0)]
    rows = [
        [("get_fee", {"fee_id": key, "paid": paid}, f"{key} costs 60.00"), ("get_day", {}, "Monday")]
        for key, paid in fees
    ]
    assert mocker(*rows)("get_fee", {"fee_id": "F9", "paid": 12.5}) == "F9 costs 60.00"
