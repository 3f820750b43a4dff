"""Neighbours: the argument that tells most of the answer decides which recorded call is near."""

from agent_gym.tool_mocker.mining.weights import argument_weights, usual_arguments
from agent_gym.tool_mocker.recorded import recorded_calls
from tests.tool_mocker.builders import Call, conversation, mocker

CITIES = ("Oslo", "Rome", "Kiel", "Bern")


def forecast(city: str, hour: int, unit: str | None = None) -> Call:
    """Rain goes with the city; the hour is repeated and means nothing."""
    asked = {"city": city, "hour": f"{hour}h"} | ({"unit": unit} if unit else {})
    rain = {"rain": sum(map(ord, city)), "wind": f"from {city[::-1]}"}
    return ("forecast", asked, {"city": city, "hour": f"{hour}h", "unit": unit or "mm", **rain})


CALLS = [forecast(city, hour) for hour in range(4) for city in CITIES] + [forecast(city, 9, "in") for city in CITIES]


def test_an_argument_weighs_what_it_tells_of_the_answer():
    weights = argument_weights(recorded_calls(conversation("t", CALLS)))
    assert weights["city"] > 0.5
    assert weights.get("hour", 0.0) < 0.1


def test_the_nearest_call_agrees_on_what_matters():
    tools = mocker(*([call] for call in CALLS))
    asked = {"city": "Kiel", "hour": "7h", "unit": "ft"}
    answer = tools.session().call("forecast", asked)
    assert answer.result == forecast("Kiel", 7, "ft")[2]


def test_an_argument_that_is_not_given_is_taken_for_its_usual_value():
    assert usual_arguments(recorded_calls(conversation("t", CALLS))) == {"unit": "mm"}
    assert usual_arguments(recorded_calls(conversation("t", CALLS[-4:]))) == {}


def bills(account: str, limit: int | None = None) -> Call:
    asked = {"account": account} | ({"limit": limit} if limit else {})
    return ("bills", asked, {"account": account, "bills": [f"{account}-{n}" for n in range(limit or 2)]})


def test_what_names_the_thing_asked_about_tells_most():
    calls = [bills(f"AC-{n}") for n in range(4)] + [bills(f"AC-{n}", 8) for n in range(10, 16)]
    weights = argument_weights(recorded_calls(conversation("t", calls)))
    assert weights["account"] > weights.get("limit", 0.0)
    answer = mocker(*([call] for call in calls)).session().call("bills", {"account": "AC-2", "limit": 8})
    assert answer.result == bills("AC-2")[2]
