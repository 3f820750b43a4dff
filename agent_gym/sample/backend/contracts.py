"""Tools about what the customer has booked: subscriptions, plans, cancellation, renewal, coupons."""

from agent_gym.sample.backend.refusal import Refusal
from agent_gym.sample.backend.session import Arguments, Session, cents, days_after
from agent_gym.sample.database import Record
from agent_gym.types import Json

__all__ = [
    "apply_coupon",
    "cancel_subscription",
    "change_plan",
    "get_subscription",
    "list_plans",
    "set_auto_renew",
]

_YEAR = 365
_RETURN_DAYS = 14


def get_subscription(session: Session, arguments: Arguments) -> Json:
    return dict(session.record("subscriptions", arguments["subscription_id"], "subscription"))


def list_plans(session: Session, arguments: Arguments) -> Json:
    kind = arguments.get("kind")
    shown = ("plan_id", "name", "kind", "monthly_price", "allowance")
    plans = [p for p in session.database.all("plans") if p["available"] and kind in (None, p["kind"])]
    return {"plans": [{field: p[field] for field in shown} for p in plans]}


def change_plan(session: Session, arguments: Arguments) -> Json:
    subscription = _live(session, arguments["subscription_id"])
    plan = session.record("plans", arguments["plan_id"], "plan")
    if plan["kind"] != subscription["kind"]:
        raise Refusal(
            "wrong_kind", f"{plan['plan_id']} is a {plan['kind']} plan, this is a {subscription['kind']} subscription."
        )
    if plan["plan_id"] == subscription["plan_id"]:
        raise Refusal("no_change", f"The subscription is on {plan['plan_id']} already.")
    if not plan["available"]:
        raise Refusal("plan_not_sold", f"{plan['name']} is no longer sold.")
    old = session.record("plans", subscription["plan_id"], "plan")
    cheaper = plan["monthly_price"] < old["monthly_price"]
    fee = session.fee("downgrade") if cheaper and _in_term(session, subscription) else 0.0
    _require_accepted(fee, "downgrade_fee", "A cheaper plan", subscription, arguments)
    price = _discounted(session, plan["monthly_price"], subscription["coupon"])
    term = subscription["term_ends_on"] if cheaper else days_after(session.today, _YEAR)
    session.database.update(
        "subscriptions",
        subscription["subscription_id"],
        plan_id=plan["plan_id"],
        monthly_price=price,
        term_ends_on=term,
    )
    result = {
        "subscription_id": subscription["subscription_id"],
        "plan_id": plan["plan_id"],
        "monthly_price": price,
        "term_ends_on": term,
        "fee": fee,
    }
    if fee:
        result["fee_invoice"] = session.charge(subscription["account_id"], "Plan change fee", fee)
    return result


def cancel_subscription(session: Session, arguments: Arguments) -> Json:
    subscription = _live(session, arguments["subscription_id"])
    account_id = subscription["account_id"]
    fee = session.fee("early_termination") if _in_term(session, subscription) else 0.0
    _require_accepted(fee, "early_termination_fee", "Cancelling", subscription, arguments)
    ends_on = subscription["renews_on"]
    session.database.update(
        "subscriptions",
        subscription["subscription_id"],
        status="cancelled",
        auto_renew=False,
        ends_on=ends_on,
    )
    result = {
        "subscription_id": subscription["subscription_id"],
        "status": "cancelled",
        "ends_on": ends_on,
        "fee": fee,
    }
    returned = [
        d["device_id"]
        for d in session.database.of_account("devices", account_id)
        if d["leased"] and d["kind"] == subscription["kind"] and d["status"] != "retired"
    ]
    for device_id in returned:
        session.database.update("devices", device_id, return_by=days_after(ends_on, _RETURN_DAYS))
    if returned:
        result |= {"return_devices": returned, "return_by": days_after(ends_on, _RETURN_DAYS)}
    if fee:
        result["fee_invoice"] = session.charge(account_id, "Early termination fee", fee)
    return result


def set_auto_renew(session: Session, arguments: Arguments) -> Json:
    subscription = _live(session, arguments["subscription_id"])
    enabled = arguments["enabled"]
    if subscription["auto_renew"] == enabled:
        raise Refusal("no_change", f"Automatic renewal is {'on' if enabled else 'off'} already.")
    session.database.update("subscriptions", subscription["subscription_id"], auto_renew=enabled)
    return {
        "subscription_id": subscription["subscription_id"],
        "auto_renew": enabled,
        "renews_on" if enabled else "runs_until": subscription["renews_on"],
    }


def apply_coupon(session: Session, arguments: Arguments) -> Json:
    subscription = _live(session, arguments["subscription_id"])
    coupon = session.record("coupons", arguments["code"].upper(), "coupon")
    if coupon["valid_until"] < session.today:
        raise Refusal("coupon_expired", f"{coupon['code']} expired on {coupon['valid_until']}.")
    if coupon["kind"] != subscription["kind"]:
        raise Refusal("wrong_kind", f"{coupon['code']} is for {coupon['kind']} subscriptions only.")
    if subscription["coupon"]:
        raise Refusal("coupon_present", f"The subscription already has the coupon {subscription['coupon']}.")
    price = cents(subscription["monthly_price"] * (100 - coupon["percent"]) / 100)
    session.database.update(
        "subscriptions", subscription["subscription_id"], coupon=coupon["code"], monthly_price=price
    )
    return {
        "subscription_id": subscription["subscription_id"],
        "coupon": coupon["code"],
        "percent": coupon["percent"],
        "monthly_price": price,
        "from": subscription["renews_on"],
    }


def _live(session: Session, subscription_id: str) -> Record:
    subscription = session.record("subscriptions", subscription_id, "subscription")
    session.require_verified(subscription["account_id"])
    if subscription["status"] == "cancelled":
        raise Refusal("already_cancelled", f"{subscription_id} is cancelled and ends on {subscription['ends_on']}.")
    return subscription


def _in_term(session: Session, subscription: Record) -> bool:
    return bool(subscription["term_ends_on"] > session.today)


def _require_accepted(fee: float, code: str, what: str, subscription: Record, arguments: Arguments) -> None:
    if fee and not arguments.get("accept_fee"):
        raise Refusal(
            code,
            f"{what} before the minimum term ends on {subscription['term_ends_on']} costs {fee:.2f}. "
            "Set accept_fee once the customer agrees.",
        )


def _discounted(session: Session, price: float, code: str | None) -> float:
    percent = session.record("coupons", code, "coupon")["percent"] if code else 0
    return cents(price * (100 - percent) / 100)
