"""A model words what the customer has decided to say: it may say it otherwise, never more and never else."""

import pytest

from agent_gym.errors import LlmError, LlmUnavailable, OptionError
from agent_gym.types import Message
from agent_gym.user_simulator import Noise, make_user
from tests.llm.loopback import KEY, Answer, Loopback
from tests.user_simulator.test_agenda_customer import GOAL, TRACE, heard

ASKED = heard("Could you tell me your membership number?")
CONFIRM = heard("I'll send the receipt to kira@example.org. Is that correct?")


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for variable in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "AGENT_GYM_OFFLINE", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)


def gemini(text: str) -> Answer:
    return Answer(200, {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]})


def openai(text: str) -> Answer:
    message = {"role": "assistant", "content": text}
    return Answer(
        200,
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        },
    )


def spoken(
    monkeypatch: pytest.MonkeyPatch, answer: Answer, messages: list[Message], kind: str = "openai:m"
) -> tuple[str, Loopback]:
    with Loopback(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.address)
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        reply = make_user(TRACE, kind, goal=GOAL).reply(messages)
    assert reply is not None
    return reply.text, server


def test_the_models_words_are_spoken_where_they_say_the_same(monkeypatch):
    assert spoken(monkeypatch, openai("Sure thing, MB-4471 it is."), ASKED)[0] == "Sure thing, MB-4471 it is."
    assert spoken(monkeypatch, gemini("It is MB-4471, thanks."), ASKED, "gemini:g")[0] == "It is MB-4471, thanks."


@pytest.mark.parametrize(
    "words",
    [
        "It is MB-4472.",  # another value
        "Sure, one moment.",  # the value is gone
        "MB-4471, and my email is kira@example.org.",  # a fact that nobody asked for
        "MB-4471. I also want to sell an old trailer for 300 dollars.",  # an amount from nowhere
        "",
        "MB-4471 " + "and so on " * 60,
    ],
)
def test_words_that_say_more_or_other_are_not_spoken(monkeypatch, words):
    plain = make_user(TRACE, "agenda", goal=GOAL).reply(ASKED)
    assert plain is not None and spoken(monkeypatch, openai(words or " "), ASKED)[0] == plain.text


def test_a_yes_is_not_turned_into_a_no(monkeypatch):
    plain = make_user(TRACE, "agenda", goal=GOAL).reply(CONFIRM)
    assert plain is not None and spoken(monkeypatch, openai("No, that is wrong."), CONFIRM)[0] == plain.text
    assert spoken(monkeypatch, openai("Yep, that's the one."), CONFIRM)[0] == "Yep, that's the one."


def test_the_model_is_not_told_what_the_customer_has_not_said_yet(monkeypatch):
    _, server = spoken(monkeypatch, openai("MB-4471."), ASKED)
    sent = str(server.received[0].body)
    assert "MB-4471" in sent
    assert "kira" not in sent and "trailer" not in sent and "LOYALTY" not in sent


def test_a_model_that_fails_is_an_error_of_its_own(monkeypatch):
    with pytest.raises(LlmError):
        spoken(monkeypatch, Answer(400, {"error": {"message": "no"}}), ASKED)


def test_offline_there_is_no_such_customer(monkeypatch):
    monkeypatch.setenv("AGENT_GYM_OFFLINE", "1")
    with pytest.raises(LlmUnavailable):
        make_user(TRACE, "llm", goal=GOAL).reply(ASKED)


def test_a_recording_cannot_be_made_difficult():
    with pytest.raises(OptionError, match="cannot change a recording"):
        make_user(TRACE, "replay", goal=GOAL, noise=Noise(typos=0.5))
