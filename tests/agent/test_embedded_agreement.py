"""What a customer said yes to is what is done: proposals, and those that are turned down."""

from dataclasses import replace

from agent_gym.agent.embedded import EmbeddedAgent
from agent_gym.agent.embedded.binding import Bound
from agent_gym.agent.embedded.steps import made_certain
from agent_gym.corpus import Corpus
from agent_gym.types import Json, Message, ToolCall, Trace

TOOLS = [{"name": name, "parameters": {"required": ["room"]}} for name in ("heat_room", "light_room")]


def user(text: str) -> Message:
    return Message("user", text)


def says(text: str) -> Message:
    return Message("assistant", text)


def asked(room: str, wish: str, question: str, tool: str) -> Trace:
    arguments: dict[str, Json] = {"room": room}
    return Trace(
        f"{tool}-{room}",
        (
            user(f"{wish} in R-{room[2:]} please"),
            says(question.format(room)),
            user("Yes, please"),
            Message("assistant", tool_calls=(ToolCall(tool, arguments, "c"),)),
            Message("tool", name=tool, tool_call_id="c", result={"room": room, "done": True}),
            says("That is done."),
            user("Thanks, bye"),
        ),
        outcome="resolved",
    )


HEAT, LIGHT = "Shall I turn up the heating of {} now?", "Shall I switch the lamps of {} on?"
RECORD = [
    *(asked(f"R-{n}", "it is cold", HEAT, "heat_room") for n in (101, 102, 103)),
    *(asked(f"R-{n}", "it is dark", LIGHT, "light_room") for n in (201, 202, 203)),
]
DECLINED = Trace(
    "declined", (user("it is dark in R-301"), says(LIGHT.format("R-301")), user("No, leave it")), outcome="resolved"
)


def agent() -> EmbeddedAgent:
    return EmbeddedAgent.fit(Corpus([*RECORD, DECLINED]), frozenset({"heat_room", "light_room"}))


def test_a_yes_is_taken_for_what_was_proposed_whatever_the_customer_spoke_of():
    talk = [user("it is cold and dark in R-777 please"), says(LIGHT.format("R-777")), user("Yes, please")]
    (call,) = agent().act(talk, TOOLS).tool_calls
    assert call.name == "light_room"


def test_our_own_words_propose_too():
    plain = says("I am about to heat room (room R-777). Shall I go ahead?")
    candidates = agent().candidates([user("it is dark in R-777 please"), plain, user("Yes, please")], TOOLS)
    agreed = {c.purpose: c.features["agreed"] for c in candidates if c.kind == "call"}
    assert agreed["call heat_room"] == 1.0 and agreed.get("call light_room", 0.0) == 0.0


def test_a_proposal_that_was_turned_down_is_known_as_one():
    record = agent().record
    (number,) = [n for n, p in enumerate(record.memory.points) if p.conversation_id == "declined" and p.reply]
    assert record.purposes(number) == ["confirm light_room"]


def test_who_names_another_thing_has_not_agreed():
    talk = [user("it is cold in R-777 please"), says(HEAT.format("R-777")), user("Rather in R-888")]
    calls = [call for c in agent().candidates(talk, TOOLS) for call in c.message.tool_calls]
    assert all(call.arguments["room"] != "R-777" for call in calls)


def test_a_yes_does_not_cover_another_way_after_a_refusal():
    refused = [
        user("it is cold in R-777 please"),
        says(HEAT.format("R-777")),
        user("Yes, please"),
        Message("assistant", tool_calls=(ToolCall("heat_room", {"room": "R-777"}, "c"),)),
        Message("tool", name="heat_room", tool_call_id="c", result={"error": "R-777 costs 9.00 a day"}, is_error=True),
    ]
    paid = [
        Trace(
            f"paid-{n}",
            (
                *asked(f"R-{n}", "it is cold", HEAT, "heat_room").messages[:3],
                Message("assistant", tool_calls=(ToolCall("heat_room", {"room": f"R-{n}", "pay": True}, "c"),)),
                Message("tool", name="heat_room", tool_call_id="c", result={"room": f"R-{n}", "done": True}),
                says("That is done."),
            ),
            outcome="resolved",
        )
        for n in (401, 402, 403)
    ]
    fitted = EmbeddedAgent.fit(Corpus([*RECORD, *paid]), frozenset({"heat_room", "light_room"}))
    found = fitted.candidates(refused, TOOLS)
    assert not any(call.name == "heat_room" for c in found for call in c.message.tool_calls)
    assert any("R-777 costs 9.00 a day" in c.message.text for c in found if c.kind == "confirm")


def test_who_says_yes_in_other_words_is_not_asked_again():
    talk = [user("it is cold in R-777 please"), says(HEAT.format("R-777")), user("Alright, do that, thanks.")]
    (call,) = agent().act(talk, TOOLS).tool_calls
    assert (call.name, call.arguments) == ("heat_room", {"room": "R-777"})


def test_what_was_turned_down_is_known_when_it_would_be_proposed_again():
    asked_for = [user("it is cold in R-777 please"), says(HEAT.format("R-777"))]
    found = agent().candidates([*asked_for, user("No, not that. The room is still cold in here")], TOOLS)
    again = [c.features["turned down"] for c in found if c.about[0] == "heat_room" or c.purpose == "call heat_room"]
    assert again and set(again) == {1.0}
    first = agent().candidates(asked_for[:1], TOOLS)
    assert not any(c.features.get("turned down", 0.0) for c in first)


def test_what_was_a_guess_when_it_was_proposed_is_taken_from_what_is_known_since():
    meant = Bound({"room": "R-777", "visit": {"kind": "plumber"}}, doubtful=("visit.kind",))
    now = Bound({"room": "R-778", "visit": {"kind": "painter"}})
    assert made_certain(meant, now) == Bound({"room": "R-777", "visit": {"kind": "painter"}})
    assert made_certain(meant, replace(now, doubtful=("visit.kind",))) == meant
