"""Recorded replies said again: what is kept, what is replaced, what is left out."""

from agent_gym.agent.embedded.filling import Filled, fill, known_in
from agent_gym.agent.embedded.points import points_of
from agent_gym.agent.embedded.replies import ReplyBook
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.types import Json, Message, ToolCall, Trace


def user(text: str) -> Message:
    return Message("user", text)


def looked_up(result: Json) -> tuple[Message, Message]:
    call = Message("assistant", tool_calls=(ToolCall("get_trip", {}, "c"),))
    return call, Message("tool", tool_call_id="c", result=result)


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
