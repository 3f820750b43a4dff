"""Induction: from examples to the simplest rule that explains them, told in words."""

import pytest

from agent_gym.tool_mocker.expressions.language import MISSING, Context
from agent_gym.tool_mocker.induction.inducer import Inducer
from agent_gym.types import Json
from tests.tool_mocker.builders import Call, mocker, order

Example = tuple[dict[str, Json], dict[str, Json], Json]  # arguments, record, what they led to


def rule_for(rows: list[Example]) -> str | None:
    contexts = [Context(arguments, record, lambda _table, _key: None) for arguments, record, _ in rows]
    rule = Inducer(contexts, lambda _: ()).explain([target for _, _, target in rows])
    return rule.words() if rule is not None else None


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda a, b: a, "argument.a"),
        (lambda a, b: "done", '"done"'),
        (lambda a, b: b, "record.b"),
        (lambda a, b: b - a, "(record.b - argument.a)"),
        (lambda a, b: abs(a - b), "size of (argument.a - record.b)"),
        (lambda a, b: -a, "minus argument.a"),
        (lambda a, b: round(b * (100 - a) / 100, 2), "(record.b less % argument.a)"),
        (lambda a, b: f"{a} of {b}", '"{argument.a} of {record.b}"'),
        (lambda a, b: {"was": b, "is": a}, "{was: record.b, is: argument.a}"),
        (lambda a, b: [b, "x"], '[record.b, "x"]'),
    ],
)
def test_the_simplest_rule_is_found_and_told(made, words):
    pairs = [(3, 40), (17, 5), (9, 26), (21, 11), (35, 60)]
    assert rule_for([({"a": a}, {"b": b}, made(a, b)) for a, b in pairs]) == words


def test_what_nothing_explains_has_no_rule():
    assert rule_for([({"a": n}, {}, target) for n, target in enumerate(["x7", "q1", "r9", "b4", "k2"])]) is None


def test_a_list_is_explained_by_what_was_added_or_taken_away():
    old = [[f"i{n}", f"j{n}"] for n in range(4)]
    grown: list[Example] = [({"new": f"k{n}"}, {"items": items}, [*items, f"k{n}"]) for n, items in enumerate(old)]
    shrunk: list[Example] = [({"gone": items[0]}, {"items": items}, items[1:]) for items in old]
    assert rule_for(grown) == "record.items with [argument.new] added"
    assert rule_for(shrunk) == "record.items without argument.gone"


def test_an_element_that_ids_replace_is_explained_by_its_fields_that_change():
    rows: list[Example] = [
        (
            {"old": [f"i{n}"], "new": [f"k{n}"]},
            {"items": [{"id": f"h{n}", "n": 1}, {"id": f"i{n}", "n": n}]},
            [{"id": f"h{n}", "n": 1}, {"id": f"k{n}", "n": n}],
        )
        for n in range(4)
    ]
    assert "named by argument.old become element with {id: pair.new}" in str(rule_for(rows))


def test_the_sign_of_a_difference_decides_a_word():
    rows: list[Example] = [
        ({"a": a}, {"b": b}, {"by": a - b, "kind": "up" if a > b else "down"}) for a, b in [(9, 2), (1, 8), (7, 3)]
    ]
    words = rule_for(rows)
    assert words == '{by: (argument.a - record.b), kind: "up" if (argument.a - record.b) > 0 else "down"}'


def test_an_example_without_the_value_is_silent_not_wrong():
    rows: list[Example] = [({"a": n}, {}, n) for n in range(4)]
    assert rule_for([*rows, ({"a": 9}, {}, MISSING)]) == "argument.a"


def test_a_piece_of_an_id_is_found_in_what_is_made_of_it():
    rows: list[Example] = [({"id": f"SUB-{n}"}, {}, f"Invoice of AC-{n}") for n in ("48213", "90155", "77310")]
    assert rule_for(rows) == '"Invoice of AC-{piece 2 of argument.id}"'


def test_a_field_that_is_there_only_where_an_argument_is_given_says_so():
    def closed(key: str, given: dict[str, Json]) -> list[Call]:
        told = {**order(key, "closed"), **({"fee": 5} if given else {})}
        return [("get_order", {"order_id": key}, order(key)), ("close_order", {"order_id": key, **given}, told)]

    tools = mocker(*(closed(f"O{n}", {"rush": f"r{n}"} if n % 2 else {}) for n in range(8)), closed("P", {})[:1])
    assert "fee becomes 5, if argument.rush is given" in tools.explain("close_order").words()
    assert tools.session()("close_order", {"order_id": "P", "rush": "now"})["fee"] == 5
    assert "fee" not in tools.session()("close_order", {"order_id": "P"})
