"""Customers held against conversations they have not seen: what counts as right, as a leak, as told apart."""

import pytest

from agent_gym.environment import Environment, create_environment
from agent_gym.fidelity.free_running import compare_manners, copied, told_apart
from agent_gym.fidelity.user_baselines import BASELINES, RecordedTurns
from agent_gym.fidelity.users import Foretold, Reply, foretell, measure_users, own_values, real_turns, summary
from agent_gym.types import Message, Trace

ASKED = ("Which locker number is it?", "Which colour is the bag?", "Your bag is on its way. Anything else?")
SAID = ("I left my bag in a locker.", "Locker LK-204.", "It's green.", "No, that's all, bye.")


def lost_bag(name: str, *said: str, secret: str = "Never mention depot DP-9.") -> Trace:
    messages = [Message("system", secret), Message("user", said[0])]
    for question, answer in zip(ASKED, said[1:], strict=False):
        messages += [Message("assistant", question), Message("user", answer)]
    return Trace(name, tuple(messages), outcome="resolved")


@pytest.fixture(scope="module")
def environment() -> Environment:
    return create_environment([lost_bag("bag-1", *SAID)], agent="embedded")


def test_a_customer_led_through_its_own_words_says_them(environment: Environment):
    found = measure_users(environment, [("bag-1", lost_bag("other", *SAID))])
    assert (found.turns, found.fact_f1, found.stops.value, found.acts.value) == (3, 1.0, 1.0, 1.0)
    assert found.leaks.value == 0.0


def test_what_the_customer_cannot_know_is_a_leak(environment: Environment):
    class Gossip(RecordedTurns):
        def reply(self, *_: object) -> Message:
            return Message("user", "Is it at DP-9? Mine is LK-204.")

    gossip = Gossip(environment.corpus["bag-1"], BASELINES["random turn"])
    [rows] = foretell(environment, "bag-1", lost_bag("other", *SAID), [gossip])
    assert [row.leaks for row in rows] == [{"dp-9"}] * 3
    assert summary([rows]).leaks.value == 1.0


def test_the_real_customer_leaves_with_its_last_words_or_after_them():
    spoken = lost_bag("t", *SAID)
    silent = Trace("t", (*spoken.messages, Message("assistant", "Goodbye!")))
    assert [reply.leaves for _, reply in real_turns(spoken)] == [False, False, True]
    assert [(r.text, r.leaves) for _, r in real_turns(silent)][-2:] == [(SAID[3], False), ("", True)]


def test_a_value_that_the_agent_said_first_is_not_the_customers_own():
    heard = Trace(
        "t", (Message("user", "Hi"), Message("assistant", "Is it LK-204?"), Message("user", "LK-204, or LK-7"))
    )
    assert own_values(heard) == {"lk-7"}


def test_facts_nobody_asked_for_are_counted_on_both_sides():
    row = Foretold(Reply("It is LK-1.", False), Reply("Take LK-1 and LK-2.", False), False, frozenset(), frozenset())
    found = summary([[row]])
    assert (found.volunteered.n, found.volunteered_really.n) == (2, 1)
    assert found.volunteered.value == 1.0


def test_the_baselines_say_recorded_turns_and_leave_where_the_record_ends(environment: Environment):
    past = [Message("user", SAID[0]), Message("assistant", ASKED[1])]
    turns = {name: RecordedTurns(environment.corpus["bag-1"], choose) for name, choose in BASELINES.items()}
    replies = {name: user.reply(past) for name, user in turns.items()}
    assert replies["replay by index"] == Message("user", SAID[1])
    assert replies["nearest turn (TF-IDF)"] == Message("user", SAID[2])
    last = turns["replay by index"].reply([*past, Message("user", "a"), *past[1:], Message("user", "b"), *past[1:]])
    assert last is not None and last.final


def test_the_same_turns_cannot_be_told_apart_and_other_words_can():
    real = [["hi", f"the red one number {n}", "yes please do"] for n in range(10)]
    other = [["hi", f"kindly supply item {n}", "affirmative proceed"] for n in range(10)]
    assert told_apart(real, real) == pytest.approx(0.5)
    assert told_apart(real, other) > 0.95


def test_manners_are_compared_turn_by_turn_and_word_by_word():
    found = compare_manners([["one two", "three"]], [["one two", "three", "one two three four five six"]])
    assert found.turns == (2.0, 3.0) and found.turns_distance == 1.0
    assert found.short[0] == 1.0 and found.short[1] == pytest.approx(2 / 3)


def test_a_copied_turn_is_one_of_the_customers_own_record():
    assert copied([["hi", "green", "blue"]], [["hi", "green"]]) == 0.5
