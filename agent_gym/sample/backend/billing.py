"""Tools about money: invoices and refunds."""

from agent_gym.sample.backend.refusal import Refusal
from agent_gym.sample.backend.session import Arguments, Session, cents, days_after
from agent_gym.sample.tables import catalog
from agent_gym.types import Json

__all__ = ["get_invoice", "issue_refund", "list_invoices"]

_TRANSFER_DAYS = 5


def list_invoices(session: Session, arguments: Arguments) -> Json:
    account_id = arguments["account_id"]
    session.record("customers", account_id, "account")
    limit = arguments.get("limit", 4)
    if limit < 1:
        raise Refusal("invalid_argument", "limit must be at least 1.")
    newest = session.database.of_account("invoices", account_id)[::-1]
    shown = ("invoice_id", "issued_on", "total", "status")
    return {"account_id": account_id, "invoices": [{f: i[f] for f in shown} for i in newest[:limit]]}


def get_invoice(session: Session, arguments: Arguments) -> Json:
    return dict(session.record("invoices", arguments["invoice_id"], "invoice"))


def issue_refund(session: Session, arguments: Arguments) -> Json:
    invoice = session.record("invoices", arguments["invoice_id"], "invoice")
    account_id, amount = invoice["account_id"], cents(float(arguments["amount"]))
    session.require_verified(account_id)
    if invoice["status"] == "refunded":
        raise Refusal("already_refunded", f"{invoice['invoice_id']} has been refunded in full.")
    if invoice["status"] == "open":
        raise Refusal("not_paid", f"{invoice['invoice_id']} has not been paid yet.")
    last_day = days_after(invoice["issued_on"], catalog()["refund_window_days"])
    if last_day < session.today:
        raise Refusal("refund_window_closed", f"{invoice['invoice_id']} could be refunded until {last_day}.")
    left = cents(invoice["total"] - invoice["refunded"])
    if not 0 < amount <= left:
        raise Refusal("invalid_amount", f"The amount must be more than 0 and at most {left:.2f}.")
    if amount > catalog()["refund_limit"]:
        raise Refusal("over_limit", f"Refunds over {catalog()['refund_limit']:.2f} need the billing queue.")
    refunded = cents(invoice["refunded"] + amount)
    status = "refunded" if refunded == invoice["total"] else "partly_refunded"
    session.database.update("invoices", invoice["invoice_id"], refunded=refunded, status=status)
    balance = cents(session.record("customers", account_id, "account")["balance"] - amount)
    session.database.update("customers", account_id, balance=balance)
    return {
        "invoice_id": invoice["invoice_id"],
        "amount": amount,
        "status": status,
        "balance": balance,
        "arrives_by": days_after(session.today, _TRANSFER_DAYS),
    }
