"""Who practises in a recorded case meets it as an unknown one: nothing that only its record tells is known."""

from agent_gym.agent.embedded.binding import Binder
from agent_gym.agent.embedded.intents import Intents
from agent_gym.agent.embedded.points import points_of
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.types import Message, ToolCall, Trace


def spoke(number: int, word: str, tool: str) -> Trace:
    call = Message("assistant", tool_calls=(ToolCall(tool, {"phrase": f"{word} {word}"}, "c"),))
    return Trace(f"t{number}", (Message("user", f"my phrase is {word} {word}"), call))


SPOKEN = (("amber", "open"), ("cedar", "open"), ("lilac", "shut"))
TRACES = [spoke(n, word, tool) for n, (word, tool) in enumerate(SPOKEN)]
POINTS = [point for trace in TRACES for point in points_of(trace)]


def state(text: str) -> State:
    return State(Talk([Message("user", text)]), 1)


def test_a_value_that_only_a_hidden_conversation_had_is_not_known_again():
    binder, said = Binder(POINTS), state("my phrase is lilac lilac")
    assert binder.bind("shut", said, [], {}).arguments == {"phrase": "lilac lilac"}
    assert binder.bind("shut", said, [], {}, frozenset({"t2"})).missing == ("phrase",)


def test_a_word_that_only_a_hidden_conversation_had_points_nowhere():
    ends = {trace.conversation_id: State(Talk(trace.messages), len(trace.messages)) for trace in TRACES}
    intents = Intents(ends)
    seen, unseen = intents.direction(state("lilac")), intents.direction(state("lilac"), {"t2"})
    assert seen.any() and not unseen.any()
