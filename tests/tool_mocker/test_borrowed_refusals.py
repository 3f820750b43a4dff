"""Gates and borrowed refusals: a rule that other tools of the business follow, in the borrower's own words."""

from dataclasses import replace

from agent_gym.tool_mocker.mining.borrowing import reworded, with_borrowed
from agent_gym.tool_mocker.mining.examples import Examples
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.rules.context import Context, names_nothing
from agent_gym.tool_mocker.rules.expressions import Const, Path, Template
from agent_gym.types import Json
from tests.tool_mocker.builders import Call, mocker, order

UNVERIFIED = ValueError("Error: verify the customer first")


def write(tool: str, key: str, status: str) -> Call:
    return (tool, {"order_id": key, "note": f"note {key}"}, order(key, status))


def verified(tool: str, key: str, status: str) -> list[Call]:
    """A conversation in which the customer is verified before the write."""
    seen: Call = ("get_order", {"order_id": key}, order(key))
    return [seen, ("verify_customer", {"name": f"N {key}"}, {"verified": True}), write(tool, key, status)]


def unverified(tool: str, key: str) -> list[Call]:
    seen: Call = ("get_order", {"order_id": key}, order(key))
    return [seen, (tool, {"order_id": key, "note": f"note {key}"}, UNVERIFIED)]


def gated(*tools: str) -> list[list[Call]]:
    """Tools that were seen to refuse before the customer was verified."""
    talks = [verified(tool, f"{tool[:2]}{n}", f"{tool} done") for tool in tools for n in range(4)]
    return talks + [unverified(tool, f"{tool[:2]}X{n}") for tool in tools for n in range(3)]


def test_a_tool_that_must_come_first_is_a_gate():
    tools = mocker(*gated("cancel_order", "change_order"))
    session = tools.session()
    refused = session.call("cancel_order", {"order_id": "ca1", "note": "soon"})
    assert refused.source == "rule" and refused.result == str(UNVERIFIED)
    session("verify_customer", {"name": "N ca1"})
    assert not session.call("cancel_order", {"order_id": "ca1", "note": "soon"}).is_error
    assert tools.world.tools["cancel_order"].gates == {"verify_customer"}


def test_a_replayed_answer_counts_only_behind_the_gates_it_was_given_behind():
    session = mocker(*gated("cancel_order", "change_order")).session()
    same_call = {"order_id": "ca1", "note": "note ca1"}
    assert session.call("cancel_order", same_call).is_error
    session("verify_customer", {"name": "N ca1"})
    assert session.call("cancel_order", same_call).source == "recorded"


def test_what_two_tools_need_first_a_third_needs_too():
    third = [verified("return_order", f"re{n}", "returned") for n in range(3)]
    tools = mocker(*gated("cancel_order", "change_order"), *third)
    refused = tools.session().call("return_order", {"order_id": "re1", "note": "late"})
    assert refused.is_error and refused.source == "rule"


def test_one_tool_that_says_no_in_two_ways_is_still_one_lender():
    tools = mocker(*gated("cancel_order"), *(verified("return_order", f"re{n}", "returned") for n in range(3)))
    (rule,) = tools.world.tools["cancel_order"].refusals
    twice = {"cancel_order": (rule, replace(rule, error=Const("not yet")))}
    verified_first = Context({}, {}, names_nothing, frozenset({"verify_customer"}))
    call = tools.world.tools["return_order"].examples[0].call
    accepted = {"cancel_order": Examples(), "return_order": Examples([Moment(call, None, verified_first, ())] * 3)}
    vocabulary = dict.fromkeys(("cancel_order", "return_order"), frozenset[str]())
    assert with_borrowed(twice, accepted, {}, vocabulary) == twice


def test_a_rule_that_an_accepted_call_breaks_is_not_borrowed():
    third = [[write("return_order", f"re{n}", "returned")] for n in range(3)]
    tools = mocker(*gated("cancel_order", "change_order"), *third)
    assert tools.world.tools["return_order"].refusals == ()


def test_a_borrowed_error_is_told_in_the_borrowers_words():
    vocabulary = frozenset({"order", "cancelled"})
    told = Template(("order ", Path("argument", ("order_id",)), " cannot be modified"))
    assert reworded(told, "modify_order", "cancel_order", vocabulary).words().endswith('cannot be cancelled"')
    assert reworded(Const("it was modified"), "modify_order", "cancel_order", vocabulary) == Const("it was cancelled")


def test_an_error_without_the_lenders_verb_is_borrowed_as_it_is():
    error = Const("verify the customer first")
    assert reworded(error, "modify_order", "cancel_order", frozenset({"cancelled"})) == error


def moved(tool: str, key: str, stock: int, answer: Json = None) -> list[Call]:
    """A conversation that looks at a part and puts it into an order."""
    part = f"part-{key}"
    return [
        ("get_part", {"part_id": part}, {"part_id": part, "sold": stock > 0}),
        ("get_order", {"order_id": key}, order(key)),
        (tool, {"order_id": key, "part_id": part}, answer or order(key, f"{tool} done", part=part)),
    ]


def test_a_condition_on_an_argument_is_borrowed_where_many_accepted_calls_keep_to_it():
    unsold = ValueError("Error: the part is not sold")
    kept = [moved(tool, f"{tool[:2]}{n}", 1) for tool in ("swap_part", "add_part") for n in range(12)]
    refused = [moved("swap_part", f"no{n}", 0, unsold) for n in range(3)]
    tools = mocker(*kept, *refused, [("get_order", {"order_id": "z"}, order("z"))])
    answer = tools.session().call("add_part", {"order_id": "z", "part_id": "part-no1"})
    assert (answer.source, answer.result) == ("rule", str(unsold))
