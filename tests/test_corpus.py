"""The corpus: what ended well, who is one customer, and which side of the split they are on."""

import pytest

from agent_gym.corpus import Corpus, opener, succeeded
from agent_gym.errors import AgentGymError, OptionError, TraceError, UnknownConversation
from agent_gym.types import Json, Message, Trace

WORDS = "amber birch cedar dune ember fjord grove heath islet jetty knoll lagoon".split()


def trace(conversation_id: str, says: str = "", outcome: str | None = "resolved", **metadata: Json) -> Trace:
    said = says or f"a question about {conversation_id}"
    return Trace(conversation_id, (Message("user", said), Message("assistant", "done")), outcome, metadata=metadata)


def many(n: int = 50) -> list[Trace]:
    return [trace(f"c{i}", f"{WORDS[i % 12]} {WORDS[i % 7]} number {i}") for i in range(n)]


def held_out(corpus: Corpus) -> set[str]:
    return {t.conversation_id for t in corpus.test}


@pytest.mark.parametrize(
    ("outcome", "means"),
    [("resolved", True), (" Resolved ", True), ("SUCCESS", True), ("escalated", False), ("abandoned", False)],
)
def test_outcome_words_mean_success_or_failure(outcome, means):
    assert succeeded(trace("a", outcome=outcome)) is means


@pytest.mark.parametrize("outcome", [None, "", "who knows"])
def test_an_outcome_that_says_nothing_decides_nothing(outcome):
    assert succeeded(trace("a", outcome=outcome)) is None


def test_labels_can_be_given():
    assert succeeded(trace("a", outcome="sold"), {"sold": True}) is True


def test_the_opener_is_the_customers_first_words():
    greeted = Trace("a", (Message("assistant", "welcome"), Message("user", "first"), Message("user", "second")))
    assert (opener(greeted), opener(Trace("b", (Message("assistant", "hi"),)))) == ("first", "")


def test_without_a_fraction_everything_is_train():
    corpus = Corpus(many())
    assert (len(corpus.train), corpus.test, corpus.split("c0")) == (50, (), "train")


@pytest.mark.parametrize("fraction", [0.1, 0.2, 0.5, 0.9])
def test_the_fraction_is_respected(fraction):
    corpus = Corpus(many(), test_fraction=fraction)
    assert len(corpus.test) == round(50 * fraction)
    assert {t.conversation_id for t in corpus.train} | held_out(corpus) == {t.conversation_id for t in corpus}
    assert all(corpus.split(conversation_id) == "test" for conversation_id in held_out(corpus))


def test_the_split_depends_on_the_seed_alone():
    first, again, other = (held_out(Corpus(many(), test_fraction=0.3, seed=seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert held_out(Corpus(reversed(many()), test_fraction=0.3, seed=1)) == first


@pytest.mark.parametrize("key", ["customer_id", "user_id", "account_id", "task_id", "case_id"])
def test_conversations_of_one_customer_or_case_are_on_one_side(key):
    corpus = Corpus([trace(f"c{i}", "", "resolved", **{key: i // 4}) for i in range(40)], test_fraction=0.3)
    sides = [{corpus.split(f"c{i}") for i in range(first, first + 4)} for first in range(0, 40, 4)]
    assert all(len(side) == 1 for side in sides)
    assert {"test"} in sides


def test_conversations_in_the_same_words_are_on_one_side():
    corpus = Corpus([trace(f"c{i}", f"Where is my {WORDS[i // 2]}?!") for i in range(20)], test_fraction=0.5)
    assert all(corpus.split(f"c{i}") == corpus.split(f"c{i + 1}") for i in range(0, 20, 2))


def test_customers_who_said_nothing_are_not_one_customer():
    corpus = Corpus([Trace(f"c{i}", (Message("assistant", "hi"), Message("user", "…"))) for i in range(4)])
    assert len(set(corpus.groups.values())) == 4


@pytest.mark.parametrize("mark", ["ann{}@mail.example", "account AC-900{}", "call 555-612-307{}"])
def test_who_says_the_same_of_themselves_is_one_customer(mark):
    traces = [trace(f"c{i}", f"{WORDS[i]} please, {mark.format(i // 2)}") for i in range(12)]
    corpus = Corpus(traces, test_fraction=0.5)
    assert all(corpus.groups[f"c{i}"] == corpus.groups[f"c{i + 1}"] for i in range(0, 12, 2))
    assert len(set(corpus.groups.values())) == 6


def test_what_everybody_says_makes_nobody_one_customer():
    corpus = Corpus([trace(f"c{i}", f"{WORDS[i]}: the promotion SUMMER24") for i in range(12)])
    assert len(set(corpus.groups.values())) == 12


def test_large_groups_do_not_leave_the_test_split_empty():
    corpus = Corpus([trace(f"c{i}", customer_id=i % 2) for i in range(10)], test_fraction=0.2)
    assert len(corpus.test) == 5
    uneven = Corpus([trace(f"c{i}", customer_id=min(i, 3)) for i in range(10)], test_fraction=0.01)
    assert len(uneven.test) == 1


def test_one_group_alone_cannot_be_split():
    with pytest.raises(AgentGymError, match="all 5 conversations"):
        Corpus([trace(f"c{i}", customer_id=1) for i in range(5)], test_fraction=0.2)


@pytest.mark.parametrize("fraction", [-0.1, 1.0, 1.5, float("nan")])
def test_a_fraction_must_leave_something_to_learn_from(fraction):
    with pytest.raises(OptionError, match="test_fraction"):
        Corpus(many(3), test_fraction=fraction)


def test_an_unknown_id_is_told_with_what_was_meant():
    with pytest.raises(UnknownConversation, match="did you mean 'chat-0012'") as error:
        Corpus([trace("chat-0012"), trace("other")])["chat-0013"]
    assert (error.value.conversation_id, error.value.near) == ("chat-0013", ("chat-0012",))


def test_an_id_that_occurs_twice_is_refused():
    with pytest.raises(TraceError, match="'a' occurs twice"):
        Corpus([trace("a"), trace("b"), trace("a")])


def test_successes_are_of_the_train_split_only():
    traces = [trace(f"c{i}", outcome="resolved" if i % 2 else "failed") for i in range(40)]
    corpus = Corpus(traces, test_fraction=0.5)
    assert {t.conversation_id for t in corpus.successes} == {
        t.conversation_id for t in corpus.train if t.outcome == "resolved"
    }


def test_similar_never_returns_a_test_conversation_nor_a_failure():
    traces = [
        trace(f"c{i}", f"cancel my plan {WORDS[i % 12]} {i}", "resolved" if i % 3 else "failed") for i in range(40)
    ]
    corpus = Corpus(traces, test_fraction=0.5)
    found = {t.conversation_id for t, _ in corpus.similar("cancel my plan", k=40)}
    assert found == {t.conversation_id for t in corpus.successes}


def test_similar_leaves_out_whom_it_is_told_to():
    corpus = Corpus([trace("a", "cancel my plan"), trace("b", "cancel my plan now"), trace("c", "hello")])
    assert [t.conversation_id for t, _ in corpus.similar("cancel my plan", k=2)] == ["a", "b"]
    assert [t.conversation_id for t, _ in corpus.similar("cancel my plan", k=2, exclude=["a"])] == ["b"]


def test_the_mates_of_a_case_are_successes_without_itself():
    traces = [
        trace(name, name * 9, outcome, task_id=7) for name, outcome in [("a", "failed"), ("b", "pass"), ("c", "pass")]
    ]
    corpus = Corpus([*traces, trace("d", task_id=8)])
    assert [t.conversation_id for t in corpus.successes_of_case(corpus["a"])] == ["b", "c"]
    assert [t.conversation_id for t in corpus.successes_of_case(corpus["b"])] == ["c"]
    assert corpus.successes_of_case(corpus["d"]) == ()
