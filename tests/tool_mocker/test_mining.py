"""What is learned from recorded calls: kinds, functions, effects, refusals, queries, absence."""

from tests.tool_mocker.builders import Call, cancelled, mocker, order


def test_a_tool_whose_result_differs_from_the_last_known_record_writes_whatever_its_name():
    def talk(key: str) -> list[Call]:
        return [
            ("show", {"order_id": key}, order(key)),
            ("frobnicate", {"order_id": key}, order(key, "closed")),
            ("show", {"order_id": key}, order(key, "closed")),
        ]

    tools = mocker(talk("A"), talk("B"))
    assert tools.write_tools == {"frobnicate"}
    assert "2 of 2" in tools.world.tools["frobnicate"].kind.why


def test_a_read_that_shows_more_fields_than_the_last_is_no_write():
    talk: list[Call] = [
        ("list_it", {"order_id": "A"}, {"order_id": "A", "status": "open"}),
        ("update_view", {"order_id": "A"}, order("A")),
        ("update_view", {"order_id": "A"}, order("A")),
    ]
    assert "update_view" not in mocker(talk, talk).write_tools


def test_a_hand_over_tool_is_recognised():
    assert mocker([("escalate_to_human", {"why": "angry"}, "ok")]).end_tools == {"escalate_to_human"}


def test_arithmetic_is_computed_for_calls_nobody_made():
    sums: list[Call] = [("calculate", {"expression": f"{n} + {n}.5"}, str(n + n + 0.5)) for n in range(8)]
    answer = mocker(sums).session().call("calculate", {"expression": "(1.25 + 2) * 4"})
    assert answer.result == "13.0" and answer.source == "function"


def test_a_text_with_places_is_filled_from_the_arguments():
    sent: list[Call] = [("notify", {"to": f"user{n}x", "via": "mail"}, f"Sent a note to user{n}x.") for n in range(8)]
    answer = mocker(sent).session().call("notify", {"to": "zed", "via": "mail"})
    assert answer.result == "Sent a note to zed." and answer.source == "function"


def test_a_tool_that_refuses_some_calls_is_no_function_of_its_arguments():
    calls: list[Call] = [
        ("verify", {"code": f"c{n}"}, {"ok": True} if n % 2 else ValueError("Error: no")) for n in range(20)
    ]
    assert mocker(calls).world.tools["verify"].function is None


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
    refused = [
        [
            ("get_order", {"order_id": f"S{n}"}, order(f"S{n}", "shipped")),
            (
                "cancel_order",
                {"order_id": f"S{n}", "reason": "r"},
                ValueError("Error: only an open order can be cancelled"),
            ),
        ]
        for n in range(3)
    ]
    tools = mocker(*(cancelled(f"O{n}") for n in range(5)), *refused, [("get_order", {"order_id": "N"}, order("N"))])
    session = tools.session()
    assert not session.call("cancel_order", {"order_id": "N", "reason": "x"}).is_error
    again = session.call("cancel_order", {"order_id": "N", "reason": "x"})
    assert again.is_error and again.source == "rule" and "only an open order" in again.result


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

    tools = mocker(*(talk(n) for n in range(3)), talk(7)[1:])
    answer = tools.session().call("find_user", {"name": "name7", "zip": "1007"})
    assert answer.result == "u7" and answer.source == "query"


def test_an_id_of_a_strange_shape_is_denied_and_one_that_a_record_mentions_is_not():
    good = [[("get_order", {"order_id": f"#W{n}"}, order(f"#W{n}", other=f"#W{n}9"))] for n in range(6)]
    bad = [[("get_order", {"order_id": f"W{n}"}, ValueError("Error: order not found"))] for n in range(6)]
    session = mocker(*good, *bad).session("t0")
    assert session.call("get_order", {"order_id": "W77"}).result == "Error: order not found"
    assert session.call("get_order", {"order_id": "#W59"}).source != "not_found"


def test_what_nobody_knows_is_labelled_as_made_up():
    tools = mocker(*(cancelled(f"O{n}") for n in range(3)))
    answer = tools.session().call("get_order", {"order_id": "O99"})
    assert answer.source == "neighbour" and answer.result["order_id"] == "O99"


def test_rules_print_as_sentences():
    effect = mocker(*(cancelled(f"O{n}") for n in range(4))).world.tools["cancel_order"].effect
    assert effect is not None
    assert effect.words() == 'order[argument.order_id]: reason becomes argument.reason; status becomes "cancelled"'
