"""The embedded agent as a customer meets it, in two businesses: a subscription shop and a clinic."""

from agent_gym.agent.embedded import EmbeddedAgent
from agent_gym.corpus import Corpus
from agent_gym.types import Json, Message, ToolCall, Trace


def user(text: str) -> Message:
    return Message("user", text)


def says(text: str) -> Message:
    return Message("assistant", text)


def calls(name: str, **arguments: Json) -> Message:
    return Message("assistant", tool_calls=(ToolCall(name, arguments, "c"),))


def answers(name: str, result: Json, *, is_error: bool = False) -> Message:
    return Message("tool", name=name, tool_call_id="c", result=result, is_error=is_error)


def schema(name: str, *required: str) -> dict[str, Json]:
    properties = {each: {"type": "string"} for each in required}
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def account(number: str, plan: str, status: str = "active") -> dict[str, Json]:
    return {"user_id": number, "plan": plan, "status": status}


def subscription(number: str, plan: str) -> Trace:
    return Trace(
        f"shop-{number}",
        (
            user("I want to cancel my subscription, it is too expensive"),
            says("Sure. What is your user id?"),
            user(f"It is {number}"),
            calls("lookup_account", user_id=number),
            answers("lookup_account", account(number, plan)),
            says(f"Shall I cancel your {plan} plan for good?"),
            user("Yes, please do."),
            calls("cancel_subscription", user_id=number),
            answers("cancel_subscription", account(number, plan, "cancelled")),
            says(f"Your {plan} plan is cancelled. Is there anything else?"),
            user("No, thanks, bye."),
            says("You're welcome, goodbye!"),
        ),
        outcome="resolved",
    )


def visit(patient: str, day: str, doctor: str) -> Trace:
    booked = {"visit": {"day": day, "doctor": doctor, "room": f"R-{patient[-2:]}"}}
    return Trace(
        f"clinic-{patient}",
        (
            user("I need to see a doctor about my knee"),
            says("May I have your patient number and the day you would like?"),
            user(f"My number is {patient} and {day} would be good"),
            calls("book_visit", patient_id=patient, day=day),
            answers("book_visit", booked),
            says(f"You will see {doctor} on {day} in room R-{patient[-2:]}."),
            user("Thank you, goodbye"),
        ),
        outcome="resolved",
    )


SHOP = [subscription("U-1001", "basic"), subscription("U-2002", "family"), subscription("U-3003", "basic")]
SHOP_TOOLS = [schema("lookup_account", "user_id"), schema("cancel_subscription", "user_id")]
CLINIC = [
    visit("P-55101", "2025-04-02", "Maria Lund"),
    visit("P-55202", "2025-04-09", "Jonas Berg"),
    visit("P-55303", "2025-05-06", "Ana Costa"),
]
CLINIC_TOOLS = [schema("book_visit", "patient_id", "day")]
OPENING = user("Please cancel my subscription, I do not use it any more")
LOOKED_UP = (
    OPENING,
    says("Sure. What is your user id?"),
    user("My id is U-7777"),
    calls("lookup_account", user_id="U-7777"),
    answers("lookup_account", account("U-7777", "student")),
)
AGREED = (*LOOKED_UP, says("Shall I cancel your student plan for good?"), user("Yes, go ahead."))


def shop(*traces: Trace) -> EmbeddedAgent:
    return EmbeddedAgent.fit(Corpus(traces or SHOP), frozenset({"cancel_subscription"}))


def clinic() -> EmbeddedAgent:
    return EmbeddedAgent.fit(Corpus(CLINIC), frozenset({"book_visit"}))


def test_it_asks_for_the_id_it_misses_in_the_words_of_recorded_agents():
    assert shop().act([OPENING], SHOP_TOOLS).text == "Sure. What is your user id?"


def test_without_a_recorded_question_it_asks_plainly():
    whole = Trace(
        "one",
        (
            user("Cancel my subscription, my id is 123"),
            calls("lookup_account", user_id="123"),
            answers("lookup_account", account("123", "pro")),
            says("Your pro plan is active."),
        ),
        outcome="resolved",
    )
    assert "user id" in shop(whole).act([user("I want to cancel my subscription")], SHOP_TOOLS).text


def test_a_value_the_customer_said_becomes_the_argument():
    message = shop().act(LOOKED_UP[:3], SHOP_TOOLS)
    assert [(call.name, call.arguments) for call in message.tool_calls] == [("lookup_account", {"user_id": "U-7777"})]


def test_several_arguments_come_from_one_sentence():
    told = user("Hello, my knee hurts. I am P-90909, can I come on 2025-06-11?")
    (call,) = clinic().act([told], CLINIC_TOOLS).tool_calls
    assert call.arguments == {"patient_id": "P-90909", "day": "2025-06-11"}


def test_it_asks_for_a_yes_before_a_write_where_recorded_agents_did():
    assert shop().act(LOOKED_UP, SHOP_TOOLS).text == "Shall I cancel your student plan for good?"


def test_without_the_yes_the_write_is_not_even_considered():
    considered = [call.name for each in shop().candidates(LOOKED_UP, SHOP_TOOLS) for call in each.message.tool_calls]
    assert "cancel_subscription" not in considered


def test_it_writes_after_the_yes():
    (call,) = shop().act(AGREED, SHOP_TOOLS).tool_calls
    assert (call.name, call.arguments) == ("cancel_subscription", {"user_id": "U-7777"})


def test_a_reply_states_the_values_of_this_conversation():
    done = calls("cancel_subscription", user_id="U-7777")
    ended = answers("cancel_subscription", account("U-7777", "student", "cancelled"))
    text = shop().act([*AGREED, done, ended], SHOP_TOOLS).text
    assert text.startswith("Your student plan is cancelled.")


def test_a_reply_takes_each_value_from_its_place_in_the_result():
    booked = {"visit": {"day": "2025-06-11", "doctor": "Ida Falk", "room": "R-09"}}
    talk = [
        user("my knee again, I am P-90909, is 2025-06-11 free?"),
        calls("book_visit", patient_id="P-90909", day="2025-06-11"),
        answers("book_visit", booked),
    ]
    assert clinic().act(talk, CLINIC_TOOLS).text == "You will see Ida Falk on 2025-06-11 in room R-09."


def test_a_refused_write_is_never_reported_as_done():
    refused = answers("cancel_subscription", {"error": "The contract of U-7777 runs until May"}, is_error=True)
    text = shop().act([*AGREED, calls("cancel_subscription", user_id="U-7777"), refused], SHOP_TOOLS).text
    assert "runs until May" in text
    assert "cancelled" not in text


def test_words_that_claim_a_write_are_not_said_where_it_was_refused():
    told = [
        Trace(
            f"door-{n}",
            (user("open the door"), calls("open_door"), answers("open_door", "ok"), says("There, it is open now.")),
            outcome="resolved",
        )
        for n in range(3)
    ]
    agent = EmbeddedAgent.fit(Corpus(told), frozenset({"open_door"}))
    refused = answers("open_door", "Error: the door is jammed", is_error=True)
    text = agent.act([user("open the door"), calls("open_door"), refused], [schema("open_door")]).text
    assert "jammed" in text
    assert "open now" not in text


def test_words_about_a_refusal_do_not_tell_of_a_write_that_was_not_made():
    jammed = answers("open_door", "Error: the door is jammed", is_error=True)
    lit = (user("light, and open the door"), calls("light"), answers("light", "on"), calls("open_door"), jammed)
    told = [Trace(f"door-{n}", (*lit, says("The light is on, but the door is jammed.")), "resolved") for n in range(3)]
    agent = EmbeddedAgent.fit(Corpus(told), frozenset({"open_door", "light"}))
    tools = [schema("open_door"), schema("light")]
    assert agent.act(lit, tools).text == "The light is on, but the door is jammed."
    text = agent.act([user("open the door"), calls("open_door"), jammed], tools[:1]).text
    assert "jammed" in text and "light is on" not in text


def test_a_refused_call_is_not_repeated_as_it_is():
    refused = answers("lookup_account", "Error: no such user", is_error=True)
    message = shop().act([*LOOKED_UP[:4], refused], SHOP_TOOLS)
    assert not message.tool_calls


def test_it_takes_leave_of_a_customer_who_does():
    done = calls("cancel_subscription", user_id="U-7777")
    ended = answers("cancel_subscription", account("U-7777", "student", "cancelled"))
    talk = [*AGREED, done, ended, says("Your student plan is cancelled. Is there anything else?")]
    message = shop().act([*talk, user("No, thank you, bye!")], SHOP_TOOLS)
    assert not message.tool_calls
    assert "goodbye" in message.text.lower()


def test_only_the_tools_at_hand_are_called():
    message = shop().act(AGREED, [schema("lookup_account", "user_id")])
    assert all(call.name == "lookup_account" for call in message.tool_calls)


def test_no_id_is_ever_made_up():
    agent, talk = shop(), [OPENING]
    for _ in range(12):
        message = agent.act(talk, SHOP_TOOLS)
        assert not message.tool_calls
        assert not any(number in message.text for number in ("1001", "2002", "3003"))
        talk += [message, user("I do not know")]


def test_nothing_is_said_three_times():
    agent, talk = shop(), [OPENING]
    for _ in range(6):
        talk += [agent.act(talk, SHOP_TOOLS), user("What do you mean?")]
    said = [message.text for message in talk if message.role == "assistant"]
    assert max(said.count(text) for text in said) <= 2


def test_failed_conversations_teach_nothing():
    talk = (OPENING, says("Go away, please."), user("What?"), says("You heard me."))
    rude = [Trace(f"rude-{n}", talk, outcome="failed") for n in range(5)]
    assert shop(*SHOP, *rude).act([OPENING], SHOP_TOOLS).text == "Sure. What is your user id?"


def test_without_labels_every_conversation_teaches():
    unknown = Trace("plain", (user("Are you open on Sunday?"), says("We are open every day.")))
    assert shop(unknown).act([user("Are you open on Sunday?")], []).text == "We are open every day."


def test_the_same_conversation_gets_the_same_answer_from_any_fit():
    first, second = shop(), shop()
    assert first.act(LOOKED_UP, SHOP_TOOLS) == second.act(LOOKED_UP, SHOP_TOOLS) == first.act(LOOKED_UP, SHOP_TOOLS)


def test_with_no_record_at_all_it_still_answers():
    nobody = EmbeddedAgent.fit(Corpus([]), frozenset())
    assert nobody.act([user("hello")], SHOP_TOOLS).text
    assert nobody.act([], []).text.startswith("Hello")


def test_every_candidate_carries_its_features_and_its_evidence():
    candidates = shop().candidates(LOOKED_UP[:3], SHOP_TOOLS)
    best = next(each for each in candidates if each.kind == "call")
    assert best.features["vote"] > 0.5
    assert set(best.evidence) <= {"shop-U-1001", "shop-U-2002", "shop-U-3003"}
