"""Stand-ins have the shape of what they stand for, and no two values share one."""

import ipaddress
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_gym.trace_parser.redact.patterns import iban_holds, luhn_holds, pattern_hits
from agent_gym.trace_parser.redact.stand_ins import StandIns


def stand_ins(avoid: frozenset[str] = frozenset()) -> StandIns:
    return StandIns(b"key", avoid)


def test_a_card_stays_a_valid_card_of_its_issuer_and_ends_as_its_last_digits_do():
    made = stand_ins()
    card = made.card("4111111111111111")
    assert luhn_holds(card) and card[:6] == "411111" and card != "4111111111111111"
    assert card[-4:] == made.number("1111")


def test_an_iban_stays_a_valid_iban_of_its_country():
    iban = stand_ins().iban("DE89370400440532013000")
    assert iban_holds(iban) and iban[:2] == "DE" and len(iban) == 22


def test_a_birthday_stays_a_day_and_moves_by_less_than_three_years():
    born = date(1958, 2, 17)
    moved = stand_ins().day(born)
    assert moved != born and abs(moved - born) <= timedelta(days=3 * 365)


def test_addresses_of_machines_come_from_ranges_that_are_nobodys():
    made = stand_ins()
    assert ipaddress.ip_address(made.ip("81.2.69.142")).is_private and made.ip("2a00:1450::8a").startswith("2001:db8:")


def test_a_secret_keeps_its_prefix_and_its_shape():
    made = stand_ins().code("sk-ab12CD34ef56GH78ij90", 3)
    assert made.startswith("sk-") and [c.isdigit() for c in made] == [c.isdigit() for c in "sk-ab12CD34ef56GH78ij90"]


@given(st.lists(st.from_regex(r"[a-z]{3,9}", fullmatch=True), unique=True, max_size=60))
def test_no_two_words_share_a_stand_in_and_none_is_itself(words: list[str]):
    made = stand_ins()
    new = [made.word(word) for word in words]
    assert len(set(new)) == len(words) and all(a != b and len(a) == len(b) for a, b in zip(words, new, strict=True))


def test_every_number_of_four_digits_gets_one_of_its_own():
    made = stand_ins()
    assert len({made.number(f"{n:04d}") for n in range(0, 10_000, 3)}) == len(range(0, 10_000, 3))


def test_more_short_words_than_there_are_get_longer_stand_ins():
    made = stand_ins()
    words = [a + b for a in "bcdfghjklmnpqrstvwxz" for b in "aeiouy"]
    assert len({made.word(word) for word in words}) == len(words)


def test_a_stand_in_is_no_word_of_the_log():
    plain = stand_ins().word("mia")
    assert stand_ins(frozenset({plain})).word("mia") != plain


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("email", "write to a.b+c@mail.example.org."),
        ("card", "it is 5500 0055 5555 5559 ok"),
        ("national_id", "ssn 536-90-4399"),
        ("bank_account", "to GB82 WEST 1234 5698 7654 32 please"),
        ("ip", "from 81.2.69.142"),
        ("phone", "call +44 20 7946 0958"),
        ("secret", "key ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        ("secret", "AKIAIOSFODNN7EXAMPLE"),
        ("phone", "(212) 555-0187"),
        ("secret", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"),
        ("ip", "2a00:1450:4001:81b::200e"),
        ("secret", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"),
    ],
)
def test_forms_that_give_themselves_away_are_found(kind: str, text: str):
    assert [hit.kind for hit in pattern_hits(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "item 9523456873",
        "order #W2378156",
        "on 2024-05-01 at 10:30:00",
        "4111 1111 1111 1112",
        "version 1.2.3.4",
        "$1,234,567.89",
        "GB00 WEST 1234 5698 7654 32",
        "000-12-3456",
        "1741968906123",
        "127.0.0.1",
        "call_0816355d1229345ab65fa0aa",
        "10:20:30",
    ],
)
def test_what_only_looks_like_one_is_left(text: str):
    assert pattern_hits(text) == []
