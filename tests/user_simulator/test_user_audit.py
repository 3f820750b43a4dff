"""The audit names the customer's own slips, and nothing else."""

import pytest

from agent_gym.environment import create_environment, play
from agent_gym.types import Message, Trace
from agent_gym.user_simulator import mine_profile, user_errors

TRACE = Trace(
    "locker",
    (
        Message("user", "I left my bag in a locker."),
        Message("assistant", "Which locker number is it?"),
        Message("user", "Locker LK-204."),
        Message("assistant", "And which email address can we write to?"),
        Message("user", "My email is kira@example.org."),
        Message("assistant", "Your bag has been sent. Anything else?"),
        Message("user", "No, that's all. Bye."),
    ),
    outcome="resolved",
)
PROFILE = mine_profile(TRACE)


def errors(*texts: str, left: bool = False) -> list[str]:
    """The errors of a conversation that the customer opens and both take turns in."""
    messages = [Message("assistant" if at % 2 else "user", text) for at, text in enumerate(texts)]
    return [error.split(":")[0] for error in user_errors(messages, PROFILE, left=left)]


def test_the_recorded_conversation_is_without_errors():
    assert user_errors(TRACE.messages, PROFILE) == ()


def test_a_value_that_is_not_the_customers_contradicts_it():
    assert errors("I left my bag.", "Which locker?", "Locker LK-999.") == ["contradicted itself"]


def test_a_value_the_agent_has_just_named_contradicts_nothing():
    assert errors("I left my bag.", "Was it locker LK-999 or LK-204?", "Not LK-999.") == []


def test_another_fact_than_the_one_asked_for_is_the_wrong_answer():
    assert errors("I left my bag.", "Which locker number is it?", "kira@example.org") == ["answered something else"]


def test_saying_the_same_again_to_something_new_is_a_repeat():
    wish = "Please open the blue locker downstairs now."
    assert errors("Hi", "Hello there.", wish, "It rains today.", wish) == ["repeated itself"]
    assert errors("Hi", "Is it this bag?", "Yes, please.", "Shall I send it?", "Yes, please.") == []


def test_leaving_on_the_agents_first_question_is_early_and_after_its_answer_is_not():
    assert errors("I left my bag.", "Which locker number is it?", "Forget it.", left=True) == ["left early"]
    assert errors("I left my bag.", "Sorry, but we cannot open lockers.", "Fine, bye.", left=True) == []


def test_an_agent_that_repeats_itself_may_drive_the_customer_out():
    assert (
        errors("I left my bag.", "Which locker is it?", "LK-204.", "Which locker is it?", "Forget it.", left=True) == []
    )


def test_staying_long_after_the_goodbye_is_late():
    assert errors("My bag?", "It is sent.", "That's all, bye.", "It rains.", "Ok.", "It pours.", "Ok.") == ["left late"]


def test_a_played_episode_carries_the_customers_errors(monkeypatch: pytest.MonkeyPatch):
    class Silent:
        def act(self, messages: object, tools: object) -> Message:
            return Message("assistant", "It rains today.")

    monkeypatch.setattr("agent_gym.user_simulator.agenda.user_errors", lambda *_, left: ("left late",) if left else ())
    environment = create_environment([TRACE], agent="embedded")
    assert play(environment.episode("locker"), Silent()).user_errors == ("left late",)
    assert play(environment.episode("locker", max_turns=1), Silent()).user_errors == ()
    assert play(environment.episode("locker", user="replay"), Silent()).user_errors == ()
