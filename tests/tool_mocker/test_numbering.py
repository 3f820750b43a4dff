"""Ids that are counted up: the next after the highest known, else the number they most often have."""

from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json
from tests.tool_mocker.builders import Call, mocker


def keys(owner: str, had: int) -> list[Json]:
    return [{"key_id": f"K-{owner}-{n}", "opens": f"door {n}"} for n in range(1, had + 1)]


def added(owner: str, had: int) -> list[Call]:
    """A conversation that lists an owner's keys, takes one and has another made."""
    shown = {"owner": owner, "keys": keys(owner, had)}
    made = {"key_id": f"K-{owner}-{had + 1}", "opens": "door 1"}
    return [("list_keys", {"owner": owner}, shown), ("add_key", {"key_id": f"K-{owner}-1"}, made)]


def locksmith(*listed: Call) -> ToolMocker:
    owners = [("1011", 1), ("1022", 2), ("1033", 1), ("1044", 3), ("1055", 1), ("1066", 2)]
    return mocker(*(added(owner, had) for owner, had in owners), list(listed))


def test_a_new_id_is_the_next_after_the_highest_known() -> None:
    tools = locksmith(("list_keys", {"owner": "1077"}, {"owner": "1077", "keys": keys("1077", 5)}))
    answer = tools.session().call("add_key", {"key_id": "K-1077-1"})
    assert answer.result["key_id"] == "K-1077-6"


def test_what_the_session_has_made_counts() -> None:
    session = locksmith().session()
    made = [session("add_key", {"key_id": key})["key_id"] for key in ("K-1044-1", "K-1044-2")]
    assert made == ["K-1044-4", "K-1044-5"]


def test_where_nothing_can_be_counted_the_commonest_number_is_a_guess_and_labelled_so() -> None:
    opened: list[list[Call]] = [
        [
            ("get_owner", {"owner": owner}, {"owner": owner, "name": f"N {owner}"}),
            ("open_case", {"owner": owner, "text": f"case of {owner}"}, {"case_id": f"C-{owner}-{n}", "state": "open"}),
        ]
        for owner, n in [("1011", 1), ("1022", 2), ("1033", 1), ("1044", 1), ("1055", 2), ("1066", 1)]
    ]
    seen: list[Call] = [("get_owner", {"owner": "1077"}, {"owner": "1077", "name": "N"})]
    answer = mocker(*opened, seen).session().call("open_case", {"owner": "1077", "text": "x"})
    assert (answer.result["case_id"], answer.source) == ("C-1077-1", "neighbour")
