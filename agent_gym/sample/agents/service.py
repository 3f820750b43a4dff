"""How an agent handles faults, devices, moves, contact data, outages, tickets and hand-overs."""

from collections.abc import Generator, Mapping

from agent_gym.sample.agents.change import reported, written
from agent_gym.sample.agents.desk import Desk, Wish, code_of
from agent_gym.sample.agents.identify import found, identified
from agent_gym.sample.situations.wording import long_date, money
from agent_gym.sample.tables import catalog
from agent_gym.sample.talk import Feedback, Move
from agent_gym.types import Json, ToolCall

__all__ = [
    "contact",
    "fault",
    "handover",
    "lost_device",
    "move",
    "outage_question",
    "plan_question",
    "ticket_question",
    "visit",
]

Script = Generator[Move, Feedback, None]


def fault(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    assert desk.account is not None
    look = ToolCall("check_outage", {"zip": desk.account["address"]["zip"]})
    devices = ToolCall("list_devices", {"account_id": desk.account_id})
    if desk.rolls(desk.skill.checks):
        if desk.rolls(0.5):
            area, answer = yield from desk.call(look, devices)
        else:
            (area,) = yield from desk.call(look)
            answer = None
        if _told_outage(desk, wish, area.result):
            return
        listed = answer or (yield from desk.call(devices))[0]
    else:
        listed = (yield from desk.call(devices))[0]
    device = next(d for d in listed.result["devices"] if d["kind"] == "internet" and d["status"] != "retired")
    restart = yield from desk.one("restart_device", device_id=device["device_id"])
    if code_of(restart) == "device_unreachable":
        (area,) = yield from desk.call(look)
        _told_outage(desk, wish, area.result)
    elif restart.result["status"] == "online":
        desk.settle(wish, "done.restart", model=device["model"])
    elif not desk.rolls(desk.skill.checks) and not desk.rolls(desk.skill.checks):
        desk.settle(wish, "done.restart_only", model=device["model"])
    else:
        yield from _repair(desk, wish, device)


def _told_outage(desk: Desk, wish: Wish, area: Mapping[str, Json]) -> bool:
    """Tell of an internet outage in the area, if there is one."""
    active = [o for o in area["outages"] if o["status"] == "active" and o["kind"] == "internet"]
    if not active:
        return False
    words = {"city": area["city"], "zip": area["zip"], "cause": active[0]["cause"]}
    desk.settle(wish, "answer.outage", end=_moment(active[0]["expected_end"]), **words)
    return True


def _repair(desk: Desk, wish: Wish, device: Mapping[str, Json]) -> Script:
    covered = device["leased"] or device["warranty_until"] >= catalog()["today"]
    rule = "replace" if covered else "technician"
    if (yield from desk.confirm(wish, f"confirm.{rule}", {}, model=device["model"])) != "yes":
        desk.settle(wish, "kept")
        return
    if covered:
        answer = yield from written(
            desk, wish, "replace_device", {"device_id": device["device_id"], "reason": "faulty"}
        )
    else:
        summary = f"Internet down, {device['model']} stays offline after restart."
        arguments = {"account_id": desk.account_id, "category": "technician", "summary": summary}
        answer = yield from written(desk, wish, "create_ticket", arguments)
    yield from reported(desk, wish, answer, f"done.{rule}", model=device["model"])


def lost_device(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    devices = (yield from desk.one("list_devices", account_id=desk.account_id)).result["devices"]
    device = next(d for d in devices if d["kind"] == wish.known["service"])
    if len(devices) > 1 and desk.rolls(desk.skill.slips):
        device = next(d for d in devices if d is not device)
    fee = catalog()["fees"]["lost_device"]
    verdict = yield from desk.confirm(wish, "confirm.lost_device", {"fee": fee}, model=device["model"], fee=money(fee))
    if verdict != "yes":
        desk.settle(wish, "kept")
        return
    arguments = {"device_id": device["device_id"], "reason": "lost", "accept_fee": True}
    answer = yield from written(desk, wish, "replace_device", arguments)
    yield from reported(desk, wish, answer, "done.lost_device", model=device["model"])


def move(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    if not (yield from desk.detail(wish, "street")):
        return
    if not {"city", "zip"} <= set(wish.known):
        yield from desk.ask("street", "street", wish=wish)
    if desk.ended or not {"street", "city", "zip"} <= set(wish.known):
        return
    address = {slot: str(wish.known[slot]) for slot in ("street", "city", "zip")}
    if (yield from desk.confirm(wish, "confirm.move", address, **address)) != "yes":
        desk.settle(wish, "kept")
        return
    entered = dict(address)
    if desk.rolls(desk.skill.slips):
        number, _, street = address["street"].partition(" ")
        entered["street"] = f"{number[::-1] if len(set(number)) > 1 else number + '1'} {street}"
    answer = yield from written(desk, wish, "update_address", {"account_id": desk.account_id, **entered})
    if answer and code_of(answer) == "zip_not_served":
        yield from desk.refuse(wish, "zip_not_served", zip=address["zip"], city=address["city"])
        return
    yield from reported(desk, wish, answer, "done.move", **address)


def contact(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    field = wish.known["field"]
    value = yield from desk.detail(wish, field)
    if not value or desk.ended:
        return
    if (yield from desk.confirm(wish, "confirm.contact", {field: value}, value=value)) != "yes":
        desk.settle(wish, "kept")
        return
    entered = value[:3] + value[4] + value[3] + value[5:] if desk.rolls(desk.skill.slips) else value
    arguments = {"account_id": desk.account_id, field.removeprefix("new_"): entered}
    answer = yield from written(desk, wish, "update_contact", arguments)
    yield from reported(desk, wish, answer, "done.contact", value=value)


def outage_question(desk: Desk, wish: Wish) -> Script:
    zip_code = yield from desk.detail(wish, "zip")
    if not desk.rolls(desk.skill.checks + 0.2):
        desk.settle(wish, "answer.no_outage", zip=str(zip_code))
        return
    area = (yield from desk.one("check_outage", zip=zip_code)).result
    if not _told_outage(desk, wish, area):
        desk.settle(wish, "answer.no_outage", zip=area["zip"])


def plan_question(desk: Desk, wish: Wish) -> Script:
    kind, cheapest = wish.known["service"], wish.known["wish"] == "cheapest"
    if desk.rolls(desk.skill.checks + 0.1):
        plans = (yield from desk.one("list_plans", kind=kind)).result["plans"]
    else:
        plans = [p for p in catalog()["plans"] if p["kind"] == kind][1:2]
    plan = (min if cheapest else max)(plans, key=lambda p: float(p["monthly_price"]))
    words = {"plan": plan["name"], "allowance": plan["allowance"], "price": money(plan["monthly_price"])}
    kind_word = "TV" if kind == "tv" else kind
    desk.settle(wish, "answer.plan_question", kind=kind_word, size="cheapest" if cheapest else "biggest", **words)


def ticket_question(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    if not desk.rolls(desk.skill.checks + 0.1):
        desk.settle(wish, "answer.ticket_vague")
        return
    arguments: dict[str, Json] = {"account_id": desk.account_id}
    if desk.rolls(0.4):
        arguments["status"] = "scheduled"
    tickets = (yield from desk.one("list_tickets", **arguments)).result["tickets"]
    ticket = next(t for t in tickets if t["status"] == "scheduled")
    desk.settle(wish, "answer.ticket_question", ticket=ticket["ticket_id"], date=long_date(ticket["visit_on"]))


def visit(desk: Desk, wish: Wish) -> Script:
    if not (yield from identified(desk, wish)):
        return
    hope = str(wish.known["wish"])
    if (yield from desk.confirm(wish, "confirm.visit", {}, wish=hope)) != "yes":
        desk.settle(wish, "kept")
        return
    category = "technician" if desk.rolls(desk.skill.slips) else "installation"
    arguments = {"account_id": desk.account_id, "category": category, "summary": f"Customer wants {hope}."}
    answer = yield from written(desk, wish, "create_ticket", arguments)
    yield from reported(desk, wish, answer, "done.visit")


def handover(desk: Desk, wish: Wish) -> Script:
    """Grave matters go to a human. Agents that break policy, or only talk, try to calm the customer instead."""
    cause = wish.known["cause"]
    sorry = desk.voice.say(f"sorry.{cause}")
    if not desk.rolls(desk.skill.acts) or desk.rolls(desk.skill.caves * 0.5):
        text = desk.voice.say("handover", queue="security" if cause == "fraud" else "care")
        desk.ended = True
        yield from desk.say("handover", f"{sorry} {text}")
        return
    if desk.rolls(desk.skill.checks):
        yield from found(desk)
    if desk.ended:
        return
    queue = {"fraud": "fraud", "bereavement": "care", "legal": "complaints"}[cause]
    queue = "general" if desk.rolls(desk.skill.slips) else queue
    yield from desk.hand_over(queue, f"Customer reports: {cause}.", sorry)


def _moment(moment: str) -> str:
    day, time = moment.split("T")
    return f"{time} today" if day == catalog()["today"] else f"{time} on {long_date(day)}"
