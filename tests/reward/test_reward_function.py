"""The reward function: replies by their text, conversations by what was done, never by how they were labelled."""

import pickle
from collections.abc import Mapping
from dataclasses import replace

import pytest

from agent_gym.corpus import Corpus
from agent_gym.errors import OptionError, UnknownConversation, UnscorableError
from agent_gym.goals import goal_of
from agent_gym.reward import RewardFunction
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json, Message, Score, Trace

ACTIVE = {"user_id": "u1234", "plan": "pro", "status": "active"}
LOOKUP = {"id": "a", "name": "lookup_account", "arguments": {"user_id": "u1234"}}
CANCEL = {"id": "b", "name": "cancel_subscription", "arguments": {"user_id": "u1234"}}
ASK: Mapping[str, Json] = {"role": "user", "content": "I want to cancel my subscription, my id is u1234"}
LOOKED_UP: list[Mapping[str, Json]] = [
    {"role": "assistant", "content": "Let me look.", "tool_calls": [LOOKUP]},
    {"role": "tool", "name": "lookup_account", "tool_call_id": "a", "result": ACTIVE},
]
CANCELLED: list[Mapping[str, Json]] = [
    {"role": "assistant", "tool_calls": [CANCEL]},
    {"role": "tool", "name": "cancel_subscription", "tool_call_id": "b", "result": ACTIVE | {"status": "cancelled"}},
]
DONE: Mapping[str, Json] = {"role": "assistant", "content": "Your pro subscription is cancelled."}
BYE: Mapping[str, Json] = {"role": "user", "content": "Thanks, bye."}
TALK: list[Mapping[str, Json]] = [ASK, *LOOKED_UP, *CANCELLED, DONE, BYE]
SUCCESS = Trace.of({"conversation_id": "ok", "messages": TALK, "outcome": "resolved"})
FAILURE = Trace.of({"conversation_id": "bad", "messages": [ASK, DONE], "outcome": "failed"})
TRUTH = "Your pro subscription is cancelled."


def reward(*traces: Trace) -> RewardFunction:
    corpus = Corpus(traces or (SUCCESS, FAILURE))
    return RewardFunction.fit(corpus, ToolMocker.fit(corpus))


def test_the_success_itself_scores_one():
    score = reward().score(TALK, reference="ok")
    assert (score, score.success, score.flags) == (1.0, True, ())


def test_a_fake_done_scores_nothing_and_says_why():
    score = reward().score([ASK, {"role": "assistant", "content": "All done, it is cancelled!"}], reference="ok")
    assert (score, score.success, score.flags) == (0.0, False, ("claims", "work"))
    assert "nothing was written" in score.explanation
    assert "cancel_subscription(user_id='u1234')" in score.explanation


def test_a_write_made_again_is_no_success_and_costs_less_than_a_missing_one():
    function = reward()
    again = function.score([*TALK[:-2], *CANCELLED, DONE, BYE], reference="ok")
    missing = function.score([ASK, *LOOKED_UP, DONE, BYE], reference="ok")
    assert not again.success and not missing.success
    assert missing <= 0.2 < again < 0.5


def test_writes_that_have_nothing_in_common_with_the_success_score_next_to_nothing():
    def pausing(user: str) -> list[Mapping[str, Json]]:
        call = {"id": "p", "name": "pause_subscription", "arguments": {"user_id": user}}
        done = {"role": "tool", "name": "pause_subscription", "tool_call_id": "p", "result": {"paused": True}}
        return [*LOOKED_UP, {"role": "assistant", "tool_calls": [call]}, done]

    paused = Trace.of({"conversation_id": "paused", "messages": [ASK, *pausing("u9"), DONE], "outcome": "resolved"})
    score = reward(SUCCESS, paused).score([ASK, *pausing("u9"), DONE, BYE], reference="ok")
    assert (score < 0.05, score.success, score.flags) == (True, False, ("forbidden_write",))
    half = reward(SUCCESS, paused).score([ASK, *pausing("u9"), *CANCELLED, DONE, BYE], reference="ok")
    assert score < half < 0.5 and not half.success and "forbidden_write" not in half.flags


def test_a_conversation_that_breaks_off_is_no_success():
    score = reward().score(TALK[:-2], reference="ok")
    assert (score.success, score.flags) == (False, ("ending",))
    assert score <= 0.2


def test_the_world_decides_where_there_is_one():
    corpus = Corpus([SUCCESS])
    mocker = ToolMocker.fit(corpus)
    idle, busy = mocker.session("ok"), mocker.session("ok")
    busy("cancel_subscription", {"user_id": "u1234"})
    score = RewardFunction.fit(corpus, mocker).score
    assert not score(TALK, reference="ok", world=idle.world).success
    assert score([ASK, DONE, BYE], reference="ok", world=busy.world).success


def test_a_score_does_not_use_the_outcome_of_what_it_scores():
    relabelled = replace(SUCCESS, conversation_id="again", outcome="failed")
    assert reward(SUCCESS, relabelled).score(relabelled.messages, reference="ok").success


def test_without_a_reference_the_conversation_is_not_held_against_itself():
    with pytest.raises(UnscorableError, match="pass reference="):
        reward().score(TALK)
    other = replace(SUCCESS, conversation_id="other", messages=(*SUCCESS.messages[:-1], Message("user", "Great.")))
    assert reward(SUCCESS, other).score(TALK).success


def test_another_customers_success_is_no_proof_of_success():
    theirs = [Message.of(message) for message in TALK]
    theirs[0] = Message("user", "I want to cancel my subscription, my id is u9876")
    score = reward().score(theirs)
    assert not score.success
    assert score.flags == ("reference_of_another_case",)


def test_a_failed_reference_is_refused():
    with pytest.raises(UnscorableError, match="did not succeed"):
        reward().score(TALK, reference="bad")
    with pytest.raises(UnscorableError, match="failed"):
        reward().score(TALK, reference=FAILURE)


def test_an_unknown_reference_is_named():
    with pytest.raises(UnknownConversation, match="okk"):
        reward().score(TALK, reference="okk")


def test_a_reference_may_be_a_dict_without_an_id():
    assert reward().score(TALK, reference={"messages": TALK}).success


def test_no_messages_score_nothing():
    score = reward().score([], reference="ok")
    assert (score, score.success) == (0.0, False)


def test_a_goal_nobody_can_check_is_flagged():
    hello = Trace.of({"conversation_id": "hi", "messages": [BYE, DONE], "outcome": "resolved"})
    score = reward(hello).score([BYE, DONE], reference="hi")
    assert (score.success, score.flags) == (False, ("nothing_checkable",))


def test_an_assumed_goal_is_flagged():
    assert reward(replace(SUCCESS, outcome=None)).score(TALK, reference="ok").flags == ("assumed_goal",)


def test_the_potential_starts_at_nothing_and_grows():
    corpus = Corpus([SUCCESS])
    mocker = ToolMocker.fit(corpus)
    goal, function = goal_of(SUCCESS, mocker, corpus), RewardFunction.fit(corpus, mocker)
    assert goal is not None
    assert function.potential(SUCCESS.messages[:1], goal) == 0.0
    assert function.potential(SUCCESS.messages, goal) == 0.2


def test_parts_without_weight_are_logged():
    parts = reward().score(TALK, reference="ok").parts
    assert parts["similarity"].weight == parts["effort"].weight == 0.0
    assert parts["similarity"].applicable
    assert not parts["facts"].applicable


def test_a_score_survives_pickling():
    score = reward().score(TALK, reference="ok")
    assert pickle.loads(pickle.dumps(score)).to_dict() == score.to_dict()


def test_the_right_reply_scores_high_and_its_negation_low():
    right, wrong = reward()(TRUTH, ground_truth=TRUTH), reward()("Your pro subscription is not cancelled.", TRUTH)
    assert right > 0.9
    assert right.success
    assert wrong < 0.4
    assert not wrong.success


def test_a_paraphrase_beats_every_cheap_trick():
    function, context = reward(), "I want to cancel my subscription, my id is u1234"
    honest = function("I have cancelled your pro subscription.", TRUTH, context)
    tricks = [context, "cancelled subscription pro your is", "Done!", TRUTH + " You are wonderful." * 20, ""]
    assert honest.success
    assert all(function(trick, TRUTH, context) < honest - 0.3 for trick in tricks)


def test_a_changed_number_id_or_name_costs_dearly():
    truth = "Your refund of $25.00 for order #W123 was sent to Mia Garcia."
    for wrong in (truth.replace("25", "52"), truth.replace("W123", "W321"), truth.replace("Mia", "Tom")):
        score = reward()(wrong, ground_truth=truth)
        assert score < 0.6
        assert not score.success


def test_an_empty_reply_scores_nothing():
    for text in ("", "   ", "\n"):
        assert reward()(text, ground_truth=TRUTH) == 0.0


def test_a_text_only_call_says_what_it_did_not_see():
    assert reward()(TRUTH, ground_truth=TRUTH).flags == ("no_tool_evidence",)
    assert reward()(TRUTH).flags == ("no_reference", "no_tool_evidence")


def test_without_a_ground_truth_nothing_is_a_success():
    near = reward()(TRUTH, context="I want to cancel my subscription")
    far = reward()("The weather is nice today.", context="I want to cancel my subscription")
    assert isinstance(near, Score)
    assert not near.success
    assert far < near <= 0.6


def test_many_conversations_score_as_each_by_itself():
    function, idle = reward(), [ASK, DONE]
    assert function.score_many([TALK, idle], ["ok", SUCCESS]) == [1.0, function.score(idle, reference="ok")]
    assert function.score_many([TALK, idle], "ok") == function.score_many([TALK, idle], SUCCESS)
    with pytest.raises(ValueError, match="shorter"):
        function.score_many([TALK, idle], ["ok"])


def test_many_replies_score_as_each_by_itself():
    function, wrong = reward(), "Your pro subscription is not cancelled."
    assert function.score_replies([TRUTH, wrong], TRUTH) == [function(TRUTH, TRUTH), function(wrong, TRUTH)]
    assert function.score_replies([wrong], [None], ["I want to cancel"]) == [function(wrong, None, "I want to cancel")]


def test_the_explanation_tells_two_conversations_apart():
    wrong = [dict(message) for message in TALK]
    wrong[3] = {"role": "assistant", "tool_calls": [CANCEL | {"arguments": {"user_id": "u9999"}}]}
    right, other = reward().score(TALK, reference="ok"), reward().score(wrong, reference="ok")
    assert "The end state is that of" in right.explanation
    assert "user_id='u9999' instead of 'u1234'" in other.explanation


def test_a_very_long_conversation_is_scored():
    words = "a1-" * 100_000
    talk = [*TALK[:-1], *[{"role": "assistant", "content": "One moment."}, BYE] * 2500, {**BYE, "content": words}]
    assert reward().score(talk, reference="ok").success
    assert reward()(words, ground_truth=TRUTH) < 0.1


def test_a_group_is_ranked_and_equals_share_a_rank():
    fake: list[Mapping[str, Json]] = [ASK, DONE]
    found = reward().group([fake, TALK, SUCCESS, fake], reference="ok")
    assert (found.ranks, found.all_equal) == ((3, 1, 1, 3), False)
    assert found.scores[1].success


def test_a_group_of_equals_is_said_to_be_one():
    assert reward().group([TALK, TALK], reference="ok").all_equal
    assert reward().group([]).all_equal


def test_rollouts_are_held_against_their_own_case_and_their_worlds():
    corpus = Corpus([SUCCESS])
    mocker = ToolMocker.fit(corpus)
    found = RewardFunction.fit(corpus, mocker).group([SUCCESS, SUCCESS], worlds=[None, mocker.session("ok").world])
    assert found.ranks == (1, 2)


def test_a_group_needs_a_world_for_each_attempt_or_none():
    with pytest.raises(OptionError, match="one for each attempt"):
        reward().group([TALK, TALK], worlds=[None])


def test_a_gate_that_could_not_lower_a_reply_still_gives_its_reason():
    score = reward()("Trees are green.", "The refund of $25.00 was issued for order #W123.")
    assert score.parts["facts"].raw == pytest.approx(0.4)
    assert "leaves out" in score.explanation


def test_messages_of_roles_that_take_no_part_are_left_out():
    talk = [*TALK[:1], {"role": "subtask_creator", "content": "plan: cancel"}, *TALK[1:]]
    assert reward().score(talk, reference="ok") == 1.0
