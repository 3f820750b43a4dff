"""Whatever a log holds, redaction keeps its shape, does the same twice, and is content with its own work."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_gym.trace_parser.redact import left_over
from agent_gym.types import Json, Message, ToolCall, Trace
from tests.trace_parser.redact.people import redactor

KEYS = st.sampled_from(
    "name first_name last_name email phone address street city zip dob date_of_birth card_number cvv ssn iban username "
    "password token customer id note status user profile full_name account_number 姓名 Vorname".split()
)
VALUES = st.one_of(
    st.sampled_from(
        [
            "Mia Garcia",
            "mia",
            "Noah Brown",
            "brown",
            "mia.garcia@mail.test",
            "4111 1111 1111 1111",
            "555-867-5309",
            "1958-02-17",
            "12 Elm Street",
            "46229",
            "4821",
            "DE89 3704 0044 0532 0130 00",
            "536-90-4399",
            "hunter2",
            "王小明",
            "#W5490111",
            "I'm Anna.",
            "my zip is 46229",
            "born 17 Feb 1958",
            "ANNA",
            "San Jose",
            "mgarcia",
            "81.2.69.142",
            "x",
            "",
            "Jr.",
            "O'Neill-Smith",
        ]
    ),
    st.text(max_size=12),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
JSON = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=8
)


@st.composite
def traces(draw: st.DrawFn) -> list[Trace]:
    found = []
    for n in range(draw(st.integers(1, 3))):
        arguments = draw(st.dictionaries(KEYS, JSON, max_size=4))
        said = " ".join(str(value) for value in draw(st.lists(VALUES, max_size=4)))
        call = Message("assistant", tool_calls=(ToolCall("look_up", arguments, "1"),))
        answer = Message("tool", name="look_up", tool_call_id="1", result=draw(JSON))
        found.append(Trace(f"c{n}", (Message("user", said), call, answer)))
    return found


def shape(value: Json) -> Json:
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    return [shape(item) for item in value] if isinstance(value, list) else type(value)


@given(traces())
@settings(max_examples=60, deadline=None)
def test_a_redacted_log_keeps_its_shape_and_passes_its_own_scan(log: list[Trace]):
    made, again = redactor(log), redactor(log)
    for trace in log:
        out = made.trace(trace)
        assert shape(out.to_dict()) == shape(trace.to_dict()) and out == again.trace(trace)
        assert not left_over(made, out.to_dict())
