"""What a tool shows of the one thing there is: the value that another showed last."""

from tests.tool_mocker.builders import Call, mocker


def drive(fuel: float) -> list[Call]:
    return [
        ("fill_tank", {"litres": fuel}, {"fuel": fuel}),
        ("start_engine", {"mode": "START"}, {"engine": "running", "fuel": fuel}),
    ]


def test_a_field_without_a_name_is_shown_as_it_was_shown_last():
    tools = mocker(*(drive(10.0 + n) for n in range(8)))
    session = tools.session()
    session("fill_tank", {"litres": 30.0})
    answer = session.call("start_engine", {"mode": "START"})
    assert answer.result == {"engine": "running", "fuel": 30.0}
    assert answer.source == "state"


def test_variables_of_a_fork_are_its_own():
    session = mocker(*(drive(10.0 + n) for n in range(8))).session()
    twin = session.fork()
    twin("fill_tank", {"litres": 30.0})
    assert twin("start_engine", {"mode": "START"})["fuel"] == 30.0
    assert session("start_engine", {"mode": "START"})["fuel"] != 30.0
