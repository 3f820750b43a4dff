"""Refusals: the conditions they are learned as, what one example is worth, what other tools of the business need."""

from agent_gym.tool_mocker.expressions.language import Context, Path, names_nothing
from agent_gym.tool_mocker.expressions.predicates import NotMember
from agent_gym.types import Json
from tests.tool_mocker.builders import Call, cancelled, mocker, order

FOREIGN = ValueError("Error: the payment method is not that of the order")
SWAPPED = ValueError("Error: the number of items must match")
UNCHANGED = ValueError("Error: the new item must differ from the old item")
METHODS: dict[str, Json] = {f"{kind}_{n}": {"kind": kind} for kind in ("card", "voucher", "bank") for n in range(6)}


def refunded(key: str, paid_by: str, refund_to: str) -> list[Call]:
    """An order, its owner's payment methods, and a refund: to what it was paid with, or to a voucher."""
    known = order(key, paid_by=[paid_by])
    good = refund_to == paid_by or refund_to.startswith("voucher")
    arguments: dict[str, Json] = {"order_id": key, "method_id": refund_to}
    return [
        ("get_owner", {"owner_id": f"o{key}"}, {"owner_id": f"o{key}", "methods": METHODS}),
        ("get_order", {"order_id": key}, known),
        ("refund_order", arguments, {**known, "status": "refunded", "refunded_to": refund_to} if good else FOREIGN),
    ]


def test_what_accepted_calls_that_break_a_condition_share_is_its_exception():
    own = [refunded(f"a{n}", f"card_{n}", f"card_{n}") for n in range(6)]
    voucher = [refunded("b0", "voucher_0", "voucher_0"), refunded("b1", "card_1", "voucher_2")]
    foreign = [refunded(f"c{n}", f"card_{n}", f"bank_{n}") for n in range(3)]
    tools = mocker(*own, *voucher, *foreign, refunded("d", "card_5", "card_5"), refunded("e", "card_5", "card_5"))
    assert tools.session().call("refund_order", {"order_id": "d", "method_id": "bank_4"}).result == str(FOREIGN)
    assert not tools.session().call("refund_order", {"order_id": "e", "method_id": "voucher_4"}).is_error


def test_what_a_list_names_twice_must_be_there_twice():
    rule = NotMember(Path("argument", ("ids",)), Path("record", ("items",)), "id")
    items = [{"id": "a"}, {"id": "a"}, {"id": "b"}]
    held = [rule.holds(Context({"ids": ids}, {"items": items}, names_nothing)) for ids in (["a", "a"], ["b", "b"])]
    assert held == [False, True]


def exchanged(key: str, old: list[str], new: list[str], answer: Json = None) -> list[Call]:
    known = order(key, items=[f"{key}1", f"{key}2"])
    done = {**known, "status": "exchanged", "came": new}
    return [
        ("get_order", {"order_id": key}, known),
        ("exchange_items", {"order_id": key, "old_item": old, "new_item": new}, answer or done),
    ]


def test_lists_whose_numbers_differ_are_refused_whichever_is_the_longer():
    fine = [exchanged(f"a{n}", ["a1", "a2", "a3"][: n % 3 + 1], ["x", "y", "z"][: n % 3 + 1]) for n in range(6)]
    longer = [exchanged(f"b{n}", [f"b{n}1"], [f"x{n}", "y"], SWAPPED) for n in range(3)]
    tools = mocker(*fine, *longer, exchanged("c", ["c1"], ["x"]))
    answer = tools.session().call("exchange_items", {"order_id": "c", "old_item": ["c1", "c2"], "new_item": ["z"]})
    assert answer.result == str(SWAPPED)


def test_one_refusal_is_believed_where_its_words_speak_of_two_arguments_that_are_the_same():
    fine = [exchanged(f"a{n}", [f"a{n}1"], [f"x{n}"]) for n in range(4)]
    tools = mocker(*fine, exchanged("b", ["b1"], ["b1"], UNCHANGED), exchanged("c", ["c1"], ["x"]))
    answer = tools.session().call("exchange_items", {"order_id": "c", "old_item": ["c1"], "new_item": ["c1"]})
    assert answer.result == str(UNCHANGED)


def test_an_error_with_several_reasons_has_a_rule_for_the_one_that_it_speaks_of():
    gone = ValueError("Error: the new part is unknown or not on sale")

    def swapped(n: int, on_sale: bool, answer: Json = None) -> list[Call]:
        part, key = f"p{n}", f"o{n}"
        return [
            ("get_part", {"part": part}, {"part": part, "sale": on_sale}),
            ("get_order", {"order_id": key}, order(key)),
            ("swap_part", {"order_id": key, "new_part": part}, answer or order(key, "swapped", part=part)),
        ]

    fine = [swapped(n, on_sale=True) for n in range(12)]
    bad = [swapped(n, on_sale=n % 2 == 0, answer=gone) for n in range(20, 26)]
    tools = mocker(*fine, *bad, [("get_order", {"order_id": "z"}, order("z"))])
    assert tools.session().call("swap_part", {"order_id": "z", "new_part": "p21"}).result == str(gone)
    assert not tools.session().call("swap_part", {"order_id": "z", "new_part": "p3"}).is_error


def test_a_record_that_was_made_up_is_no_ground_to_refuse_on():
    done = ValueError("Error: the status of the order must be open")
    talks = [[*talk, (*talk[-1][:2], done)] for talk in (cancelled(f"O{n}") for n in range(4))]
    session = mocker(*talks).session()
    first = session.call("cancel_order", {"order_id": "O99", "reason": "late"})
    assert first.source == "neighbour"
    assert not session.call("cancel_order", {"order_id": "O99", "reason": "later"}).is_error
    session.call("cancel_order", {"order_id": "O1", "reason": "late"})
    assert session.call("cancel_order", {"order_id": "O1", "reason": "later"}).result == str(done)


UNVERIFIED = ValueError("Error: verify the customer first")


def write(tool: str, key: str, status: str) -> Call:
    return (tool, {"order_id": key, "note": f"note {key}"}, order(key, status))


def verified(tool: str, key: str, status: str) -> list[Call]:
    """A conversation in which the customer is verified before the write."""
    seen: Call = ("get_order", {"order_id": key}, order(key))
    return [seen, ("verify_customer", {"name": f"N {key}"}, {"verified": True}), write(tool, key, status)]


def unverified(tool: str, key: str, error: Exception = UNVERIFIED) -> list[Call]:
    seen: Call = ("get_order", {"order_id": key}, order(key))
    return [seen, (tool, {"order_id": key, "note": f"note {key}"}, error)]


def gated(*tools: str) -> list[list[Call]]:
    """Tools that were seen to refuse before the customer was verified."""
    talks = [verified(tool, f"{tool[:2]}{n}", f"{tool} done") for tool in tools for n in range(4)]
    return talks + [unverified(tool, f"{tool[:2]}X{n}") for tool in tools for n in range(12)]


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
    assert refused.is_error and refused.result == str(UNVERIFIED)


def test_one_tool_that_says_no_in_two_ways_is_still_one_lender():
    third = [verified("return_order", f"re{n}", "returned") for n in range(3)]
    other = [unverified("cancel_order", f"caY{n}", ValueError("Error: no customer to verify yet")) for n in range(12)]
    tools = mocker(*gated("cancel_order"), *other, *third).world.tools
    assert "refusal" in tools["cancel_order"].rules and "refusal" not in tools["return_order"].rules


def test_a_rule_that_an_accepted_call_breaks_is_not_borrowed():
    third = [[write("return_order", f"re{n}", "returned")] for n in range(3)]
    tools = mocker(*gated("cancel_order", "change_order"), *third)
    assert "refusal" not in tools.world.tools["return_order"].rules


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
    refused = [moved("swap_part", f"no{n}", 0, unsold) for n in range(20)]
    tools = mocker(*kept, *refused, [("get_order", {"order_id": "z"}, order("z"))])
    answer = tools.session().call("add_part", {"order_id": "z", "part_id": "part-no1"})
    assert answer.is_error and answer.result == str(unsold)
