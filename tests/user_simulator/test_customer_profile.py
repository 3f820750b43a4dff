"""What is mined from a recorded conversation about its customer."""

import pytest

from agent_gym.errors import MessageError
from agent_gym.types import Message, Trace
from agent_gym.user_simulator import mine_profile


def talk(*turns: str) -> Trace:
    """Customer and agent in turn, the customer first."""
    said = [Message("assistant" if at % 2 else "user", turn) for at, turn in enumerate(turns)]
    return Trace("t", tuple(said))


def test_a_fact_is_what_the_customer_said_first():
    profile = mine_profile(talk("My parcel PX-100 is late.", "Parcel PX-100 is with courier C-7.", "Ask C-7 then."))
    assert [fact.text for fact in profile.facts] == ["PX-100"]


def test_a_value_the_agent_told_is_no_fact_of_the_customer():
    assert mine_profile(talk("Where is my parcel?", "Is it PX-100?", "PX-100, I think.")).facts == ()


def test_a_customer_who_cannot_see_a_tool_answer_knew_it_without():
    messages = (
        Message("user", "Where is my parcel?"),
        Message("tool", name="find", result={"parcel": "PX-100"}),
        Message("assistant", "Which one is it?"),
        Message("user", "PX-100, I think."),
    )
    assert [fact.text for fact in mine_profile(Trace("t", messages)).facts] == ["PX-100"]


def test_a_fact_knows_whether_it_was_asked_for():
    profile = mine_profile(talk("I need parcel PX-100.", "What is your zip code?", "10115"))
    assert [(fact.text, fact.asked) for fact in profile.facts] == [("PX-100", False), ("10115", True)]
    assert "zip" in profile.facts[1].slots


def test_a_short_answer_without_a_value_is_a_fact_too():
    profile = mine_profile(talk("Book me a ride.", "Where do you want to go?", "Harbour Street"))
    assert "Harbour Street" in [fact.text for fact in profile.facts]


def test_decisions_on_offers_are_kept():
    profile = mine_profile(
        talk("A table please.", "Would you like one outside?", "No, too cold.", "Shall I book it?", "Yes.")
    )
    assert [decision.accepted for decision in profile.decisions] == [False, True]


def test_a_later_request_is_told_from_an_answer():
    turns = ("Cancel my lesson.", "Which day?", "The Monday one.", "It is cancelled.", "I also need skates for Sunday.")
    assert [request.turn for request in mine_profile(talk(*turns)).requests] == [2]


def test_messages_in_a_row_are_one_turn():
    messages = (Message("user", "Hello."), Message("user", "My lamp broke."), Message("assistant", "Oh no."))
    assert mine_profile(Trace("t", messages)).opener == "Hello.\nMy lamp broke."


def test_how_it_ended_is_read_from_the_last_words():
    assert mine_profile(talk("Stop it.", "It has been stopped.", "Thanks, bye.")).ending == "satisfied"
    assert mine_profile(talk("Stop it.", "I am transferring you to a specialist.")).ending == "handed_over"


def test_a_profile_prints_what_the_customer_knows():
    printed = str(mine_profile(talk("Hi, parcel PX-100 is late.", "Shall I look?", "Yes.")))
    assert "PX-100" in printed
    assert "takes: Shall I look?" in printed


@pytest.mark.parametrize("messages", [(), (Message("system", "Be kind."),), (Message("user", "  "),)])
def test_a_trace_without_a_customer_is_a_clear_error(messages):
    with pytest.raises(MessageError, match="no user turn"):
        mine_profile(Trace("empty", messages))


def test_a_word_a_letter_off_from_the_agents_is_a_typo_and_another_form_is_none():
    slips = mine_profile(talk("Hello there", "Your account number?", "my acocunt nubmer is lost"))
    forms = mine_profile(talk("Hello there", "Your account number?", "my accounts numbers are lost"))
    assert (slips.persona.typo_rate, forms.persona.typo_rate) == (0.5, 0.0)
    assert "50% typos" in str(slips)
