"""Tools about things that break: devices, outages, tickets, and the hand-over to a human."""

from agent_gym.sample.backend.refusal import Refusal
from agent_gym.sample.backend.session import Arguments, Session, days_after, number_of
from agent_gym.sample.database import Record
from agent_gym.sample.tables import catalog
from agent_gym.types import Json

__all__ = [
    "check_outage",
    "create_ticket",
    "escalate_to_human",
    "list_devices",
    "list_tickets",
    "replace_device",
    "restart_device",
]

_SHIPPING_DAYS = 3
_HIDDEN = ("fault", "account_id")  # what a device does not tell from afar


def list_devices(session: Session, arguments: Arguments) -> Json:
    account_id = arguments["account_id"]
    session.record("customers", account_id, "account")
    devices = session.database.of_account("devices", account_id)
    return {"account_id": account_id, "devices": [_shown(d) for d in devices]}


def restart_device(session: Session, arguments: Arguments) -> Json:
    device = session.record("devices", arguments["device_id"], "device")
    if device["status"] in ("retired", "shipping"):
        raise Refusal("device_not_in_use", f"{device['device_id']} is {device['status']}.")
    zip_code = session.record("customers", device["account_id"], "account")["address"]["zip"]
    if any(o["kind"] == device["kind"] for o in _active_outages(session, zip_code)):
        raise Refusal("device_unreachable", f"{device['device_id']} does not answer: outage in zip {zip_code}.")
    status = "offline" if device["fault"] == "broken" else "online"
    session.database.update("devices", device["device_id"], status=status, restarted_on=session.today)
    return {"device_id": device["device_id"], "restarted": True, "status": status}


def replace_device(session: Session, arguments: Arguments) -> Json:
    device = session.record("devices", arguments["device_id"], "device")
    account_id = device["account_id"]
    session.require_verified(account_id)
    if device["status"] == "retired":
        raise Refusal("device_not_in_use", f"{device['device_id']} has been replaced already.")
    lost = arguments["reason"] == "lost"
    covered = device["leased"] or device["warranty_until"] >= session.today
    if not lost and not covered:
        raise Refusal("out_of_warranty", f"The warranty of {device['device_id']} ended on {device['warranty_until']}.")
    fee = session.fee("lost_device") if lost else 0.0
    if fee and not arguments.get("accept_fee"):
        raise Refusal(
            "replacement_fee", f"Replacing a lost device costs {fee:.2f}. Set accept_fee once the customer agrees."
        )
    count = len(session.database.of_account("devices", account_id))
    new_id = f"DV-{number_of(account_id)}-{count + 1}"
    session.database.update("devices", device["device_id"], status="retired")
    new = {**device, "device_id": new_id, "status": "shipping", "fault": "none"}
    session.database.put("devices", new_id, new)
    result = {
        "device_id": new_id,
        "replaces": device["device_id"],
        "model": device["model"],
        "arrives_on": days_after(session.today, _SHIPPING_DAYS),
        "fee": fee,
    }
    if fee:
        result["fee_invoice"] = session.charge(account_id, "Lost device", fee)
    return result


def check_outage(session: Session, arguments: Arguments) -> Json:
    zip_code = arguments["zip"]
    city = next((a["city"] for a in catalog()["areas"] if a["zip"] == zip_code), None)
    if city is None:
        raise Refusal("zip_not_served", f"Harrowline does not serve zip {zip_code}.")
    outages = [o for o in session.database.all("outages") if o["zip"] == zip_code]
    shown = ("outage_id", "kind", "status", "cause", "started_at", "expected_end")
    return {"zip": zip_code, "city": city, "outages": [{f: o[f] for f in shown} for o in outages]}


def create_ticket(session: Session, arguments: Arguments) -> Json:
    account_id, category = arguments["account_id"], arguments["category"]
    session.record("customers", account_id, "account")
    for ticket in session.database.of_account("tickets", account_id):
        if ticket["category"] == category and ticket["status"] != "closed":
            raise Refusal("ticket_exists", f"{ticket['ticket_id']} is {ticket['status']} for {category} already.")
    ticket = session.open_ticket(account_id, category, arguments["summary"])
    return {key: ticket[key] for key in ("ticket_id", "category", "status", "visit_on")}


def list_tickets(session: Session, arguments: Arguments) -> Json:
    account_id, status = arguments["account_id"], arguments.get("status")
    session.record("customers", account_id, "account")
    shown = ("ticket_id", "category", "summary", "status", "opened_on", "visit_on")
    tickets = [t for t in session.database.of_account("tickets", account_id) if status in (None, t["status"])]
    return {"account_id": account_id, "tickets": [{f: t[f] for f in shown} for t in tickets]}


def escalate_to_human(session: Session, arguments: Arguments) -> Json:
    queue, account_id = arguments["queue"], arguments.get("account_id", "AC-00000")
    if account_id != "AC-00000":
        session.record("customers", account_id, "account")
    ticket = session.open_ticket(account_id, "handover", arguments["summary"], queue=queue)
    return {
        "ticket_id": ticket["ticket_id"],
        "queue": queue,
        "status": "transferred",
        "wait_minutes": catalog()["wait_minutes"][queue],
    }


def _shown(device: Record) -> dict[str, Json]:
    return {key: value for key, value in device.items() if key not in _HIDDEN}


def _active_outages(session: Session, zip_code: str) -> list[Record]:
    return [o for o in session.database.all("outages") if o["zip"] == zip_code and o["status"] == "active"]
