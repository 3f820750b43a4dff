"""Situations about money: charges made twice, refunds that policy denies, questions on a bill."""

import random

from agent_gym.sample.backend.session import days_after
from agent_gym.sample.case import Facts, Request
from agent_gym.sample.household import Household
from agent_gym.sample.situations.wording import date_forms, money, money_forms, month_name
from agent_gym.sample.tables import catalog
from agent_gym.types import ToolCall

__all__ = ["balance_question", "bill_question", "refund"]

_EXTRAS = (
    ("Premium-rate calls", "call", 8, 30),
    ("International roaming", "roaming", 10, 60),
    ("Film rentals", "film", 4, 20),
    ("Late payment fee", "late", 5, 9),
    ("Technician visit", "technician", 35, 60),
)


def refund(home: Household, rng: random.Random) -> Request:
    variant = rng.choice(("duplicate", "duplicate", "duplicate", "late", "refunded", "unused", "unused", "large"))
    if variant == "unused":
        return _unused(home)
    return _large(home, rng) if variant == "large" else _charged_twice(home, rng, variant)


def _charged_twice(home: Household, rng: random.Random, variant: str) -> Request:
    age = rng.randrange(70, 95) if variant == "late" else rng.randrange(4, 50)
    issued = days_after(catalog()["today"], -age)
    # Two invoices of the same day: the later number is the one charged by mistake.
    model = home.invoices[-1]
    regular = [i for i in home.invoices if i["issued_on"][:7] != issued[:7]]
    home.invoices[:] = []
    for invoice in sorted([*regular, model | {"issued_on": issued}], key=lambda i: str(i["issued_on"])):
        home.add_invoice(invoice["issued_on"], invoice["lines"])
        if invoice["issued_on"] == issued:
            home.add_invoice(issued, invoice["lines"])
    second = [i for i in home.invoices if i["issued_on"] == issued][-1]
    facts: Facts = ()
    if variant == "late":
        facts = (("60 days", "60-day"),)
    if variant == "refunded":
        second |= {"status": "refunded", "refunded": second["total"]}
        home.customer["balance"] = -second["total"]
        facts = (("already",), ("refunded",))
    right = {"invoice_id": second["invoice_id"], "amount": second["total"], "reason": "duplicate_charge"}
    first = next(i for i in home.invoices if i["issued_on"] == issued)
    return Request(
        "refund",
        variant,
        {"cause": "twice", "month": issued[:7], "amount": second["total"]},
        {"month": month_name(issued), "amount": money(second["total"])},
        steps=(ToolCall("issue_refund", right),) if variant == "duplicate" else (),
        or_steps=(ToolCall("issue_refund", right | {"invoice_id": first["invoice_id"]}),)
        if variant == "duplicate"
        else (),
        facts=facts,
        refused=variant != "duplicate",
    )


def _unused(home: Household) -> Request:
    invoice = home.invoices[-1]
    return Request(
        "refund",
        "unused",
        {"cause": "unused", "month": invoice["issued_on"][:7], "amount": invoice["total"]},
        {"month": month_name(invoice["issued_on"]), "amount": money(invoice["total"])},
        facts=(("not used", "weren't used", "wasn't used", "unused", "use", "usage"),),
        refused=True,
    )


def _large(home: Household, rng: random.Random) -> Request:
    issued = days_after(catalog()["today"], -rng.randrange(3, 10))
    lines = [{"text": "Router and installation", "amount": rng.choice((169.0, 189.5, 214.9))}]
    home.add_invoice(issued, lines)
    second = home.add_invoice(issued, lines)
    handover = {"account_id": home.account_id, "queue": "billing", "summary": "refund over the limit"}
    return Request(
        "refund",
        "large",
        {"cause": "twice", "month": issued[:7], "amount": second["total"]},
        {"month": month_name(issued), "amount": money(second["total"])},
        steps=(ToolCall("escalate_to_human", handover),),
    )


def bill_question(home: Household, rng: random.Random) -> Request:
    text, word, low, high = rng.choice(_EXTRAS)
    invoice = home.invoices[-1]
    amount = rng.randrange(low, high) + rng.choice((0.0, 0.5, 0.99, 0.25))
    invoice["lines"] = [*invoice["lines"], {"text": text, "amount": amount}]
    invoice["total"] = round(invoice["total"] + amount, 2)
    return Request(
        "bill_question",
        "higher",
        {"month": invoice["issued_on"][:7]},
        {"month": month_name(invoice["issued_on"]), "amount": money(invoice["total"])},
        facts=(money_forms(amount), (word, f"{word}s", text)),
    )


def balance_question(home: Household, rng: random.Random) -> Request:
    owing = rng.random() < 0.6
    invoice = home.invoices[-1]
    if owing:
        invoice["status"] = "open"
        home.customer["balance"] = invoice["total"]
        return Request(
            "balance_question",
            "owing",
            {},
            {},
            facts=(money_forms(invoice["total"]),),
        )
    return Request(
        "balance_question",
        "settled",
        {},
        {"day": month_name(invoice["issued_on"])},
        facts=(("nothing", "no open", "$0.00", "0.00", "all paid", "settled", *date_forms(invoice["issued_on"])),),
    )
