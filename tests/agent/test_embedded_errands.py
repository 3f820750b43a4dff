"""What a customer wants now: where an errand begins, what is due for it, and when the customer is about to go."""

from agent_gym.agent.embedded.answers import answer_marks
from agent_gym.agent.embedded.lexicon import Lexicon
from agent_gym.agent.embedded.manner import corrects, offers_more, refuses
from agent_gym.agent.embedded.parting import Parting
from agent_gym.agent.embedded.points import points_of
from agent_gym.agent.embedded.sayings import OTHER, kinds_of_replies
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.agent.embedded.wishes import Wishes
from agent_gym.types import Json, Message, ToolCall, Trace


def user(text: str) -> Message:
    return Message("user", text)


def says(text: str) -> Message:
    return Message("assistant", text)


def called(tool: str, result: Json) -> list[Message]:
    call = ToolCall(tool, {"room": "R-1"}, tool)
    return [Message("assistant", tool_calls=(call,)), Message("tool", name=tool, tool_call_id=tool, result=result)]


def state(*messages: Message) -> State:
    return State(Talk(messages), len(messages))


TWO = [
    user("the heating in my room is off"),
    *called("heat_room", {"done": True}),
    says("It is warm now. Anything else?"),
    user("yes, the lamps in the hall are broken"),
]


def test_an_answer_to_anything_else_begins_a_new_errand():
    second = state(*TWO)
    assert second.raised and second.story == "yes, the lamps in the hall are broken"


def test_an_answer_to_any_other_question_goes_on_with_the_errand():
    first = state(user("the heating in my room is off"), says("Which room is it?"), user("it is room number twelve"))
    assert first.errand_at == 0 and not first.raised


def test_one_more_thing_begins_a_new_errand_though_nobody_asked():
    first = [user("the heating in my room is off"), says("It is off in the whole house until noon.")]
    assert state(*first, user("A pity. There's one more thing. The lamps are broken")).raised
    assert not state(*first, user("A pity, it is cold also in the hall")).raised


def test_who_turns_down_what_they_never_asked_for_begins_again():
    first = [user("the heating in my room is off"), says("Shall I switch the lamps off?")]
    assert state(*first, user("No, I never asked for that. It is cold in here, heat it")).raised
    assert not state(*first, user("No. Those in the hall of R-12")).raised


def test_a_write_of_an_earlier_errand_is_due_again_and_a_look_up_is_not():
    second = state(*TWO)
    assert second.is_due("heat_room", frozenset({"heat_room"})) and not second.is_due("heat_room", frozenset())


def test_only_the_words_of_this_errand_point_to_its_tools():
    heat = [user("so cold in here, heat it"), *called("heat_room", {}), says("Done. Anything else?")]
    light = [user("the hall is dark, lamps please"), *called("light_room", {}), says("Done. Anything else?")]
    traces = [Trace(f"c{n}", (*heat, *light, user("no that is all"))) for n in range(6)]
    wishes = Wishes([points_of(trace)[-1] for trace in traces], {}, Lexicon())
    wanted = wishes.wanted(state(*heat, user("the hall is dark, lamps please")))
    assert wanted["light_room"] > 0.5 > wanted["heat_room"]


def test_a_tool_nobody_spoke_of_is_known_by_its_name():
    traces = [Trace(f"c{n}", (user("so cold in here"), *called("heat_room", {}), says("Done."))) for n in range(6)]
    ends = [points_of(trace)[-1] for trace in traces]
    plain, named = (Wishes(ends, names, Lexicon()) for names in ({}, {"heat_room": {"heat": 1.0}}))
    asked = state(user("could you heat it"))
    assert named.wanted(asked)["heat_room"] >= plain.wanted(asked)["heat_room"]


def test_last_words_are_learned_from_the_record():
    def talk(n: int) -> Trace:
        wish = [user("hello there"), says("How can I help?"), user(f"my lamp {n} is broken")]
        return Trace(f"c{n}", (*wish, *called("mend", {}), says("Mended. Anything else?"), user("nope, cheerio")))

    parting = Parting([points_of(talk(n))[-1] for n in range(8)])
    asked = [user("hello there"), says("Mended. Anything else?")]
    assert parting.chance(state(*asked, user("cheerio"))) > parting.chance(state(*asked, user("my lamp is broken")))


def test_the_first_words_are_never_the_last():
    assert Parting([]).chance(state(user("cheerio"))) == 0.0


def test_answers_are_told_apart_by_what_is_empty_zero_or_first():
    result: Json = {"owed": 0, "outages": [], "paid_on": "2024-01-02", "due_on": "2024-03-01", "state": "open"}
    marks = answer_marks(state(user("hi"), *called("look", result)))
    told = {"look owed zero", "look outages empty", "look state open", "look paid_on before due_on"}
    assert told <= set(marks)


def test_replies_that_share_their_telling_words_are_one_kind():
    texts = ["your term ends then", "your term ends soon", "your term ends later", "nothing is owed", "hello"]
    kinds = kinds_of_replies({n: frozenset(text.split()) for n, text in enumerate(texts)})
    assert kinds[0] == kinds[1] == kinds[2] != OTHER and kinds[3] == kinds[4] == OTHER


def test_a_no_with_a_wish_behind_it_is_a_correction():
    wrong = "No, not that. I need a new lamp for the hall."
    assert corrects(wrong) and not corrects("No, thank you.") and not corrects("Yes. I need a new lamp for it.")


def test_second_thoughts_turn_a_proposal_down():
    assert refuses("You know what, I have changed my mind.") and not refuses("Yes, do it")


def test_an_offer_of_more_is_known_by_its_question():
    assert offers_more("Done. Is there anything else?") and not offers_more("Nothing else can be done.")
