"""Traces that open in an odd way: without a customer, with two openers, with nothing but rules."""

import pytest

from agent_gym import create_environment
from agent_gym.errors import AgentGymError
from agent_gym.types import Json
from tests.environment import clinic

RULES: dict[str, Json] = {"role": "system", "content": "Be kind."}
SUCCESS = clinic.cancelled(1)


def odd(*messages: dict[str, Json]) -> dict[str, Json]:
    return {"conversation_id": "odd", "outcome": "resolved", "messages": list(messages)}


@pytest.mark.parametrize("messages", [[RULES], [RULES, clinic.agent("Anybody there?")], [clinic.user("  ")]])
def test_without_a_customers_words_there_is_nothing_to_play(messages):
    env = create_environment([odd(*messages), SUCCESS], agent="embedded")
    assert [s.conversation_id for s in env.scenarios()] == ["c1"]
    with pytest.raises(AgentGymError, match="'odd' has no user turn"):
        env.episode("odd")


@pytest.mark.parametrize("user", ["agenda", "replay"])
def test_two_openers_are_one_turn(user):
    opened = odd(RULES, clinic.user("Hello."), clinic.user(f"Cancel {clinic.key(1)}."), *SUCCESS["messages"][1:])
    episode = create_environment([opened], agent="embedded").episode("odd", user=user)
    assert episode.observation == f"Hello.\nCancel {clinic.key(1)}."
    assert [episode.step(action) for action in clinic.ACT][-1].info["score"].success
