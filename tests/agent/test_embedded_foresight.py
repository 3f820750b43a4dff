"""What the agent foresees and takes for granted: next moves, names of ids, a yes, a record it must not look at."""

from agent_gym.agent.embedded.catalogue import Catalogue
from agent_gym.agent.embedded.choose import WEIGHTS
from agent_gym.agent.embedded.foresight import Foresight, Row
from agent_gym.agent.embedded.sources import described
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.types import Message, Trace
from tests.agent.test_embedded_agent import AGREED, LOOKED_UP, OPENING, SHOP_TOOLS, answers, calls, shop, user

ROWS = [Row(f"c{n}", ("storm",) if n % 2 else ("sun",), ("umbrella",) if n % 2 else ("hat",)) for n in range(30)]


def plans(customer: str, *rows: tuple[str, str]) -> Trace:
    """A conversation with this customer in which these plans are listed."""
    listed = {"plans": [{"plan_id": key, "name": name} for key, name in rows]}
    asked = calls("list_plans", account=customer)
    return Trace(customer, (user("hello"), asked, answers("list_plans", listed)))


def test_what_followed_a_mark_is_expected_after_it():
    chances = Foresight(ROWS).chances(["storm"])
    assert chances["umbrella"] > 0.7 > 0.3 > chances["hat"]


def test_a_hidden_conversation_has_taught_nothing():
    rows = [*ROWS, *(Row("odd", ("fog",), ("lamp",)) for _ in range(9))]
    foresight = Foresight(rows)
    assert foresight.chances(["fog"])["lamp"] > 0.5
    assert foresight.chances(["fog"], {"odd"})["lamp"] < 0.01


def test_without_rows_nothing_is_expected():
    assert Foresight([]).chances(["storm"]) == {}


def test_an_id_is_known_by_the_name_that_stands_beside_it():
    traces = [plans(customer, ("P-1", "Small"), ("P-2", "Large")) for customer in ("A-1", "A-2")]
    assert Catalogue.of(traces).names == {"p-1": {"name": "Small"}, "p-2": {"name": "Large"}}


def test_a_name_that_several_ids_bear_is_none():
    traces = [plans(customer, ("P-1", "Small"), ("P-2", "Small")) for customer in ("A-1", "A-2")]
    assert Catalogue.of(traces).names == {}


def test_what_one_customer_alone_was_told_is_not_in_the_catalogue():
    traces = [plans("A-1", ("P-1", "Small"), ("P-2", "Large"))] * 2
    assert Catalogue.of(traces) == Catalogue()


def test_a_thing_is_called_by_its_name_though_only_its_id_was_told():
    catalogue = Catalogue.of([plans(customer, ("P-1", "Small"), ("P-2", "Large")) for customer in ("A-1", "A-2")])
    talk = Talk([user("hello"), calls("get"), answers("get", {"plan_id": "P-2"})], catalogue.names)
    assert [leaf.value for leaf in State(talk, 3).at_place("get", "plan_id~name", True)] == ["Large"]


def test_the_day_of_a_date_is_not_part_of_a_price():
    lines = [{"text": "Basic", "amount": 12.99}, {"text": "Late fee", "amount": 6.0}]
    talk = Talk([user("I was born on 1994-04-12"), calls("bill"), answers("bill", {"lines": lines})])
    state = State(talk, 3)
    assert described(state.at_place("bill", "lines.*.text", True), state, several=False) == []


def test_who_does_not_object_to_a_proposal_has_agreed():
    talk = [*AGREED[:-1], user("Alright then, that is what I want")]
    (call,) = shop().act(talk, SHOP_TOOLS).tool_calls
    assert call.name == "cancel_subscription"


def test_who_asks_back_has_not_agreed():
    message = shop().act([*AGREED[:-1], user("Hm, what would that cost me?")], SHOP_TOOLS)
    assert all(call.name != "cancel_subscription" for call in message.tool_calls)


def test_hidden_conversations_are_no_evidence():
    hidden = frozenset({"shop-U-1001", "shop-U-2002"})
    for candidate in shop().candidates(LOOKED_UP[:3], SHOP_TOOLS, hidden):
        assert not hidden & set(candidate.evidence)


def test_with_everything_hidden_it_still_answers():
    hidden = frozenset({"shop-U-1001", "shop-U-2002", "shop-U-3003"})
    assert shop().candidates([OPENING], SHOP_TOOLS, hidden)


def test_every_feature_has_a_weight():
    states: list[tuple[Message, ...]] = [(OPENING,), LOOKED_UP[:3], LOOKED_UP, AGREED]
    features = {name for state in states for each in shop().candidates(state, SHOP_TOOLS) for name in each.features}
    assert features <= WEIGHTS.keys()
