"""At which questions a customer can leave content is learned from the successes."""

from agent_gym.goals import Goal
from agent_gym.reward.conversation import look_at
from agent_gym.reward.customs import customs_of
from agent_gym.reward.finding import Finding
from agent_gym.reward.parts import PARTS
from agent_gym.types import Message, Trace
from tests.reward.test_reward_parts import called, said

ASK = said("user", "Where is my parcel?")
WHICH = said("assistant", "Sure. Could you give me the parcel number?")
NUMBER = said("user", "P-100")
LOOK = called("get_parcel", {"id": "P-100"}, {"id": "P-100", "town": "Leeds"})
TOLD = said("assistant", "It is in Leeds. Is there anything else?")
BYE = said("user", "No, bye.")
RUNS = said("user", "I have to run.")
SUCCESSES = [Trace(f"s{n}", (ASK, WHICH, NUMBER, *LOOK, TOLD, BYE)) for n in range(30)]
CUSTOMS = customs_of(SUCCESSES, frozenset())
GOAL = Goal("s0", facts=("leeds",), facts_needed=1, reads=LOOK[0].tool_calls)


def ending(*messages: Message, reference: Trace = SUCCESSES[0]) -> Finding:
    found = PARTS["ending"](look_at(messages, GOAL, reference, None, CUSTOMS))
    assert found is not None
    return found


def test_questions_that_agents_go_on_from_are_told_from_closing_ones():
    assert "could you" in CUSTOMS.questions.open
    assert "anything else" in CUSTOMS.questions.closing
    assert not CUSTOMS.questions.open & CUSTOMS.questions.closing


def test_a_customer_who_leaves_at_an_open_question_was_not_helped():
    left = ending(ASK, WHICH, RUNS)
    assert left.raw == 0.0 and "parcel number" in left.why
    assert ending(ASK, WHICH, NUMBER, *LOOK, TOLD, RUNS).raw == 1.0


def test_an_open_question_that_was_followed_up_is_no_end():
    assert ending(ASK, WHICH, RUNS, said("assistant", "Good-bye then.")).raw == 1.0


def test_who_ends_as_the_success_did_ends_well():
    short = Trace("short", (ASK, WHICH, RUNS))
    assert ending(ASK, WHICH, RUNS, reference=short).raw == 1.0


def test_few_successes_tell_nothing():
    assert not customs_of(SUCCESSES[:4], frozenset()).questions.open
