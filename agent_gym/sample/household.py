"""From a seed and an index to one customer with all records: the household before anything went wrong."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_gym.sample.backend.session import cents, days_after
from agent_gym.sample.chance import seeded
from agent_gym.sample.tables import catalog, table
from agent_gym.types import Json

__all__ = ["Household", "household"]

Row = dict[str, Json]
_MONTHS = ("2024-12", "2025-01", "2025-02", "2025-03")


@dataclass(slots=True)
class Household:
    """One customer's records, still open to change: a situation bends them before the database is made."""

    customer: Row
    subscriptions: list[Row] = field(default_factory=list)
    invoices: list[Row] = field(default_factory=list)
    devices: list[Row] = field(default_factory=list)
    tickets: list[Row] = field(default_factory=list)

    @property
    def account_id(self) -> str:
        return str(self.customer["account_id"])

    @property
    def number(self) -> str:
        return self.account_id.removeprefix("AC-")

    def subscription(self, kind: str) -> Row | None:
        return next((s for s in self.subscriptions if s["kind"] == kind), None)

    def device(self, kind: str) -> Row | None:
        return next((d for d in self.devices if d["kind"] == kind), None)

    def add_subscription(self, kind: str, rng: random.Random) -> Row:
        """A running subscription whose minimum term is over."""
        plan = rng.choice([p for p in catalog()["plans"] if p["kind"] == kind and p["available"]])
        started = days_after(catalog()["today"], -rng.randrange(760, 2200))
        row: Row = {
            "subscription_id": f"SB-{self.number}-{len(self.subscriptions) + 1}",
            "account_id": self.account_id,
            "plan_id": plan["plan_id"],
            "kind": kind,
            "status": "active",
            "monthly_price": plan["monthly_price"],
            "started_on": started,
            "term_ends_on": days_after(started, 730 if plan["term_months"] == 24 else 365),
            "renews_on": days_after(catalog()["today"], rng.randrange(2, 30)),
            "auto_renew": True,
            "coupon": None,
        }
        self.subscriptions.append(row)
        if kind in catalog()["models"]:
            self._add_device(kind, rng)
        return row

    def _add_device(self, kind: str, rng: random.Random) -> None:
        self.devices.append(
            {
                "device_id": f"DV-{self.number}-{len(self.devices) + 1}",
                "account_id": self.account_id,
                "model": rng.choice(catalog()["models"][kind]),
                "kind": kind,
                "status": "online",
                "leased": rng.random() < 0.6,
                "warranty_until": days_after(catalog()["today"], rng.randrange(-500, 500)),
                "fault": "none",
            }
        )

    def add_invoice(self, issued_on: str, lines: list[Row], status: str = "paid") -> Row:
        row: Row = {
            "invoice_id": f"INV-{self.number}-{len(self.invoices) + 1:02d}",
            "account_id": self.account_id,
            "issued_on": issued_on,
            "lines": lines,
            "total": cents(sum(line["amount"] for line in lines)),
            "status": status,
            "refunded": 0.0,
        }
        self.invoices.append(row)
        return row

    def bill(self, rng: random.Random) -> None:
        """The regular invoices of the last months, all paid, for what is booked now."""
        day = rng.randrange(1, 12)
        names = {p["plan_id"]: p["name"] for p in catalog()["plans"]}
        for month in _MONTHS:
            lines = [{"text": names[s["plan_id"]], "amount": s["monthly_price"]} for s in self.subscriptions]
            self.add_invoice(f"{month}-{day:02d}", lines)

    def add_ticket(self, category: str, summary: str, status: str, opened_on: str, visit_on: str | None) -> Row:
        row: Row = {
            "ticket_id": f"TK-{self.number}-{len(self.tickets) + 1}",
            "account_id": self.account_id,
            "category": category,
            "summary": summary,
            "status": status,
            "opened_on": opened_on,
            "visit_on": visit_on,
        }
        self.tickets.append(row)
        return row

    def rows(self) -> Mapping[str, Mapping[str, Row]]:
        """The records by table and key."""
        return {
            "customers": {self.account_id: self.customer},
            "subscriptions": {r["subscription_id"]: r for r in self.subscriptions},
            "invoices": {r["invoice_id"]: r for r in self.invoices},
            "devices": {r["device_id"]: r for r in self.devices},
            "tickets": {r["ticket_id"]: r for r in self.tickets},
        }


def household(seed: int, index: int) -> Household:
    """The household of one customer; neither names nor ids repeat among the first 4,800 of a seed."""
    rng = seeded("household", seed, index)
    home = Household(_customer(seed, index, rng))
    kinds = [k for k, share in (("internet", 0.85), ("mobile", 0.45), ("tv", 0.25)) if rng.random() < share]
    for kind in kinds or ["mobile"]:
        home.add_subscription(kind, rng)
    if rng.random() < 0.3:
        opened = days_after(catalog()["today"], -rng.randrange(60, 300))
        home.add_ticket("other", "Question about the welcome letter", "closed", opened, None)
    return home


def _customer(seed: int, index: int, rng: random.Random) -> Row:
    people = table("people")
    firsts, lasts = people["first"], people["last"]
    # A step that shares no factor with the number of names or ids visits each once before any repeats.
    combined = (index * 1009 + seed * 37) % (len(firsts) * len(lasts))
    first, last = firsts[combined % len(firsts)], lasts[combined // len(firsts)]
    number = 10000 + (index * 7919 + seed * 4001 + 2711) % 90000
    style = rng.choice(("{f}.{l}", "{l}.{f}", "{f}_{l}", "{f}{l}{n}"))
    local = style.format(f=first.lower(), l=last.lower(), n=number % 100)
    area = rng.choice(catalog()["areas"])
    since = days_after(catalog()["today"], -rng.randrange(2200, 3600))
    return {
        "account_id": f"AC-{number}",
        "name": f"{first} {last}",
        "email": f"{local}@{rng.choice(people['domains'])}",
        "phone": f"555-{rng.randrange(100, 1000)}-{rng.randrange(1000, 10000)}",
        "date_of_birth": f"{rng.randrange(1938, 2005)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
        "passphrase": rng.choice(people["passphrases"]),
        "address": {
            "street": f"{rng.randrange(1, 180)} {rng.choice(people['streets'])}",
            "city": area["city"],
            "zip": area["zip"],
        },
        "balance": 0.0,
        "customer_since": since,
    }
