"""One conversation's view of the business: the database, who has been verified, and shared bookkeeping."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_gym.sample.backend.refusal import Refusal
from agent_gym.sample.database import Database, Record
from agent_gym.sample.tables import catalog
from agent_gym.types import Json

__all__ = ["Arguments", "Session", "cents", "days_after", "number_of"]

Arguments = Mapping[str, Json]


@dataclass(slots=True)
class Session:
    """The state that tools read and change."""

    database: Database
    verified: set[str] = field(default_factory=set)
    failures: dict[str, int] = field(default_factory=dict)

    @property
    def today(self) -> str:
        return str(catalog()["today"])

    def record(self, name: str, key: str, noun: str) -> Record:
        found = self.database.get(name, key)
        if found is None:
            raise Refusal("not_found", f"There is no {noun} {key}.")
        return found

    def require_verified(self, account_id: str) -> None:
        if account_id not in self.verified:
            raise Refusal("identity_not_verified", f"Verify the holder of {account_id} before changing the account.")

    def fee(self, name: str) -> float:
        return float(catalog()["fees"][name])

    def charge(self, account_id: str, text: str, amount: float) -> str:
        """Put a fee on a new invoice and on the balance; the invoice's id."""
        count = len(self.database.of_account("invoices", account_id))
        invoice_id = f"INV-{number_of(account_id)}-{count + 1:02d}"
        self.database.put(
            "invoices",
            invoice_id,
            {
                "invoice_id": invoice_id,
                "account_id": account_id,
                "issued_on": self.today,
                "lines": [{"text": text, "amount": amount}],
                "total": amount,
                "status": "open",
                "refunded": 0.0,
            },
        )
        balance = self.record("customers", account_id, "account")["balance"]
        self.database.update("customers", account_id, balance=cents(balance + amount))
        return invoice_id

    def open_ticket(self, account_id: str, category: str, summary: str, **fields: Json) -> Record:
        """A new ticket; categories with a visit get its date."""
        count = len(self.database.of_account("tickets", account_id))
        ticket_id = f"TK-{number_of(account_id)}-{count + 1}"
        wait = catalog()["visit_days"].get(category)
        ticket = {
            "ticket_id": ticket_id,
            "account_id": account_id,
            "category": category,
            "summary": summary,
            "status": "scheduled" if wait else "open",
            "opened_on": self.today,
            "visit_on": days_after(self.today, wait) if wait else None,
            **fields,
        }
        self.database.put("tickets", ticket_id, ticket)
        return ticket


def number_of(account_id: str) -> str:
    return account_id.removeprefix("AC-")


def cents(amount: float) -> float:
    return round(amount, 2) + 0.0  # + 0.0 turns -0.0 into 0.0


def days_after(day: str, days: int) -> str:
    return (datetime.date.fromisoformat(day) + datetime.timedelta(days=days)).isoformat()
