"""Where arguments come from: the customer's words, the tools' answers, the habits of recorded agents."""

from collections.abc import Sequence

from agent_gym.agent.embedded.binding import Binder, Bound
from agent_gym.agent.embedded.points import points_of
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.types import Json, Message, ToolCall, Trace


def user(text: str) -> Message:
    return Message("user", text)


def calls(name: str, arguments: dict[str, Json]) -> Message:
    return Message("assistant", tool_calls=(ToolCall(name, arguments, "c"),))


def answers(result: Json) -> Message:
    return Message("tool", tool_call_id="c", result=result)


def ways(record: Sequence[Sequence[Message]], tool: str, *talk: Message) -> list[Bound]:
    traces = [Trace(str(n), tuple(messages)) for n, messages in enumerate(record)]
    binder = Binder(point for trace in traces for point in points_of(trace))
    return binder.ways(tool, State(Talk(talk), len(talk)), [], {})


def bound(record: Sequence[Sequence[Message]], tool: str, *talk: Message) -> Bound:
    return ways(record, tool, *talk)[0]


LOANS = [
    [user(f"my card is LC-{card}, born {said}"), calls("verify", {"card": f"LC-{card}", "born": iso})]
    for card, said, iso in (
        ("40118", "12 March 1980", "1980-03-12"),
        ("40229", "05/16/1938", "1938-05-16"),
        ("40330", "11/30/1971", "1971-11-30"),
        ("40441", "1999-01-02", "1999-01-02"),
    )
]


def test_a_date_is_given_in_the_form_the_tool_takes():
    assert bound(LOANS, "verify", user("my card is LC-77001, born 07/21/1985")).arguments["born"] == "1985-07-21"
    assert bound(LOANS, "verify", user("my card is LC-77001, born 3 May 2001")).arguments["born"] == "2001-05-03"


def test_an_id_may_be_said_without_its_letters_or_in_small_ones():
    assert bound(LOANS, "verify", user("card 77001, 1985-07-21")).arguments["card"] == "LC-77001"
    assert bound(LOANS, "verify", user("lc-77001 and 1985-07-21")).arguments["card"] == "LC-77001"


def test_words_beside_values_of_another_form_do_not_take_a_bare_id_away():
    record = [[*each, user(f"my birthday is {day}")] for each, day in zip(LOANS, ("May 1", "May 2"), strict=False)]
    shown = [[user(f"the code is {code}"), calls("use", {"code": code})] for code in ("SPRING", "SUMMER", "AUTUMN")]
    told = bound([*LOANS, *record, *shown], "verify", user("1985-07-21, the card is 77001"))
    assert told.arguments["card"] == "LC-77001"


def test_what_nobody_said_is_missing():
    told = bound(LOANS, "verify", user("my card is LC-77001"))
    assert (told.arguments, told.missing) == ({"card": "LC-77001"}, ("born",))


ORDERS = [
    [
        user(f"please send back the {name}"),
        calls("list_items", {"basket": "B-1"}),
        answers({"items": [{"item_id": "I-11", "name": "desk lamp"}, {"item_id": "I-22", "name": "garden chair"}]}),
        calls("send_back", {"item_id": item}),
    ]
    for name, item in (("lamp", "I-11"), ("chair", "I-22"), ("garden chair", "I-22"))
]
SHELF = {"items": [{"item_id": "I-71", "name": "oak shelf"}, {"item_id": "I-72", "name": "wall clock"}]}
LISTED = (calls("list_items", {"basket": "B-9"}), answers(SHELF))


def test_of_several_records_the_one_the_customer_described_is_meant():
    told = bound(ORDERS, "send_back", user("the clock has to go back"), *LISTED)
    assert (told.arguments, told.doubtful) == ({"item_id": "I-72"}, ())


def test_where_the_words_fit_no_record_the_choice_is_doubtful():
    assert bound(ORDERS, "send_back", user("take it back"), *LISTED).doubtful == ("item_id",)


def test_a_yes_means_what_was_proposed():
    proposal = Message("assistant", "I would send back I-71, is that right?")
    told = bound(ORDERS, "send_back", user("one of them"), *LISTED, proposal, user("Yes"))
    assert told.arguments == {"item_id": "I-71"}


def test_what_chosen_records_have_in_common_decides_between_others():
    devices = [{"id": "D-1", "state": "online"}, {"id": "D-2", "state": "offline"}]
    record = [
        [user("no signal"), calls("devices", {}), answers({"devices": order}), calls("restart", {"id": "D-2"})]
        for order in (devices, devices[::-1], devices, devices[::-1])
    ]
    now = [{"id": "D-9", "state": "online"}, {"id": "D-8", "state": "offline"}]
    told = bound(record, "restart", user("it is dead"), calls("devices", {}), answers({"devices": now}))
    assert (told.arguments, told.doubtful) == ({"id": "D-8"}, ())


def bills(*days: str) -> list[dict[str, Json]]:
    return [{"bill": f"B-{n}", "day": day, "sum": 20.0 + n} for n, day in enumerate(days, 1)]


def test_a_record_is_spoken_of_by_the_month_of_its_day():
    listed = answers({"bills": bills("2024-11-05", "2024-12-05", "2025-01-05")})
    record = [[user("my bill"), calls("list", {}), listed, calls("get", {"bill": f"B-{n}"})] for n in (1, 2, 3)]
    told = bound(record, "get", user("born 12/11/1980. what is on the December bill?"), calls("list", {}), listed)
    assert (told.arguments, told.doubtful) == ({"bill": "B-2"}, ())


def test_what_stands_out_in_chosen_records_decides_between_others():
    record = [
        [user("too much"), calls("list", {}), answers({"bills": rows}), calls("get", {"bill": rows[place]["bill"]})]
        for rows, place in (
            (bills("2024-11-05", "2024-12-05", "2025-01-05"), 2),
            (bills("2024-02-05", "2024-03-05"), 1),
        )
        for _ in range(3)
    ]
    now = bills("2025-02-07", "2025-03-07", "2025-04-07", "2025-05-07")
    assert bound(record, "get", user("so high?"), calls("list", {}), answers({"bills": now})).arguments == {
        "bill": "B-4"
    }


def test_words_of_the_tool_are_chosen_by_what_the_customer_says():
    record = [
        [user(text), calls("open_ticket", {"category": category})]
        for text, category in (
            ("the parcel is late", "delivery"),
            ("my parcel is late again", "delivery"),
            ("the invoice is wrong", "billing"),
            ("wrong amount on the invoice", "billing"),
        )
    ]
    assert bound(record, "open_ticket", user("is my parcel late?")).arguments == {"category": "delivery"}


def test_an_id_is_no_word_of_the_tool_however_often_it_was_used():
    record = [[user(f"please call me, {n}"), calls("ring", {"line": "L-4477"})] for n in ("Ann", "Bob")]
    assert bound(record, "ring", user("please call me, Cid")).missing == ("line",)


def test_a_day_is_asked_for_however_often_the_same_one_was_taken():
    record = [[user(f"a table please, {n}"), calls("book", {"day": "2025-03-01"})] for n in "ABCDEFG"]
    assert bound(record, "book", user("a table please")).missing == ("day",)


def test_free_text_is_in_the_customers_own_words():
    record = [
        [user(text), calls("note", {"about": about})]
        for text, about in (
            ("the heating has been cold since Monday", "Heating is cold since the start of the week"),
            ("water is dripping from my ceiling", "Leak in the ceiling reported by the tenant"),
        )
    ]
    assert bound(record, "note", user("my front door does not lock")).arguments == {
        "about": "my front door does not lock"
    }


def test_the_words_beside_a_value_tell_departure_from_arrival():
    places = (("Oslo", "Rome"), ("Bern", "Oslo"), ("Rome", "Bern"), ("Oslo", "Bern"))
    record = [[user(f"a train to {b} from {a} please"), calls("trains", {"origin": a, "goal": b})] for a, b in places]
    told = bound(record, "trains", user("I leave from Bern and want to get to Rome"))
    assert told.arguments == {"origin": "Bern", "goal": "Rome"}


def test_of_two_ways_to_call_a_tool_the_one_that_can_be_filled_is_taken():
    record = [
        [user("find me, ann@mail.example"), calls("find", {"email": "ann@mail.example"})],
        [user("find me, bob@mail.example"), calls("find", {"email": "bob@mail.example"})],
        [user("find Cid Moor, zip 10115"), calls("find", {"name": "Cid Moor", "zip": "10115"})],
    ]
    assert bound(record, "find", user("I am Dora Fell, zip 20095")).arguments == {"name": "Dora Fell", "zip": "20095"}


def test_refused_calls_do_not_teach_a_form():
    refused = Message("tool", tool_call_id="c", result={"error": "malformed"}, is_error=True)
    record = [
        *LOANS,
        [user("card 40999, 1960-01-01"), calls("verify", {"card": "40999", "born": "1960-01-01"}), refused],
    ]
    assert bound(record, "verify", user("card 77001, 1985-07-21")).arguments["card"] == "LC-77001"


def test_objects_and_lists_are_built_from_their_parts():
    record = [
        [user(f"send {a} and {b} to {street}"), calls("ship", {"ids": [a, b], "to": {"street": street}})]
        for a, b, street in (("X-101", "X-102", "12 Elm Road"), ("X-203", "X-204", "7 Oak Lane"))
    ]
    told = bound(record, "ship", user("send X-305 and X-306 to 9 Ash Street"))
    assert told.arguments == {"ids": ["X-305", "X-306"], "to": {"street": "9 Ash Street"}}


PASSWORDS = [
    [user(f"my password is {words}"), calls("unlock", {"password": words}), answers({"open": True})]
    for words in ("quiet harbor", "wild plum", "winter coat", "old oak")
]


def test_a_phrase_that_nobody_has_said_before_is_known_by_the_word_before_it():
    assert bound(PASSWORDS, "unlock", user("Right, my password is lemon tree.")).arguments == {"password": "lemon tree"}
    assert bound(PASSWORDS, "unlock", user("my password is not at hand")).missing == ("password",)
    assert bound(PASSWORDS, "unlock", user("what is your name?")).missing == ("password",)


def test_what_is_read_as_something_else_is_not_taken_for_it():
    assert bound(PASSWORDS, "unlock", user("My name is Beatrice Haddad.")).missing == ("password",)


def test_of_several_values_the_one_in_the_form_of_the_argument_is_meant():
    codes = [[user(f"the code is {code}"), calls("redeem", {"code": code})] for code in ("SAVE10", "CLUB25")]
    told = bound(codes, "redeem", user("I have the code LUNCH15"), Message("assistant", "Where?"), user("in 30436"))
    assert told.arguments == {"code": "LUNCH15"}


def test_a_number_that_names_what_a_tool_has_shown_is_nothing_else():
    record = [
        [
            user(f"card {card}, send it to 12 Elm Lane, {code}"),
            calls("verify", {"card": f"LC-{card}"}),
            answers({"card": f"LC-{card}"}),
            calls("send", {"card": f"LC-{card}", "code": code}),
        ]
        for card, code in (("40118", "30411"), ("40229", "30412"), ("40330", "30413"), ("40441", "30414"))
    ]
    talk = (user("send it to 9 Oak Lane, 30415"), user("my card is 77001"), calls("verify", {"card": "LC-77001"}))
    assert bound(record, "send", *talk, answers({"card": "LC-77001"})).arguments == {
        "card": "LC-77001",
        "code": "30415",
    }


def test_what_agents_choose_themselves_is_guessed_and_never_missing():
    record = [
        [user(f"{words}, my card is LC-{n}"), calls("hand_over", {"card": f"LC-{n}", "queue": queue})]
        for n, (words, queue) in enumerate(
            [("I will sue you", "legal"), ("my lawyer writes to you", "legal"), ("someone stole my card", "fraud")] * 2,
            start=40110,
        )
    ]
    told = bound(record, "hand_over", user("somebody stole my card, it is LC-77001"))
    assert told.arguments == {"card": "LC-77001", "queue": "fraud"} and not told.missing


def _parcels(*numbers: str) -> list[Message]:
    """A customer whose parcels are looked through, one after the other."""
    looked = [m for n in numbers for m in (calls("track", {"parcel": n}), answers({"parcel": n, "state": "moving"}))]
    return [user("where is my lamp"), calls("customer", {}), answers({"parcels": list(numbers)}), *looked]


PARCELS = [
    _parcels("P-1001", "P-1002"),
    _parcels("P-2001", "P-2002", "P-2003"),
    _parcels("P-3001", "P-3001", "P-3001", "P-3001"),  # has it come by now?
]


def test_of_a_customers_things_the_next_one_can_be_looked_at():
    began = _parcels("P-7001", "P-7002", "P-7003")[:5]
    told = [way.arguments for way in ways(PARCELS, "track", *began)]
    assert told == [{"parcel": "P-7001"}, {"parcel": "P-7002"}]


def test_who_has_seen_all_of_them_is_offered_no_other():
    assert [way.arguments for way in ways(PARCELS, "track", *_parcels("P-7001"))] == [{"parcel": "P-7001"}]


def test_what_was_never_called_again_for_another_is_not():
    once = [each[:5] for each in PARCELS]
    record = [*once, *once, PARCELS[2]]
    assert [way.arguments for way in ways(record, "track", *_parcels("P-7001", "P-7002")[:5])] == [{"parcel": "P-7001"}]


def _swap(old: str, new: str) -> list[Message]:
    """A tyre given back for another, of which there are many."""
    tyres = [{"id": f"T-{n}", "width": width} for n, width in (("501", "narrow"), ("502", "wide"), ("503", "wide"))]
    return [
        user(f"the {old} one for a wide one, please"),
        calls("car", {}),
        answers({"fitted": [{"id": f"F-{n}", "place": n} for n in ("front", "rear")]}),
        calls("stock", {}),
        answers({"tyres": tyres}),
        calls("swap", {"off": [f"F-{old}"], "on": [new]}),
        answers({"done": True}),
    ]


def test_lists_that_go_together_are_as_long_as_each_other():
    record = [_swap(old, new) for old, new in (("front", "T-502"), ("rear", "T-503"), ("front", "T-503"))]
    told = bound(record, "swap", *_swap("rear", "T-502")[:5])
    assert told.arguments["off"] == ["F-rear"]
    assert len(told.arguments["on"]) == 1 and told.doubtful == ("on",), "two are wide, and one is to be taken"
