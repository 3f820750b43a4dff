"""Situations about faults, devices, moves and everything that is not money or contract."""

import random

from agent_gym.sample.backend.session import days_after
from agent_gym.sample.case import Facts, Request
from agent_gym.sample.household import Household, Row
from agent_gym.sample.situations.wording import date_forms, money_forms, plan_named
from agent_gym.sample.tables import catalog, table
from agent_gym.types import ToolCall

__all__ = [
    "contact",
    "fault",
    "handover",
    "lost_device",
    "move",
    "outage_question",
    "plan_question",
    "ticket_question",
    "visit",
]

_NO_OUTAGE = ("no outage", "no outages", "no known", "not seeing any", "nothing reported", "no reported", "all clear")


def fault(home: Household, rng: random.Random) -> Request:
    device = home.device("internet")
    if device is None:
        home.add_subscription("internet", rng)
        device = home.devices[-1]
    variant = rng.choice(("outage", "restart", "restart", "replace", "technician"))
    _settle(home, rng, outage=variant == "outage")
    device["status"] = "offline"
    device["fault"] = "none" if variant in ("outage", "restart") else "broken"
    restart = ToolCall("restart_device", {"device_id": device["device_id"]})
    steps: tuple[ToolCall, ...] = (restart,)
    facts: Facts = ()
    if variant == "outage":
        steps, facts = (), (_end_forms(_outage_in(home)),)
    elif variant == "replace":
        device["leased"] = True
        steps = (restart, ToolCall("replace_device", {"device_id": device["device_id"], "reason": "faulty"}))
    elif variant == "technician":
        device |= {"leased": False, "warranty_until": days_after(catalog()["today"], -rng.randrange(20, 600))}
        ticket = {"account_id": home.account_id, "category": "technician", "summary": "internet fault"}
        steps = (restart, ToolCall("create_ticket", ticket))
    return Request("fault", variant, {"service": "internet"}, {"model": device["model"]}, steps=steps, facts=facts)


def lost_device(home: Household, rng: random.Random) -> Request:
    kind = "tv" if home.device("tv") else "internet"
    if home.device(kind) is None:
        home.add_subscription(kind, rng)
    device = home.device(kind)
    assert device is not None
    declined = rng.random() < 0.35
    step = ToolCall("replace_device", {"device_id": device["device_id"], "reason": "lost", "accept_fee": True})
    return Request(
        "lost_device",
        "fee_declined" if declined else "fee",
        {"service": kind},
        {"device": rng.choice(("router", "wifi box", "hub") if kind == "internet" else ("TV box", "set-top box"))},
        steps=() if declined else (step,),
        facts=(money_forms(catalog()["fees"]["lost_device"]),) if declined else (),
        mind="no_fee" if declined else "firm",
    )


def move(home: Household, rng: random.Random) -> Request:
    refused = rng.random() < 0.2
    area = {"zip": f"30{rng.randrange(500, 600)}", "city": "Norwell"} if refused else _other_area(home, rng)
    street = f"{rng.randrange(1, 180)} {rng.choice(table('people')['streets'])}"
    address = {"street": street, "city": area["city"], "zip": area["zip"]}
    step = ToolCall("update_address", {"account_id": home.account_id, **address})
    return Request(
        "move",
        "not_served" if refused else "served",
        address,
        address,
        steps=() if refused else (step,),
        facts=(("not serve", "don't serve", "doesn't serve", "outside our", "not served", "no service"),)
        if refused
        else (),
        refused=refused,
    )


def contact(home: Household, rng: random.Random) -> Request:
    if rng.random() < 0.5:
        local = home.customer["name"].lower().replace(" ", rng.choice((".", "-", "")))
        change = {"new_email": f"{local}{rng.randrange(10, 99)}@{rng.choice(table('people')['domains'])}"}
    else:
        change = {"new_phone": f"555-{rng.randrange(100, 1000)}-{rng.randrange(1000, 10000)}"}
    arguments = {key.removeprefix("new_"): value for key, value in change.items()}
    step = ToolCall("update_contact", {"account_id": home.account_id, **arguments})
    return Request("contact", next(iter(arguments)), change | {"field": next(iter(change))}, change, steps=(step,))


def outage_question(home: Household, rng: random.Random) -> Request:
    there = rng.random() < 0.65
    _settle(home, rng, outage=there)
    zip_code = home.customer["address"]["zip"]
    facts = (_end_forms(_outage_in(home)),) if there else (_NO_OUTAGE,)
    return Request("outage_question", "yes" if there else "no", {"zip": zip_code}, {"zip": zip_code}, facts=facts)


def plan_question(home: Household, rng: random.Random) -> Request:
    # People ask about what they do not have yet.
    kinds = [k for k in ("internet", "mobile", "tv") if home.subscription(k) is None]
    kind = rng.choice(kinds or ["mobile"])
    plans = [p for p in catalog()["plans"] if p["kind"] == kind and p["available"]]
    variant = rng.choice(("cheapest", "biggest"))
    pick = min if variant == "cheapest" else max
    plan = pick(plans, key=lambda p: float(p["monthly_price"]))
    word = {"internet": "internet", "mobile": "mobile", "tv": "TV"}[kind]
    facts = ((plan_named(plan["plan_id"]),), money_forms(plan["monthly_price"]))
    return Request("plan_question", variant, {"service": kind, "wish": variant}, {"service": word}, facts=facts)


def ticket_question(home: Household, rng: random.Random) -> Request:
    visit_on = days_after(catalog()["today"], rng.randrange(1, 9))
    opened = days_after(catalog()["today"], -rng.randrange(2, 9))
    home.add_ticket("technician", "Line drops several times a day", "scheduled", opened, visit_on)
    return Request("ticket_question", "visit", {}, {}, facts=(date_forms(visit_on),))


def visit(home: Household, rng: random.Random) -> Request:
    wish = rng.choice(
        (
            "a second wall socket in the study",
            "the fibre socket moved to another room",
            "a mesh repeater fitted upstairs",
            "the cable along the wall fixed properly",
            "a TV outlet in the bedroom",
        )
    )
    step = ToolCall("create_ticket", {"account_id": home.account_id, "category": "installation", "summary": wish})
    return Request("visit", "installation", {"wish": wish}, {"wish": wish}, steps=(step,))


def handover(home: Household, rng: random.Random) -> Request:
    variant, queue = rng.choice(
        (("fraud", "fraud"), ("fraud", "fraud"), ("bereavement", "care"), ("legal", "complaints"))
    )
    step = {"account_id": home.account_id, "queue": queue, "summary": variant}
    return Request("handover", variant, {"cause": variant}, {}, steps=(ToolCall("escalate_to_human", step),))


def _settle(home: Household, rng: random.Random, *, outage: bool) -> None:
    """Let the household live where the internet is down, or where nothing is reported."""
    down = {o["zip"] for o in catalog()["outages"] if o["kind"] == "internet" and o["status"] == "active"}
    any_report = {o["zip"] for o in catalog()["outages"]}
    areas = [a for a in catalog()["areas"] if (a["zip"] in down if outage else a["zip"] not in any_report)]
    area = rng.choice(areas)
    home.customer["address"] = home.customer["address"] | {"city": area["city"], "zip": area["zip"]}


def _outage_in(home: Household) -> Row:
    zip_code = home.customer["address"]["zip"]
    return next(o for o in catalog()["outages"] if o["zip"] == zip_code and o["status"] == "active")


def _end_forms(outage: Row) -> tuple[str, ...]:
    day, time = outage["expected_end"].split("T")
    return (
        (time, outage["expected_end"], *date_forms(day))
        if day != catalog()["today"]
        else (time, outage["expected_end"])
    )


def _other_area(home: Household, rng: random.Random) -> Row:
    return dict(rng.choice([a for a in catalog()["areas"] if a["zip"] != home.customer["address"]["zip"]]))
