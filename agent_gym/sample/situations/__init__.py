"""Draw what a customer calls about: one to three situations that do not get in each other's way."""

import random
from collections.abc import Callable, Mapping

from agent_gym.sample.case import Request
from agent_gym.sample.household import Household
from agent_gym.sample.situations import billing, contracts, service

__all__ = ["draw_requests"]

Situation = Callable[[Household, random.Random], Request]

# One situation per group at most: two of a group would bend the same records. Bills are written for what
# is booked in the end, so money comes after contract and home.
_GROUPS: Mapping[str, Mapping[Situation, int]] = {
    "contract": {
        contracts.cancel: 6,
        contracts.upgrade: 4,
        contracts.downgrade: 3,
        contracts.coupon: 4,
        contracts.renewal: 2,
        contracts.term_question: 2,
    },
    "home": {
        service.fault: 6,
        service.lost_device: 2,
        service.move: 3,
        service.outage_question: 2,
        service.ticket_question: 2,
        service.visit: 2,
    },
    "money": {billing.refund: 8, billing.bill_question: 4, billing.balance_question: 2},
    "small": {service.contact: 3, service.plan_question: 2},
    "grave": {service.handover: 3},
}


def draw_requests(home: Household, rng: random.Random) -> tuple[Request, ...]:
    """The requests in the order the customer raises them; the household is bent to fit, and billed."""
    weights = {name: sum(group.values()) for name, group in _GROUPS.items()}
    chosen = rng.choices(list(weights), list(weights.values()))
    if chosen != ["grave"]:  # whoever reports a fraud or a death talks of nothing else
        del weights["grave"]
        for _ in range(rng.choices((0, 1, 2), (68, 29, 3))[0]):
            left = {name: weight for name, weight in weights.items() if name not in chosen}
            chosen += rng.choices(list(left), list(left.values()))
    requests: dict[str, Request] = {}
    for name in _GROUPS:
        if name == "money":
            home.bill(rng)
        if name in chosen:
            requests[name] = rng.choices(list(_GROUPS[name]), list(_GROUPS[name].values()))[0](home, rng)
    for request in requests.values():
        if request.variant == "third_party":  # who calls for somebody else has no business of their own
            return (request,)
    # What ends with a human comes last: nothing can follow it.
    return tuple(sorted((requests[name] for name in chosen), key=lambda request: request.variant == "large"))
