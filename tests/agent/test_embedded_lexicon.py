"""How a customer's words are read: values by their kind, things by their field, days by whether they are over."""

from agent_gym.agent.embedded import EmbeddedAgent
from agent_gym.agent.embedded.answers import answer_marks
from agent_gym.agent.embedded.catalogue import Catalogue
from agent_gym.agent.embedded.lexicon import Lexicon
from agent_gym.agent.embedded.talk import State, Talk, day_of, is_over
from agent_gym.corpus import Corpus
from agent_gym.types import Message, ToolCall, Trace

SHOP = Catalogue(
    names={"p-1": {"name": "Sunny Mug"}},
    values={"code": {"save10": "SAVE10"}, "kind": {"cup": "cup"}},
)


def test_a_value_leaves_its_kind_and_not_its_letters():
    marks = Lexicon().marks("My new address is mia@post.example, please use it")
    assert "a email" in marks and "new" in marks
    assert not {"post", "examp", "mia"} & set(marks)


def test_what_the_business_knows_by_name_leaves_its_field():
    lexicon = Lexicon(SHOP)
    assert "the code" in lexicon.marks("put SAVE10 on it")
    assert "the name" in lexicon.marks("i want the sunny mug")
    assert not any(mark.startswith("the ") for mark in Lexicon().marks("i want the sunny mug"))


def test_a_single_plain_word_is_a_word():
    assert "the kind" not in Lexicon(SHOP).marks("a cup, please")


def test_the_day_is_the_one_that_the_instructions_name():
    assert day_of("You help. Today's date is 14 March 2025.") == "2025-03-14"
    assert day_of("Shops opened on 2019-01-02. The current time is 2024-05-15 15:00.") == "2024-05-15"
    assert day_of("Open from 2019-01-02 to 2020-02-03.") == "" == day_of("You help.")


def test_what_is_no_day_is_never_over():
    assert is_over("2020-01-01", "2025-03-14") and not is_over("2025-03-14", "2025-03-14")
    assert is_over("P-1", "2025-03-14") is None is is_over("2020-01-01", "")


def told(until: str, policy: str = "Today is 2025-03-14.") -> State:
    call = ToolCall("get_device", {"id": "D-1"}, "c")
    messages = [
        Message("system", policy),
        Message("user", "it is broken"),
        Message("assistant", tool_calls=(call,)),
        Message("tool", name="get_device", tool_call_id="c", result={"warranty_until": until, "status": "offline"}),
    ]
    return State(Talk(messages), len(messages))


def test_a_tool_answer_tells_which_of_its_days_are_over():
    assert "get_device warranty_until over" in answer_marks(told("2024-01-01"))
    assert "get_device warranty_until ahead" in answer_marks(told("2026-01-01"))
    assert not any("over" in mark or "ahead" in mark for mark in answer_marks(told("2024-01-01", "You help.")))


def test_the_policy_tells_the_day_where_the_messages_do_not():
    messages = [Message("user", "hello")]
    assert Talk(messages, policy="Today is 2025-03-14.").today == "2025-03-14"
    assert Talk([Message("system", "Today is 2024-01-01."), *messages], policy="Today is 2025-03-14.").today == (
        "2024-01-01"
    )


def test_an_agent_told_the_day_when_it_was_fitted_knows_it_in_every_talk():
    talk = (Message("user", "hello"), Message("assistant", "How can I help?"))
    fitted = EmbeddedAgent.fit(Corpus([Trace("a", talk)]), frozenset(), "Today is 2025-03-14.")
    assert fitted.record.policy == "Today is 2025-03-14."
    assert {point.state.talk.today for point in fitted.record.memory.points} == {"2025-03-14"}


def test_what_the_business_has_is_known_by_its_words_in_the_plural_too():
    assert Lexicon(SHOP).named("where are my cups?") == {("kind", "cup")}
    assert not Lexicon(SHOP).named("where is my order?") and not Lexicon().named("where are my cups?")
