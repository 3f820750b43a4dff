"""The values a sentence holds: found in every usual spelling, compared in one."""

import pytest

from agent_gym.text import may_hold_values, values_in


def found(text: str) -> list[tuple[str, str]]:
    return [(value.kind, value.norm) for value in values_in(text)]


def only(text: str) -> tuple[str, str]:
    (value,) = found(text)
    return value


@pytest.mark.parametrize(
    "text",
    [
        "on 1992-04-04",
        "on April 4, 1992",
        "on Apr 4 1992",
        "on Apr. 4 1992",
        "on april 4th, 1992",
        "on 4 April 1992",
        "on the 4th of April 1992",
    ],
)
def test_a_date_is_one_date_in_any_spelling(text):
    assert only(text) == ("date", "1992-04-04")


@pytest.mark.parametrize("text", ["at 15:00", "at 3 pm", "at 3pm", "at 3:00 PM", "at 3 p.m.", "at 15:00:00"])
def test_a_time_is_one_time_in_any_spelling(text):
    assert only(text) == ("time", "15:00")


def test_midnight_and_noon_are_told_apart():
    assert (only("12 am"), only("12 pm")) == (("time", "00:00"), ("time", "12:00"))


@pytest.mark.parametrize(
    "text",
    ["$1,200.50", "US$ 1200.50", "1200.5 USD", "1,200.50 dollars", "€1200.50", "1200.5 €", "1200,50 €.", "1200.5 eur"],
)
def test_an_amount_is_one_amount_in_any_spelling(text):
    assert only(text) == ("amount", "1200.5")


@pytest.mark.parametrize("text", ["-$5", "$-5", "−$5.00", "-5 EUR", "(-5 dollars)", "a balance of -5 €"])
def test_a_negative_amount_keeps_its_sign(text):
    assert only(text) == ("amount", "-5")


def test_the_dash_of_a_range_is_no_minus():
    assert found("10-20") == [("number", "10"), ("number", "20")]
    assert found("10-20%") == [("number", "10"), ("percent", "20")]
    assert found("$10-$20") == [("amount", "10"), ("amount", "20")]
    assert found("it was -5 or −7.5") == [("number", "-5"), ("number", "-7.5")]


@pytest.mark.parametrize(
    ("text", "norm"),
    [("#W12", "w12"), ("AC-12711", "ac-12711"), ("sub_99", "sub_99"), ("73021", "73021"), ("#5", "5"), ("x--a1", "a1")],
)
def test_an_id_is_compared_without_its_mark_and_case(text, norm):
    assert found(text) == [("id", norm)]


@pytest.mark.parametrize("text", ["the 1st", "my 22nd visit", "THE 3RD TIME", "4th"])
def test_ordinals_are_not_ids(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("write to Ann.Lee+x@mail.example.org.", ("email", "ann.lee+x@mail.example.org")),
        ("josé@correo.example", ("email", "josé@correo.example")),
        ("see https://a.example/b?c=1 now", ("url", "https://a.example/b?c=1")),
        ("555-612-3073", ("phone", "5556123073")),
        ("+1 555 612 3073", ("phone", "15556123073")),
        ("I am Zoë Müller", ("name", "zoë müller")),
        ("12 percent", ("percent", "12")),
        ("12.5%", ("percent", "12.5")),
    ],
)
def test_other_values_are_found_by_their_shape(text, value):
    assert only(text) == value


def test_a_value_is_found_once_and_knows_its_place():
    text = "Order #W12 costs $9.99, mail a1@b.example"
    values = values_in(text)
    assert [value.kind for value in values] == ["id", "amount", "email"]
    assert all(text[value.start :].startswith(value.text) for value in values)


def test_one_digit_makes_another_value():
    assert found("refund of $19.99 on 2024-05-01 for AC-1") != found("refund of $19.98 on 2024-05-01 for AC-1")
    assert set(found("$19.99")) & set(found("$19.98")) == set()


@pytest.mark.parametrize("text", ["", "   ", "no values here", "日本語のテキスト", "\ud800", "\x00\x1b[m", "٣"])
def test_text_without_values_or_of_any_script_is_read(text):
    assert [kind for kind, _ in found(text) if kind != "number"] == []


@pytest.mark.parametrize("piece", ["a", "1", "a-", "1,", "1.", "a1-", "a_", "a@", "x@a-", "Aa-", "$1,", "#", "-", "a."])
def test_a_long_run_is_read_in_one_pass(piece):
    """Patterns that scan on from every place would take minutes here."""
    assert len(values_in(piece * (100_000 // len(piece)))) <= 50_000


@pytest.mark.parametrize(
    "text", ["It is $5.", "write to a@b.example", "see https://a.example", "order #abc", "at 5 pm"]
)
def test_no_text_with_a_value_is_taken_for_one_without(text):
    assert values_in(text)
    assert may_hold_values(text)


def test_a_name_alone_is_found_without_looking_for_more():
    assert only("ask for Mia Quorn, please") == ("name", "mia quorn")
    assert not may_hold_values("ask for Mia Quorn, please")
