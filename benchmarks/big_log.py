"""A number of calls in, the log of a large shop's help desk out: made on demand, nothing of it kept.

Customers come back, orders are looked at again and again, some calls are refused, some change what the next
one shows. Every conversation follows from its number alone, so the log can be read in any order and twice, as
from a store on disk, and costs no memory of its own.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from agent_gym.types import Json, Message, ToolCall, Trace

__all__ = ["BigLog"]

_CALLS = 7  # of a conversation, about
_VISITS = 3  # of a customer, about
_PRODUCTS = 160
_NAMES = "Ada Bo Cleo Dan Eve Finn Gus Hana Ivo Jo Kai Lea Mio Nia Otto Pia Quin Rosa Sam Tess".split()
_KINDS = "lamp chair rug shelf mirror clock vase stool".split()
_TOWNS = "Ashby Brook Colne Derry Elm Fairway Grange Hythe".split()
_STATUS = ("open", "open", "shipped", "delivered")
_REASONS = ("ordered by mistake", "no longer needed", "too late")


@dataclass(frozen=True, slots=True)
class BigLog:
    """So many recorded calls, as a corpus that is not in memory."""

    calls: int

    @property
    def train(self) -> Iterator[Trace]:
        made = number = 0
        while made < self.calls:
            talk = self._talk(number)
            yield talk.trace()
            made, number = made + len(talk.calls), number + 1

    @property
    def groups(self) -> Mapping[str, int]:
        """Which conversations are one customer's."""
        return {trace.conversation_id: self._customer(at) for at, trace in enumerate(self.train)}

    def __getitem__(self, conversation_id: str) -> Trace:
        return self._talk(int(conversation_id.removeprefix("talk-"))).trace()

    def _customer(self, number: int) -> int:
        return random.Random(-number - 1).randrange(max(1, self.calls // (_CALLS * _VISITS)))

    def _talk(self, number: int) -> "_Talk":
        rng = random.Random(number)
        talk = _Talk(f"talk-{number}", [])
        person = _customer(self._customer(number))
        if rng.random() < 0.5:
            talk.add("find_customer", {"email": person["email"]}, person["customer_id"])
        if rng.random() < 0.3:
            kind = rng.choice(_KINDS)
            talk.add("list_products", {"kind": kind}, [_listed(product) for product in _shelf(kind)])
        talk.add("get_customer", {"customer_id": person["customer_id"]}, person)
        for order_id in person["orders"]:
            _about_an_order(talk, order_id, rng)
        if rng.random() < 0.1:
            talk.add("transfer_to_agent", {"summary": rng.choice(_REASONS)}, "Transferred")
        return talk


@dataclass(slots=True)
class _Talk:
    name: str
    calls: list[tuple[str, dict[str, Json], Json, bool]]

    def add(self, tool: str, arguments: dict[str, Json], result: Json, is_error: bool = False) -> None:
        self.calls.append((tool, arguments, result, is_error))

    def trace(self) -> Trace:
        messages = [Message("user", f"Hello, this is about {self.name}.")]
        for at, (tool, arguments, result, is_error) in enumerate(self.calls):
            messages.append(Message("assistant", None, (ToolCall(tool, arguments, f"c{at}"),)))
            messages.append(Message("tool", None, (), tool, f"c{at}", result, is_error))
        return Trace(self.name, (*messages, Message("assistant", "Done.")), "resolved")


def _about_an_order(talk: _Talk, order_id: str, rng: random.Random) -> None:
    if rng.random() < 0.05:
        talk.add("get_order", {"order_id": order_id[:-1]}, "Error: order not found", is_error=True)
    order = _order(order_id)
    talk.add("get_order", {"order_id": order_id}, order)
    for item in order["items"]:
        if rng.random() < 0.5:
            # A copy: nothing in a log that was read is the same object twice.
            talk.add("get_product", {"product_id": item["product_id"]}, dict(_product(item["product_id"])))
    wish = rng.random()
    if wish < 0.25:
        reason = rng.choice(_REASONS)
        if order["status"] == "open":
            changed = {**order, "status": "cancelled", "reason": reason}
            talk.add("cancel_order", {"order_id": order_id, "reason": reason}, changed)
            talk.add("get_order", {"order_id": order_id}, changed)
        else:
            error = "Error: only open orders can be cancelled"
            talk.add("cancel_order", {"order_id": order_id, "reason": reason}, error, is_error=True)
    elif wish < 0.4:
        street = f"{rng.randrange(1, 300)} {rng.choice(_TOWNS)} Road"
        talk.add("change_street", {"order_id": order_id, "street": street}, {**order, "street": street})
    elif wish < 0.5:
        amount = order["items"][0]["price"]
        credit = {"credit_id": f"C{rng.randrange(10**9):09}", "order_id": order_id, "amount": amount}
        talk.add("give_credit", {"order_id": order_id, "amount": amount}, credit)


def _customer(number: int) -> dict[str, Json]:
    rng = random.Random(f"customer {number}")
    first, last = rng.choice(_NAMES), rng.choice(_NAMES)
    return {
        "customer_id": f"P{number:07}",
        "name": f"{first} {last}",
        "email": f"{first}.{last}.{number}@mail.example".lower(),
        "town": rng.choice(_TOWNS),
        "since": f"20{rng.randrange(10, 26)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}",
        "orders": [f"O{number:07}{at}" for at in range(1, rng.randrange(2, 5))],
    }


def _order(order_id: str) -> dict[str, Json]:
    rng = random.Random(order_id)
    items = [_product(f"A{rng.randrange(_PRODUCTS):04}") for _ in range(rng.randrange(1, 4))]
    return {
        "order_id": order_id,
        "customer_id": f"P{order_id[1:-1]}",
        "status": rng.choice(_STATUS),
        "street": f"{rng.randrange(1, 300)} {rng.choice(_TOWNS)} Road",
        "items": [{"product_id": item["product_id"], "price": item["price"]} for item in items],
        "total": round(sum(item["price"] for item in items), 2),
    }


@cache
def _product(product_id: str) -> dict[str, Json]:
    rng = random.Random(product_id)
    return {
        "product_id": product_id,
        "title": f"{rng.choice(_NAMES)} {product_id[1:]}",
        "kind": rng.choice(_KINDS),
        "price": rng.randrange(500, 9000) / 100,
        "in_stock": rng.random() < 0.8,
    }


@cache
def _shelf(kind: str) -> list[dict[str, Json]]:
    products = [_product(f"A{number:04}") for number in range(_PRODUCTS)]
    return [product for product in products if product["kind"] == kind][:20]


def _listed(product: dict[str, Json]) -> dict[str, Json]:
    return {name: product[name] for name in ("product_id", "title", "kind", "price")}
