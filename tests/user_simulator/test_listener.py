"""A listener hears each message once, and understands what one who hears all of them anew does."""

from agent_gym.types import Message, ToolCall
from agent_gym.user_simulator.talk import Listener, Talk

TALK = (
    Message("assistant", "Welcome."),
    Message("user", "Hello."),
    Message("user", "My lamp broke."),
    Message("assistant", "Let me look.", (ToolCall("find"),)),
    Message("tool", name="find", result={}),
    Message("assistant", "Which lamp?"),
    Message("user", "  "),
    Message("user", "The green one."),
    Message("assistant", "It is on its way."),
)


def test_message_by_message_it_understands_the_same():
    listener = Listener()
    for end in range(len(TALK) + 1):
        assert listener.follow(TALK[:end]) == Talk.of(TALK[:end])


def test_another_past_is_heard_as_what_it_is():
    listener = Listener()
    listener.follow(TALK[:6])
    other = (*TALK[:5], Message("assistant", "What broke?"), Message("user", "All of it."))
    assert listener.follow(other) == Talk.of(other)
    assert listener.follow(TALK) == Talk.of(TALK)
