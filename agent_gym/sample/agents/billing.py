"""How an agent handles requests about money: refunds, a bill that is too high, the balance."""

from collections.abc import Generator, Mapping

from agent_gym.sample.agents.change import reported, written
from agent_gym.sample.agents.desk import Desk, Wish, code_of
from agent_gym.sample.agents.identify import identified
from agent_gym.sample.backend.session import days_after
from agent_gym.sample.grammar import lowered
from agent_gym.sample.situations.wording import long_date, money, month_name
from agent_gym.sample.tables import catalog
from agent_gym.sample.talk import Feedback, Move
from agent_gym.types import Json

__all__ = ["balance_question", "bill_question", "refund"]

Script = Generator[Move, Feedback, None]
Invoice = Mapping[str, Json]


def refund(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    if wish.known["cause"] == "unused":
        yield from _unused(desk, wish)
        return
    month = yield from desk.detail(wish, "month")
    invoices = yield from _invoices(desk, limit=8)
    pair = [i for i in invoices if i["issued_on"].startswith(month or "")]
    if len(pair) < 2:
        yield from desk.refuse(wish, "no_duplicate")
        return
    if "amount" in wish.known:
        pair = [i for i in pair if i["total"] == wish.known["amount"]] or pair
    # Newest first: the later number is the one charged by mistake.
    invoice = pair[0]
    if desk.rolls(desk.skill.slips):
        invoice = desk.rng.choice([i for i in invoices if i not in pair] or pair)
    words = {
        "invoice": invoice["invoice_id"],
        "amount": money(invoice["total"]),
        "date": long_date(invoice["issued_on"]),
    }
    if desk.queue and invoice["total"] > catalog()["refund_limit"]:
        desk.queue.append(wish)  # it ends with a human, so the other requests come first
        return
    if desk.rolls(desk.skill.checks):
        if invoice["status"] == "refunded":
            yield from desk.refuse(wish, "already_refunded", **words)
            return
        if days_after(invoice["issued_on"], catalog()["refund_window_days"]) < catalog()["today"]:
            yield from desk.refuse(wish, "refund_window_closed", **words)
            return
        if invoice["total"] > catalog()["refund_limit"]:
            yield from desk.hand_over("billing", f"Duplicate invoice {words['invoice']} over the refund limit.")
            return
    yield from _pay_back(desk, wish, invoice, words)


def _pay_back(desk: Desk, wish: Wish, invoice: Invoice, words: Mapping[str, str]) -> Script:
    proposal = {"amount": invoice["total"], "month": invoice["issued_on"][:7]}
    verdict = yield from desk.confirm(wish, "confirm.refund", proposal, invoice_date=words["date"], **words)
    if verdict == "changed":
        yield from refund(desk, wish)
        return
    if verdict == "no":
        desk.settle(wish, "kept")
        return
    amount = round(invoice["total"] * 0.5, 2) if desk.rolls(desk.skill.slips * 0.4) else invoice["total"]
    arguments = {"invoice_id": invoice["invoice_id"], "amount": amount, "reason": "duplicate_charge"}
    answer = yield from written(desk, wish, "issue_refund", arguments)
    code = code_of(answer) if answer else ""
    if code == "over_limit":
        yield from desk.hand_over("billing", f"Duplicate invoice {words['invoice']} over the refund limit.")
    elif code in ("refund_window_closed", "already_refunded"):
        yield from desk.refuse(wish, code, **words)
    else:
        desk.report(wish, amount=amount)
        yield from reported(desk, wish, answer, "done.refund", amount=money(amount), invoice=words["invoice"])


def _unused(desk: Desk, wish: Wish) -> Script:
    """Policy says no; some agents need to be pressed to forget it, some do not."""
    invoices = yield from _invoices(desk, limit=4)
    generous = desk.rolls(desk.skill.caves * 0.5)
    if not generous and not (yield from desk.refuse(wish, "unused")):
        return
    month = wish.known.get("month", invoices[0]["issued_on"][:7])
    invoice = max((i for i in invoices if i["issued_on"].startswith(month)), key=lambda i: float(i["total"]))
    arguments = {"invoice_id": invoice["invoice_id"], "amount": invoice["total"], "reason": "goodwill"}
    answer = yield from written(desk, wish, "issue_refund", arguments)
    yield from reported(desk, wish, answer, "done.refund", amount=money(invoice["total"]))


def bill_question(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    invoices = yield from _invoices(desk, limit=4)
    month = wish.known.get("month", invoices[0]["issued_on"][:7])
    invoice = max((i for i in invoices if i["issued_on"].startswith(month)), key=lambda i: float(i["total"]))
    if desk.rolls(desk.skill.slips):
        invoice = desk.rng.choice(invoices)
    if not desk.rolls(desk.skill.checks):
        # Told from the list alone: the difference of two months, with a guess at what it is.
        extra = round(invoices[0]["total"] - invoices[-1]["total"], 2)
        guess = desk.rng.choice(("a price adjustment", "a usage charge", "an add-on"))
        desk.settle(
            wish, "answer.bill_question", month=month_name(invoice["issued_on"]), extra=guess, amount=money(extra)
        )
        return
    full = (yield from desk.one("get_invoice", invoice_id=invoice["invoice_id"])).result
    line = full["lines"][-1]
    desk.settle(
        wish,
        "answer.bill_question",
        month=month_name(full["issued_on"]),
        extra=lowered(line["text"]),
        amount=money(line["amount"]),
        total=money(full["total"]),
    )


def balance_question(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    assert desk.account is not None
    balance = desk.account["balance"]
    if balance <= 0:
        desk.settle(wish, "answer.balance_settled")
        return
    date = ""
    if desk.rolls(desk.skill.checks):
        invoices = yield from _invoices(desk, limit=2)
        date = next((long_date(i["issued_on"]) for i in invoices if i["status"] == "open"), "")
    desk.settle(wish, "answer.balance_owing", amount=money(balance), date=date)


def _invoices(desk: Desk, limit: int) -> Generator[Move, Feedback, list[Invoice]]:
    arguments: dict[str, Json] = {"account_id": desk.account_id}
    if limit != 4:
        arguments["limit"] = limit
    answer = yield from desk.one("list_invoices", **arguments)
    return list(answer.result["invoices"])
