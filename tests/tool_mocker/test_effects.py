"""What writes do to records that later answers show."""

from agent_gym.types import Json
from tests.tool_mocker.builders import Call, mocker


def goals(n: int, **first: Json) -> Call:
    """A user's two goals; the first with what is told of it."""
    shown: list[Json] = [{"goal_id": f"G-{n}-1", "state": "open", **first}, {"goal_id": f"G-{n}-2", "state": "open"}]
    return ("list_goals", {"user": f"U-{n}"}, {"goals": shown})


def noted(n: int) -> list[Call]:
    """A conversation that notes something on a goal, or ends it, and looks at it before and after."""
    said: dict[str, Json] = {"text": f"note {n}"} if n % 2 else {"state": "done"}
    told: dict[str, Json] = {"notes": f"note {n}"} if n % 2 else {"state": "done"}
    return [goals(n), ("update_goal", {"goal_id": f"G-{n}-1", **said}, "updated"), goals(n, **told)]


def test_a_write_adds_fields_and_leaves_alone_what_it_does_not_name() -> None:
    session = mocker(*map(noted, range(6)), [goals(9)]).session()
    session("update_goal", {"goal_id": "G-9-1", "text": "well"})
    assert session("list_goals", {"user": "U-9"}) == goals(9, notes="well")[2]


def ended(n: int) -> list[Call]:
    asked: dict[str, Json] = {"user": f"U-{n}", "goal_id": f"G-{n}-1"}
    user: dict[str, Json] = {"user": f"U-{n}", "first_goal": f"G-{n}-1"}
    done = {"done": f"goal G-{n}-1 of U-{n} ended"}
    return [goals(n), ("get_user", {"user": f"U-{n}"}, user), ("end_goal", asked, done)]


def test_what_belongs_to_another_is_answered_as_a_guess() -> None:
    tools = mocker(*map(ended, range(12)))
    own, others = (tools.session().call("end_goal", {"user": "U-3", "goal_id": f"G-{n}-1"}) for n in (3, 4))
    assert (own.source, others.source) == ("recorded", "neighbour")
