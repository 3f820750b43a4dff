"""What is made up: like the most similar call, found without looking at each, and in agreement with what is known."""

import random

from agent_gym.text import canonical
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.rules.neighbour import Alike, likeness
from agent_gym.types import Json
from tests.tool_mocker.builders import Call, mocker


def found(dice: random.Random) -> Call:
    names = dice.sample(["city", "day", "seats", "class"], dice.randrange(1, 5))
    asked = {name: dice.randrange(6) for name in names}
    return "find", asked, {"price": dice.randrange(100), **asked}


def test_the_examples_found_are_those_of_the_greatest_likeness_in_their_order():
    dice = random.Random(0)
    model = mocker(*([found(dice)] for _ in range(60))).world.tools["find"]
    alike = Alike()
    for _ in range(200):
        _, asked, _ = found(dice)
        forms = {name: canonical(value + 3) for name, value in asked.items()} | {"other": b"1"}
        how_like = [likeness(example, forms, None) for example in model.examples]
        wanted = [e for e, how in zip(model.examples, how_like, strict=True) if how == max(how_like)]
        assert list(alike.most(model, forms)) == wanted


def bill(key: str, total: int, item: str) -> dict[str, Json]:
    return {"bill_id": key, "total": total, "item": item}


def bills() -> ToolMocker:
    """A list shows two fields of every bill; nobody opened B-9."""
    listed = [{"bill_id": "B-9", "total": 40}, {"bill_id": "B-1", "total": 30}]
    looks: list[list[Call]] = [
        [("get_bill", {"bill_id": key}, bill(key, total, item))]
        for key, total, item in [("B-1", 30, "tea"), ("B-2", 40, "rice"), ("B-3", 30, "tea"), ("B-4", 30, "tea")]
    ]
    return mocker(*looks, [("list_bills", {"owner": "Ada"}, {"owner": "Ada", "bills": listed})])


def test_a_record_nobody_opened_is_told_as_its_list_shows_it() -> None:
    answer = bills().session().call("get_bill", {"bill_id": "B-9"})
    assert (answer.result["bill_id"], answer.result["total"], answer.source) == ("B-9", 40, "neighbour")


def test_what_no_list_shows_of_it_comes_from_the_record_most_like_it() -> None:
    assert bills().session()("get_bill", {"bill_id": "B-9"})["item"] == "rice"


def test_a_write_that_no_rule_foretells_is_told_as_the_same_call_was() -> None:
    restarts: list[list[Call]] = [
        [
            ("get_box", {"box_id": key}, {"box_id": key, "status": "off"}),
            ("note", {"box_id": key, "text": key}, {"box_id": key, "noted": True}),
            ("restart_box", {"box_id": key}, {"box_id": key, "status": status}),
        ]
        for key, status in [("X1", "on"), ("X2", "broken"), ("X3", "on"), ("X4", "on"), ("X5", "on")]
    ]
    session = mocker(*restarts).session()
    session.call("restart_box", {"box_id": "X1"})  # no recorded session has written before
    assert session("restart_box", {"box_id": "X2"})["status"] == "broken"


def test_a_search_in_words_is_answered_like_the_one_that_shares_most_of_them() -> None:
    searches = {"change my address": "A", "cancel an order": "B", "opening hours today": "C", "cancel a meeting": "D"}
    tools = mocker(*([("search_help", {"words": words}, {"article": found})] for words, found in searches.items()))
    assert tools("search_help", {"words": "please cancel this order"})["article"] == "B"
