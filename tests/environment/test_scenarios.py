"""Scenarios: which conversations can be played, with what prompt, and what can be scored."""

import pytest

from agent_gym import create_environment
from agent_gym.errors import AgentGymError, OptionError, UnknownConversation
from agent_gym.types import Message
from tests.environment import clinic

MONOLOGUE = {"conversation_id": "alone", "outcome": "resolved", "messages": [clinic.agent("Anybody there?")]}


def test_splits_share_nothing_and_leave_nothing_out(gym):
    train, test, both = ({s.conversation_id for s in gym.scenarios(split)} for split in ("train", "test", None))
    assert train | test == both
    assert not train & test
    assert test


def test_an_outcome_is_a_label_or_what_it_means(desk):
    assert {s.conversation_id for s in desk.scenarios(outcome="escalated")} == {"h3", "h4"}
    assert desk.scenarios(outcome="escalated") == desk.scenarios(outcome="failed")
    assert len(desk.scenarios(outcome="succeeded")) == clinic.PATIENTS
    assert desk.scenarios(outcome="nonesuch") == ()


def test_an_unknown_split_is_told_with_what_was_meant(desk):
    with pytest.raises(OptionError, match="did you mean 'train'"):
        desk.scenarios("trian")


def test_the_policy_is_the_system_prompt_only_where_the_trace_has_none(desk):
    systems = [[m.text for m in desk.scenario(c).prompt if m.role == "system"] for c in ("c1", "c2")]
    assert systems == [["Be kind."], ["Own rules."]]


def test_a_greeting_belongs_to_the_prompt(desk):
    episode = desk.episode("c2")
    assert [(m.role, m.text) for m in episode.messages[:2]] == [
        ("system", "Own rules."),
        ("assistant", "Welcome to the clinic."),
    ]
    assert (episode.messages[2].role, episode.observation) == ("user", desk.scenario("c2").opening)
    assert not any(m.trainable for m in episode.messages)


def test_the_tools_are_the_traces_own_or_the_mined_ones(desk):
    named = [[t["function"]["name"] for t in desk.scenario(c).tools] for c in ("c0", "c1")]
    assert named == [list(clinic.NAMES), sorted(clinic.NAMES)]


def test_a_conversation_without_a_customer_is_no_scenario():
    env = create_environment([MONOLOGUE, clinic.cancelled(1)], agent="embedded")
    assert [s.conversation_id for s in env.scenarios()] == ["c1"]
    with pytest.raises(AgentGymError, match="'alone' has no user turn"):
        env.episode("alone")


def test_a_failure_without_a_matching_success_cannot_be_scored(desk):
    step = desk.episode("h3", max_turns=1).step("Sorry?")
    assert (step.reward, step.info["score"], step.info["scorable"]) == (0.0, None, False)
    assert step.truncated


def test_a_failure_takes_its_goal_from_a_success_of_its_case():
    failed = clinic.cancelled(1, outcome="failed", metadata={"task_id": 4}) | {"conversation_id": "f1"}
    env = create_environment([failed, clinic.cancelled(1, metadata={"task_id": 4})], agent="embedded")
    goal = env.scenario("f1").goal
    assert goal is not None
    assert (goal.conversation_id, goal.goal_source) == ("c1", "retrieved")


def test_without_an_id_the_seed_chooses_a_scorable_train_case(gym):
    chosen = [gym.episode(seed=seed).scenario for seed in range(12)]
    assert all(s.scorable and s.split == "train" for s in chosen)
    assert len({s.conversation_id for s in chosen}) == 12
    assert gym.episode(seed=5).scenario is chosen[5]


def test_nothing_to_play_for_is_told():
    env = create_environment([clinic.handed_over(3)], agent="embedded")
    with pytest.raises(AgentGymError, match="no train conversation has a goal"):
        env.episode()


def test_an_unknown_conversation_is_told_with_what_was_meant(gym):
    with pytest.raises(UnknownConversation, match="did you mean"):
        gym.episode("chat-00012")


class Canceller:
    """Cancels the visit of one patient, and does nothing for the others."""

    def act(self, messages, tools):
        if not any(clinic.key(1) in m.text for m in messages if m.role == "user"):
            return Message("assistant", "I am looking into it.")
        done = sum(m.role == "assistant" for m in messages)
        action = clinic.ACT[min(done, len(clinic.ACT) - 1)]
        return Message("assistant", action) if isinstance(action, str) else Message.of(action)


def test_cases_are_kept_by_how_often_an_agent_succeeds_in_them(desk):
    easy = desk.scenarios(pass_rate=(0.9, 1.0), agent=Canceller(), k=2)
    hard = desk.scenarios(pass_rate=(0.0, 0.1), agent=Canceller(), k=2)
    assert "c1" in {s.conversation_id for s in easy}
    assert "c3" in {s.conversation_id for s in hard}
    assert not {s.conversation_id for s in easy} & {s.conversation_id for s in hard}


def test_an_order_is_fixed_by_its_seed(gym):
    one, again, other = (gym.scenarios("train", shuffled=seed) for seed in (1, 1, 2))
    assert one == again != other
    assert sorted(s.conversation_id for s in one) == sorted(s.conversation_id for s in gym.scenarios("train"))
