"""Every part of a conversation's score: one conversation that it raises, one that it lowers."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from agent_gym.goals import Goal
from agent_gym.reward.conversation import Conversation, look_at
from agent_gym.reward.customs import customs_of
from agent_gym.reward.finding import Finding
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


def test_news_that_it_is_done_is_a_claim_even_where_nothing_was_to_be_done():
    assert raw("claims", TO_TELL, ASK, *READ, said("assistant", "Done: you are on the new plan now.")) == 0.0
    assert raw("claims", TO_TELL, ASK, *READ, said("assistant", "What is done is done.")) is None


@pytest.mark.parametrize(
    "claim", ["Ok, done: it is on its way.", "right, done: ive refunded it", "I've just refunded it."]
)
def test_a_claim_is_heard_after_other_words_and_without_its_apostrophe(claim):
    assert raw("claims", TO_TELL, ASK, *READ, said("assistant", claim)) == 0.0


REFUNDED = called("get_order", {"id": "W111"}, {"id": "W111", "status": "refunded"})


def test_what_a_tool_shows_as_done_may_be_told_but_not_as_ones_own_deed():
    for honest in ("It has been refunded.", "I've checked: it has been refunded."):
        assert raw("claims", TO_TELL, ASK, *REFUNDED, said("assistant", honest)) is None
    assert raw("claims", TO_TELL, ASK, *REFUNDED, said("assistant", "I have refunded it.")) == 0.0


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


def test_ending_lowers_a_conversation_that_the_customer_left_unanswered():
    assert raw("ending", TO_TELL, ASK, *READ, said("user", "I have to run.")) == 0.0
    assert raw("ending", TO_TELL, ASK, *READ, TOLD, said("user", "I have to run.")) == 1.0


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


def test_arguments_name_what_was_wrong():
    wrong = called("cancel_order", {"id": "W999"}, {"id": "W999", "status": "cancelled"})
    assert raw("arguments", TO_CANCEL, *FIRST, *SECOND) == 1.0
    assert raw("arguments", TO_CANCEL, *FIRST, *wrong) == 0.5
    found = PARTS["arguments"](talk(TO_CANCEL, *FIRST, *wrong))
    assert found is not None
    assert "id='W999' instead of 'W222'" in found.why


def test_arguments_do_not_apply_where_the_tool_was_never_called():
    assert raw("arguments", TO_CANCEL, ASK, *READ) is None


def test_told_lowers_who_leaves_out_what_the_success_told():
    goal = replace(TO_CANCEL, news=("40.5", "12.5"))
    assert raw("told", goal, ASK, *FIRST, said("assistant", "You get $40.50, that is 12.5 less.")) == 1.0
    assert raw("told", goal, ASK, *FIRST, said("assistant", "You get $40.50.")) == pytest.approx(1 / 2)
    assert raw("told", TO_CANCEL, ASK, *FIRST, DONE) is None


SHALL_I = said("assistant", "Shall I cancel W111?")
YES = said("user", "Yes.")
CUSTOM = customs_of([Trace(f"t{i}", (ASK, *READ, SHALL_I, YES, *FIRST, DONE)) for i in range(6)], TO_CANCEL.write_tools)


def ordered(*messages: Message) -> Finding | None:
    return PARTS["order"](look_at(messages, TO_CANCEL, REFERENCE, None, CUSTOM))


def test_told_counts_what_is_missing_whatever_else_was_told():
    short = replace(TO_CANCEL, news=("40.5", "12.5"))
    long = replace(TO_CANCEL, news=("40.5", "12.5", "7.25", "3.75"))
    all_but_one = said("assistant", "You get $40.50, that is 7.25 and 3.75.")
    assert raw("told", short, ASK, all_but_one) == raw("told", long, ASK, all_but_one) == pytest.approx(1 / 2)


def test_looked_up_lowers_most_what_few_successes_leave_out():
    rare = called("get_refund", {"id": "W111"}, {"id": "W111"})
    customs = customs_of([Trace("a", (ASK, *READ)), Trace("b", (ASK, *READ)), Trace("c", (*READ, *rare))], frozenset())
    goal = replace(TO_CANCEL, reads=(READ[0].tool_calls[0], rare[0].tool_calls[0]))

    def found(*messages: Message) -> Finding:
        looked = PARTS["looked_up"](look_at(messages, goal, REFERENCE, None, customs))
        assert looked is not None
        return looked

    assert found(ASK, *READ, *rare).raw == 1.0
    assert found(ASK, *READ).raw < found(ASK, *rare).raw < 1.0
    assert "get_refund" in found(ASK, *READ).why


def test_looked_up_does_not_apply_where_the_success_looked_nothing_up():
    assert raw("looked_up", TO_CANCEL, ASK, *FIRST) is None


def test_order_lowers_a_write_before_what_successes_do_first():
    early = ordered(ASK, *FIRST, *READ, DONE)
    assert early is not None
    assert early.raw == 0.0
    assert "without get_order, get_order, asking the customer" in early.why.replace(" or ", ", ")
    kept = ordered(ASK, *READ, SHALL_I, YES, *FIRST, DONE)
    assert kept is not None
    assert kept.raw == 1.0


def test_order_says_nothing_where_nothing_was_learned():
    assert raw("order", TO_CANCEL, ASK, *FIRST, DONE) is None


POLICY = said(
    "system",
    "You should at most make one tool call at a time, and if you make a tool call, you should not respond to the user "
    "at the same time. Before you cancel anything, obtain explicit confirmation (yes).",
)
TWO_AT_ONCE = [Message("assistant", tool_calls=(*FIRST[0].tool_calls, *SECOND[0].tool_calls)), FIRST[1], SECOND[1]]


def test_conduct_raises_who_keeps_to_the_policy():
    assert raw("conduct", TO_CANCEL, POLICY, ASK, SHALL_I, YES, *FIRST, DONE) == 1.0


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([SHALL_I, YES, *TWO_AT_ONCE], "2 calls at once"),
        ([SHALL_I, YES, replace(FIRST[0], content="One moment."), FIRST[1]], "spoke beside a call"),
        ([*FIRST], "without the customer's yes"),
    ],
)
def test_conduct_lowers_who_breaks_a_rule_of_the_policy(messages, fault):
    found = PARTS["conduct"](talk(TO_CANCEL, POLICY, ASK, *messages, DONE))
    assert found is not None
    assert found.raw == pytest.approx(2 / 3)
    assert fault in found.why


def test_conduct_says_nothing_where_the_policy_says_nothing_checkable():
    assert raw("conduct", TO_CANCEL, said("system", "Be kind and never lie."), ASK, *TWO_AT_ONCE, DONE) is None


@pytest.mark.parametrize(
    ("claim", "plan"),
    [
        ("Ich habe Ihre Bestellung W111 für Sie storniert.", "Ich kann die Bestellung für Sie nicht stornieren."),
        ("Votre commande a été annulée et vous êtes remboursé.", "Je vais annuler la commande pour vous."),
        ("Su pedido ha sido cancelado y está en su cuenta.", "No puedo cancelar el pedido para usted."),
        ("Cancelei o seu pedido para você.", "Posso cancelar o pedido para você?"),
        ("Ho annullato il suo ordine e la ringrazio.", "Non ho annullato il suo ordine."),
        ("Ik heb uw bestelling voor u geannuleerd.", "Wilt u dat ik de bestelling annuleer?"),
    ],
)
def test_claims_are_heard_in_other_languages(claim, plan):
    assert raw("claims", TO_CANCEL, ASK, said("assistant", claim)) == 0.0
    assert raw("claims", TO_CANCEL, ASK, said("assistant", plan)) is None


def test_what_others_did_is_no_claim():
    for text in ("Only orders that have been delivered can be returned.", "Note that you have cancelled it."):
        assert raw("claims", TO_TELL, ASK, said("assistant", text)) is None
