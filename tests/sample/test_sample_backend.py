"""The sample's tools: what they refuse, what they change, and what they change besides."""

import pytest

from agent_gym.sample import TOOLS, Backend
from agent_gym.sample.database import Database
from agent_gym.sample.tables import catalog

ACCOUNT = {
    "account_id": "AC-10001",
    "name": "Ada Byron",
    "email": "ada@post.example",
    "phone": "555-100-2000",
    "date_of_birth": "1980-05-04",
    "passphrase": "blue heron",
    "address": {"street": "1 Mill Road", "city": "Dunmore", "zip": "30440"},
    "balance": 0.0,
    "customer_since": "2015-01-01",
}
OTHER = ACCOUNT | {"account_id": "AC-10002", "name": "Bo Byron", "email": "bo@post.example"}


def subscription(number: int, plan: str, kind: str, price: float, **fields: object) -> dict[str, object]:
    return {
        "subscription_id": f"SB-10001-{number}",
        "account_id": "AC-10001",
        "plan_id": plan,
        "kind": kind,
        "status": "active",
        "monthly_price": price,
        "started_on": "2020-01-01",
        "term_ends_on": "2021-01-01",
        "renews_on": "2025-04-01",
        "auto_renew": True,
        "coupon": None,
        **fields,
    }


def invoice(number: int, issued_on: str, total: float, **fields: object) -> dict[str, object]:
    return {
        "invoice_id": f"INV-10001-{number:02d}",
        "account_id": "AC-10001",
        "issued_on": issued_on,
        "lines": [{"text": "Fibre 150", "amount": total}],
        "total": total,
        "status": "paid",
        "refunded": 0.0,
        **fields,
    }


def device(number: int, **fields: object) -> dict[str, object]:
    return {
        "device_id": f"DV-10001-{number}",
        "account_id": "AC-10001",
        "model": "Arbor Hub 2",
        "kind": "internet",
        "status": "offline",
        "leased": True,
        "warranty_until": "2024-01-01",
        "fault": "none",
        **fields,
    }


SUBSCRIPTIONS = (
    subscription(1, "NET-150", "internet", 39.99),
    subscription(2, "MOB-X", "mobile", 38.99, term_ends_on="2025-12-01"),
    subscription(3, "TV-1", "tv", 9.99, status="cancelled", auto_renew=False, ends_on="2025-04-01"),
)
INVOICES = (
    invoice(1, "2024-12-01", 39.99),
    invoice(2, "2025-02-01", 39.99, status="refunded", refunded=39.99),
    invoice(3, "2025-03-01", 39.99),
    invoice(4, "2025-03-02", 189.5),
    invoice(5, "2025-03-10", 20.0, status="open"),
)
DEVICES = (device(1), device(2, fault="broken", leased=False))


def shop(verified: bool = True, zip_code: str = "30440") -> Backend:
    """The business with two customers; the first has been verified unless told otherwise."""
    home = ACCOUNT | {"address": {"street": "1 Mill Road", "city": "Dunmore", "zip": zip_code}}
    backend = Backend(
        Database(
            {
                "customers": {"AC-10001": home, "AC-10002": OTHER},
                "subscriptions": {str(s["subscription_id"]): s for s in SUBSCRIPTIONS},
                "invoices": {str(i["invoice_id"]): i for i in INVOICES},
                "devices": {str(d["device_id"]): d for d in DEVICES},
                "plans": {p["plan_id"]: p for p in catalog()["plans"]},
                "coupons": {c["code"]: c for c in catalog()["coupons"]},
                "outages": {o["outage_id"]: o for o in catalog()["outages"]},
            }
        )
    )
    if verified:
        backend.call("verify_identity", {"account_id": "AC-10001", "passphrase": "blue heron"})
    return backend


def refund(number: int, amount: float = 39.99) -> dict[str, object]:
    return {"invoice_id": f"INV-10001-{number:02d}", "amount": amount, "reason": "duplicate_charge"}


REFUSALS = [
    ("order_pizza", {}, "unknown_tool"),
    ("lookup_account", {}, "missing_argument"),
    ("lookup_account", {"account_id": "AC-10001", "verbose": True}, "unknown_argument"),
    ("lookup_account", {"account_id": "10001"}, "invalid_argument"),
    ("lookup_account", {"account_id": 10001}, "invalid_argument"),
    ("lookup_account", {"account_id": "AC-99999"}, "not_found"),
    ("find_account", {"name": "Byron"}, "invalid_argument"),
    ("list_invoices", {"account_id": "AC-10001", "limit": 0}, "invalid_argument"),
    ("list_invoices", {"account_id": "AC-10001", "limit": True}, "invalid_argument"),
    ("issue_refund", refund(1), "refund_window_closed"),
    ("issue_refund", refund(2), "already_refunded"),
    ("issue_refund", refund(3, 40.0), "invalid_amount"),
    ("issue_refund", refund(4, 189.5), "over_limit"),
    ("issue_refund", refund(5, 20.0), "not_paid"),
    ("issue_refund", refund(3) | {"reason": "because"}, "invalid_argument"),
    ("cancel_subscription", {"subscription_id": "SB-10001-2"}, "early_termination_fee"),
    ("cancel_subscription", {"subscription_id": "SB-10001-3"}, "already_cancelled"),
    ("change_plan", {"subscription_id": "SB-10001-2", "plan_id": "MOB-S"}, "downgrade_fee"),
    ("change_plan", {"subscription_id": "SB-10001-1", "plan_id": "NET-80"}, "plan_not_sold"),
    ("change_plan", {"subscription_id": "SB-10001-1", "plan_id": "MOB-S"}, "wrong_kind"),
    ("change_plan", {"subscription_id": "SB-10001-1", "plan_id": "NET-150"}, "no_change"),
    ("change_plan", {"subscription_id": "SB-10001-1", "plan_id": "NET-9"}, "not_found"),
    ("apply_coupon", {"subscription_id": "SB-10001-1", "code": "WINTER24"}, "coupon_expired"),
    ("apply_coupon", {"subscription_id": "SB-10001-1", "code": "MOBILE15"}, "wrong_kind"),
    ("apply_coupon", {"subscription_id": "SB-10001-1", "code": "NOPE"}, "not_found"),
    ("set_auto_renew", {"subscription_id": "SB-10001-1", "enabled": True}, "no_change"),
    ("update_address", {"account_id": "AC-10001", "street": "x", "city": "y", "zip": "99999"}, "zip_not_served"),
    ("update_address", {"account_id": "AC-10001", "street": "x", "city": "y", "zip": "30440"}, "invalid_argument"),
    ("update_contact", {"account_id": "AC-10001", "email": "bo@post.example"}, "email_in_use"),
    ("update_contact", {"account_id": "AC-10001", "email": "nobody"}, "invalid_argument"),
    ("replace_device", {"device_id": "DV-10001-2", "reason": "faulty"}, "out_of_warranty"),
    ("replace_device", {"device_id": "DV-10001-1", "reason": "lost"}, "replacement_fee"),
    ("check_outage", {"zip": "99999"}, "zip_not_served"),
]


@pytest.mark.parametrize(("name", "arguments", "code"), REFUSALS)
def test_a_rule_refuses_with_its_code_and_changes_nothing(name, arguments, code):
    backend = shop()
    answer = backend.call(name, arguments)
    assert answer.is_error
    assert answer.result["error"]["code"] == code
    assert answer.result["error"]["message"]
    assert backend.database.changes() == {}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("issue_refund", refund(3)),
        ("cancel_subscription", {"subscription_id": "SB-10001-1"}),
        ("change_plan", {"subscription_id": "SB-10001-1", "plan_id": "NET-300"}),
        ("apply_coupon", {"subscription_id": "SB-10001-1", "code": "SPRING20"}),
        ("set_auto_renew", {"subscription_id": "SB-10001-1", "enabled": False}),
        ("update_contact", {"account_id": "AC-10001", "phone": "555-000-0000"}),
        ("replace_device", {"device_id": "DV-10001-1", "reason": "faulty"}),
    ],
)
def test_an_account_is_changed_only_for_a_verified_caller(name, arguments):
    refused = shop(verified=False).call(name, arguments)
    assert refused.result["error"]["code"] == "identity_not_verified"
    assert not shop().call(name, arguments).is_error


def test_two_wrong_answers_lock_the_verification():
    backend, wrong = shop(verified=False), {"account_id": "AC-10001", "date_of_birth": "1999-01-01"}
    assert backend.call("verify_identity", wrong).result["attempts_left"] == 1
    assert backend.call("verify_identity", wrong).result["attempts_left"] == 0
    right = {"account_id": "AC-10001", "date_of_birth": "1980-05-04"}
    assert backend.call("verify_identity", right).result["error"]["code"] == "verification_locked"


def test_a_refund_changes_the_invoice_and_the_balance():
    backend = shop()
    assert backend.call("issue_refund", refund(3)).result["balance"] == -39.99
    assert backend.call("get_invoice", {"invoice_id": "INV-10001-03"}).result["status"] == "refunded"
    assert backend.call("lookup_account", {"account_id": "AC-10001"}).result["balance"] == -39.99


def test_a_refund_in_part_leaves_the_rest_to_refund():
    backend = shop()
    assert backend.call("issue_refund", refund(3, 10.0)).result["status"] == "partly_refunded"
    assert backend.call("issue_refund", refund(3, 30.0)).result["error"]["code"] == "invalid_amount"
    assert backend.call("issue_refund", refund(3, 29.99)).result["status"] == "refunded"


def test_cancelling_stops_the_renewal_and_calls_leased_devices_back():
    backend = shop()
    result = backend.call("cancel_subscription", {"subscription_id": "SB-10001-1"}).result
    assert (result["ends_on"], result["return_devices"]) == ("2025-04-01", ["DV-10001-1"])
    assert backend.call("get_subscription", {"subscription_id": "SB-10001-1"}).result["auto_renew"] is False
    devices = backend.call("list_devices", {"account_id": "AC-10001"}).result["devices"]
    assert [d.get("return_by") for d in devices] == ["2025-04-15", None]
    held = backend.call("lookup_account", {"account_id": "AC-10001"}).result["subscriptions"]
    assert held[0]["status"] == "cancelled"


def test_a_fee_that_was_accepted_is_billed_and_owed():
    backend = shop()
    result = backend.call("cancel_subscription", {"subscription_id": "SB-10001-2", "accept_fee": True}).result
    assert (result["fee"], result["fee_invoice"]) == (60.0, "INV-10001-06")
    assert backend.call("lookup_account", {"account_id": "AC-10001"}).result["balance"] == 60.0
    newest = backend.call("list_invoices", {"account_id": "AC-10001", "limit": 1}).result["invoices"]
    assert newest[0]["status"] == "open"


def test_a_coupon_survives_a_change_of_plan():
    backend = shop()
    priced = backend.call("apply_coupon", {"subscription_id": "SB-10001-1", "code": "spring20"}).result
    assert priced["monthly_price"] == 31.99
    moved = backend.call("change_plan", {"subscription_id": "SB-10001-1", "plan_id": "NET-300"}).result
    assert (moved["monthly_price"], moved["term_ends_on"]) == (39.99, "2026-03-14")
    again = backend.call("apply_coupon", {"subscription_id": "SB-10001-1", "code": "NETSAVE10"})
    assert again.result["error"]["code"] == "coupon_present"


def test_a_move_takes_the_internet_line_along():
    backend = shop()
    address = {"street": "9 Elm Avenue", "city": "Fenwick", "zip": "30492"}
    result = backend.call("update_address", {"account_id": "AC-10001", **address}).result
    tickets = backend.call("list_tickets", {"account_id": "AC-10001", "status": "scheduled"}).result["tickets"]
    assert [(t["ticket_id"], t["visit_on"]) for t in tickets] == [(result["move_ticket"], result["technician_on"])]


def test_a_restart_helps_unless_the_device_is_broken():
    backend = shop()
    assert backend.call("restart_device", {"device_id": "DV-10001-1"}).result["status"] == "online"
    assert backend.call("restart_device", {"device_id": "DV-10001-2"}).result["status"] == "offline"


def test_a_device_cannot_be_reached_during_an_outage():
    answer = shop(zip_code="30415").call("restart_device", {"device_id": "DV-10001-1"})
    assert answer.result["error"]["code"] == "device_unreachable"


def test_a_replaced_device_retires_and_cannot_be_replaced_again():
    backend = shop()
    new = backend.call("replace_device", {"device_id": "DV-10001-1", "reason": "faulty"}).result
    assert (new["device_id"], new["fee"]) == ("DV-10001-3", 0.0)
    again = backend.call("replace_device", {"device_id": "DV-10001-1", "reason": "faulty"})
    assert again.result["error"]["code"] == "device_not_in_use"


def test_a_second_ticket_of_a_kind_is_refused_and_a_new_id_counts_on():
    backend, wish = shop(), {"account_id": "AC-10001", "category": "technician", "summary": "line drops"}
    assert backend.call("create_ticket", wish).result["ticket_id"] == "TK-10001-1"
    assert backend.call("create_ticket", wish).result["error"]["code"] == "ticket_exists"
    other = backend.call("create_ticket", wish | {"category": "billing"}).result
    assert (other["ticket_id"], other["status"]) == ("TK-10001-2", "open")


def test_a_search_finds_by_email_or_by_name_and_zip():
    backend = shop()
    assert backend.call("find_account", {"email": "ADA@post.example"}).result["count"] == 1
    both = backend.call("find_account", {"name": "byron", "zip": "30440"}).result
    assert [m["account_id"] for m in both["matches"]] == ["AC-10001", "AC-10002"]
    assert backend.call("find_account", {"email": "x@y.example"}).result == {"count": 0, "matches": []}


def test_a_hand_over_needs_no_account():
    result = shop().call("escalate_to_human", {"queue": "fraud", "summary": "stolen identity"}).result
    assert (result["status"], result["wait_minutes"]) == ("transferred", 2)


def test_no_backend_sees_what_another_did():
    first, second = shop(), shop()
    first.call("issue_refund", refund(3))
    assert second.call("get_invoice", {"invoice_id": "INV-10001-03"}).result["status"] == "paid"


def test_who_changes_an_answer_does_not_change_the_business():
    backend = shop()
    backend.call("lookup_account", {"account_id": "AC-10001"}).result["address"]["zip"] = "00000"
    assert backend.call("lookup_account", {"account_id": "AC-10001"}).result["address"]["zip"] == "30440"


def test_every_tool_is_declared_and_described():
    functions = [tool["function"] for tool in TOOLS]
    assert len({f["name"] for f in functions}) == len(TOOLS) >= 16
    assert all(f["description"] for f in functions)
    assert all(p["description"] for f in functions for p in f["parameters"]["properties"].values())


def test_plans_are_listed_only_while_they_are_sold():
    plans = shop().call("list_plans", {"kind": "internet"}).result["plans"]
    assert [p["plan_id"] for p in plans] == ["NET-50", "NET-150", "NET-300", "NET-1000"]
