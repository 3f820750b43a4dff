"""From a seed to the cases of one day: every customer of the business calls once, about something of their own."""

import datetime
import random
import re
from collections.abc import Mapping

from agent_gym.sample.case import Case, Request
from agent_gym.sample.chance import seeded
from agent_gym.sample.customers.opening import opening
from agent_gym.sample.customers.persona import PERSONAS, patience
from agent_gym.sample.database import Database, Record
from agent_gym.sample.household import Household, household
from agent_gym.sample.situations import draw_requests
from agent_gym.sample.situations.wording import month_name
from agent_gym.sample.tables import catalog
from agent_gym.types import Json

__all__ = ["cases"]

_CUSTOMERS = 1000  # whose accounts exist even if fewer cases are asked for, so that fewer are a prefix of more
_OPENS_AT = 7 * 3600
_SECONDS_APART = 52


def cases(seed: int = 0, count: int = 640) -> list[Case]:
    """The first `count` cases of a seed. No two customers open with the same words."""
    homes = [household(seed, index) for index in range(max(count, _CUSTOMERS))]
    requests = [draw_requests(home, seeded("requests", seed, index)) for index, home in enumerate(homes)]
    database = _database(homes)
    used: set[str] = set()
    return [_case(seed, index, homes[index], requests[index], database, used) for index in range(count)]


def _database(homes: list[Household]) -> Database:
    tables: dict[str, dict[str, Record]] = {
        "plans": {p["plan_id"]: p for p in catalog()["plans"]},
        "coupons": {c["code"]: c for c in catalog()["coupons"]},
        "outages": {o["outage_id"]: o for o in catalog()["outages"]},
    }
    for home in homes:
        for name, rows in home.rows().items():
            tables.setdefault(name, {}).update(rows)
    return Database(tables)


def _case(
    seed: int, index: int, home: Household, requests: tuple[Request, ...], database: Database, used: set[str]
) -> Case:
    rng = seeded("case", seed, index)
    grave = requests[0].kind == "handover"
    # Nobody reports a death in a chatty mood; and whoever threatens with a lawyer is not polite about it.
    persona = "plain" if grave else rng.choices(list(PERSONAS), [share for share, _ in PERSONAS.values()])[0]
    raised = len(requests) if rng.random() < 0.4 else 1
    knows, spoken = _identity(home.customer, requests, rng)
    introduces = rng.random() < 0.3
    name = home.customer["name"] if "name" in knows and "other" not in spoken else ""
    age = _age(home.customer["date_of_birth"])
    if (not name and persona in ("elderly", "chatty", "polite")) or (persona == "elderly" and age < 70):
        persona = "plain"
    while True:
        text, told = opening(requests[:raised], persona, spoken, name, age, rng, introduces=introduces)
        essence = re.sub(r"[^a-z]+", " ", text.lower()).strip()  # numbers alone make no other wording
        if essence not in used:
            used.add(essence)
            break
    start = datetime.datetime.fromisoformat(catalog()["today"]) + datetime.timedelta(
        seconds=_OPENS_AT + index * _SECONDS_APART + rng.randrange(_SECONDS_APART)
    )
    return Case(
        conversation_id=f"chat-{index + 1:04d}",
        account_id=home.account_id,
        persona=persona,
        requests=requests,
        raised=raised,
        knows=knows,
        spoken=spoken,
        opener=text,
        told=told,
        patience=patience(persona, rng),
        started_at=start.isoformat(),
        seed=seed,
        database=database,
    )


def _age(birth: str) -> int:
    today = str(catalog()["today"])
    return int(today[:4]) - int(birth[:4]) - (today[5:] < birth[5:])


def _identity(
    customer: Mapping[str, Json], requests: tuple[Request, ...], rng: random.Random
) -> tuple[dict[str, str], dict[str, str]]:
    """What the caller knows of who they are, and how they say it; `other` marks a caller for somebody else."""
    truth = {
        "account_id": customer["account_id"],
        "email": customer["email"],
        "name": customer["name"],
        "home_zip": customer["address"]["zip"],
        "date_of_birth": customer["date_of_birth"],
        "passphrase": customer["passphrase"],
    }
    number = customer["account_id"].removeprefix("AC-")
    spoken = truth | {
        "account_id": rng.choice((f"AC-{number}", f"AC-{number}", f"ac-{number}", f"AC {number}", number)),
        "date_of_birth": rng.choice(_birth_forms(customer["date_of_birth"])),
    }
    known = {"name", "home_zip"}
    for slot, share in (("account_id", 0.5), ("email", 0.7)):
        if rng.random() < share:
            known.add(slot)
    if requests[0].variant in ("third_party", "bereavement"):
        known = (known | {"account_id"}) - {"email"}
        spoken["other"] = ""
        known.add("other")
    else:
        known |= {"date_of_birth"} | ({"passphrase"} if rng.random() < 0.4 else set())
    return {s: v for s, v in truth.items() if s in known}, {s: v for s, v in spoken.items() if s in known}


def _birth_forms(birth: str) -> tuple[str, ...]:
    year, month, day = birth.split("-")
    name = month_name(birth)
    return (
        birth,
        f"{int(day)} {name} {year}",
        f"{name} {int(day)}, {year}",
        f"{month}/{day}/{year}",
        f"{name[:3]} {int(day)} {year}",
    )
