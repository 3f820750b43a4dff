"""Explanations: what a tool is and why, its tables and rules in words, and how often it was right."""

from dataclasses import replace

import pytest

from agent_gym.corpus import Corpus
from agent_gym.errors import OptionError
from agent_gym.sample import TOOLS
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.explain import explain
from agent_gym.tool_mocker.precision import Outcome, Precision
from agent_gym.tool_mocker.rules import RULES
from agent_gym.tool_mocker.world import Tally
from agent_gym.types import Message, Trace
from tests.tool_mocker.builders import Call, cancelled, mocker, order


def gone(key: str) -> Call:
    return ("get_order", {"order_id": key}, RuntimeError("Error: no such order"))


@pytest.fixture(scope="module")
def shop() -> ToolMocker:
    shipped = [
        [
            ("get_order", {"order_id": f"S{n}"}, order(f"S{n}", "shipped")),
            ("cancel_order", {"order_id": f"S{n}", "reason": "no"}, RuntimeError("Error: status is not open")),
        ]
        for n in range(4)
    ]
    sums = [[("calculate", {"expression": f"{n} + {n * n}"}, str(n + n * n))] for n in range(2, 10)]
    return mocker(
        *(cancelled(f"O{n}") for n in range(6)), *shipped, *sums, [gone("nr. 1")], [gone("nr. 2")], [gone("nr. 3")]
    )


def test_the_kind_of_a_tool_comes_with_its_reason(shop):
    assert shop.explain("cancel_order").does == "writes"
    assert "differed from the last known record" in shop.explain("cancel_order").why
    assert shop.explain("get_order").does == "reads"


def test_calls_and_errors_are_counted(shop):
    assert shop.explain("get_order").recorded == Tally(13, 3)
    assert shop.explain("cancel_order").recorded == Tally(10, 4)


def test_tables_are_told_with_what_names_their_records(shop):
    assert shop.explain("get_order").tables == ("order as its result, named by order_id",)


@pytest.mark.parametrize(
    ("tool", "source", "words"),
    [
        ("cancel_order", "effect", "status becomes"),
        ("cancel_order", "rule", "status is not open"),
        ("calculate", "function", "argument.expression"),
        ("get_order", "not_found", "no such order"),
    ],
)
def test_every_rule_is_told_in_words(shop, tool, source, words):
    assert any(rule.source == source and words in rule.words for rule in shop.explain(tool).rules)
    assert words in str(shop.explain(tool))


def test_without_a_name_every_tool_is_explained(shop):
    assert [one.name for one in shop.explain()] == ["calculate", "cancel_order", "get_order"]


def test_validation_is_told_where_it_was_measured(shop):
    outcomes = [Outcome({"state": True}, True)] * 9
    outcomes += [Outcome({"neighbour": right}, False) for right in (True, False, False, False)]
    others = [Outcome({"function": True}, False)]
    world = replace(shop.world, precision=Precision.of({"get_order": outcomes, "calculate": others}, RULES))
    told = explain(shop.world.tools["get_order"], world)
    assert [tuple(one) for one in told.validation] == [("state", 9, 9), ("neighbour", 1, 4)]
    assert "right in validation: state 9 of 9, neighbour 1 of 4" in told.words()


def test_a_tool_that_was_declared_and_never_called_is_explained_too():
    told = Trace("t", (Message("user", "hi"), Message("assistant", "hello")), tools=tuple(TOOLS))
    explained = ToolMocker.fit(Corpus([told])).explain(TOOLS[0]["function"]["name"])
    assert explained.recorded == Tally(0, 0) and "0 calls" in explained.words()


def test_an_unknown_tool_is_named_with_the_nearest_one(shop):
    with pytest.raises(OptionError, match="did you mean 'get_order'"):
        shop.explain("get_ordr")
