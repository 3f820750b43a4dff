"""Every part of a reply's score: one reply that it raises, one that it lowers."""

from agent_gym.reward.reply import context_messages, reply_of
from agent_gym.reward.reply_parts import REPLY_PARTS

TRUTH = "Your refund of $25.00 for order #W123 was issued on March 3rd, Mia Garcia."


def raw(part: str, response: str, truth: str = TRUTH, context: str | None = None, exact: bool = True) -> float | None:
    found = REPLY_PARTS[part](reply_of(response, truth, exact, context_messages(context)))
    return None if found is None else found.raw


def sure(part: str, response: str, truth: str = TRUTH, context: str | None = None) -> float:
    found = raw(part, response, truth, context)
    assert found is not None
    return found


def test_similarity_raises_a_paraphrase_over_another_topic():
    paraphrase = "Mia Garcia, I issued the $25 refund for order W123 on 3 March."
    assert sure("similarity", paraphrase) > 0.5 > 0.1 > sure("similarity", "The weather is nice today.")


def test_quality_lowers_a_heap_of_words():
    assert raw("quality", TRUTH) == 1.0
    assert sure("quality", "refund order issued visa money back account card plan price month total") < 1.0
    assert sure("quality", "refund " * 20) < 1.0


def test_quality_lowers_machinery():
    assert sure("quality", '{"tool_calls": []}') < 1.0


def test_facts_take_other_spellings_of_the_same_values():
    assert raw("facts", "mia garcia got 25 USD back for w123 on 3 March") == 1.0


def test_facts_lower_a_changed_value_more_than_a_missing_one():
    missing = sure("facts", TRUTH.replace("of $25.00 ", ""))
    assert sure("facts", TRUTH.replace("25.00", "52.00")) < 0.5 < missing < 1.0


def test_facts_allow_what_the_customer_said():
    assert raw("facts", TRUTH + " It was paid by card 99887.", context="I paid with card 99887") == 1.0


def test_facts_without_the_right_answer_ask_where_a_value_comes_from():
    assert raw("facts", "You paid $25.", context="I paid $25.", exact=False) == 1.0
    assert raw("facts", "You paid $26.", context="I paid $25.", exact=False) == 0.0


def test_polarity_lowers_a_negation():
    assert raw("polarity", "The refund was issued, Mia Garcia, on March 3rd: $25.00 for order #W123.") == 1.0
    assert raw("polarity", TRUTH.replace("was issued", "was not issued")) == 0.0
    assert raw("polarity", "That is impossible today.", "That is possible today.") == 0.0


def test_polarity_takes_two_ways_to_deny():
    assert raw("polarity", "We can't refund this order.", "We cannot refund this order.") == 1.0


def test_swaps_lower_an_exchanged_word_and_an_exchanged_name_more():
    name, word = sure("swaps", TRUTH.replace("Mia", "Tom")), sure("swaps", TRUTH.replace("issued", "denied"))
    assert name < word < 1.0
    assert raw("swaps", TRUTH.replace("was", "is")) == 1.0


def test_swaps_lower_jumbled_words():
    assert sure("swaps", "issued March Garcia W123 refund for Mia 25.00 on order was of your 3rd") < 0.5


def test_echo_lowers_what_only_repeats_the_customer():
    context = "I would like to get my money back for the broken lamp"
    assert raw("echo", TRUTH, context=context) == 1.0
    assert raw("echo", context, context=context) == 0.0
