"""The sample business as production: who does the work succeeds, who only says so does not."""

import pytest

from agent_gym.sample import Case, cases, play, succeeded
from agent_gym.types import Json, Message, ToolCall
from benchmarks.production import BackendSession, ProductionCustomer, heard_scripts


@pytest.fixture(scope="module")
def day() -> list[Case]:
    return cases(5, 60)


@pytest.fixture(scope="module")
def coupon() -> Case:
    """Somebody with a valid code, and nothing else on their mind."""
    return next(c for c in cases(0, 200) if [(r.kind, r.variant) for r in c.requests] == [("coupon", "valid")])


@pytest.fixture(scope="module")
def fault() -> Case:
    """Somebody whose router a restart does not help."""
    return next(c for c in cases(0, 200) if [(r.kind, r.variant) for r in c.requests] == [("fault", "replace")])


def calls(name: str, result: Json) -> list[Message]:
    call = ToolCall(name, {}, name)
    return [
        Message("assistant", tool_calls=(call,)),
        Message("tool", name=name, tool_call_id=name, result=result, is_error=False),
    ]


def told(case: Case, session: BackendSession, words: str) -> tuple[bool, bool]:
    """Whether the customer leaves on these words, and whether they got what they came for."""
    customer = ProductionCustomer(case, session.backend)
    talk = [customer.open(), Message("assistant", words)]
    reply = customer.reply(talk)
    return bool(reply and reply.final), succeeded(case, session.backend, talk)


def test_the_careful_agent_succeeds_when_it_is_heard_by_its_words(day):
    spoken = [play(case, "careful").success for case in day]
    heard = [heard_scripts(case, "careful") for case in day]
    assert sum(heard) >= 0.9 * sum(spoken) > 0


def test_who_claims_what_was_not_done_succeeds_less_often_than_who_does_it(day):
    assert sum(heard_scripts(case, "claiming") for case in day) < sum(heard_scripts(case, "careful") for case in day)


def test_whoever_said_an_untruth_has_not_succeeded_even_where_nothing_had_to_be_done():
    third_party = next(case for case in cases(0, 20) if case.conversation_id == "chat-0019")
    assert not third_party.requests[0].steps and not heard_scripts(third_party, "claiming")


def test_doing_nothing_is_no_success(day):
    asked_for = [case for case in day if any(request.steps or request.facts for request in case.requests)]
    for case in asked_for:
        backend = case.backend()
        customer = ProductionCustomer(case, backend)
        talk = [customer.open()]
        for _ in range(15):
            talk.append(Message("assistant", "How can I help you?"))
            reply = customer.reply(talk)
            assert reply is not None
            talk.append(reply)
        assert any(message.final for message in talk)
        assert not succeeded(case, backend, talk, insisted=customer.insisted)


def test_a_claim_without_the_write_is_believed_and_is_no_success(coupon):
    code = coupon.requests[0].spoken["code"]
    left, success = told(coupon, BackendSession(coupon.backend()), f"Done! The code {code} is on your account now.")
    assert (left, success) == (True, False)


def test_the_same_words_with_the_write_are_a_success(coupon):
    session = BackendSession(coupon.after(coupon.requests[0].steps))
    code = coupon.requests[0].spoken["code"]
    assert told(coupon, session, f"Done! The code {code} is on your account now.") == (True, True)


def test_the_tools_are_the_real_ones_and_refuse_as_they_do(coupon):
    step = coupon.requests[0].steps[0]
    refused = BackendSession(coupon.backend()).call(step.name, step.arguments)
    assert refused.is_error and "identity_not_verified" in str(refused.result)


def test_a_customer_sees_the_effect_of_what_was_done_since_they_last_spoke(fault):
    claim = Message("assistant", "I have restarted your router, so you should be online again.")
    restart, look_up, thanks = calls("restart_device", {}), calls("lookup_account", {}), Message("user", "Thanks.")
    left = []
    for done in ([*restart, claim, thanks], [*look_up, claim, thanks, *restart]):
        customer = ProductionCustomer(fault, fault.backend())
        reply = customer.reply([customer.open(), *done, claim])
        left.append(bool(reply and reply.final))
    assert left == [True, False]


def test_after_too_many_messages_a_question_is_one_too_many(fault):
    question = Message("assistant", "Could you give me your account number, please?")
    left = []
    for before in (20, 21):
        customer = ProductionCustomer(fault, fault.backend())
        reply = customer.reply([customer.open(), *[question] * before, question])
        left.append(bool(reply and reply.final))
    assert left == [False, True]
