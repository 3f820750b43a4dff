"""Goals: from which conversations they come, and when they hold."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from agent_gym.corpus import Corpus
from agent_gym.goals import Goal, Goals, Told, call_key, cut_off, goal_from, goal_of
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Change, Json, Message, ToolAnswer, ToolCall, Trace, Write


@dataclass(frozen=True)
class FakeWorld:
    writes: tuple[Write, ...] = ()

    def record(self, table: str, key: str) -> None:
        return None

    def changes(self) -> Mapping[tuple[str, str, str], Json]:
        return {(c.table, c.key, c.path): c.after for write in self.writes for c in write.changes}


def said(role: str, content: str) -> Message:
    return Message.of({"role": role, "content": content})


def called(name: str, arguments: Mapping[str, Json], result: Json, is_error: bool = False) -> list[Message]:
    call = ToolCall(name, arguments, "c")
    answer = Message("tool", name=name, tool_call_id="c", result=result, is_error=is_error)
    return [Message("assistant", tool_calls=(call,)), answer]


def trace(conversation_id: str, *messages: Message, outcome: str | None = "resolved", case: int | None = None) -> Trace:
    metadata = {} if case is None else {"task_id": case}
    return Trace(conversation_id, messages, outcome, metadata=metadata)


ASK, BYE = said("user", "Please cancel subscription sub_12345, I am Ann"), said("user", "Thanks, bye.")
LOOKUP = called("get_subscription", {"id": "sub_12345"}, {"id": "sub_12345", "status": "active", "price": 19.99})
CANCELLED = {"id": "sub_12345", "status": "cancelled", "price": 19.99}
CANCEL = called("cancel_subscription", {"id": "sub_12345"}, CANCELLED)
DONE = said("assistant", "Your subscription is cancelled.")
SUCCESS = trace("ok", ASK, *LOOKUP, *CANCEL, DONE, BYE, case=1)
QUESTION = trace("asked", said("user", "What does sub_12345 cost?"), *LOOKUP, said("assistant", "It is $19.99."), BYE)


def goal(*traces: Trace, of: int = 0) -> Goal | None:
    corpus = Corpus(traces)
    return goal_of(traces[of], ToolMocker.fit(corpus), corpus)


def sure_goal(*traces: Trace, of: int = 0) -> Goal:
    found = goal(*traces, of=of)
    assert found is not None
    return found


def test_a_success_is_its_own_goal():
    found = sure_goal(SUCCESS)
    assert (found.goal_source, [w.name for w in found.writes]) == ("own", ["cancel_subscription"])
    assert found.holds(None, SUCCESS.messages)


def test_a_failure_borrows_the_goal_of_a_success_of_its_case():
    failure = trace("bad", ASK, said("assistant", "I cannot help."), outcome="failed", case=1)
    found = sure_goal(failure, SUCCESS)
    assert (found.goal_source, found.conversation_id) == ("retrieved", "ok")
    assert not found.holds(None, failure.messages)


def test_a_failure_of_another_case_has_no_goal():
    assert goal(trace("bad", ASK, DONE, outcome="failed", case=2), SUCCESS) is None


def test_an_unknown_outcome_is_no_success_where_others_are_labelled():
    assert goal(replace(SUCCESS, conversation_id="x", outcome=None, metadata={}), SUCCESS) is None


def test_without_any_label_an_ended_conversation_is_assumed_a_success():
    unlabelled = replace(SUCCESS, outcome=None)
    assert sure_goal(unlabelled).goal_source == "assumed"
    assert goal(replace(unlabelled, messages=unlabelled.messages[:5])) is None


def test_saying_it_is_not_doing_it():
    assert not sure_goal(SUCCESS).holds(None, [ASK, DONE, BYE])


def test_a_refused_write_is_no_write():
    refused = called("cancel_subscription", {"id": "sub_12345"}, "Error: not yours")
    assert not sure_goal(SUCCESS).holds(None, [ASK, *refused, DONE, BYE])


def test_a_repeated_write_breaks_the_goal():
    assert not sure_goal(SUCCESS).holds(None, [ASK, *CANCEL, *CANCEL, DONE, BYE])


def test_a_needless_write_breaks_the_goal_and_costs_progress():
    needless = called("cancel_subscription", {"id": "sub_99999"}, {"id": "sub_99999", "status": "cancelled"})
    talk = [ASK, *CANCEL, *needless, DONE, BYE]
    assert not sure_goal(SUCCESS).holds(None, talk)
    assert 0 < sure_goal(SUCCESS).progress(None, talk) < 1


def test_progress_starts_at_nothing():
    assert sure_goal(SUCCESS).progress(None, [ASK]) == 0.0
    assert sure_goal(QUESTION).progress(None, [ASK]) == 0.0


def test_a_question_is_answered_by_its_fact():
    found = sure_goal(QUESTION)
    assert found.facts == ("19.99",)
    asked = [said("user", "How much is sub_12345?"), *LOOKUP]
    assert found.holds(None, [*asked, said("assistant", "You pay 19.99 dollars a month.")])
    assert not found.holds(None, [*asked, said("assistant", "You pay 29.99 dollars a month.")])


def test_a_fact_told_without_looking_it_up_is_not_enough():
    assert not sure_goal(QUESTION).holds(None, [ASK, said("assistant", "It is $19.99.")])


def test_only_what_every_success_told_is_needed():
    chatty = said("assistant", "It is $19.99, plan AB123, renewed on 2024-05-01.")
    more = {"id": "sub_12345", "price": 19.99, "plan": "AB123", "renewed": "2024-05-01"}
    rich = trace("rich", ASK, *called("get_subscription", {"id": "sub_12345"}, more), chatty, BYE)
    mocker = ToolMocker.fit(Corpus([rich]))
    assert len(goal_from(rich, mocker, "own").news) == 3
    assert goal_from(rich, mocker, "own", [QUESTION]).facts == ("19.99",)


def test_where_nothing_was_asked_in_so_many_words_what_was_found_out_counts():
    wish = said("user", "Tell me all about sub_12345, I am Ann")
    told = trace("told", wish, *LOOKUP, said("assistant", "It is $19.99."), BYE)
    assert (sure_goal(told).facts, sure_goal(told).facts_needed) == (("19.99",), 1)


def test_what_every_success_looked_up_is_needed():
    more = called("get_bills", {"id": "sub_12345"}, {"open": 0})
    long = replace(QUESTION, messages=(QUESTION.messages[0], *more, *QUESTION.messages[1:]))
    mocker = ToolMocker.fit(Corpus([long]))
    assert len(goal_from(long, mocker, "own").reads) == 2
    assert [call.name for call in goal_from(long, mocker, "own", [QUESTION]).reads] == ["get_subscription"]


def test_what_successes_of_a_case_do_not_share_is_not_required():
    handed = [*LOOKUP, *called("transfer_to_human", {"why": "angry"}, "ok")]
    helped = [trace(f"helped {i}", ASK, *LOOKUP, DONE, BYE, case=i) for i in range(6)]
    escalated = [trace(f"handed {i}", ASK, *handed, DONE, BYE, case=i) for i in range(6)]
    mixed = Corpus([*helped, *escalated])
    assert Goals(mixed, ToolMocker.fit(mixed)).required == {"answered", "facts", "reads"}
    every = {"answered", "facts", "hand_over", "reads"}
    assert Goals(Corpus(helped), ToolMocker.fit(Corpus(helped))).required == every


def set_plan(number: int, plan: str) -> list[Message]:
    account = f"acc_{number:05d}"
    return called("set_plan", {"account": account, "plan": plan}, {"account": account, "plan": plan, "owner": "Ann"})


def get_plan(number: int, plan: str) -> list[Message]:
    account = f"acc_{number:05d}"
    return called("get_account", {"account": account}, {"account": account, "plan": plan, "owner": "Ann"})


def test_a_write_that_sets_a_field_may_be_made_again():
    wishes = [said("user", f"Please put acc_{i:05d} on the pro plan") for i in range(8)]  # of different customers
    again = [set_plan(i, "pro") if i else [] for i in range(8)]  # the tools are known by those who did
    talks = [[wish, *get_plan(i, "basic"), *set_plan(i, "pro"), *again[i], DONE, BYE] for i, wish in enumerate(wishes)]
    traces = [trace(f"t{i}", *messages) for i, messages in enumerate(talks)]
    found = sure_goal(*traces)
    assert found.holds(None, [ASK, *set_plan(0, "pro"), *set_plan(0, "pro"), DONE])
    assert not found.holds(None, [ASK, *set_plan(0, "pro"), *set_plan(0, "max"), DONE])


def test_a_fact_is_told_in_any_spelling():
    told = Told(["The total is $1,200.50, order #W12-3, due on April 4, 1992 at 3 pm. Call 555-612-3073."])
    for fact in ("1200.5", "w12-3", "1992-04-04", "15:00", "5556123073"):
        assert fact in told
    for fact in ("1200", "200.5", "w12", "12", "-1200.5", "1992-04-05"):
        assert fact not in told


def test_a_hand_over_is_wanted_where_the_success_handed_over():
    over = called("transfer_to_human", {"why": "angry"}, "ok")
    handed = trace("over", ASK, *LOOKUP, *over, BYE)
    found = sure_goal(handed)
    assert found.holds(None, [ASK, *LOOKUP, *over])
    assert not found.holds(None, [ASK, *LOOKUP, DONE, BYE])
    assert not sure_goal(QUESTION, handed).holds(None, [*QUESTION.messages, *over])


def test_writing_where_the_success_wrote_nothing_breaks_the_goal():
    found = sure_goal(QUESTION, SUCCESS)
    assert not found.holds(None, [*QUESTION.messages, *CANCEL, DONE])


def test_the_same_items_in_another_order_are_the_same_call():
    left = ToolCall("swap", {"old": ["a", "b"], "new": ["x", "y"]})
    assert call_key(left) == call_key(ToolCall("swap", {"new": ["y", "x"], "old": ["b", "a"]}))
    assert call_key(left) != call_key(ToolCall("swap", {"old": ["a", "b"], "new": ["y", "x"]}))


def test_arguments_kept_as_json_text_are_the_same_call():
    as_text = ToolCall.of({"name": "swap", "arguments": '{"old": ["a"]}'})
    assert call_key(as_text) == call_key(ToolCall("swap", {"old": ["a"]}))


def test_what_the_agent_words_itself_may_be_worded_otherwise():
    def ticket(words: str, device: str = "d1") -> list[Message]:
        return called("create_ticket", {"device": device, "text": words}, {"ticket": "T1"})

    found = sure_goal(trace("t", ASK, *ticket("customer says that nothing works at all"), DONE, BYE))
    assert found.holds(None, [ASK, *ticket("all of her devices are down since today"), DONE])
    assert not found.holds(None, [ASK, *ticket("customer says that nothing works at all", "d2"), DONE])


def write(arguments: Mapping[str, Json], *changes: Change) -> Write:
    return Write(ToolCall("set_plan", arguments), ToolAnswer({}, source="effect"), changes)


TO_PRO = Change("subs", "s1", "plan", "basic", "pro")
TO_BASIC = Change("subs", "s1", "plan", "pro", "basic")
PLAN = Goal(
    "p",
    writes=(ToolCall("set_plan", {"id": "s1", "plan": "pro"}),),
    changes={("subs", "s1", "plan"): "pro"},
    records_known=True,
    write_tools=frozenset({"set_plan"}),
)


def test_another_way_to_the_same_records_reaches_the_goal():
    first = write({"id": "s1", "plan": "max"}, Change("subs", "s1", "plan", "basic", "max"))
    second = write({"id": "s1", "plan": "pro"}, Change("subs", "s1", "plan", "max", "pro"))
    assert PLAN.holds(FakeWorld((first, second)), [ASK, DONE])


def test_a_write_that_no_record_shows_in_full_proves_nothing():
    hidden = write({"id": "s1", "price": 5}, TO_PRO)
    assert not PLAN.holds(FakeWorld((hidden,)), [ASK, DONE])


def test_what_is_changed_back_is_not_changed():
    there, back = write({"id": "s1", "plan": "pro"}, TO_PRO), write({"id": "s1", "plan": "basic"}, TO_BASIC)
    assert not PLAN.holds(FakeWorld((there, back)), [ASK, DONE])
    assert PLAN.holds(FakeWorld((there,)), [ASK, DONE])


def test_a_goal_that_asks_for_nothing_never_holds():
    small_talk = sure_goal(trace("hi", said("user", "Hello"), said("assistant", "Hello!")))
    assert not small_talk.checkable
    assert not small_talk.holds(None, [said("user", "Hello"), said("assistant", "Hello!")])


def test_a_conversation_that_ends_in_a_tool_answer_is_cut_off():
    assert cut_off(SUCCESS.messages[:5])
    assert cut_off([ASK])
    assert not cut_off(SUCCESS.messages)


def test_what_is_said_beside_a_call_was_not_told_where_the_turn_has_other_words():
    lookup = ToolCall("lookup", {"id": "7"}, "a")
    aside = Message("assistant", "The fee is $45.00.", (lookup,))
    found = Message("tool", name="lookup", tool_call_id="a", result={"fee": 45.0})
    goal = Goal("g", facts=("45",), facts_needed=1)
    question = Message("user", "What is the fee?")
    assert not goal.holds(None, [question, aside, found, Message("assistant", "Good day.")])
    assert goal.holds(None, [question, aside, found, Message("assistant", "It is $45.00.")])


def test_a_read_about_nothing_in_common_is_no_progress():
    found, garbage = sure_goal(QUESTION), called("get_subscription", {"id": "tell me all"}, {"id": None})
    assert found.progress(None, [ASK, *LOOKUP]) == 0.5
    assert found.progress(None, [ASK, *garbage]) == 0.0


def test_to_give_back_what_the_customer_said_tells_nothing():
    found, echo = sure_goal(QUESTION), said("user", "Is it 19.99?")
    assert found.holds(None, [ASK, *LOOKUP, said("assistant", "It is $19.99."), echo])
    assert not found.holds(None, [echo, *LOOKUP, said("assistant", "It is $19.99.")])


TOO = said("user", "Is the line down in my street, too?")
OUTAGE = called("check_outage", {"zip": "30466"}, {"reason": "Storm damage", "until": "23:30"})
STORM = said("assistant", "Yes: storm damage, until 23:30.")
BOTH = trace("both", ASK, *LOOKUP, *CANCEL, DONE, TOO, *OUTAGE, STORM, BYE)


def test_a_look_up_that_led_to_nothing_but_words_was_a_question():
    assert sure_goal(BOTH).answers == {"check_outage": ("23:30", "storm damage")}


def test_a_look_up_that_led_to_a_further_call_was_a_means():
    found = called("find_customer", {"name": "Ann"}, {"subscription": "sub_77777", "since": "2019"})
    cancel = called("cancel_subscription", {"id": "sub_77777"}, {"id": "sub_77777", "status": "cancelled"})
    told = said("assistant", "You have been with us since 2019. Your subscription is cancelled.")
    assert sure_goal(trace("found", said("user", "I am Ann, cancel."), *found, *cancel, told)).answers == {}


def test_who_does_the_deed_and_leaves_the_question_open_has_not_reached_the_goal():
    goal, deed = sure_goal(BOTH), [ASK, *LOOKUP, *CANCEL, DONE, TOO]
    assert not goal.holds(None, [*deed, said("assistant", "Anything else?"), BYE])
    assert goal.holds(None, [*deed, *OUTAGE, said("assistant", "Yes, it is."), BYE])


def test_a_value_worked_out_without_looking_is_a_guess_unless_all_of_it_is_told():
    goal, deed = sure_goal(BOTH), [ASK, *LOOKUP, *CANCEL, DONE, TOO]
    assert not goal.holds(None, [*deed, said("assistant", "Yes, a planned repair, until 23:30."), BYE])
    assert goal.holds(None, [*deed, said("assistant", "Storm damage, and it should end at 23:30."), BYE])


def test_questions_that_other_successes_of_the_case_left_open_are_not_asked_for():
    corpus = Corpus([BOTH, SUCCESS])
    mocker = ToolMocker.fit(corpus)
    assert goal_from(BOTH, mocker, "own", [SUCCESS]).answers == {}
    pairs = [(replace(BOTH, metadata={"task_id": n}), replace(SUCCESS, metadata={"task_id": n})) for n in range(12)]
    many = Corpus([replace(t, conversation_id=f"{t.conversation_id} {n}") for n, p in enumerate(pairs) for t in p])
    assert "answered" not in Goals(many, ToolMocker.fit(many)).required


ON_BASIC, ON_PRO, ON_MAX = ({"id": "sub_12345", "plan": plan} for plan in ("basic", "pro", "max"))
PLAN_NOW = called("get_plan", {"id": "sub_12345"}, ON_BASIC)
DETOUR = called("set_plan", {"id": "sub_12345", "plan": "pro"}, ON_PRO)
ARRIVAL = called("set_plan", {"id": "sub_12345", "plan": "max"}, ON_MAX)
WISH, PLAIN = said("user", "Put sub_12345 on max, please."), said("assistant", "Done.")
STRAIGHT = trace("straight", WISH, *PLAN_NOW, *ARRIVAL, PLAIN, BYE)
BY_A_DETOUR = trace("detour", WISH, *PLAN_NOW, *DETOUR, PLAIN, WISH, *ARRIVAL, PLAIN, BYE)


def test_what_the_success_has_set_anew_is_not_required():
    found = sure_goal(BY_A_DETOUR)
    assert [call.arguments["plan"] for call in found.writes] == ["max"]
    assert found.holds(None, STRAIGHT.messages) and found.holds(None, BY_A_DETOUR.messages)


def test_a_write_that_a_required_one_has_undone_does_no_harm():
    found = sure_goal(STRAIGHT)
    assert found.holds(None, BY_A_DETOUR.messages)
    assert not found.holds(None, [WISH, *ARRIVAL, *DETOUR, PLAIN]), "the last word counts"
    other = called("set_plan", {"id": "sub_99999", "plan": "pro"}, {"id": "sub_99999", "plan": "pro"})
    assert not found.holds(None, [WISH, *other, *ARRIVAL, PLAIN]), "of another record nothing is undone"


def test_what_adds_to_a_record_is_not_undone_by_adding_once_more():
    owes = [called("charge", {"id": "a1", "amount": n}, {"id": "a1", "owed": total}) for n, total in ((5, 5), (7, 12))]
    free = called("get_account", {"id": "a1"}, {"id": "a1", "owed": 0})
    found = sure_goal(trace("twice", WISH, *free, *owes[0], *owes[1], PLAIN, BYE))
    assert len(found.writes) == 2
    assert not found.holds(None, [WISH, *owes[1], PLAIN])


def test_a_success_that_made_the_same_write_twice_allows_it_twice():
    twice = trace("twice", WISH, *PLAN_NOW, *ARRIVAL, PLAIN, WISH, *ARRIVAL, PLAIN, BYE)
    found = sure_goal(twice)
    assert not found.matched(found.deeds(None, twice.messages)).repeated
