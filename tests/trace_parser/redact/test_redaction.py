"""What a redacted conversation still says, and what it no longer does."""

import json
from dataclasses import replace

import pytest

from agent_gym.text import same
from agent_gym.trace_parser.redact import Gathering, Redactor, left_over
from agent_gym.types import Message, Trace
from tests.trace_parser.redact.people import arguments_of, asked, redacted, redactor, result_of, said, words_of

MIA = {
    "user_id": "mia_quorn_4516",
    "name": {"first_name": "Mia", "last_name": "Quorn"},
    "address": {"address1": "537 Elderberry Street", "city": "Ostwick", "zip": "46229"},
    "email": "mia.quorn2723@mail.test",
    "phone": "+1 (555) 867-5309",
    "date_of_birth": "1958-02-17",
    "card_number": "4111 1111 1111 1111",
    "status": "gold",
    "orders": ["#W5490111"],
}
PERSONAL = ("mia", "quorn", "elderberry", "ostwick", "46229", "2723", "867-5309", "1958", "4111 1111 1111 1111")


def mia(words: str, name: str = "c1") -> Trace:
    return asked(words, {"user_id": "mia_quorn_4516"}, MIA, name=name)


def test_nothing_personal_of_a_record_is_left():
    text = str(redacted(mia("hello"))[0].to_dict()).lower()
    assert [value for value in PERSONAL if value in text] == []


def test_what_is_not_personal_stays():
    result = result_of(redacted(mia("where is #W5490111?"))[0])
    assert result["status"] == "gold" and result["orders"] == ["#W5490111"] and list(result) == list(MIA)


@pytest.mark.parametrize(
    "words",
    [
        "I'm Mia Quorn.",
        "mia quorn here",
        "MIA  QUORN",
        "Quorn, Mia",
        "Mia's order",
        "the id is mia_quorn_4516",
        "write to MIA.QUORN2723@mail.test",
        "log me in as mia.quorn2723",
        "I sign in as mquorn or miaquorn",
        "it goes to 537 Elderberry St.",
        "537 elderberry street, ostwick 46229",
        "call 555.867.5309 or 555-867-5309",
        "born on February 17, 1958",
        "dob 02/17/1958",
        "geboren 17.02.1958",
        "card 4111-1111-1111-1111",
    ],
)
def test_every_way_to_write_a_value_is_found_in_another_conversation(words: str):
    found = words_of(redacted(mia("hi"), said(words, "c2"))[1]).lower()
    assert [
        value for value in (*PERSONAL, "8675309", "555.867", "17.02.1958", "02/17/1958", "1111") if value in found
    ] == []


def test_one_value_has_one_stand_in_everywhere_so_that_joins_hold():
    one, other = redacted(mia("I'm Mia Quorn, mia_quorn_4516"), mia("mia", "c2"))
    name = result_of(one)["name"]
    assert words_of(one) == f"I'm {name['first_name']} {name['last_name']}, {arguments_of(one)['user_id']}"
    assert same(result_of(one), result_of(other)) and words_of(other) == name["first_name"].lower()


def test_json_kept_as_text_stays_json_in_its_own_style():
    one = redacted(asked("hi", {}, json.dumps(MIA)))[0]
    other = redacted(asked("hi", {}, MIA))[0]
    assert json.loads(result_of(one)) == result_of(other) and json.dumps(result_of(other)) == result_of(one)


def test_another_key_gives_other_stand_ins_and_the_same_key_the_same():
    first, again, other = (redacted(mia("hi"), key=key)[0] for key in (b"one", b"one", b"two"))
    assert first == again and result_of(first)["email"] != result_of(other)["email"]


def test_without_a_key_two_runs_differ():
    gathering = Gathering()
    gathering.add(mia("hi"))
    assert Redactor(gathering.known()).trace(mia("hi")) != Redactor(gathering.known()).trace(mia("hi"))


def test_a_colour_is_no_family_name_unless_a_first_name_stands_before_it():
    brown = asked(
        "a brown bag for noah brown, from Noah Brown", {"first_name": "Noah", "last_name": "Brown"}, {"colour": "brown"}
    )
    one = redacted(brown)[0]
    assert words_of(one).startswith("a brown bag for ") and "noah" not in words_of(one).lower()
    assert words_of(one).count("brown") == 1 and result_of(one) == {"colour": "brown"}


def test_a_field_called_name_holds_people_only_where_its_values_are_names():
    people = [
        asked("hi", {}, {"name": name}, "list_staff", name) for name in ("Anna Tolmin", "Peter Oxfeld", "Zaq Wim")
    ]
    things = [asked("hi", {}, {"name": name}, "list_goods", name) for name in ("Garden Chair", "Tea Pot", "Blue Lamp")]
    out = redacted(*people, *things)
    assert [result_of(trace)["name"] for trace in out[3:]] == ["Garden Chair", "Tea Pot", "Blue Lamp"]
    assert not {"Anna Tolmin", "Peter Oxfeld", "Zaq Wim"} & {result_of(trace)["name"] for trace in out[:3]}


def test_short_numbers_are_personal_only_in_the_conversation_that_shows_them():
    own = asked("ending in 4821, order 4821 units", {"last_four": "4821"}, {"count": 4821, "id": "4821"})
    one, other = redacted(own, said("4821 units please", "c2"))
    assert "4821" not in words_of(one) and words_of(other) == "4821 units please"
    assert result_of(one) == {"count": 4821, "id": "4821"} and arguments_of(one)["last_four"] != "4821"


def test_a_password_that_is_a_word_is_one_only_where_it_is_somebodys():
    others = [said(f"my buddy says hello {n}", f"o{n}") for n in range(4)]
    one, *rest = redacted(asked("it is buddy", {"SecurityAnswer1": "Buddy"}, {}), *others)
    assert (
        words_of(one).startswith("it is ") and "buddy" not in words_of(one) and words_of(rest[0]) == words_of(others[0])
    )


def test_numbers_stay_numbers():
    one = redacted(asked("hi", {"AccountNumber": 351531510, "PIN": 7402, "zip": 46229, "amount": 46229}, {}))[0]
    new = arguments_of(one)
    assert [type(value) for value in new.values()] == [int] * 4 and new["amount"] == 46229
    assert new["AccountNumber"] != 351531510 and len(str(new["AccountNumber"])) == 9 and new["zip"] != 46229


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("Vorname", "Jürgen"),
        ("apellido", "Ibáñez"),
        ("prénom", "Élodie"),
        ("фамилия", "Кузнецова"),
        ("姓名", "王小明"),
        ("customerName", "Zed Qua"),
        ("PatientName", "ben"),
        ("Geburtsdatum", "03.04.1990"),
        ("passport_number", "C03005988"),
        ("shippingAddress", "12 Kiln Lane, York"),
        ("téléphone", "06 12 34 56 78"),
        ("IBAN", "DE89 3704 0044 0532 0130 00"),
        ("password", "hunter2"),
        ("Adresse", "Lindenweg 7"),
    ],
)
def test_fields_of_many_trades_and_tongues_are_known(key: str, value: str):
    one = redacted(asked(f"it is {value}, thanks", {key: value}, {}))[0]
    assert arguments_of(one)[key] != value and value.lower() not in words_of(one).lower()
    assert len(arguments_of(one)[key]) == len(value)


@pytest.mark.parametrize(
    "words",
    [
        "Hello, my name is Oluwaseun Adeyemi and I need help",
        "ich heiße Wiebke Brüggemann.",
        "me llamo Itziar",
        "my name is tarquin",
        "Thanks, Hannah Larsen",
        "hi, i'm john",
        "meu nome é Thiago Couto",
        "Меня зовут Снежана",
    ],
)
def test_a_name_that_only_the_text_gives_is_found(words: str):
    one = words_of(redacted(said(words))[0]).lower()
    names = (
        "oluwaseun",
        "adeyemi",
        "wiebke",
        "brüggemann",
        "itziar",
        "tarquin",
        "hannah",
        "larsen",
        "john",
        "thiago",
        "couto",
        "снежана",
    )
    assert [name for name in names if name in one] == [] and one[:2] == words[:2].lower()


def test_streets_and_towns_with_a_given_name_are_no_people():
    words = "Is Allison Road near San Jose?"
    assert words_of(redacted(said(words))[0]) == words


def test_a_place_that_is_asked_about_stays_and_a_home_does_not():
    asked_for = asked("rain in Norvale?", {"city": "Norvale"}, {"rain": True}, "weather", "c1")
    home = asked("hi", {}, {"street": "9 Elm Row", "city": "Sudbeck"}, "get_home", "c2")
    one, other = redacted(asked_for, home)
    assert arguments_of(one)["city"] == "Norvale" and result_of(other)["city"] != "Sudbeck"


def test_tool_names_roles_and_outcomes_stay():
    one = redacted(asked("hi", {"customer_name": "Mark Booker"}, {}, tool="mark_booker"))[0]
    assert one.messages[1].tool_calls[0].name == one.messages[2].name == "mark_booker" and one.outcome == "resolved"


def test_a_tool_keeps_its_description_but_not_the_person_in_its_example():
    schema = {
        "name": "find_mia",
        "description": "for example mia_quorn_4516",
        "parameters": {"properties": {"email": {}}},
    }
    one = redacted(replace(mia("hi"), tools=({"type": "function", "function": schema},)))[0].tools[0]["function"]
    assert one["name"] == "find_mia" and one["parameters"] == schema["parameters"] and "quorn" not in one["description"]


def test_an_address_in_capitals_is_the_same_address():
    log = [said("MIA.QUORN@MAIL.TEST"), said("or mia.quorn@mail.test", "c2")]
    made = redactor(log)
    one, other = (made.trace(trace) for trace in log)
    assert words_of(other).removeprefix("or ") == words_of(one).lower() != "mia.quorn@mail.test"
    assert not left_over(made, one.to_dict())


def test_ids_and_metadata_and_speakers_are_redacted_too():
    trace = Trace(
        "chat-anna.beyer@mail.test",
        (Message("user", "hi", name="Anna Beyer"),),
        metadata={"owner": {"name": "Anna Beyer"}},
    )
    text = str(redacted(trace)[0])
    assert "anna" not in text.lower() and "beyer" not in text.lower()


def test_the_scan_finds_what_was_not_replaced():
    made = redactor([mia("hi")])
    assert not left_over(made, made.trace(mia("hi")).to_dict())
    found = left_over(made, mia("hi, I'm Mia Quorn").to_dict())
    assert {"name", "email", "phone", "street", "card", "city"} <= set(found)


def test_what_was_replaced_is_counted_by_kind():
    made = redactor([mia("Mia Quorn and mia quorn")])
    made.trace(mia("Mia Quorn and mia quorn"))
    assert len(made.values["email"]) == 1 and made.times["name"] >= 4 and len(made.values["name"]) <= 4


def test_a_plug_in_may_find_more_names():
    gathering = Gathering(lambda text: ["Xq Vorn"] if "Xq Vorn" in text else [])
    gathering.add(said("ask for Xq Vorn or vorn"))
    assert "vorn" not in words_of(Redactor(gathering.known()).trace(said("ask for Xq Vorn or vorn"))).lower()


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("call me at 5558675309 please", "5558675309"),
        ("my zip code is 80217", "80217"),
        ("PLZ 10115 Berlin", "10115"),
        ("I was born on 3 May 1980", "3 May 1980"),
        ("send it to 12 Orchard Hill Road", "12 Orchard Hill Road"),
        ("Lindenstraße 12 in Bonn", "Lindenstraße 12"),
        ("the card ending in 4821", "4821"),
        ("my passport is C03005988", "C03005988"),
    ],
)
def test_what_a_sentence_announces_is_personal(words: str, value: str):
    one = words_of(redacted(said(words))[0])
    assert value not in one and len(one.split()) == len(words.split())


def test_an_answer_to_a_question_for_a_birthday_is_one():
    messages = (Message("assistant", "And your date of birth?"), Message("user", "Moment... 1999-07-20."))
    one = redacted(Trace("c", messages))[0]
    assert one.messages[1].text.startswith("Moment... ") and "1999-07-20" not in one.messages[1].text


@pytest.mark.parametrize(
    "words",
    ["order 5558675309", "it costs 80217 yen", "I ordered on 3 May 2024", "12 Red Apples", "room 4821", "2 Orders"],
)
def test_other_numbers_stay(words: str):
    assert words_of(redacted(said(words))[0]) == words
