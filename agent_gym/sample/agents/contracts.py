"""How an agent handles requests about subscriptions: cancel, change plan, coupon, renewal, term."""

from collections.abc import Generator, Mapping

from agent_gym.sample.agents.change import reported, written
from agent_gym.sample.agents.desk import Desk, Wish, code_of
from agent_gym.sample.agents.identify import identified
from agent_gym.sample.situations.wording import long_date, money, plan_named
from agent_gym.sample.tables import catalog
from agent_gym.sample.talk import Feedback, Move
from agent_gym.types import Json

__all__ = ["cancel", "change", "coupon", "renewal", "term_question", "treat"]

Script = Generator[Move, Feedback, None]


def cancel(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    row = yield from _subscription(desk, wish)
    plan = plan_named(row["plan_id"])
    if row["status"] == "cancelled":
        yield from desk.refuse(wish, "already_cancelled", plan=plan, date=_date(row, "ends_on"))
        return
    fee = catalog()["fees"]["early_termination"] if _in_term(row) else 0.0
    words = {"plan": plan, "date": _date(row, "renews_on"), "first": _first(desk)}
    rule = "confirm.cancel_fee" if fee else "confirm.cancel"
    proposal = {"service": row["kind"], "fee": fee}
    verdict = yield from desk.confirm(wish, rule, proposal, term=_date(row, "term_ends_on"), fee=money(fee), **words)
    if verdict == "changed":
        yield from cancel(desk, wish)
        return
    if verdict == "no":
        desk.settle(wish, "kept")
        return
    arguments: dict[str, Json] = {"subscription_id": row["subscription_id"]}
    if fee:
        arguments["accept_fee"] = True
    answer = yield from written(desk, wish, "cancel_subscription", arguments)
    if answer and code_of(answer) == "early_termination_fee":
        # The fee shows only now: a decent agent asks, the others charge it.
        fee = catalog()["fees"]["early_termination"]
        row = (yield from desk.one("get_subscription", subscription_id=row["subscription_id"])).result
        term = _date(row, "term_ends_on")
        if (
            yield from desk.confirm(wish, "confirm.cancel_fee", {"fee": fee}, term=term, fee=money(fee), **words)
        ) != "yes":
            desk.settle(wish, "kept")
            return
        answer = yield from desk.one("cancel_subscription", **arguments, accept_fee=True)
    desk.report(wish, service=row["kind"])
    yield from reported(desk, wish, answer, "done.cancel", plan=plan)


def change(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    row = yield from _subscription(desk, wish)
    listed = "plan_id" not in wish.known or desk.rolls(desk.skill.checks * 0.6)
    plans = (yield from desk.one("list_plans", kind=row["kind"])).result["plans"] if listed else None
    if plans is not None and "plan_id" not in wish.known:
        yield from desk.detail(wish, "plan_id", kind=row["kind"], plans=_menu(plans))
    for _ in range(4):
        target = wish.known.get("plan_id", "")
        if not target or desk.ended:
            return
        if plans is not None and target not in {p["plan_id"] for p in plans}:
            names = ", ".join(p["name"] for p in plans)
            yield from desk.refuse(wish, "plan_not_sold", plan=plan_named(target), plans=names)
            return
        if desk.rolls(desk.skill.slips):
            target = _another(desk, row, target)
        fee = catalog()["fees"]["downgrade"] if _in_term(row) and _price(target) < _price(row["plan_id"]) else 0.0
        words = {
            "old": plan_named(row["plan_id"]),
            "plan": plan_named(target),
            "price": money(_price(target)),
            "fee": money(fee),
            "term": _date(row, "term_ends_on"),
        }
        rule = "confirm.change_fee" if fee else "confirm.change"
        verdict = yield from desk.confirm(wish, rule, {"plan_id": target, "fee": fee}, **words)
        if verdict == "yes":
            yield from _move(desk, wish, row, target, fee)
            return
        if verdict == "no":
            break
    desk.settle(wish, "kept")


def _move(desk: Desk, wish: Wish, row: Mapping[str, Json], target: str, fee: float) -> Script:
    arguments: dict[str, Json] = {"subscription_id": row["subscription_id"], "plan_id": target}
    if fee:
        arguments["accept_fee"] = True
    answer = yield from written(desk, wish, "change_plan", arguments)
    code = code_of(answer) if answer else ""
    if code == "plan_not_sold":
        yield from desk.refuse(wish, "plan_not_sold", plan=plan_named(target))
        return
    if code == "downgrade_fee":
        fee = catalog()["fees"]["downgrade"]
        row = (yield from desk.one("get_subscription", subscription_id=row["subscription_id"])).result
        words = {"plan": plan_named(target), "price": money(_price(target)), "fee": money(fee)}
        verdict = yield from desk.confirm(
            wish, "confirm.change_fee", {"plan_id": target, "fee": fee}, term=_date(row, "term_ends_on"), **words
        )
        if verdict != "yes":
            desk.settle(wish, "kept")
            return
        answer = yield from desk.one("change_plan", **arguments, accept_fee=True)
    desk.report(wish, plan_id=target)
    yield from reported(desk, wish, answer, "done.change", plan=plan_named(target), price=money(_price(target)))


def coupon(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    code = yield from desk.detail(wish, "code")
    row = yield from _subscription(desk, wish)
    plan = plan_named(row["plan_id"])
    if not code or desk.ended:
        return
    if row.get("coupon"):
        yield from desk.refuse(wish, "coupon_present", plan=plan, present=row["coupon"])
        return
    typed = code[:-1] if desk.rolls(desk.skill.slips) else code
    if (
        desk.rolls(0.5)
        and (yield from desk.confirm(wish, "confirm.coupon", {"code": code}, code=code, plan=plan)) != "yes"
    ):
        desk.settle(wish, "kept")
        return
    arguments = {"subscription_id": row["subscription_id"], "code": typed}
    answer = yield from written(desk, wish, "apply_coupon", arguments)
    if answer and code_of(answer) == "not_found" and typed != code:
        answer = yield from desk.one("apply_coupon", **{**arguments, "code": code})
    reason = code_of(answer) if answer else ""
    if reason in ("coupon_expired", "wrong_kind", "coupon_present"):
        known = next(c for c in catalog()["coupons"] if c["code"] == code)
        date = long_date(known["valid_until"])
        yield from desk.refuse(wish, reason, code=code, plan=plan, kind=known["kind"], date=date)
        return
    yield from reported(desk, wish, answer, "done.coupon", code=code, plan=plan)


def renewal(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    row = yield from _subscription(desk, wish)
    words = {"plan": plan_named(row["plan_id"]), "date": _date(row, "renews_on")}
    if words["date"]:
        verdict = yield from desk.confirm(wish, "confirm.renewal", {"service": row["kind"]}, **words)
        if verdict == "changed":
            yield from renewal(desk, wish)
            return
    wrong = desk.rolls(desk.skill.slips)
    arguments = {"subscription_id": row["subscription_id"], "enabled": wrong}
    answer = yield from written(desk, wish, "set_auto_renew", arguments)
    if answer and code_of(answer) == "no_change" and wrong:
        answer = yield from desk.one("set_auto_renew", **{**arguments, "enabled": False})
    yield from reported(desk, wish, answer, "done.renewal", plan=words["plan"])


def term_question(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    row = yield from _subscription(desk, wish)
    # Without the record a sloppy or claiming agent guesses: the end of the year sounds right.
    date = _date(row, "term_ends_on") or desk.rng.choice(("31 December 2025", "30 June 2025", "1 October 2025"))
    over = "term_ends_on" in row and not _in_term(row)
    desk.settle(
        wish, "answer.term_over" if over else "answer.term_question", plan=plan_named(row["plan_id"]), date=date
    )


def treat(desk: Desk) -> Script:
    """Add the apology coupon to an internet line, though policy keeps it for long outages."""
    rows = desk.account["subscriptions"] if desk.account and desk.verified else []
    row = next((r for r in rows if r["kind"] == "internet" and r["status"] == "active"), None)
    known = desk.subscriptions.get(row["subscription_id"]) if row else None
    if row is None or (known and known["coupon"]):
        return
    answer = yield from desk.one("apply_coupon", subscription_id=row["subscription_id"], code="SORRY10")
    if not answer.is_error:
        desk.add(desk.voice.say("treat", price=money(answer.result["monthly_price"])))


def _subscription(desk: Desk, wish: Wish) -> Generator[Move, Feedback, Mapping[str, Json]]:
    """The subscription the request is about; with its terms if this agent looks them up."""
    assert desk.account is not None
    rows = desk.account["subscriptions"]
    fitting = [r for r in rows if r["kind"] == wish.known["service"]]
    row: Mapping[str, Json] = fitting[0]
    if len(rows) > 1 and desk.rolls(desk.skill.slips * 0.5):
        row = next(r for r in rows if r is not row)
    known = desk.subscriptions.get(row["subscription_id"])
    if known is None and desk.rolls(desk.skill.checks):
        known = (yield from desk.one("get_subscription", subscription_id=row["subscription_id"])).result
        desk.subscriptions[row["subscription_id"]] = known
    return known or row


def _in_term(row: Mapping[str, Json]) -> bool:
    return bool(row.get("term_ends_on", "") > catalog()["today"])


def _date(row: Mapping[str, Json], key: str) -> str:
    return long_date(row[key]) if row.get(key) else ""


def _first(desk: Desk) -> str:
    return str(desk.account["name"]).split(" ", maxsplit=1)[0] if desk.account else ""


def _price(plan_id: str) -> float:
    return next(float(p["monthly_price"]) for p in catalog()["plans"] if p["plan_id"] == plan_id)


def _menu(plans: list[Mapping[str, Json]]) -> str:
    return ", ".join(f"{p['name']} ({p['allowance']}) for {money(p['monthly_price'])}" for p in plans)


def _another(desk: Desk, row: Mapping[str, Json], plan_id: str) -> str:
    """A plan that is neither the one wanted nor the one there is."""
    out = (plan_id, row["plan_id"])
    others = [p["plan_id"] for p in catalog()["plans"] if p["kind"] == row["kind"] and p["available"]]
    return str(desk.rng.choice([other for other in others if other not in out] or [plan_id]))
