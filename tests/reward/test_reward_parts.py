"""Every part of a conversation's score: one conversation that it raises, one that it lowers."""

from collections.abc import Mapping
from dataclasses import replace

from agent_gym.goals import Goal
from agent_gym.reward.conversation import Conversation, look_at
from agent_gym.reward.parts import PARTS
from agent_gym.types import Json, Message, ToolCall, Trace


def said(role: str, content: str) -> Message:
    return Message.of({"role": role, "content": content})


def called(name: str, arguments: Mapping[str, Json], result: Json) -> list[Message]:
    answer = Message("tool", name=name, tool_call_id="c", result=result)
    return [Message("assistant", tool_calls=(ToolCall(name, arguments, "c"),)), answer]


ASK, BYE = said("user", "Cancel my orders W111 and W222, please"), said("user", "Thanks, bye.")
FIRST = called("cancel_order", {"id": "W111"}, {"id": "W111", "status": "cancelled", "refund": 40.5})
SECOND = called("cancel_order", {"id": "W222"}, {"id": "W222", "status": "cancelled"})
OTHER = called("cancel_order", {"id": "W333"}, {"id": "W333", "status": "cancelled"})
READ = called("get_order", {"id": "W111"}, {"id": "W111", "total": 40.5})
OVER = called("call_human", {}, "ok")
DONE = said("assistant", "Both orders are cancelled.")
TOLD = said("assistant", "The order cost $40.50.")

NOTHING = Goal("ref", write_tools=frozenset({"cancel_order"}), end_tools=frozenset({"call_human"}))
TO_CANCEL = replace(NOTHING, writes=(FIRST[0].tool_calls[0], SECOND[0].tool_calls[0]))
TO_TELL = replace(NOTHING, facts=("40.5",), facts_needed=1, reads=READ[0].tool_calls)
TO_HAND_OVER = replace(NOTHING, hands_over=True)
REFERENCE = Trace("ref", (ASK, *FIRST, *SECOND, DONE, BYE))


def talk(goal: Goal, *messages: Message) -> Conversation:
    return look_at(messages, goal, REFERENCE, None)


def raw(part: str, goal: Goal, *messages: Message) -> float | None:
    found = PARTS[part](talk(goal, *messages))
    return None if found is None else found.raw


def test_end_state_is_whole_when_every_write_is_made():
    assert raw("end_state", TO_CANCEL, ASK, *SECOND, *FIRST, DONE) == 1.0
    assert raw("end_state", TO_CANCEL, ASK, *FIRST, DONE) == 0.5
    assert raw("end_state", TO_CANCEL, ASK, DONE) == 0.0


def test_end_state_does_not_apply_where_nobody_writes():
    assert raw("end_state", TO_TELL, ASK, *READ, TOLD) is None
    assert raw("end_state", TO_TELL, ASK, *FIRST, TOLD) == 0.0


def test_write_recall_counts_the_required_writes_made():
    assert raw("write_recall", TO_CANCEL, *FIRST, *SECOND, *OTHER) == 1.0
    assert raw("write_recall", TO_CANCEL, *FIRST) == 0.5


def test_write_precision_counts_the_writes_that_were_wanted():
    assert raw("write_precision", TO_CANCEL, *FIRST) == 1.0
    assert raw("write_precision", TO_CANCEL, *FIRST, *OTHER) == 0.5


def test_a_write_with_arguments_that_are_no_object_is_not_wanted():
    odd = [Message("assistant", tool_calls=(ToolCall.of({"name": "cancel_order", "arguments": "W111"}),)), FIRST[1]]
    assert raw("write_precision", TO_CANCEL, *odd) == 0.0


def test_repeats_lower_a_write_made_twice():
    assert raw("repeats", TO_CANCEL, *FIRST, *SECOND) == 1.0
    assert raw("repeats", TO_CANCEL, *FIRST, *SECOND, *SECOND) == 0.0


def test_facts_raise_the_right_number_and_lower_a_wrong_one():
    assert raw("facts", TO_TELL, ASK, *READ, TOLD) == 1.0
    assert raw("facts", TO_TELL, ASK, *READ, said("assistant", "The order cost $45.00.")) == 0.0


def test_reads_raise_who_looked_it_up():
    assert raw("reads", TO_TELL, ASK, *READ, TOLD) == 1.0
    assert raw("reads", TO_TELL, ASK, TOLD) == 0.0


def test_hand_over_is_right_when_and_only_when_the_success_did_so():
    assert raw("hand_over", TO_HAND_OVER, ASK, *OVER) == 1.0
    assert raw("hand_over", TO_HAND_OVER, ASK, DONE) == 0.0
    assert raw("hand_over", TO_TELL, ASK, *OVER) == 0.0


def test_claims_lower_what_was_said_and_not_done():
    assert raw("claims", TO_CANCEL, ASK, *FIRST, DONE) == 1.0
    assert raw("claims", TO_CANCEL, ASK, DONE) == 0.0


def test_offers_questions_and_refusals_claim_nothing():
    for text in ("Shall it be cancelled?", "It will be cancelled now.", "It has not been cancelled."):
        assert raw("claims", TO_CANCEL, ASK, said("assistant", text)) is None


def test_reporting_a_state_is_no_claim_where_nothing_was_to_be_done():
    assert raw("claims", TO_TELL, ASK, said("assistant", "The order is cancelled since May.")) is None
    assert raw("claims", TO_TELL, ASK, said("assistant", "I have cancelled the order.")) == 0.0


def test_ending_lowers_a_conversation_that_breaks_off():
    assert raw("ending", TO_CANCEL, ASK, *FIRST, DONE) == 1.0
    assert raw("ending", TO_CANCEL, ASK, *FIRST) == 0.0
    assert raw("ending", TO_CANCEL, ASK) == 0.0


def test_ending_is_as_good_as_that_of_the_success():
    speechless = Trace("ref", (ASK, *FIRST))
    found = PARTS["ending"](look_at([ASK, *FIRST], TO_CANCEL, speechless, None))
    assert found is not None
    assert found.raw == 1.0


def test_a_claim_that_the_success_makes_too_is_none():
    claim = said("assistant", "I have cancelled the order.")
    lax = Trace("ref", (ASK, claim))
    assert PARTS["claims"](look_at([ASK, claim], TO_TELL, lax, None)) is None


def test_grounded_lowers_a_number_from_nowhere():
    assert raw("grounded", TO_TELL, ASK, *READ, TOLD) == 1.0
    assert raw("grounded", TO_TELL, ASK, *READ, said("assistant", "The order cost $45.00.")) == 0.0
    assert raw("grounded", TO_TELL, ASK, TOLD) is None


def test_similarity_raises_the_words_of_the_success():
    near, far = raw("similarity", TO_CANCEL, ASK, DONE), raw("similarity", TO_CANCEL, ASK, said("assistant", "Hello."))
    assert near == 1.0
    assert far is not None
    assert far < 0.3


def test_effort_lowers_who_takes_longer():
    assert raw("effort", TO_CANCEL, *REFERENCE.messages) == 1.0
    assert raw("effort", TO_CANCEL, *REFERENCE.messages, *[DONE] * 3) == 0.5
