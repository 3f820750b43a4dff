"""Tools about who the customer is: find, look up, verify, change address and contact."""

from agent_gym.sample.backend.refusal import Refusal
from agent_gym.sample.backend.session import Arguments, Session
from agent_gym.sample.tables import catalog
from agent_gym.types import Json

__all__ = ["find_account", "lookup_account", "update_address", "update_contact", "verify_identity"]


def find_account(session: Session, arguments: Arguments) -> Json:
    email, name, zip_code = arguments.get("email"), arguments.get("name"), arguments.get("zip")
    if not email and not (name and zip_code):
        raise Refusal("invalid_argument", "Give an email, or a name together with a zip.")
    wanted = set(str(name or "").lower().split())
    matches = [
        {"account_id": c["account_id"], "name": c["name"], "zip": c["address"]["zip"]}
        for c in session.database.all("customers")
        if (not email or c["email"] == str(email).lower())
        and (not name or wanted <= set(c["name"].lower().split()))
        and (not zip_code or c["address"]["zip"] == zip_code)
    ]
    return {"count": len(matches), "matches": matches[:5]}


def lookup_account(session: Session, arguments: Arguments) -> Json:
    customer = session.record("customers", arguments["account_id"], "account")
    subscriptions = session.database.of_account("subscriptions", customer["account_id"])
    shown = ("account_id", "name", "email", "phone", "address", "balance", "customer_since")
    return {field: customer[field] for field in shown} | {
        "subscriptions": [
            {"subscription_id": s["subscription_id"], "plan_id": s["plan_id"], "kind": s["kind"], "status": s["status"]}
            for s in subscriptions
        ]
    }


def verify_identity(session: Session, arguments: Arguments) -> Json:
    customer = session.record("customers", arguments["account_id"], "account")
    account_id = customer["account_id"]
    if session.failures.get(account_id, 0) >= 2:
        raise Refusal("verification_locked", "Verification failed twice and is locked for today.")
    given = {key: arguments[key] for key in ("date_of_birth", "passphrase") if key in arguments}
    if not given:
        raise Refusal("invalid_argument", "Give a date_of_birth or a passphrase.")
    if any(str(customer[key]).lower() != str(value).lower() for key, value in given.items()):
        session.failures[account_id] = session.failures.get(account_id, 0) + 1
        return {"account_id": account_id, "verified": False, "attempts_left": 2 - session.failures[account_id]}
    session.verified.add(account_id)
    return {"account_id": account_id, "verified": True}


def update_address(session: Session, arguments: Arguments) -> Json:
    customer = session.record("customers", arguments["account_id"], "account")
    account_id = customer["account_id"]
    session.require_verified(account_id)
    city = next((a["city"] for a in catalog()["areas"] if a["zip"] == arguments["zip"]), None)
    if city is None:
        raise Refusal("zip_not_served", f"Harrowline does not serve zip {arguments['zip']}.")
    if city.lower() != arguments["city"].lower():
        raise Refusal("invalid_argument", f"Zip {arguments['zip']} belongs to {city}, not to {arguments['city']}.")
    address = {"street": arguments["street"], "city": city, "zip": arguments["zip"]}
    if address == customer["address"]:
        raise Refusal("no_change", "This is the address on the account already.")
    session.database.update("customers", account_id, address=address)
    result = {"account_id": account_id, "address": address}
    lines = session.database.of_account("subscriptions", account_id)
    if any(s["kind"] == "internet" and s["status"] == "active" for s in lines):
        ticket = session.open_ticket(account_id, "move", f"Move the internet line to {address['street']}")
        result |= {"move_ticket": ticket["ticket_id"], "technician_on": ticket["visit_on"]}
    return result


def update_contact(session: Session, arguments: Arguments) -> Json:
    customer = session.record("customers", arguments["account_id"], "account")
    account_id = customer["account_id"]
    session.require_verified(account_id)
    changes = {key: arguments[key] for key in ("email", "phone") if key in arguments}
    if not changes:
        raise Refusal("invalid_argument", "Give an email or a phone.")
    if "email" in changes:
        changes["email"] = changes["email"].lower()
        _check_email(session, changes["email"])
    session.database.update("customers", account_id, **changes)
    return {"account_id": account_id, **changes, "updated": True}


def _check_email(session: Session, email: str) -> None:
    name, at, domain = email.partition("@")
    if not (name and at and "." in domain):
        raise Refusal("invalid_argument", f"{email} is not an e-mail address.")
    if any(c["email"] == email for c in session.database.all("customers")):
        raise Refusal("email_in_use", f"{email} is already on an account.")
