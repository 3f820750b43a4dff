"""An episode: actions in, what they led to out, until the customer leaves."""

import pytest

from agent_gym.errors import EpisodeOver, OptionError
from agent_gym.text import same
from agent_gym.types import Message, Trace
from tests.environment import clinic
from tests.environment.clinic import ACT, call, calls


def test_an_episode_opens_with_the_customers_words(desk):
    episode = desk.episode("c1")
    assert episode.observation == desk.scenario("c1").opening
    assert (episode.turns, episode.over, episode.answers) == (0, False, ())


def test_a_case_well_done_is_rewarded(desk):
    episode = desk.episode("c1")
    steps = [episode.step(action) for action in ACT]
    assert [step.reward for step in steps] == [0.0, 0.0, 1.0]
    assert [step.terminated for step in steps] == [False, False, True]
    assert steps[-1].info["score"].success
    assert episode.ending == "customer_left"


def test_words_without_deeds_are_no_success(desk):
    episode = desk.episode("c1", max_turns=3)
    while not episode.over:
        step = episode.step(ACT[-1])
    assert not step.info["score"].success
    assert step.reward < 0.5


def test_a_read_after_a_write_shows_it(desk):
    episode = desk.episode("c1")
    shown = [episode.step(calls(call(name, 1))).observation for name in ("get_visit", "cancel_visit", "get_visit")]
    assert ['"status":"booked"' in text for text in shown] == [True, False, False]
    assert desk.tool_mocker("get_visit", {"visit_id": clinic.key(1)})["status"] == "booked"


def test_parallel_calls_run_in_their_order_in_one_step(desk):
    episode = desk.episode("c1")
    episode.step(calls(call("cancel_visit", 1, "x"), call("get_visit", 1, "y"), call("get_visit", 2)))
    said = episode.messages[-3:]
    assert [(m.tool_call_id, m.result["status"]) for m in said] == [
        ("x", "cancelled"),
        ("y", "cancelled"),
        ("call_2", "booked"),
    ]
    assert episode.turns == 1


def test_words_beside_tool_calls_are_kept_but_not_delivered(desk):
    heard = []

    class Ear:
        def open(self):
            return Message("user", "Hello")

        def reply(self, messages, world=None):
            heard.append(messages[-1].text)

        def fork(self):
            return self

    episode = desk.episode("c1", user=Ear())
    step = episode.step(calls(call("get_visit", 1), content="Let me look."))
    assert (heard, step.observation.startswith("get_visit: ")) == ([], True)
    assert episode.messages[-2].text == "Let me look."
    assert episode.step("Found it.").terminated
    assert heard == ["Found it."]


def test_a_step_after_the_end_is_an_error(desk):
    episode = desk.episode("c1", max_turns=1)
    assert episode.step("Hello").truncated
    with pytest.raises(EpisodeOver, match="episode of 'c1' is over"):
        episode.step("Hello")


def test_too_many_turns_truncate_and_are_scored(desk):
    episode = desk.episode("c1", max_turns=2)
    assert not episode.step(ACT[0]).truncated
    step = episode.step(ACT[1])
    assert (step.truncated, step.terminated, step.info["ending"]) == (True, False, "too_many_turns")
    assert step.info["score"] is not None


def test_handing_over_ends_the_episode(desk):
    step = desk.episode("h3").step(calls(call("transfer_to_human_agent", 3)))
    assert (step.terminated, step.info["ending"]) == (True, "handed_over")


def test_a_hand_over_that_failed_does_not_end_it(desk):
    step = desk.episode("h3").step({"tool_calls": [{"name": "transfer_to_human_agent", "arguments": {}}]})
    assert not step.terminated


@pytest.mark.parametrize(
    ("option", "flags", "truncated"),
    [("ignore", (), False), ("flag", ("off_support",), False), ("truncate", ("off_support",), True)],
)
def test_what_the_record_cannot_answer_is_treated_as_asked(desk, option, flags, truncated):
    step = desk.episode("c1", off_support=option).step(calls(call("get_lab_report", 1)))
    assert (step.info["answers"][0][1].source, step.info["flags"], step.truncated) == ("unknown", flags, truncated)


def test_the_agents_own_mistake_is_not_off_support(desk):
    step = desk.episode("c1", off_support="truncate").step({"tool_calls": [{"name": "get_visit"}]})
    assert (step.info["answers"][0][1].source, step.truncated) == ("invalid", False)


@pytest.mark.parametrize(
    "options", [{"off_support": "flagg"}, {"user": "replai"}, {"from_turn": 99}, {"from_turn": -1}]
)
def test_an_unknown_option_is_told(desk, options):
    with pytest.raises(OptionError, match=next(iter(options))):
        desk.episode("c1", **options)


def recorded_actions(trace: Trace) -> list[Message]:
    first = next(at for at, message in enumerate(trace.messages) if message.role == "user")
    return [message for message in trace.messages[first:] if message.role == "assistant"]


def test_a_recorded_conversation_played_again_is_told_what_it_was_told(gym, log):
    """Self-replay, in whole episodes: every result, and every word of the customer."""
    for trace in log[:60]:
        episode = gym.episode(trace.conversation_id, user="replay", max_turns=1000)
        for action in recorded_actions(trace):
            if not episode.over:
                episode.step(action)
        results = [m.result for m in trace.messages if m.role == "tool"]
        assert same([answer.result for _, answer in episode.answers], results)
        words, heard = ([m.text for m in ms if m.role == "user"] for ms in (trace.messages, episode.messages))
        # A hand-over ends the episode; in the log the customer may say goodbye to it.
        assert heard == (words[: len(heard)] if episode.ending == "handed_over" else words)
