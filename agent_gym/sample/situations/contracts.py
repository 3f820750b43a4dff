"""Situations about what is booked: each bends a household so that a request arises, and says the right ending."""

import random

from agent_gym.sample.backend.session import cents, days_after
from agent_gym.sample.case import Facts, Mind, Request
from agent_gym.sample.household import Household, Row
from agent_gym.sample.situations.wording import date_forms, money_forms, plan_named, service_word
from agent_gym.sample.tables import catalog
from agent_gym.types import Json, ToolCall

__all__ = ["cancel", "coupon", "downgrade", "renewal", "term_question", "upgrade"]


def cancel(home: Household, rng: random.Random) -> Request:
    row = _subscription(home, rng)
    variant = rng.choice(("free", "free", "free", "fee", "fee_declined", "already", "dropped", "third_party"))
    arguments: dict[str, Json] = {"subscription_id": row["subscription_id"]}
    steps: tuple[ToolCall, ...] = (ToolCall("cancel_subscription", arguments),)
    facts: Facts = ()
    if variant.startswith("fee"):
        _bind(row, rng)
        arguments["accept_fee"] = True
        if variant == "fee_declined":
            steps, facts = (), (money_forms(catalog()["fees"]["early_termination"]),)
    elif variant == "already":
        row |= {"status": "cancelled", "auto_renew": False, "ends_on": row["renews_on"]}
        return _request("cancel", variant, row, rng, facts=(("already",), ("cancelled",)), refused=True)
    elif variant in ("dropped", "third_party"):
        steps = ()
        if variant == "third_party":
            return _request("cancel", variant, row, rng, facts=(("account holder",),), refused=True)
    return _request("cancel", variant, row, rng, steps=steps, facts=facts, mind=_mind(variant))


def upgrade(home: Household, rng: random.Random) -> Request:
    row = _subscription(home, rng)
    plans = _plans(row["kind"])
    _put_on(row, plans[0])
    variant = rng.choice(("named", "named", "open", "switched", "retired"))
    target = rng.choice(plans[1:])
    details: dict[str, Json] = {"plan_id": target["plan_id"]}
    if variant == "switched":
        second = rng.choice([p for p in plans[1:] if p is not target])
        details["second_plan_id"] = second["plan_id"]
    if variant == "retired":
        if row["kind"] == "tv":
            variant = "named"
        else:
            details["plan_id"] = next(
                p["plan_id"] for p in catalog()["plans"] if p["kind"] == row["kind"] and not p["available"]
            )
    final = details.get("second_plan_id", details["plan_id"])
    step = ToolCall("change_plan", {"subscription_id": row["subscription_id"], "plan_id": final})
    retired = variant == "retired"
    return _request(
        "upgrade",
        variant,
        row,
        rng,
        details=details,
        steps=() if retired else (step,),
        facts=(("no longer", "not sold", "not available", "isn't sold", "can't be booked", "not on sale"),)
        if retired
        else (),
        mind=_mind(variant),
        refused=retired,
    )


def downgrade(home: Household, rng: random.Random) -> Request:
    row = _subscription(home, rng)
    plans = _plans(row["kind"])
    _put_on(row, plans[-1])
    variant = rng.choice(("free", "free", "fee", "fee_declined"))
    target = rng.choice(plans[:-1])
    arguments: dict[str, Json] = {"subscription_id": row["subscription_id"], "plan_id": target["plan_id"]}
    if variant != "free":
        _bind(row, rng)
        arguments["accept_fee"] = True
    declined = variant == "fee_declined"
    return _request(
        "downgrade",
        variant,
        row,
        rng,
        details={"plan_id": target["plan_id"]},
        steps=() if declined else (ToolCall("change_plan", arguments),),
        facts=(money_forms(catalog()["fees"]["downgrade"]),) if declined else (),
        mind=_mind(variant),
    )


def coupon(home: Household, rng: random.Random) -> Request:
    row = _subscription(home, rng)
    today = catalog()["today"]
    kind, variant = row["kind"], rng.choice(("valid", "valid", "valid", "expired", "expired", "wrong_kind", "present"))
    codes = [c for c in catalog()["coupons"] if c["code"] != "SORRY10"]
    live = [c for c in codes if c["kind"] == kind and c["valid_until"] >= today]
    facts: Facts = ()
    wanted = rng.choice(live)
    if variant == "expired":
        wanted = next(c for c in codes if c["kind"] == kind and c["valid_until"] < today)
        facts = (("expired", *date_forms(wanted["valid_until"])),)
    elif variant == "wrong_kind":
        wanted = rng.choice([c for c in codes if c["kind"] != kind and c["valid_until"] >= today])
        facts = (tuple(f"{wanted['kind']}{tail}" for tail in (" only", " subscription", " subscriptions", " plans")),)
    elif variant == "present":
        other = next(c for c in live if c is not wanted)
        row["coupon"] = other["code"]
        row["monthly_price"] = cents(row["monthly_price"] * (100 - other["percent"]) / 100)
        facts = (("already has", "one coupon", "already a coupon"),)
    step = ToolCall("apply_coupon", {"subscription_id": row["subscription_id"], "code": wanted["code"]})
    return _request(
        "coupon",
        variant,
        row,
        rng,
        details={"code": wanted["code"]},
        steps=(step,) if variant == "valid" else (),
        facts=facts,
        refused=variant != "valid",
    )


def renewal(home: Household, rng: random.Random) -> Request:
    row = _subscription(home, rng)
    step = ToolCall("set_auto_renew", {"subscription_id": row["subscription_id"], "enabled": False})
    return _request("renewal", "off", row, rng, steps=(step,))


def term_question(home: Household, rng: random.Random) -> Request:
    row = _subscription(home, rng)
    if rng.random() < 0.7:
        _bind(row, rng)
    return _request("term_question", "date", row, rng, facts=(date_forms(row["term_ends_on"]),))


def _request(
    kind: str, variant: str, row: Row, rng: random.Random, *, details: dict[str, Json] | None = None, **rest: Json
) -> Request:
    spoken = {"service": service_word(row["kind"], rng), "current": plan_named(row["plan_id"])}
    details = {"service": row["kind"], **(details or {})}
    if "code" in details:
        spoken["code"] = details["code"]
    # A customer who looks for advice has no plan's name in mind, only what it should be like.
    if "plan_id" in details and variant != "open":
        spoken["plan"] = plan_named(details["plan_id"])
    if "second_plan_id" in details:
        spoken["second_plan"] = plan_named(details["second_plan_id"])
    return Request(kind, variant, details, spoken, **rest)


def _mind(variant: str) -> Mind:
    minds: dict[str, Mind] = {"fee_declined": "no_fee", "switched": "switch", "dropped": "drop"}
    return minds.get(variant, "firm")


def _subscription(home: Household, rng: random.Random) -> Row:
    return rng.choice(home.subscriptions)


def _plans(kind: str) -> list[Row]:
    """The plans on sale of one kind, cheapest first."""
    return sorted(
        (p for p in catalog()["plans"] if p["kind"] == kind and p["available"]), key=lambda p: float(p["monthly_price"])
    )


def _put_on(row: Row, plan: Row) -> None:
    row |= {"plan_id": plan["plan_id"], "monthly_price": plan["monthly_price"]}


def _bind(row: Row, rng: random.Random) -> None:
    """Put the subscription inside its minimum term."""
    ends = days_after(catalog()["today"], rng.randrange(40, 320))
    row |= {"started_on": days_after(ends, -365), "term_ends_on": ends}
