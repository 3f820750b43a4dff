"""Make a change and tell what came of it: the part that every writing request has in common."""

from collections.abc import Generator, Mapping

from agent_gym.sample.agents.desk import Desk, Wish, code_of
from agent_gym.sample.agents.identify import verified
from agent_gym.sample.backend import Answer
from agent_gym.sample.situations.wording import long_date, money
from agent_gym.sample.talk import Feedback, Move
from agent_gym.types import Json

__all__ = ["reported", "written"]

# The word of an agent's phrase that each date of a result fills.
_DATES = {
    "ends_on": "date",
    "runs_until": "date",
    "from": "date",
    "arrives_by": "date",
    "arrives_on": "date",
    "technician_on": "date",
    "visit_on": "date",
    "return_by": "return_by",
}


def written(
    desk: Desk, wish: Wish, name: str, arguments: Mapping[str, Json]
) -> Generator[Move, Feedback, Answer | None]:
    """Make a change. None: the agent only says it did. A call refused for lack of proof is made again with it."""
    if not desk.rolls(desk.skill.acts):
        return None
    answer = yield from desk.one(name, **arguments)
    if code_of(answer) == "identity_not_verified" and (yield from verified(desk)):
        answer = yield from desk.one(name, **arguments)
    if code_of(answer) == "identity_not_verified" and not desk.ended:
        yield from desk.refuse(wish, "not_holder")
    return answer


def reported(
    desk: Desk, wish: Wish, answer: Answer | None, rule: str, /, **words: str
) -> Generator[Move, Feedback, None]:
    """Tell what the tool said, or what an agent that called nothing makes of it."""
    if desk.ended:
        return
    if answer is None:
        desk.claim(wish, rule, **words)
        return
    if answer.is_error:
        if code_of(answer) != "identity_not_verified":  # that refusal has been told
            yield from desk.refuse(wish, "failed")
        return
    result = answer.result
    words |= {word: long_date(result[key]) for key, word in _DATES.items() if result.get(key)}
    if result.get("fee"):
        words["fee"] = money(result["fee"])
        desk.report(wish, fee=result["fee"])
    if "monthly_price" in result:
        words["price"] = money(result["monthly_price"])
    desk.settle(wish, rule, **{"ticket": result.get("ticket_id", ""), **words})
