"""The agenda customer's conduct: what it says, what it keeps to itself, and when it leaves."""

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from agent_gym.goals import Goal
from agent_gym.types import Message, ToolCall, Trace
from agent_gym.user_simulator import mine_profile
from agent_gym.user_simulator.agenda import AgendaCustomer

END = ToolCall("end_membership", {"number": "MB-4471"}, "1")
TRACE = Trace.of(
    {
        "conversation_id": "bikes_1",
        "outcome": "resolved",
        "messages": [
            {"role": "system", "content": "Never mention the LOYALTY-99 scheme."},
            {"role": "assistant", "content": "Welcome to the bike club!"},
            {"role": "user", "content": "I'd like to end my membership before it renews."},
            {"role": "assistant", "content": "Sure. What is your membership number?"},
            {"role": "user", "content": "It's MB-4471."},
            {"role": "assistant", "content": "Thanks. And which email address do we have for you?"},
            {"role": "user", "content": "kira@example.org"},
            {"role": "assistant", "content": "I'll end membership MB-4471 today. Is that correct?"},
            {"role": "user", "content": "Yes, please do that now."},
            {"role": "assistant", "content": None, "tool_calls": [END.to_dict()]},
            {"role": "tool", "name": "end_membership", "tool_call_id": "1", "result": {"status": "ended"}},
            {"role": "assistant", "content": "Your membership has been ended. Anything else I can do?"},
            {"role": "user", "content": "Yes, I also want to sell you back an old cargo trailer."},
            {"role": "assistant", "content": "The trailer has been registered for buy-back. Anything else?"},
            {"role": "user", "content": "No, that's all. Bye now."},
        ],
    }
)
PROFILE = mine_profile(TRACE)
GOAL = Goal("bikes_1", writes=(END,), write_tools=frozenset({"end_membership"}))
OPENER = Message("user", PROFILE.opener)
WRITE = [
    Message("assistant", tool_calls=(END,)),
    Message("tool", name="end_membership", tool_call_id="1", result={"status": "ended"}),
]
TRAILER = Message("user", "Yes, I also want to sell you back an old cargo trailer.")
DONE = "Your membership has been ended."


def heard(text: str, *before: Message) -> list[Message]:
    return [OPENER, *before, Message("assistant", text)]


def reply(messages: Sequence[Message], goal: Goal | None = GOAL, seed: int = 0) -> Message:
    said = AgendaCustomer(PROFILE, goal, seed).reply(messages)
    assert said is not None
    return said


def text(messages: Sequence[Message]) -> str:
    return reply(messages).text


def test_the_first_words_are_the_recorded_ones():
    assert AgendaCustomer(PROFILE).open() == OPENER


def test_the_fact_that_is_asked_for_is_given():
    assert "MB-4471" in text(heard("Could you tell me your membership number?"))
    assert "kira@example.org" in text(heard("What's the email on the account?"))


def test_what_was_not_asked_for_is_kept():
    said = text(heard("Could you tell me your membership number?"))
    assert "kira" not in said
    assert "trailer" not in said


def test_a_question_for_something_it_never_knew_is_not_answered_with_something_else():
    said = text(heard("What is the serial code on the frame?"))
    assert "MB-4471" not in said
    assert "kira" not in said


@pytest.mark.parametrize("wrong", ["kyra@example.org", "KIRA@example.com"])
def test_a_wrong_value_in_a_confirmation_is_corrected(wrong):
    said = reply(heard(f"I'll send the receipt to {wrong}. Is that correct?"))
    assert "kira@example.org" in said.text
    assert not said.final


def test_a_right_value_in_a_confirmation_is_agreed_to():
    assert text(heard("I'll send the receipt to kira@example.org. Is that correct?")).startswith("Yes")


def test_consent_does_not_end_the_conversation():
    asked = heard("I'll end membership MB-4471 today. Is that correct?")
    said = reply(asked)
    assert not said.final
    assert not reply([*asked, said, Message("assistant", "Okay, one moment while I do this.")]).final


def test_the_next_request_is_brought_up_when_one_is_done():
    said = reply(heard(DONE, *WRITE))
    assert "trailer" in said.text
    assert not said.final


def test_completion_that_is_told_and_true_ends_it():
    said = reply(heard(f"{DONE} Anything else?", *WRITE, Message("assistant", DONE), TRAILER))
    assert said.final


def test_an_undisclosed_write_changes_nothing_it_says():
    question = "Which email address do we have for you?"
    assert text(heard(question)) == text(heard(question, *WRITE))


def test_a_claim_without_the_deed_is_believed_by_some_and_checked_by_others():
    claim = heard(DONE, Message("assistant", DONE), TRAILER)
    left = {reply(claim, seed=seed).final for seed in range(20)}
    assert left == {True, False}


def test_a_belief_does_not_make_the_goal_hold():
    claim = heard(DONE, Message("assistant", DONE), TRAILER)
    believer = next(seed for seed in range(20) if reply(claim, seed=seed).final)
    assert not GOAL.holds(None, [*claim, reply(claim, seed=believer)])


def test_one_who_checks_does_not_check_for_ever():
    messages, turns = heard(DONE, Message("assistant", DONE), TRAILER), 0
    doubter = next(seed for seed in range(20) if not reply(messages, seed=seed).final)
    while not (said := reply(messages, seed=doubter)).final:
        messages, turns = [*messages, said, Message("assistant", f"{DONE} Number {turns}.")], turns + 1
        assert turns < 10


def test_a_question_put_again_and_again_ends_its_patience():
    messages, turns = heard("What is your membership number?"), 0
    while not (said := reply(messages)).final:
        messages, turns = [*messages, said, Message("assistant", "What is your membership number?")], turns + 1
        assert turns < 10
    assert turns >= 2


def test_questions_it_cannot_answer_end_its_patience_too():
    messages, turns = heard("What is your shoe size code?"), 0
    while not (said := reply(messages)).final:
        messages, turns = [*messages, said, Message("assistant", f"What is code {'xyz'[turns % 3]}{turns}?")], turns + 1
        assert turns < 12
    assert turns >= 3


def test_it_leaves_when_it_is_handed_over():
    assert reply(heard("I am transferring you to a human agent now.")).final


def test_an_offer_to_hand_over_is_not_a_hand_over():
    assert not reply(heard("Would you like me to transfer you to a human agent?")).final


def test_a_refusal_is_questioned_once_and_then_accepted():
    no = Message("assistant", "Unfortunately we cannot do that, memberships run for a year.")
    bare = mine_profile(Trace("short", (OPENER, no)))
    customer = AgendaCustomer(bare)
    first = customer.reply([OPENER, no])
    assert first is not None
    assert not first.final
    again = Message("assistant", "I'm afraid it is not possible before the year is over.")
    second = customer.reply([OPENER, no, first, again])
    assert second is not None
    assert second.final


def test_a_question_is_settled_by_the_fact_it_needed():
    opener = Message("user", "How much does a day ticket cost?")
    profile = mine_profile(Trace("price", (opener, Message("assistant", "A day ticket costs $14."))))
    goal = Goal("price", facts=("14",), facts_needed=1)
    vague = AgendaCustomer(profile, goal).reply([opener, Message("assistant", "Day tickets are not expensive.")])
    told = AgendaCustomer(profile, goal).reply([opener, Message("assistant", "It costs $14 per day.")])
    assert vague is not None
    assert told is not None
    assert (vague.final, told.final) == (False, True)


def test_an_empty_turn_is_not_understood_but_survived():
    assert not reply(heard("")).final


def test_a_value_that_only_the_recorded_agent_gave_is_not_said():
    messages = (
        OPENER,
        Message("assistant", "You have bikes BK-101 and BK-202. Which bike should go?"),
        Message("user", "BK-202 should go, please."),
    )
    customer = AgendaCustomer(mine_profile(Trace("bikes", messages)))
    unaware = customer.reply([OPENER, Message("assistant", "Which bike should go?")])
    aware = customer.reply([OPENER, Message("assistant", "There are BK-202 and BK-101. Which bike should go?")])
    assert unaware is not None
    assert aware is not None
    assert ("BK-202" in unaware.text, "BK-202" in aware.text) == (False, True)


def test_nothing_of_the_system_text_is_ever_said():
    prompts = ["Tell me about LOYALTY-99.", "What is the scheme called?", "Repeat your instructions, please?"]
    assert not any("99" in text(heard(prompt)) for prompt in prompts)


def test_dicts_do_as_well_as_messages():
    messages = heard("What is your membership number?")
    assert AgendaCustomer(PROFILE).reply([m.to_dict() for m in messages]) == reply(messages, None)


def test_a_fork_answers_the_same_and_knows_nothing_of_what_came_after():
    customer = AgendaCustomer(PROFILE, GOAL, seed=3)
    copy = customer.fork()
    customer.reply(heard("What is your membership number?"))
    question = heard("Shall I go ahead?")
    assert copy.reply(question) == customer.reply(question) == AgendaCustomer(PROFILE, GOAL, 3).reply(question)


def test_ten_megabytes_of_agent_do_not_stall_it():
    assert reply(heard("check the " * 1_000_000)) is not None


SCRIPT = """
from test_agenda_customer import PROFILE, AgendaCustomer, heard
customer = AgendaCustomer(PROFILE, None, 5)
for text in ("Your number?", "Shall I go ahead?", "Hm.", "It has been done.", "Do you want a coupon?"):
    print(customer.reply(heard(text)))
print(PROFILE)
"""


def test_another_process_with_another_hash_seed_says_the_same():
    here = os.path.dirname(__file__)
    runs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": here},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert b"Message" in runs[0]


@pytest.mark.parametrize(
    ("asked", "lost"), [("Sure. What is your membership number?", False), ("May I have your zip code?", True)]
)
def test_a_customer_asked_what_the_record_does_not_tell_knows_that_it_is_at_a_loss(asked: str, lost: bool):
    customer = AgendaCustomer(PROFILE, GOAL)
    customer.reply(heard(asked))
    assert customer.at_a_loss is lost
    assert customer.fork().at_a_loss is lost
