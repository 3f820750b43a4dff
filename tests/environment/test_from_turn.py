"""Starting later, and going two ways: a recorded beginning lived through, and copies that part."""

import pytest

from tests.environment import clinic
from tests.environment.clinic import ACT, call, calls


def test_a_prefix_is_replayed_with_its_writes(desk):
    episode = desk.episode("c1", from_turn=2)
    assert [call.name for call, _ in episode.answers] == ["get_visit", "cancel_visit"]
    assert [write.call.name for write in episode.session.world.writes] == ["cancel_visit"]
    assert episode.session("get_visit", {"visit_id": clinic.key(1)})["status"] == "cancelled"


def test_a_prefix_is_not_trainable_and_costs_no_turns(desk):
    episode = desk.episode("c1", from_turn=2, max_turns=1)
    assert (episode.turns, any(m.trainable for m in episode.messages)) == (0, False)
    step = episode.step(ACT[-1])
    assert (step.terminated, step.reward) == (True, 1.0)
    assert [m.text for m in episode.messages if m.trainable] == [ACT[-1]]


def test_a_prefix_keeps_the_prompt(desk):
    episode = desk.episode("c2", from_turn=1)
    assert [m.role for m in episode.messages] == ["system", "assistant", "user", "assistant", "tool"]
    assert episode.observation.startswith("get_visit: ")


def test_from_turn_0_is_the_beginning(desk):
    assert desk.episode("c1", from_turn=0).messages == desk.episode("c1").messages


@pytest.mark.parametrize("kind", ["agenda", "replay"])
def test_every_turn_of_a_recorded_conversation_can_be_started_from(gym, log, kind):
    trace = next(t for t in log if t.outcome == "resolved" and len(t.messages) > 10)
    first = next(at for at, m in enumerate(trace.messages) if m.role == "user")
    turns = [at for at, m in enumerate(trace.messages) if m.role == "assistant" and at > first]
    for k, at in enumerate(turns):
        episode = gym.episode(trace.conversation_id, from_turn=k, user=kind)
        spoken = [m.text for m in episode.messages if m.role != "system"]
        assert spoken == [m.text for m in trace.messages[:at] if m.role != "system"]
        assert not episode.step(trace.messages[at]).truncated


def test_a_fork_has_its_own_tools_and_its_own_future(desk):
    episode = desk.episode("c1")
    episode.step(ACT[0])
    twin = episode.fork()
    twin.step(ACT[1])
    assert (len(episode.messages), len(twin.messages)) == (4, 6)
    status = [e.session("get_visit", {"visit_id": clinic.key(1)})["status"] for e in (episode, twin)]
    assert (status, len(episode.session.world.writes)) == (["booked", "cancelled"], 0)


def test_a_fork_goes_on_as_the_original_would(gym):
    episode = gym.episode(seed=3)
    episode.step("Could you give me your account number?")
    twin = episode.fork()
    said = ["Thank you. And your date of birth?", "Is there anything else?"]
    assert [episode.step(text).observation for text in said if not episode.over] == [
        twin.step(text).observation for text in said if not twin.over
    ]


def test_ending_a_fork_leaves_the_original_live(desk):
    episode = desk.episode("h3")
    twin = episode.fork()
    twin.step(calls(call("transfer_to_human_agent", 3)))
    assert (twin.ending, episode.ending) == ("handed_over", "live")
