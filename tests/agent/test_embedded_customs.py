"""What holds between the arguments of a tool's calls."""

from agent_gym.agent.embedded.customs import Customs

MOVES = [("a", "move", [("from", ["x1", "x2"]), ("to", ["y1", "y2"]), ("tags", ["new"])])] * 30


def test_what_names_another_thing_in_the_same_conversation_is_varied():
    calls = [(talk, "track", [("parcel", f"P-{n}00"), ("short", "yes")]) for talk, n in (("a", 1), ("a", 2), ("b", 1))]
    assert Customs(calls).varied("track") == {"parcel"}


def test_what_differs_between_conversations_alone_is_not():
    calls = [(str(n), "track", [("parcel", f"P-{n}00")]) for n in range(5)]
    assert Customs(calls).varied("track") == frozenset()


def test_a_list_is_as_long_as_the_one_it_goes_with():
    customs = Customs(MOVES)
    assert customs.length("move", "to", {"from": ["x7", "x8", "x9"]}) == 3
    assert customs.length("move", "from", {"tags": ["new"]}) == 0
    assert customs.length("move", "to", {}) == 0


def test_one_slip_in_many_calls_makes_no_difference():
    slip = [("b", "move", [("from", ["x1"]), ("to", ["y1", "y2"])])]
    assert Customs([*MOVES, *slip]).length("move", "to", {"from": ["x7"]}) == 1
    assert Customs([*MOVES[:3], *slip]).length("move", "to", {"from": ["x7"]}) == 0
