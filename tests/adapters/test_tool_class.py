"""A tool set as a class: what a trainer finds when it looks for tools."""

import inspect

import pytest

from agent_gym.adapters.trl.cases import Cases
from agent_gym.adapters.trl.scoring import Scoring
from agent_gym.adapters.trl.toolclass import tool_class
from agent_gym.errors import AgentGymError
from tests.environment import clinic

ODD = {
    "name": "Calendar.create event",
    "description": "Makes\n an event.",
    "parameters": {
        "type": "object",
        "properties": {"class": {"type": "string"}, "how-many": {"type": ["integer", "null"], "description": "Count"}},
        "required": ["class"],
    },
}


@pytest.fixture
def made(desk):
    return tool_class("desk_tools", [*map(clinic.schema, clinic.NAMES), ODD], Cases(desk), Scoring())


def test_every_public_name_is_a_tool_or_what_the_trainer_asks_for(made):
    public = {name for name, _ in inspect.getmembers(made, inspect.isfunction) if not name.startswith("_")}
    assert public == {*clinic.NAMES, "Calendar_create_event", "respond_to_user", "reset", "get_reward"}


def test_signatures_and_docstrings_are_those_of_the_schema(made):
    method = made.Calendar_create_event
    assert str(inspect.signature(method)) == "(self, *, class_: str, how_many: int | None = None) -> str"
    assert inspect.getdoc(method) == "Makes an event.\n\nArgs:\n    class_: class\n    how_many: Count"


def test_a_call_goes_to_the_tool_under_its_own_names(made):
    desk = made()
    desk.reset("c1", 0, 0, prompt=[])
    desk.Calendar_create_event(class_="x", how_many=None)
    (asked, answer), *_ = desk._live().answers
    assert asked.name == "Calendar.create event" and asked.arguments == {"class": "x"} and answer.is_error


def test_a_case_played_through_its_methods_is_paid(made):
    desk = made()
    desk.reset("c1", 0, 0)
    assert '"booked"' in desk.get_visit(visit_id="V-7011")
    desk.cancel_visit(visit_id="V-7011")
    assert desk.respond_to_user("Your visit V-7011 is cancelled. Anything else?").endswith("The conversation is over.")
    assert desk.get_reward() == 1.0


def test_what_is_said_after_the_end_changes_nothing(made):
    desk = made()
    desk.reset("h3", 0, 0)
    desk.transfer_to_human_agent(visit_id="V-7033")
    assert desk.respond_to_user("Hello?") == "The conversation is over."


def test_two_rollouts_do_not_share_an_episode(made):
    first, second = made(), made()
    first.reset("c1", 0, 0)
    second.reset("c2", 0, 0)
    first.cancel_visit(visit_id="V-7011")
    assert not second._live().answers


def test_an_environment_that_was_not_reset_says_so(made):
    with pytest.raises(AgentGymError, match="reset"):
        made().respond_to_user("Hello")
