"""What is learned from recorded calls: kinds, functions, effects, refusals, queries, absence."""

from tests.tool_mocker.builders import Call, cancelled, mocker, order


def test_a_tool_whose_result_differs_from_the_last_known_record_writes_whatever_its_name():
    def talk(key: str) -> list[Call]:
        return [
            ("show", {"order_id": key}, order(key)),
            ("frobnicate", {"order_id": key}, order(key, "closed")),
        ]

    tools = mocker(talk("A1"), talk("B1"))
    assert tools.write_tools == {"frobnicate"}
    assert "2 of 2" in tools.world.tools["frobnicate"].kind.why


def test_a_tool_after_which_the_same_question_is_answered_otherwise_writes_whatever_it_tells():
    def talk(key: str) -> list[Call]:
        return [
            ("show", {"order_id": key}, order(key)),
            ("frobnicate", {"order_id": key}, f"code {sum(map(ord, key))}"),
            ("show", {"order_id": key}, order(key, "closed")),
        ]

    tools = mocker(talk("A1"), talk("B1"))
    assert tools.write_tools == {"frobnicate"}
    assert "the same question was answered otherwise after it" in tools.explain("frobnicate").why


def test_a_read_that_shows_more_fields_than_the_last_is_no_write():
    def talk(key: str) -> list[Call]:
        return [
            ("list_it", {"order_id": key}, {"order_id": key, "status": "open"}),
            ("unfold", {"order_id": key}, order(key)),
            ("unfold", {"order_id": key}, order(key)),
        ]

    assert "unfold" not in mocker(talk("A1"), talk("B1")).write_tools


def test_a_hand_over_tool_is_recognised():
    assert mocker([("escalate_to_human", {"why": "angry"}, "ok")]).end_tools == {"escalate_to_human"}


def test_arithmetic_is_computed_for_calls_nobody_made():
    sums: list[Call] = [("calculate", {"expression": f"{n} + {n}.5"}, str(n + n + 0.5)) for n in range(8)]
    answer = mocker(sums).session().call("calculate", {"expression": "(1.25 + 2) * 4"})
    assert answer.result == "13.0" and answer.source == "function"


def test_a_text_with_places_is_filled_from_the_arguments():
    def link(key: str) -> Call:
        return ("get_link", {"page": key, "via": "mail"}, f"See shop.example/{key}, valid for a day.")

    answer = (
        mocker(*([link(f"page{n}x")] for n in range(10))).session().call("get_link", {"page": "zed", "via": "mail"})
    )
    assert (answer.result, answer.source) == ("See shop.example/zed, valid for a day.", "function")


def test_a_tool_that_refuses_some_calls_is_no_function_of_its_arguments():
    calls: list[Call] = [
        ("verify", {"code": f"c{n}"}, {"ok": True} if n % 2 else ValueError("Error: no")) for n in range(20)
    ]
    assert "function" not in mocker(calls).world.tools["verify"].rules


def test_a_sum_of_looked_up_prices_and_a_sign_dependent_word_are_learned():
    prices = {f"I{n}": 10.0 + 7 * n for n in range(6)}
    items: list[Call] = [
        ("get_item", {"item_id": i}, {"item_id": i, "price": p, "name": f"n {i}"}) for i, p in prices.items()
    ]

    def swap(at: int, old: str, new: str) -> list[Call]:
        difference = prices[new] - prices[old]
        before = order(f"O{at}", history=[])
        entry = {"kind": "charge" if difference > 0 else "refund", "amount": abs(difference)}
        return [
            *items,
            ("get_order", {"order_id": f"O{at}"}, before),
            (
                "swap",
                {"order_id": f"O{at}", "old": old, "new": new},
                {**before, "history": [entry], "status": "swapped"},
            ),
        ]

    pairs = [("I0", "I1"), ("I3", "I1"), ("I2", "I5"), ("I5", "I0"), ("I1", "I4")]
    tools = mocker(
        *(swap(at, old, new) for at, (old, new) in enumerate(pairs)),
        [("get_order", {"order_id": "N"}, order("N", history=[]))],
    )
    answer = tools.session().call("swap", {"order_id": "N", "old": "I4", "new": "I2"})
    assert answer.result["history"] == [{"kind": "refund", "amount": 14.0}]


def test_a_refusal_is_learned_as_a_condition_on_the_record_and_holds_after_a_write():
    closed = ValueError("Error: only an open order can be cancelled")
    shipped: list[Call] = [("get_order", {"order_id": f"S{n}"}, order(f"S{n}", "shipped")) for n in range(10)]
    refused = [[look, ("cancel_order", {**look[1], "reason": "r"}, closed)] for look in shipped[:9]]
    tools = mocker(*(cancelled(f"O{n}") for n in range(9)), *refused, [shipped[9], cancelled("N")[0]])
    session = tools.session()
    session("get_order", {"order_id": "S9"})
    answer = session.call("cancel_order", {"order_id": "S9", "reason": "x"})
    assert (answer.result, answer.source) == (str(closed), "rule")
    assert not session.call("cancel_order", {"order_id": "N", "reason": "x"}).is_error
    assert session("cancel_order", {"order_id": "N", "reason": "x"}) == str(closed)


def test_a_side_effect_on_another_record_is_learned_from_reads_after_writes():
    def refund(at: int, amount: float) -> list[Call]:
        card, key = f"K{at}", f"O{at}"
        return [
            ("get_order", {"order_id": key}, order(key, card_id=card)),
            ("get_card", {"card_id": card}, {"card_id": card, "owner": f"p{at}", "balance": 100.0 + at}),
            ("refund_order", {"order_id": key, "amount": amount}, order(key, "refunded", card_id=card)),
            ("get_card", {"card_id": card}, {"card_id": card, "owner": f"p{at}", "balance": 100.0 + at + amount}),
        ]

    tools = mocker(*(refund(n, 5.0 + 3 * n) for n in range(4)))
    session = tools.session()
    session("refund_order", {"order_id": "O1", "amount": 50.0})
    assert session("get_card", {"card_id": "K1"})["balance"] == 151.0


def test_a_record_is_found_by_what_it_holds():
    def talk(n: int) -> list[Call]:
        user = {"user_id": f"u{n}", "name": f"Name{n}", "contact": {"zip": f"100{n}"}}
        return [
            ("find_user", {"name": f"Name{n}", "zip": f"100{n}"}, f"u{n}"),
            ("get_user", {"user_id": f"u{n}"}, user),
        ]

    tools = mocker(*(talk(n) for n in range(7)), *(talk(n)[1:] for n in range(8)))
    answer = tools.session().call("find_user", {"name": "Name7", "zip": "1007"})
    assert (answer.result, answer.source) == ("u7", "query")
    assert tools("find_user", {"name": "name7", "zip": "1007"}) == "u7"


def test_what_nobody_knows_is_labelled_as_made_up():
    tools = mocker(*(cancelled(f"O{n}") for n in range(3)))
    answer = tools.session().call("get_order", {"order_id": "O99"})
    assert answer.source == "neighbour" and answer.result["order_id"] == "O99"


def test_rules_print_as_sentences():
    effect = mocker(*(cancelled(f"O{n}") for n in range(4))).world.tools["cancel_order"].rules["effect"]
    assert effect.words() == 'order[argument.order_id]: reason becomes argument.reason; status becomes "cancelled"'
