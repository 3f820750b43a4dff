"""Recorded replies said again: what is kept, what is replaced, what is left out."""

from agent_gym.agent.embedded.filling import Filled, fill, known_in
from agent_gym.agent.embedded.points import points_of
from agent_gym.agent.embedded.replies import ReplyBook
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.types import Json, Message, ToolCall, Trace


def user(text: str) -> Message:
    return Message("user", text)


def looked_up(result: Json, *, refused: bool = False) -> tuple[Message, Message]:
    call = Message("assistant", tool_calls=(ToolCall("get_trip", {}, "c"),))
    return call, Message("tool", tool_call_id="c", result=result, is_error=refused)


def said_again(recorded: tuple[Message, ...], reply: str, *talk: Message) -> Filled | None:
    points = points_of(Trace("record", (*recorded, Message("assistant", reply))))
    state = State(Talk(talk), len(talk))
    book = ReplyBook(points)
    return fill(book.reply_of(points[-1]), state, known_in(state), {}, book)


def text_of(recorded: tuple[Message, ...], reply: str, *talk: Message) -> str:
    filled = said_again(recorded, reply, *talk)
    return filled.text if filled else ""


TRIP = {"city": "Lisbon", "price": 1249.5, "nights": 3}
PAST = (user("what does my trip cost?"), *looked_up(TRIP))
NOW = (user("the price of my trip?"), *looked_up({"city": "Turin", "price": 980.0, "nights": 5}))


def test_values_are_replaced_by_those_at_the_same_place():
    assert text_of(PAST, "Your trip to Lisbon costs $1,249.50.", *NOW) == "Your trip to Turin costs $980.00."


def test_a_sentence_with_a_value_from_nowhere_is_left_out():
    reply = "Your trip to Lisbon is booked. You will hear from us within 48 hours."
    assert text_of(PAST, reply, *NOW) == "Your trip to Turin is booked."


def test_a_value_the_policy_states_may_be_said():
    policy = Message("system", "Answer within 48 hours.")
    assert text_of(PAST, "You will hear from us within 48 hours.", policy, *NOW).endswith("48 hours.")


def test_a_reply_of_which_nothing_can_be_said_is_no_reply():
    assert said_again(PAST, "Your trip to Lisbon costs $1,249.50.", user("hello there")) is None


def test_a_name_of_another_customer_is_not_said():
    past = (user("I am Nadia, what does my trip cost?"), *looked_up(TRIP))
    assert "Nadia" not in text_of(past, "Thank you, Nadia. It costs $1,249.50.", *NOW)


def test_two_things_of_the_record_do_not_become_one():
    trips = {"trips": [{"city": "Lisbon"}, {"city": "Porto"}]}
    past = (user("my trips?"), *looked_up(trips))
    now = (user("my trips?"), *looked_up({"trips": [{"city": "Turin"}]}))
    assert said_again(past, "You booked Lisbon and Porto.", *now) is None


def test_a_full_list_is_told_in_the_order_of_the_present_one():
    past = (user("my trips?"), *looked_up({"trips": [{"city": "Lisbon"}, {"city": "Porto"}]}))
    now = (user("my trips?"), *looked_up({"trips": [{"city": "Turin"}, {"city": "Milan"}]}))
    assert text_of(past, "You booked Lisbon and Porto.", *now) == "You booked Turin and Milan."


def test_the_one_of_a_list_is_the_one_the_customer_spoke_of():
    rows = [{"city": "Turin", "price": 980.0}, {"city": "Milan", "price": 450.0}]
    past = (
        user("price of Porto?"),
        *looked_up({"trips": [{"city": "Porto", "price": 77.0}, {"city": "Faro", "price": 88.0}]}),
    )
    now = (user("how much is Milan?"), *looked_up({"trips": rows}))
    assert text_of(past, "That one costs $77.00.", *now) == "That one costs $450.00."


def test_topics_of_which_nobody_spoke_are_counted():
    past = (user("my umbrella broke, what does the trip cost?"), *looked_up(TRIP))
    filled = said_again(past, "Sorry about the umbrella.", *NOW)
    assert filled is not None
    assert filled.foreign > 0


def test_a_reply_in_which_a_plain_word_is_another_here_is_marked():
    past = (user("is it working?"), *looked_up({"unit": "U-1", "state": "online"}))
    states = [said_again(past, "It is online now.", user("does it work?"), *looked_up({"unit": "U-2", "state": word}))
              for word in ("online", "offline")]  # fmt: skip
    assert [said.turned for said in states if said] == [False, True]


def test_a_person_does_not_stand_in_for_a_thing():
    things = frozenset({"harbor plan", "garden plan"})
    points = points_of(
        Trace("record", (user("I'd like the Harbor Plan"), Message("assistant", "Your new plan is Harbor Plan.")))
    )
    book = ReplyBook(points, things)
    reply = book.reply_of(points[-1])

    def again(text: str) -> str:
        state = State(Talk((user(text),)), 1)
        filled = fill(reply, state, known_in(state), {}, book)
        return filled.text if filled else ""

    assert again("Garden Plan, please") == "Your new plan is Garden Plan."
    assert again("it's Dora Elms again") == ""


def test_the_day_and_the_hour_of_a_moment_are_told():
    past = (user("when does it leave?"), *looked_up({"leaves": "2025-03-15T08:00"}))
    now = (user("when does it leave?"), *looked_up({"leaves": "2025-04-02T23:30"}))
    assert text_of(past, "It leaves at 08:00 on 15 March 2025.", *now) == "It leaves at 23:30 on 2025-04-02."


def test_what_a_refusal_says_is_told_and_not_what_stands_elsewhere():
    def asked(mine: str, theirs: str, day: str) -> tuple[Message, ...]:
        refusal = {"error": f"This pass is for {theirs} trips only and ended on {day}."}
        return user(f"a pass for my {mine} trip"), *looked_up({"kind": mine}), *looked_up(refusal, refused=True)

    reply = "That one is for ferry trips only, and it ended on 2025-01-31."
    told = text_of(asked("train", "ferry", "2025-01-31"), reply, *asked("ferry", "train", "2024-11-30"))
    assert told == "That one is for train trips only, and it ended on 2024-11-30."


def test_a_sum_that_the_policy_names_may_be_said_with_its_sign():
    policy = Message("system", "A lost ticket costs 45.00.")
    past = (user("I lost my ticket"),)
    assert text_of(past, "A new one costs $45.00, okay?", policy, user("my ticket is gone")).startswith("A new one")
    assert text_of(past, "A new one costs $45.00, okay?", user("my ticket is gone")) == ""


def test_an_offer_of_more_is_no_reply_to_who_has_been_told_nothing():
    reply = "Your trip to Lisbon costs $1,249.50. Is there anything else I can help you with?"
    assert said_again(PAST, reply, user("hello there")) is None


def test_a_word_is_put_only_where_agents_put_it():
    def checked(word: str) -> tuple[Message, ...]:
        return user("is my unit fine?"), *looked_up({"state": word})

    record = [
        Trace("a", (*checked("online"), Message("assistant", "It is online again."))),
        Trace("b", (*checked("offline"), Message("assistant", "It stays offline after that."))),
    ]
    points = [point for trace in record for point in points_of(trace)]
    book = ReplyBook(points)

    def again(word: str) -> list[str]:
        state = State(Talk(checked(word)), 3)
        replies = (book.reply_of(point) for point in points if point.reply)
        found = (fill(reply, state, known_in(state), {}, book) for reply in replies)
        return [filled.text for filled in found if filled]

    assert again("online") == ["It is online again."]
    assert again("offline") == ["It stays offline after that."]


def test_what_was_said_of_a_day_to_come_is_not_plainly_true_of_one_that_is_over():
    today = Message("system", "Today is 2025-03-14.")

    def ending(day: str) -> tuple[Message, ...]:
        return today, user("how long is my trip?"), *looked_up({"ends_on": day})

    recorded, reply = ending("2025-08-31"), "You are bound until 2025-08-31."
    again, late = (said_again(recorded, reply, *ending(day)) for day in ("2025-10-01", "2020-05-21"))
    assert again is not None and late is not None
    assert (again.text, again.turned) == ("You are bound until 2025-10-01.", False)
    assert late.turned
