"""What customers have in common: phrases of several, values of none, and whom they believe."""

from agent_gym.corpus import Corpus
from agent_gym.goals import Goal
from agent_gym.types import Message, Trace
from agent_gym.user_simulator import Crowd, mine_crowd, mine_profile
from agent_gym.user_simulator.agenda import AgendaCustomer


def booking(name: str, *said: str, outcome: str = "resolved") -> Trace:
    asked = ("What is your booking code?", "Shall I book the room?", "It has been booked. Anything else?")
    messages = [Message("user", f"I want a room with a view, it's for {name}.")]
    for question, answer in zip(asked, said, strict=True):
        messages += [Message("assistant", question), Message("user", answer)]
    return Trace(name, tuple(messages), outcome=outcome)


def crowd(*traces: Trace) -> Crowd:
    return mine_crowd(Corpus(traces))


BY_TWO = crowd(
    booking("ann", "My code is QX-118.", "Yes, sure thing!", "Thanks!"),
    booking("bob", "My code is QX-577.", "Yes, sure thing!", "Thanks!"),
    booking("eve", "It's my secret QX-900.", "Yes, by the owl!", "Thanks, owl!"),
)


def test_a_phrase_of_two_customers_is_kept_and_one_customers_is_not():
    assert BY_TWO.phrases["agree"] == ("Yes, sure thing!",)
    assert "owl" not in repr(BY_TWO)


def quiz(name: str, answer: str) -> Trace:
    said = (f"{name} wants to play.", "It howls at night.", answer, "Right you are.", f"{name} has to go, bye.")
    return Trace(name, tuple(Message("assistant" if at % 2 else "user", text) for at, text in enumerate(said)))


def test_a_word_that_acknowledges_nothing_is_no_phrase_for_others():
    answers = {"ann": "wind", "bob": "wind", "cat": "oh thanks", "dan": "oh thanks"}
    assert crowd(*(quiz(*said) for said in answers.items())).phrases["acknowledge"] == ("oh thanks",)


def test_a_frame_keeps_the_place_and_never_the_value():
    assert BY_TWO.frames["id"] == ("My code is {facts}.",)
    assert "QX" not in repr(BY_TWO)


def test_a_yes_to_one_thing_alone_is_no_phrase_for_others():
    found = crowd(*(booking(name, f"QX-{name}1", "Yes, book it!", "Thanks!") for name in ("ann", "bob")))
    assert "agree" not in found.phrases


def test_customers_believe_as_often_as_those_who_were_told_an_untruth_did():
    told = [booking(name, f"QX-{name}1", "Yes.", "Thanks!", outcome="failed") for name in ("ann", "bob", "cat")]
    doubts = [booking(name, f"QX-{name}1", "Yes.", "I see no booking!", outcome="failed") for name in ("dan", "eve")]
    assert crowd(*told).believes == 0.8
    assert crowd(*told, *doubts).believes == 4 / 7
    assert Crowd().believes == 0.5


def told_the_price(name: str, answer: str) -> Trace:
    said = ("Is my room paid?", "A room costs $80 a night. Anything else?", answer)
    talk = tuple(Message("assistant" if at % 2 else "user", text) for at, text in enumerate(said))
    return Trace(name, talk, outcome="failed")


def test_customers_settle_for_an_answer_to_another_question_as_often_as_those_of_failures_did():
    content = [told_the_price(name, "Thanks a lot.") for name in ("ann", "bob")]
    asking = [told_the_price(name, "That is not what I asked.") for name in ("cat", "dan", "eve")]
    assert crowd(*content).settles == 0.75
    assert crowd(*content, *asking).settles == 3 / 7
    profile, heard = mine_profile(content[0]), content[0].messages[:2]
    goal = Goal("ann", facts=("paid on Monday",), facts_needed=1)
    leave = [
        AgendaCustomer(profile, goal, seed, crowd=Crowd(settles=share)).reply(heard)
        for share in (1.0, 0.0)
        for seed in range(5)
    ]
    assert [reply is not None and reply.final for reply in leave] == [True] * 5 + [False] * 5


def test_a_customer_borrows_the_words_of_others_but_not_their_facts():
    profile = mine_profile(booking("zoe", "QX-333", "No.", "Bye."))
    heard = [Message("user", profile.opener), Message("assistant", "Do you agree to late payment?")]
    replies = {str(AgendaCustomer(profile, seed=n, crowd=BY_TWO).reply(heard)) for n in range(20)}
    assert not any("118" in text or "577" in text for text in replies)


def test_a_customer_of_another_language_prefers_the_record_to_plain_english():
    said = ("Guten Tag, mein Paket fehlt seit einer Woche und niemand antwortet mir", "Paketnummer PX-55 bitte")
    profile = mine_profile(
        Trace(
            "de",
            (
                Message("user", said[0]),
                Message("assistant", "Wie lautet die Nummer?"),
                Message("user", said[1]),
            ),
        )
    )
    assert profile.persona.foreign
    heard = [Message("user", said[0]), Message("assistant", "Haben Sie einen Beleg?")]
    assert AgendaCustomer(profile).reply(heard) == Message("user", said[1])
