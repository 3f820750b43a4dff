"""A customer's way of raising requests: from requests and a persona to words, and what the words tell."""

import random
from collections.abc import Mapping

from agent_gym.sample.case import Request
from agent_gym.sample.customers.persona import styled
from agent_gym.sample.grammar import Phrases, joined, lowered, tidy
from agent_gym.sample.tables import table

__all__ = ["opening", "raise_request"]

_IDENTITY = ("account_id", "email", "name", "home_zip")


def raise_request(request: Request, persona: str, rng: random.Random) -> tuple[str, frozenset[str]]:
    """The request in the customer's words, unframed, and the slots it tells."""
    phrases = Phrases(table("openers"))
    spoken = dict(request.spoken)
    if request.kind == "plan_question":
        spoken["question"] = phrases.say(f"plan_question.{request.variant}/ask", rng, **spoken)
    short = persona == "terse" or (persona == "typos" and rng.random() < 0.4)
    full = (f"{request.kind}.{request.variant}", request.kind)
    rules = (*(f"{rule}/short" for rule in full), *full) if short else full
    if request.kind == "upgrade" and request.variant != "open":
        rules = tuple(rule for rule in rules if ".open" not in rule)
    text, told = phrases.draw(phrases.first_of(*rules), rng, spoken)
    return tidy(text), told


def opening(
    requests: tuple[Request, ...],
    persona: str,
    identity: Mapping[str, str],
    name: str,
    age: int,
    rng: random.Random,
    *,
    introduces: bool,
) -> tuple[str, frozenset[str]]:
    """The first message: requests in a frame. Tells slots, those of request i as `i:slot`."""
    phrases = Phrases(table("openers"))
    told: set[str] = set()
    cores = []
    for index, request in enumerate(requests):
        core, slots = raise_request(request, persona, rng)
        cores.append(core)
        told |= {f"{index}:{slot}" for slot in slots}
    core = cores[0]
    if len(cores) > 1:
        core = phrases.say(
            "two", rng, one=cores[0] if cores[0].endswith((".", "?", "!")) else f"{cores[0]}.", other=joined(*cores[1:])
        )
    if introduces:
        rule = "who_am_i/short" if persona == "terse" else "who_am_i"
        rule = "who_am_i/other" if "other" in identity else rule
        words, slots = phrases.draw(rule, rng, identity)
        told |= {slot for slot in slots if slot in _IDENTITY}
        core = joined(core, words)
    first = name.split(" ", maxsplit=1)[0]
    slots_of_frame = {"core": core, "low": lowered(core), "first": first, "name": name, "age": str(age)}
    framed, used = phrases.draw(f"frame/{persona}", rng, slots_of_frame)
    if "name" in used and "name" in identity:
        told.add("name")
    return styled(tidy(framed), persona, rng), frozenset(told)
