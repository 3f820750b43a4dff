"""Where conversations were told different things, the one that went like the session tells what it is told."""

from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json
from tests.tool_mocker.builders import Call, mocker


def garage(car: str, fuel: int) -> list[Call]:
    """A visit to a garage whose gauge shows the fuel of the car that is in it."""
    return [("drive_in", {"car": car}, "welcome"), ("show_fuel", {}, {"fuel": fuel})]


def garages() -> ToolMocker:
    cars = {"red": 10, "blue": 20, "green": 30}
    return mocker(*(garage(car, fuel) for car, fuel in cars.items() for _ in range(2)))


def fuel_of(car: str | None) -> tuple[Json, str]:
    session = garages().session()
    if car is not None:
        session.call("drive_in", {"car": car})
    answer = session.call("show_fuel", {})
    return answer.result["fuel"], answer.source


def test_the_conversation_that_asked_the_same_before_tells_the_answer() -> None:
    assert [fuel_of(car) for car in ("red", "blue", "green")] == [(10, "recorded"), (20, "recorded"), (30, "recorded")]


def test_an_answer_that_others_contradict_is_not_called_recorded_where_nothing_tells_them_apart() -> None:
    assert fuel_of(None)[1] == "neighbour"
    assert fuel_of("a car nobody has seen")[1] == "neighbour"


def test_a_single_odd_answer_does_not_make_the_others_a_guess() -> None:
    same_day: list[list[Call]] = [[("today", {}, "Monday")] for _ in range(39)]
    answer = mocker(*same_day, [("today", {}, "Tuesday")]).session().call("today", {})
    assert (answer.result, answer.source) == ("Monday", "recorded")


def test_stories_do_not_tell_where_like_conversations_were_told_different_things() -> None:
    tools = mocker(*(garage("red", fuel) for fuel in (10, 20, 30, 20, 10, 20)))
    assert not tools.world.tools["show_fuel"].memory.rivals
    assert garages().world.tools["show_fuel"].memory.rivals
