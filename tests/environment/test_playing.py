"""Agents at work: the loop that plays an episode, and the founding `query_agent`."""

from collections.abc import Mapping, Sequence

import orjson
import pytest

from agent_gym import create_environment
from agent_gym.environment import QueryAgent, play
from agent_gym.environment.recorded_agent import relived
from agent_gym.environment.rollout import rolled_out
from agent_gym.errors import LlmTimeout
from agent_gym.types import SOURCES, Json, Message, MessageLike
from tests.environment import clinic
from tests.environment.clinic import ACT


class Scripted:
    """Says one line after the other, and keeps what it was shown."""

    def __init__(self, *lines: str | Mapping[str, Json]) -> None:
        self.lines = [Message.of({"content": line} if isinstance(line, str) else line, "assistant") for line in lines]
        self.shown: list[tuple[tuple[Message, ...], tuple[str, ...]]] = []

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message:
        self.shown.append((tuple(messages), tuple(t["function"]["name"] for t in tools)))
        return self.lines[(len(self.shown) - 1) % len(self.lines)]


def test_a_scripted_agent_plays_a_case_to_its_end(desk):
    agent = Scripted(*ACT)
    rollout = play(desk.episode("c1", seed=4), agent)
    assert (rollout.conversation_id, rollout.seed, rollout.ending) == ("c1", 4, "customer_left")
    assert rollout.score is not None
    assert rollout.score.success
    assert [answer.source for _, answer in rollout.answers] == ["recorded", "recorded"]
    assert [len(messages) for messages, _ in agent.shown] == [2, 4, 6]
    assert agent.shown[0][1] == tuple(sorted(clinic.NAMES))


def test_an_agent_that_never_stops_is_stopped(desk):
    rollout = play(desk.episode("c1", max_turns=5), Scripted(ACT[0]))
    assert (rollout.ending, len(rollout.answers)) == ("too_many_turns", 5)


def test_the_embedded_agent_plays_the_sample_business(gym):
    rollouts = [play(gym.episode(seed=seed), gym.agent) for seed in range(4)]
    assert all(rollout.score is not None and rollout.ending != "live" for rollout in rollouts)
    assert any(rollout.score and rollout.score.success for rollout in rollouts)


def test_a_rollout_is_json_with_its_provenance(desk):
    rollout = play(desk.episode("c1"), Scripted(*ACT))
    written = rollout.to_dict()
    assert orjson.loads(orjson.dumps(written)) == written
    assert [(a["source"] in SOURCES, a["evidence"]) for a in written["answers"]] == [(True, ["c1"])] * 2
    assert [m["trainable"] for m in written["messages"] if m["role"] == "assistant"] == [True, True, True]


def test_a_failure_from_outside_has_no_score(desk):
    episode = desk.episode("c1", max_turns=1)
    episode.step("Hello")
    assert rolled_out(episode).score is not None
    assert (rolled_out(episode, "timed out").score, rolled_out(episode, "timed out").failure) == (None, "timed out")


def test_a_model_that_does_not_answer_is_not_a_reward_of_0(desk):
    class Mute:
        def act(self, messages, tools):
            raise LlmTimeout("no answer in 5 s")

    with pytest.raises(LlmTimeout):
        play(desk.episode("c1"), Mute())


def test_query_agent_runs_the_calls_and_returns_the_words(desk):
    agent = Scripted(*ACT)
    query = QueryAgent(agent, desk.tool_mocker, "Be kind.")
    talk = query.conversation("Cancel V-7011 please")
    assert [m.role for m in talk] == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [m.result["status"] for m in talk if m.role == "tool"] == ["booked", "cancelled"]
    assert query("Cancel V-7011 please") == ACT[-1]


def test_every_question_is_a_new_conversation(desk):
    query = QueryAgent(Scripted(ACT[1], "done"), desk.tool_mocker)
    query("Cancel V-7011 please")
    first, second = (QueryAgent(Scripted(ACT[0], "done"), desk.tool_mocker).conversation("?") for _ in range(2))
    assert first == second
    assert first[2].result["status"] == "booked"


def test_an_agent_that_only_calls_tools_is_stopped_with_words(desk):
    agent = Scripted(ACT[0])
    reply = QueryAgent(agent, desk.tool_mocker, max_steps=3)("Where is my visit?")
    assert len(agent.shown) == 3
    assert reply.endswith("hand you to a colleague.")


def test_the_context_comes_before_the_question(desk):
    agent = Scripted("Yes.")
    context: list[MessageLike] = [clinic.user("Hi, I am Ann"), Message("assistant", "Hello Ann")]
    QueryAgent(agent, desk.tool_mocker, "Be kind.")("Do you know me?", context=context)
    (messages, _) = agent.shown[0]
    assert [m.text for m in messages] == ["Be kind.", "Hi, I am Ann", "Hello Ann", "Do you know me?"]


def test_a_system_message_in_the_context_stands_for_the_policy(desk):
    agent = Scripted("Yes.")
    QueryAgent(agent, desk.tool_mocker, "Be kind.")("Hi", context=[{"role": "system", "content": "Be brief."}])
    assert [m.text for m in agent.shown[0][0]] == ["Be brief.", "Hi"]


def test_the_policy_reaches_query_agent():
    agent = Scripted("Yes.")
    create_environment(clinic.traces(), agent=agent, policy="Be kind.").query_agent("Hi")
    assert agent.shown[0][0][0] == Message("system", "Be kind.")


@pytest.mark.parametrize(("conversation_id", "ending"), [("c1", "customer_left"), ("h3", "handed_over")])
def test_a_conversation_relived_is_the_recorded_one(desk, conversation_id, ending):
    lived, recorded = relived(desk, conversation_id), desk.corpus[conversation_id].messages
    assert [m.result if m.role == "tool" else m.content for m in lived.messages][-len(recorded) :] == [
        m.result if m.role == "tool" else m.content for m in recorded
    ]
    assert lived.ending == ending and {answer.source for _, answer in lived.answers} == {"recorded"}


def test_a_conversation_that_broke_off_is_scored_as_far_as_it_came():
    cut = clinic.cancelled(1) | {"conversation_id": "cut", "messages": clinic.cancelled(1)["messages"][:5]}
    lived = relived(create_environment([*clinic.traces(), cut], agent="embedded"), "cut")
    assert lived.ending == "live" and lived.score is not None and len(lived.answers) == 2
