"""The agents: one loop for all, with handlers by kind of request and a skill that decides how well."""

import random
from collections.abc import Callable, Generator, Mapping

from agent_gym.sample.agents import billing, contracts, service
from agent_gym.sample.agents.desk import Desk, Wish
from agent_gym.sample.agents.identify import found
from agent_gym.sample.agents.skill import SKILLS, Skill
from agent_gym.sample.agents.voice import Voice
from agent_gym.sample.talk import Feedback, Move, Said

__all__ = ["SKILLS", "Skill", "serve"]

Handler = Callable[[Desk, Wish], Generator[Move, Feedback, None]]

_HANDLERS: Mapping[str, Handler] = {
    "cancel": contracts.cancel,
    "upgrade": contracts.change,
    "downgrade": contracts.change,
    "coupon": contracts.coupon,
    "renewal": contracts.renewal,
    "term_question": contracts.term_question,
    "refund": billing.refund,
    "bill_question": billing.bill_question,
    "balance_question": billing.balance_question,
    "fault": service.fault,
    "lost_device": service.lost_device,
    "move": service.move,
    "contact": service.contact,
    "outage_question": service.outage_question,
    "plan_question": service.plan_question,
    "ticket_question": service.ticket_question,
    "visit": service.visit,
    "handover": service.handover,
}

_SHIRKS = 0.12  # how often who likes to pass on does so without trying
_TREATS = 0.45  # how often a lax agent adds a discount that nobody asked for


def serve(opening: Said, skill: Skill, kinds: Mapping[int, str], rng: random.Random) -> Generator[Move, Feedback, None]:
    """Everything an agent does after the customer's first words; `kinds` tells what each request is about."""
    desk = Desk(skill, Voice(skill.name, rng), rng, kinds)
    desk.hear(opening)
    if len(desk.queue) > 1 and desk.rolls(skill.forgets):
        del desk.queue[1:]
    while desk.queue:
        wish = desk.queue.pop(0)
        if desk.rolls(skill.passes_on * _SHIRKS):
            yield from found(desk)
            yield from desk.hand_over("general", f"Please help the customer: {wish.kind.replace('_', ' ')}.")
            return
        yield from _HANDLERS[wish.kind](desk, wish)
        if desk.ended:
            return
        if desk.rolls(skill.caves * _TREATS):
            yield from contracts.treat(desk)
        if not desk.queue:
            yield from desk.say("inform", desk.voice.say("else"))
