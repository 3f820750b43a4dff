"""How amounts, dates and services are said aloud, by customers and by agents."""

import random

from agent_gym.sample.tables import catalog

__all__ = ["date_forms", "long_date", "money", "money_forms", "month_name", "plan_named", "service_word"]

# Not from strftime: that depends on the locale.
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_SERVICES = {
    "internet": ("internet", "broadband", "home internet", "wifi contract", "fibre line"),
    "mobile": ("mobile plan", "phone plan", "cell phone contract", "mobile subscription", "phone contract"),
    "tv": ("TV package", "TV subscription", "streaming package", "Screen subscription"),
}


def service_word(kind: str, rng: random.Random) -> str:
    return rng.choice(_SERVICES[kind])


def plan_named(plan_id: str) -> str:
    return next(str(p["name"]) for p in catalog()["plans"] if p["plan_id"] == plan_id)


def money(amount: float) -> str:
    return f"${amount:.2f}"


def money_forms(amount: float) -> tuple[str, ...]:
    whole = (f"${amount:.0f}", f"{amount:.0f} dollars") if amount == int(amount) else ()
    return (f"${amount:.2f}", f"{amount:.2f}", *whole)


def long_date(day: str) -> str:
    return f"{int(day[8:])} {month_name(day)} {day[:4]}"


def date_forms(day: str) -> tuple[str, ...]:
    """How a day may be written, so that any of it tells the day."""
    return (day, f"{int(day[8:])} {month_name(day)}", f"{month_name(day)} {int(day[8:])}")


def month_name(day: str) -> str:
    return _MONTHS[int(day[5:7]) - 1]
