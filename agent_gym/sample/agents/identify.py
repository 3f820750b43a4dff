"""Find the customer's account and verify the caller, with as few questions as the told facts allow."""

from collections.abc import Generator

from agent_gym.sample.agents.desk import Desk, Wish, code_of
from agent_gym.sample.talk import Feedback, Move
from agent_gym.types import Json, ToolCall

__all__ = ["found", "identified", "verified"]


def identified(desk: Desk, wish: Wish) -> Generator[Move, Feedback, bool]:
    """The account is known and, if this agent cares, the caller verified. False: the wish was refused."""
    if desk.account_id is None and desk.told and desk.rolls(desk.skill.slips * 0.3):
        yield from desk.ask("account", "account")  # though the customer has just said who they are
    cares = desk.verified or desk.rolls(desk.skill.verifies)
    if not (yield from found(desk, with_birth=cares)):
        yield from desk.refuse(wish, "failed")
        return False
    if cares and not (yield from verified(desk)) and not desk.ended:
        gives_way = yield from desk.refuse(wish, "not_holder")
        if not gives_way:
            return False
    if desk.account is None and not desk.ended:
        yield from _look_up(desk)
    return not desk.ended


def found(desk: Desk, *, with_birth: bool = False) -> Generator[Move, Feedback, bool]:
    """The account id is known, from the customer or by a search."""
    for _ in range(4):
        if desk.account_id or desk.ended:
            break
        if "account_id" in desk.told:
            yield from _check_number(desk)
        elif "email" in desk.told or {"name", "home_zip"} <= set(desk.told):
            yield from _search(desk)
        elif desk.told.get("date_of_birth") or not with_birth:
            yield from desk.ask("account", "account")
        else:
            yield from desk.ask("account_birth", "account", "date_of_birth")
    return desk.account_id is not None


def verified(desk: Desk) -> Generator[Move, Feedback, bool]:
    """The caller has proved to be the account holder, with two tries at most."""
    for attempt in range(2):
        if desk.verified or desk.ended or "date_of_birth" in desk.lacks:
            break
        if "date_of_birth" not in desk.told and "passphrase" not in desk.lacks and desk.rolls(0.15):
            yield from desk.ask("passphrase", "passphrase")
        if "date_of_birth" not in desk.told and "passphrase" not in desk.told:
            yield from desk.ask("birth" if attempt == 0 else "birth_again", "date_of_birth")
        if "date_of_birth" not in desk.told and "passphrase" not in desk.told:
            continue
        secret: dict[str, Json] = (
            {"date_of_birth": desk.told["date_of_birth"]}
            if "date_of_birth" in desk.told
            else {"passphrase": desk.told["passphrase"]}
        )
        assert desk.account_id is not None
        if "date_of_birth" in secret and desk.rolls(desk.skill.slips * 0.6):
            year, month, day = secret["date_of_birth"].split("-")
            yield from desk.one("verify_identity", account_id=desk.account_id, date_of_birth=f"{day}.{month}.{year}")
        verify = ToolCall("verify_identity", {"account_id": desk.account_id, **secret})
        if desk.account is None and desk.rolls(0.45):
            look = ToolCall("lookup_account", {"account_id": desk.account_id})
            answer, account = yield from desk.call(verify, look)
            desk.account = account.result
        else:
            answer = yield from desk.one("verify_identity", **verify.arguments)
        desk.verified = not answer.is_error and answer.result["verified"]
    return desk.verified


def _check_number(desk: Desk) -> Generator[Move, Feedback, None]:
    number = desk.told["account_id"]
    if desk.rolls(desk.skill.slips):
        yield from desk.one("lookup_account", account_id=number.removeprefix("AC-"))
    desk.account_id = number


def _search(desk: Desk) -> Generator[Move, Feedback, None]:
    if "email" in desk.told:
        answer = yield from desk.one("find_account", email=desk.told["email"])
    else:
        name = desk.told["name"]
        if desk.rolls(desk.skill.slips):
            name = name.split(" ")[-1]
        answer = yield from desk.one("find_account", name=name, zip=desk.told["home_zip"])
        if answer.result["count"] > 1:
            answer = yield from desk.one("find_account", name=desk.told["name"], zip=desk.told["home_zip"])
    matches = answer.result["matches"]
    if len(matches) == 1:
        desk.account_id = matches[0]["account_id"]
    else:
        desk.told.pop("email", None)
        yield from desk.ask("no_match", "account")


def _look_up(desk: Desk) -> Generator[Move, Feedback, None]:
    answer = yield from desk.one("lookup_account", account_id=desk.account_id)
    if not code_of(answer):
        desk.account = answer.result
