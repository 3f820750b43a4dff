"""What a notebook shows of a trace, a rollout, a score and a measured gym: small, readable, and only text."""

from html.parser import HTMLParser

import pytest

from agent_gym.environment import Environment, play
from agent_gym.fidelity import Fidelity, measure_fidelity
from agent_gym.markup import card
from agent_gym.types import Message, PartScore, Score, Trace
from tests.environment import clinic

NASTY = "<img src=x onerror=alert(1)>\"'&\x1b\u202e"


def tags(page: str) -> set[str]:
    found: set[str] = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: found.add(tag)  # type: ignore[method-assign]  # a parser of one test
    parser.feed(page)
    return found


def test_a_trace_shows_who_said_and_called_what():
    shown = Trace.of(clinic.cancelled(1))._repr_html_()
    assert all(word in shown for word in ("c1", "resolved", "please cancel my visit", "cancel_visit(", "booked"))


def test_a_long_trace_is_cut_and_the_cut_is_counted():
    trace = Trace("long", tuple(Message("user", f"word {i} " + "x" * 5000) for i in range(500)))
    assert "… and 440 more" in trace._repr_html_() and len(trace._repr_html_()) < 100_000


def test_a_score_shows_its_parts_and_its_reasons():
    score = Score(0.25, parts=[PartScore("facts", 0.5, 1.0, "one of two told")], explanation="No success.")
    shown = score._repr_html_()
    assert all(word in shown for word in ("Score 0.250", "no success", "one of two told", "No success."))


def test_a_rollout_shows_how_it_ended_and_where_answers_came_from(desk: Environment):
    shown = play(desk.episode("c1"), desk.agent)._repr_html_()
    assert "customer left" in shown and "recorded" in shown and "success=True" in shown


@pytest.fixture(scope="module")
def measured() -> Fidelity:
    return measure_fidelity([Trace.of(trace) for trace in clinic.traces()])


def test_a_measured_gym_shows_its_figures_and_what_is_missing(measured: Fidelity):
    shown = measured._repr_html_()
    assert "exactly right on unseen calls" in shown and "does not say who answered" in shown


def test_nothing_of_a_log_becomes_an_element():
    trace = Trace(NASTY, (Message("user", NASTY), Message("tool", name=NASTY, result={NASTY: NASTY})), outcome=NASTY)
    pages = [trace._repr_html_(), Score(0.1, explanation=NASTY)._repr_html_(), card(NASTY, NASTY, [(NASTY, NASTY)])]
    assert tags("".join(pages)) == {"div", "b", "table", "tbody", "tr", "td"}
    assert not {"\x1b", "\u202e"} & set("".join(pages))
