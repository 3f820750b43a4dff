"""A judge's service on this machine, over either wire, that answers as a test tells it to."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from typing import NamedTuple

from agent_gym.llm import OpenAiModel
from agent_gym.types import Json
from tests.llm.loopback import Answer, Loopback

FENCE = re.compile(r"^(DATA-[0-9a-f]{24}) (.*)$", re.MULTILINE)


class Asked(NamedTuple):
    """What a prompt asks, read as a model would: the statement, and the lines of each attempt."""

    statement: str
    attempts: list[list[dict[str, Json]]]


Opinion = Callable[[Asked], str | None]


def read(prompt: str) -> Asked:
    [statement] = set(re.findall(r"^The statement: (.*)$", prompt, re.MULTILINE))
    marks = list(FENCE.finditer(prompt))
    texts = [(a[2], prompt[a.end() : b.start()]) for a, b in pairwise(marks)]
    parts = [(name, [json.loads(line) for line in text.splitlines() if line]) for name, text in texts]
    common = [line for name, lines in parts if name.startswith("common") for line in lines]
    return Asked(statement, [common + lines for name, lines in parts if name.startswith("attempt")])


def reply(*found: tuple[bool, str]) -> str:
    """(yes, quote) for each attempt, in the form asked for."""
    return json.dumps(
        {
            "answers": [
                {"attempt": n, "reason": "So it is.", "quote": quote, "answer": "yes" if yes else "no"}
                for n, (yes, quote) in enumerate(found, 1)
            ]
        }
    )


def honest(asked: Asked) -> str:
    """Looks for the deed in the tools' results, for words in what was said."""
    return reply(*(_looked(asked.statement, lines) for lines in asked.attempts))


def _looked(statement: str, lines: list[dict[str, Json]]) -> tuple[bool, str]:
    if "customer wrote" in statement:
        quotes = [line["said"] for line in lines if line["from"] == "customer"]
    elif "carried out" in statement:
        quotes = ['"status": "cancelled"' for line in lines if "cancelled" in str(line.get("result"))]
    else:
        quotes = ["sorry" for line in lines if line["from"] == "agent" and "sorry" in str(line.get("said")).lower()]
    return (True, quotes[0]) if quotes else (False, "")


def always_yes(asked: Asked) -> str:
    return reply(*[(True, "the request was carried out") for _ in asked.attempts])


class Service(Loopback):
    """Speaks chat completions and Gemini's format; an opinion of None is no answer at all."""

    def __init__(self, opinion: Opinion = honest) -> None:
        super().__init__(Answer(200, None))
        self.opinion = opinion

    @property
    def prompts(self) -> list[str]:
        return [_prompt(received.body) for received in self.received]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = self.received[-1].body
        said = self.opinion(read(_prompt(body)))
        self.answers[:] = [Answer(200, None if said is None else _wire(said, "contents" in body))]
        super().answer(handler)


def _prompt(body: Json) -> str:
    text = body["contents"][-1]["parts"][0]["text"] if "contents" in body else body["messages"][-1]["content"]
    return str(text)


def _wire(said: str, gemini: bool) -> Json:
    if gemini:
        return {"candidates": [{"content": {"parts": [{"text": said}]}, "finishReason": "STOP"}]}
    usage = {"prompt_tokens": 90, "completion_tokens": 10}
    return {"choices": [{"message": {"content": said}}], "usage": usage}


@contextmanager
def serving(opinion: Opinion = honest) -> Iterator[tuple[Service, OpenAiModel]]:
    """A service, and a model that asks it through the real SDK."""
    with Service(opinion) as service:
        model = OpenAiModel("judge", service.address, attempts=1)
        yield service, model
        model.close()
