"""What holds between the arguments of a tool's calls."""

from agent_gym.agent.embedded.customs import Customs

MOVES = [(("a", 1), "move", [("from", ["x1", "x2"]), ("to", ["y1", "y2"]), ("tags", ["new"])])] * 30


def _tracked(*turns: tuple[str, int]) -> Customs:
    """Another parcel at every call."""
    return Customs((turn, "track", [("parcel", f"P-{n}00"), ("short", "yes")]) for n, turn in enumerate(turns))


def test_what_names_another_thing_before_the_customer_speaks_is_varied():
    assert _tracked(("a", 1), ("a", 1), ("b", 1), ("c", 1)).varied("track") == {"parcel"}


def test_what_is_another_for_another_wish_is_not():
    assert _tracked(("a", 1), ("a", 2), ("b", 1), ("b", 3)).varied("track") == frozenset()


def test_what_was_varied_but_seldom_is_not():
    assert _tracked(("a", 1), ("a", 1), *((str(n), 1) for n in range(20))).varied("track") == frozenset()


def test_a_list_is_as_long_as_the_one_it_goes_with():
    customs = Customs(MOVES)
    assert customs.length("move", "to", {"from": ["x7", "x8", "x9"]}) == 3
    assert customs.length("move", "from", {"tags": ["new"]}) == 0
    assert customs.length("move", "to", {}) == 0


def test_one_slip_in_many_calls_makes_no_difference():
    slip = [(("b", 1), "move", [("from", ["x1"]), ("to", ["y1", "y2"])])]
    assert Customs([*MOVES, *slip]).length("move", "to", {"from": ["x7"]}) == 1
    assert Customs([*MOVES[:3], *slip]).length("move", "to", {"from": ["x7"]}) == 0
