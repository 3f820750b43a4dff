"""What a survey counts while conversations stream by."""

import pytest

from agent_gym.trace_parser import Reading, Reject
from agent_gym.trace_parser.survey import Survey
from agent_gym.trace_parser.tongues import language_of
from agent_gym.types import Message, ToolCall, Trace


def surveyed(*traces: Trace) -> Survey:
    survey = Survey()
    for trace in traces:
        survey.add(trace)
    return survey


def called(error: bool = False, answered: bool = True) -> Trace:
    call = Message("assistant", tool_calls=(ToolCall("refund", {}, "1"),))
    result = (Message("tool", name="refund", tool_call_id="1", is_error=error),) if answered else ()
    return Trace("c", (Message("user", "please refund my order, thanks"), call, *result))


def test_errors_and_lost_results_are_counted_by_tool():
    use = surveyed(called(), called(error=True), called(answered=False)).tools["refund"]
    assert (use.calls, use.errors, use.unanswered) == (3, 1, 1)


def test_a_log_that_says_no_outcome_is_told_how_to_join_one():
    causes = {problem.cause: problem.fix for problem in surveyed(called()).problems()}
    assert "--labels" in causes["no conversation says how it ended"]


def test_reasons_that_differ_in_a_value_are_one_cause():
    survey = Survey()
    for n in (1, 2, 3):
        survey.refuse(Reject("log", n, f"conversation_id 'c{n}' was read before, at log:{n}", "leave one out"))
    (problem,) = survey.problems(Reading())
    assert (problem.count, problem.where, problem.fix) == (3, "log:1", "leave one out")


@pytest.mark.parametrize(
    "metadata",
    [
        {"started_at": "2025-03-14T07:02:34"},
        {"info": {"createdAt": "2025-03-14 07:02:34"}},
        {"created": 1741935754},
        {"time": 1741935754000},
    ],
)
def test_dates_are_found_by_their_form(metadata: dict[str, object]):
    assert surveyed(Trace("c", (Message("user", "hi"),), metadata=metadata)).first == "2025-03-14T07:02:34"


def test_other_numbers_are_no_dates():
    assert surveyed(Trace("c", (), metadata={"time": 12.5, "at": 3, "order": 1741935754})).first is None


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I would like to return this"),
        ("de", "ich kann mich nicht anmelden, bitte"),
        ("es", "hola, quiero cambiar mi pedido"),
        ("ru", "здравствуйте, где мой заказ"),
        ("ja", "注文をキャンセルしたいです"),
        ("zh", "我想退货"),
        ("?", "ok"),
        ("fr", "bonjour je veux une facture"),
    ],
)
def test_languages_are_told_by_script_or_by_frequent_words(code: str, text: str):
    assert language_of(text) == code
