"""Signs read off a conversation alone: each raised by one conversation and lowered by another, by no agent's words."""

import numpy as np

from agent_gym.goals import Goal
from agent_gym.keeping import read_json, written_json
from agent_gym.reward.conversation import Conversation, look_at
from agent_gym.reward.finding import Finding
from agent_gym.reward.learning import Witness
from agent_gym.reward.model import Row
from agent_gym.reward.signs import COUNTED, Lessons, Signs, Terms
from agent_gym.reward.signs.bag import Bag
from agent_gym.types import Message, ToolCall, Trace

TOOLS = Goal("", write_tools=frozenset({"cancel"}), end_tools=frozenset({"hand_over"}))


def talk(*messages: Message) -> Conversation:
    return look_at(messages, TOOLS, Trace("", ()), None)


def says(text: str) -> Message:
    return Message("user", text)


def calls(name: str, result: str = "ok", *, is_error: bool = False, **arguments: str) -> tuple[Message, Message]:
    call = ToolCall(name, arguments, "1")
    return Message("assistant", None, (call,)), Message("tool", None, (), name, "1", result, is_error)


def raw(sign: str, *messages: Message) -> float:
    found = COUNTED[sign](talk(*messages))
    assert found is not None
    return found.raw


def test_a_turn_knows_the_most_that_was_done_on_it():
    turns = talk(says("look"), *calls("find"), *calls("cancel"), says("and?"), Message("assistant", "Done.")).turns
    assert [turn.deed for turn in turns] == ["written", "nothing done"]
    assert talk(says("look"), *calls("cancel", is_error=True)).turns[0].in_vain


def test_a_refusal_nobody_got_past_lowers():
    refused, granted = calls("cancel", is_error=True, id="1"), calls("cancel", id="2")
    assert raw("refusals", says("cancel it"), *refused) < 1.0
    assert raw("refusals", says("cancel it"), *refused, *granted) == 1.0


def test_turns_that_led_to_nothing_lower():
    assert raw("idle", says("cancel it"), says("yes"), says("hello?")) < raw(
        "idle", says("cancel it"), *calls("cancel")
    )


def test_the_same_call_again_lowers():
    assert raw("circles", *calls("find", id="1"), *calls("find", id="1")) < 1.0
    assert raw("circles", *calls("find", id="1"), *calls("find", id="2")) == 1.0


def test_a_customer_who_has_to_say_it_again_lowers():
    asked = says("please cancel my order of shoes")
    assert raw("insistence", asked, asked) == 0.0
    assert raw("insistence", asked, says("now something else entirely, my address")) > 0.9


def labelled() -> Signs:
    """Customers who agree and get it done, or agree and get nothing; tools that confirm, or that turn them down."""
    good = talk(says("hello"), says("yes please"), *calls("cancel", '{"status": "confirmed"}'))
    bad = talk(says("hello"), says("yes please"), *calls("find", '{"status": "sold out"}'), says("never mind"))
    talks = [good, bad] * 20
    return Lessons.of(map(Terms.of, talks)).signs(np.array([True, False] * 20), np.arange(40))


def test_numbered_terms_are_told_the_same_as_the_conversation_itself():
    signs, talks = labelled(), [talk(says("yes please"), *calls("cancel", '{"status": "confirmed"}')), talk()]
    for one, raws in zip(talks, Lessons.of(map(Terms.of, talks)).raws(signs), strict=True):
        assert raws == {name: found and found.raw for name, found in found_by(signs, one).items()}


def test_a_witness_is_the_same_after_a_journey():
    told = Terms.of(talk(says("yes please"), *calls("cancel", '{"status": "é"}')))
    witness = Witness(Row({"goal": 0.1 + 0.2, "facts": None}, True, 3, "case:1"), told)
    assert Witness.of_json(read_json(written_json(witness.to_json()))) == witness


def found_by(signs: Signs, conversation: Conversation) -> dict[str, Finding | None]:
    return {name: part(conversation) for name, part in signs.parts.items()}


def test_learned_signs_tell_what_went_well_from_what_did_not():
    signs = labelled()
    good = found_by(signs, talk(says("yes please"), *calls("cancel", '{"status": "confirmed"}')))
    bad = found_by(signs, talk(says("never mind"), *calls("find", '{"status": "sold out"}')))
    for name in ("reactions", "answers"):
        assert (up := good[name]) and (down := bad[name]) and up.raw > 0.5 > down.raw
    assert bad["reactions"] and "never" in bad["reactions"].why


def test_the_agents_words_move_no_sign():
    signs, messages = labelled(), (says("yes please"), *calls("cancel"))
    praised = (*messages, Message("assistant", "Wonderful! confirmed, yes please, all done perfectly"))
    assert found_by(signs, talk(*messages)) == found_by(signs, talk(*praised))
    assert [sign(talk(*messages)) for sign in COUNTED.values()] == [sign(talk(*praised)) for sign in COUNTED.values()]


def test_signs_survive_json_and_do_without_customers_or_tools():
    signs = labelled()
    assert Signs.from_dict(signs.to_dict()) == signs
    assert found_by(signs, talk(Message("assistant", "Hello?"))) == {"reactions": None, "answers": None}


def test_a_set_of_terms_means_the_same_in_any_order():
    bag = Bag(0.0, {"high": 1e16, "little": 1.0, "low": -1e16})
    last, first = dict.fromkeys(["high", "low", "little"]), dict.fromkeys(["little", "high", "low"])
    assert bag.probability(last.keys()) == bag.probability(first.keys()) > 0.5
