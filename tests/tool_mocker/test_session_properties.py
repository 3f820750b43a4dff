"""What holds of a session whatever is asked of it, and in whatever order: reads, writes, forks, and other sessions."""

import json
import random
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from agent_gym.tool_mocker import ToolMocker, ToolSession
from agent_gym.types import Json, ToolAnswer
from tests.tool_mocker.builders import Call, mocker

CUSTOMERS = ("C1", "C2", "C3", "C4")
ORDERS = tuple(f"O{n}" for n in range(101, 113))
OWNERS = {order: CUSTOMERS[at % len(CUSTOMERS)] for at, order in enumerate(ORDERS)}
ITEMS = ("lamp", "desk", "chair", "shelf")
STREETS = ("1 Elm Street", "22 Oak Avenue", "7 Mill Lane", "90 High Road", "5 Park Row")
NEW_STREETS = (*STREETS, "13 Nobody Told Lane")
NO_ORDER = "O999"
GUESSES = ("neighbour", "unknown")

Asked = tuple[str, dict[str, Json]]


class Shop:
    """The real backend behind the log. Every conversation finds it as it is here."""

    def __init__(self) -> None:
        self.orders: dict[str, dict[str, Json]] = {
            key: {
                "order_id": key,
                "customer_id": OWNERS[key],
                "item": ITEMS[at % len(ITEMS)],
                "quantity": 1 + at % 3,
                "street": STREETS[at % len(STREETS)],
                "status": "shipped" if at % 6 == 5 else "open",
            }
            for at, key in enumerate(ORDERS)
        }

    def get_customer(self, customer_id: str) -> Json:
        return {"customer_id": customer_id, "email": f"{customer_id.lower()}@example.org"}

    def get_order(self, order_id: str) -> Json:
        return dict(self._order(order_id))

    def list_orders(self, customer_id: str) -> Json:
        return [dict(order) for order in self.orders.values() if order["customer_id"] == customer_id]

    def move_order(self, order_id: str, street: str) -> Json:
        return self._changed(order_id, street=street)

    def cancel_order(self, order_id: str) -> Json:
        return self._changed(order_id, status="cancelled")

    def update_order(self, order_id: str, field: str, value: Json) -> Json:
        return self._changed(order_id, **{field: value})

    def create_order(self, customer_id: str, item: str, quantity: int, street: str) -> Json:
        key = f"O{max(int(known[1:]) for known in self.orders) + 1}"
        given = {"customer_id": customer_id, "item": item, "quantity": quantity, "street": street}
        self.orders[key] = {"order_id": key, **given, "status": "open"}
        return dict(self.orders[key])

    def delete_order(self, order_id: str) -> Json:
        self._changed(order_id)
        del self.orders[order_id]
        return {"order_id": order_id, "deleted": True}

    def _changed(self, order_id: str, **fields: Json) -> Json:
        order = self._order(order_id)
        if order["status"] != "open":
            raise ValueError(f"order {order_id} is {order['status']}")
        order.update(fields)
        return dict(order)

    def _order(self, order_id: str) -> dict[str, Json]:
        if order_id not in self.orders:
            raise ValueError(f"no order {order_id}")
        return self.orders[order_id]


def played(rng: random.Random) -> list[Call]:
    """A conversation: a customer's orders are looked at, some are changed, and what was changed is looked at again."""
    shop, calls = Shop(), []

    def call(tool: str, **arguments: Json) -> Json:
        try:
            result = getattr(shop, tool)(**arguments)
        except ValueError as refusal:
            result = refusal
        calls.append((tool, arguments, result))
        return result

    customer = rng.choice(CUSTOMERS)
    call("get_customer", customer_id=customer)
    if rng.random() < 0.5:
        call("list_orders", customer_id=customer)
    for _ in range(rng.randint(2, 4)):
        key = rng.choice([key for key in ORDERS if OWNERS[key] == customer]) if rng.random() < 0.9 else NO_ORDER
        if rng.random() < 0.7:
            call("get_order", order_id=key)
        tool, arguments = rng.choice(writes(customer, key, rng))
        result = call(tool, **arguments)
        key = result["order_id"] if tool == "create_order" else key
        if rng.random() < 0.8:
            call("get_order", order_id=key)
        if rng.random() < 0.5:
            call("list_orders", customer_id=customer)
    return calls


def writes(customer: str, key: str, rng: random.Random) -> list[Asked]:
    """What may be done in a conversation with this customer, who speaks of this order."""
    street = rng.choice(STREETS)
    new = {"customer_id": customer, "item": rng.choice(ITEMS), "quantity": rng.randint(1, 3), "street": street}
    return [
        ("cancel_order", {"order_id": key}),
        ("delete_order", {"order_id": key}),
        ("move_order", {"order_id": key, "street": street}),
        ("update_order", {"order_id": key, "field": "street", "value": street}),
        ("update_order", {"order_id": key, "field": "quantity", "value": rng.randint(1, 9)}),
        ("create_order", new),
    ]


LOGS = (0, 3, 4, 28)  # four logs of the same shop: each happens to show other things of it


@cache
def tools(log: int) -> ToolMocker:
    return mocker(*(played(random.Random(1000 * log + n)) for n in range(40)))


BOUNDED = settings(
    max_examples=50,
    stateful_step_count=10,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate, Phase.shrink),
)
ANCHORS = st.sampled_from([None, "t0", "t9", "t21"])
KEYS = st.sampled_from([*ORDERS[:6], "O113", NO_ORDER])  # few, so that many calls are about the same one
PEOPLE = st.sampled_from(CUSTOMERS)
ROADS = st.sampled_from(NEW_STREETS)
CHANGES = st.tuples(st.just("street"), ROADS) | st.tuples(st.just("quantity"), st.integers(1, 9))
NEW = st.fixed_dictionaries(
    {
        "customer_id": PEOPLE,
        "item": st.sampled_from(ITEMS),
        "quantity": st.integers(1, 3),
        "street": ROADS,
    }
)


def calls_of(tool: str, **arguments: st.SearchStrategy[Json]) -> st.SearchStrategy[Asked]:
    return st.tuples(st.just(tool), st.fixed_dictionaries(arguments))


READS = (
    calls_of("get_order", order_id=KEYS)
    | calls_of("list_orders", customer_id=PEOPLE)
    | calls_of("get_customer", customer_id=PEOPLE)
)
WRITES = (
    calls_of("cancel_order", order_id=KEYS)
    | calls_of("delete_order", order_id=KEYS)
    | calls_of("move_order", order_id=KEYS, street=ROADS)
    | st.builds(
        lambda key, change: ("update_order", {"order_id": key, "field": change[0], "value": change[1]}), KEYS, CHANGES
    )
    | st.tuples(st.just("create_order"), NEW)
)
LOOKS: tuple[Asked, ...] = (
    *(("get_order", {"order_id": key}) for key in (*ORDERS, NO_ORDER)),
    *((tool, {"customer_id": key}) for tool in ("list_orders", "get_customer") for key in CUSTOMERS),
)


def as_bytes(answer: ToolAnswer) -> bytes:
    told = [answer.result, answer.is_error, answer.source, answer.confidence, answer.evidence]
    return json.dumps(told).encode()


def answers(session: ToolSession, calls: Sequence[Asked]) -> list[bytes]:
    return [as_bytes(session.call(*call)) for call in calls]


@cache
def untouched(log: int, anchor: str | None, seed: int) -> list[bytes]:
    """What a session that nobody has asked anything answers."""
    return answers(tools(log).session(anchor, seed=seed), LOOKS)


def of_log(machine: type[RuleBasedStateMachine], log: int) -> type[RuleBasedStateMachine]:
    return type(machine.__name__, (machine,), {"log": log})


class Sessions(RuleBasedStateMachine):
    """One session is asked anything; a fork of it is asked the same from then on, another session nothing at all."""

    log: int

    @initialize(anchor=ANCHORS, seed=st.integers(0, 1))
    def open_sessions(self, anchor: str | None, seed: int) -> None:
        self.anchor, self.seed = anchor, seed
        self.fresh = untouched(self.log, anchor, seed)
        self.session, self.bystander = self.new_session(), self.new_session()
        self.fork = self.session.fork()
        self.calls: list[Asked] = []
        self.told: list[bytes] = []

    @rule(call=READS)
    def reads_change_nothing(self, call: Asked) -> None:
        changes, writes = self.session.world.changes(), self.session.world.writes
        first, again = self.ask(call), self.ask(call)
        assert first == again
        assert (self.session.world.changes(), self.session.world.writes) == (changes, writes)

    @rule(call=WRITES)
    def write(self, call: Asked) -> None:
        self.ask(call)

    @rule()
    def fork_as_it_is_now(self) -> None:
        self.fork = self.session.fork()

    @rule(call=WRITES)
    def a_fork_that_goes_its_own_way_changes_nothing(self, call: Asked) -> None:
        changes = self.session.world.changes()
        self.session.fork().call(*call)
        assert self.session.world.changes() == changes

    def ask(self, call: Asked) -> bytes:
        (told,), (by_fork,) = answers(self.session, [call]), answers(self.fork, [call])
        assert by_fork == told
        self.calls.append(call)
        self.told.append(told)
        return told

    def teardown(self) -> None:
        """The same calls again are told the same; who was asked nothing knows nothing of them."""
        assert answers(self.new_session(), self.calls) == self.told
        assert answers(self.bystander, LOOKS) == self.fresh

    def new_session(self) -> ToolSession:
        return tools(self.log).session(self.anchor, seed=self.seed)


@pytest.mark.parametrize("log", LOGS)
def test_reads_write_nothing_forks_and_replays_answer_alike_and_other_sessions_see_nothing(log):
    run_state_machine_as_test(of_log(Sessions, log), settings=BOUNDED)


class Shown(RuleBasedStateMachine):
    """A session that is asked anything, and how every tool that shows an order shows it now."""

    log: int

    @initialize(anchor=ANCHORS)
    def open_session(self, anchor: str | None) -> None:
        self.session = tools(self.log).session(anchor)

    @rule(call=READS | WRITES)
    def ask_anything(self, call: Asked) -> None:
        self.session.call(*call)

    def does(self, tool: str, **arguments: Json) -> bool:
        """Whether the write is said to be done, and not as a guess."""
        answer = self.session.call(tool, arguments)
        return not answer.is_error and answer.source not in GUESSES

    def shows(self, key: str, field: str, value: Json) -> None:
        now = self.session.call("get_order", {"order_id": key})
        assert not now.is_error and now.result[field] == value
        assert [row[field] for row in self.rows(now.result["customer_id"], key)] == [value]

    def rows(self, customer: str, key: str) -> list[Json]:
        return [row for row in self.session("list_orders", {"customer_id": customer}) if row["order_id"] == key]


class Changes(Shown):
    """Orders are changed."""

    @rule(key=KEYS)
    def cancel(self, key: str) -> None:
        if self.does("cancel_order", order_id=key):
            self.shows(key, "status", "cancelled")

    @rule(key=KEYS, street=ROADS)
    def move(self, key: str, street: str) -> None:
        if self.does("move_order", order_id=key, street=street):
            self.shows(key, "street", street)

    @rule(key=KEYS, change=CHANGES)
    def update(self, key: str, change: tuple[str, Json]) -> None:
        if self.does("update_order", order_id=key, field=change[0], value=change[1]):
            self.shows(key, *change)


@pytest.mark.parametrize("log", LOGS)
def test_what_was_changed_is_shown_by_every_tool_that_shows_the_order(log):
    run_state_machine_as_test(of_log(Changes, log), settings=BOUNDED)


class Arrivals(Shown):
    """Orders are made."""

    @rule(new=NEW)
    def create(self, new: dict[str, Json]) -> None:
        answer = self.session.call("create_order", new)
        if not answer.is_error and answer.source not in GUESSES:
            for field, value in new.items():
                self.shows(answer.result["order_id"], field, value)


@pytest.mark.parametrize("log", LOGS)
def test_what_was_made_is_shown_by_every_tool_that_shows_orders(log):
    run_state_machine_as_test(of_log(Arrivals, log), settings=BOUNDED)


class Departures(Shown):
    """Orders are deleted: as the log shows them, after a change, or when they have just been made."""

    @rule(key=KEYS)
    def delete(self, key: str) -> None:
        self.is_gone_once_deleted(key)

    @rule(key=KEYS, street=ROADS)
    def move_and_delete(self, key: str, street: str) -> None:
        self.session.call("move_order", {"order_id": key, "street": street})
        self.is_gone_once_deleted(key)

    @rule(new=NEW)
    def create_and_delete(self, new: dict[str, Json]) -> None:
        self.is_gone_once_deleted(self.session("create_order", new)["order_id"])

    def is_gone_once_deleted(self, key: str) -> None:
        before = self.session.call("get_order", {"order_id": key})
        if self.does("delete_order", order_id=key) and not before.is_error:
            assert self.session.call("get_order", {"order_id": key}).is_error
            assert not self.rows(before.result["customer_id"], key)


@pytest.mark.parametrize("log", LOGS)
def test_what_was_deleted_is_shown_by_no_tool(log):
    run_state_machine_as_test(of_log(Departures, log), settings=BOUNDED)


def dispatched(n: int) -> list[Call]:
    """A conversation in which orders are put on vans: on which ones, nobody can know."""
    rng = random.Random(n)
    customer: dict[str, Json] = {"customer_id": f"C{n % 5}"}
    rows: list[dict[str, Json]] = [{"order_id": f"O{n % 5}{at}", **customer, "van": None} for at in range(3)]
    calls: list[Call] = [("list_orders", customer, [dict(row) for row in rows])] if n % 3 else []
    for row in rng.sample(rows, 2):
        row["van"] = f"van {rng.randint(1, 400)}"
        calls.append(("assign_van", {"order_id": row["order_id"]}, dict(row)))
        calls.append(("get_order", {"order_id": row["order_id"]}, dict(row)))
        if n % 2:
            calls.append(("list_orders", customer, [dict(row) for row in rows]))
    return calls


@pytest.mark.parametrize(
    "look", [("get_order", {"order_id": "O11"}), ("list_orders", {"customer_id": "C1"})], ids=lambda look: look[0]
)
def test_what_shows_a_guessed_write_is_a_guess_itself_and_hardly_surer(look):
    session = mocker(*(dispatched(n) for n in range(40))).session()
    guess = session.call("assign_van", {"order_id": "O11"})
    shown = session.call(*look)
    assert guess.source == "neighbour" and guess.result["van"] in json.dumps(shown.result)
    assert shown.source == "neighbour" and shown.confidence < 0.5


def moved(n: int, tool: str) -> list[Call]:
    """An order is looked at, sent elsewhere, and then listed beside another, as it is now."""
    before: dict[str, Json] = {
        "order_id": f"O{n}",
        "customer_id": f"C{n}",
        "item": ITEMS[n % 4],
        "street": STREETS[n % 2],
    }
    after = {**before, "street": STREETS[2 + n % 3]}
    return [
        ("get_order", {"order_id": f"O{n}"}, before),
        (tool, {"order_id": f"O{n}", "street": after["street"]}, after),
        ("list_orders", {"customer_id": f"C{n}"}, [after, {**before, "order_id": f"P{n}"}]),
    ]


TWO_WAYS_TO_MOVE = [moved(n, tool) for n in range(12) for tool in ("move_order", "readdress_order")]


def test_what_two_tools_wrote_alike_is_not_taken_for_how_it_was_before():
    listed = mocker(*TWO_WAYS_TO_MOVE).session().call("list_orders", {"customer_id": "C0"})
    assert listed.result[0]["street"] == STREETS[0] or listed.source == "neighbour"


def test_a_list_shows_what_was_written_where_two_tools_write_the_same():
    session = mocker(*TWO_WAYS_TO_MOVE).session()
    written = session.call("move_order", {"order_id": "O0", "street": STREETS[4]})
    assert not written.is_error and written.source not in GUESSES
    assert session("list_orders", {"customer_id": "C0"})[0]["street"] == STREETS[4]


def alone(n: int) -> list[Call]:
    """As above, of customers who have one order each."""
    before: dict[str, Json] = {"order_id": f"O{n}", "customer_id": f"C{n}", "street": STREETS[n % 2]}
    after = {**before, "street": STREETS[2 + n % 3]}
    return [
        ("get_order", {"order_id": f"O{n}"}, before),
        ("move_order", {"order_id": f"O{n}", "street": after["street"]}, after),
        ("list_orders", {"customer_id": f"C{n}"}, [after]),
    ]


def test_an_order_is_not_taken_for_the_street_that_it_goes_to():
    session = mocker(*(alone(n) for n in range(12))).session()
    session.call("move_order", {"order_id": "O0", "street": STREETS[4]})
    assert session("get_order", {"order_id": "O0"})["street"] == STREETS[4]
