"""Recorded conversations in, a bounded text out that shows a model how such cases were handled."""

import json
from collections.abc import Iterable, Iterator
from importlib import resources

from agent_gym.corpus import Corpus
from agent_gym.types import Json, Message, Trace

__all__ = ["demonstrations", "prompt"]

_LINE = 400  # characters of one message or result: enough for words, too few for a catalogue
_EXAMPLE = 4000  # characters of one conversation
_SAME = 0.9  # an opener this near is the very case at hand: its conversation would give the answer away


def prompt(name: str) -> str:
    """One of the texts that models are given, by the name of its file."""
    return resources.files("agent_gym.agent").joinpath("prompts", f"{name}.txt").read_text("utf-8").strip()


def demonstrations(corpus: Corpus, opener: str, k: int) -> str:
    """The k successful conversations most like one that opens so, with a word on what they are."""
    # As many again are looked at, because those of the case at hand are left out.
    near = [trace for trace, likeness in corpus.similar(opener, 2 * k + 2) if likeness < _SAME][:k]
    examples = [f"## Example {number}\n{_example(trace)}" for number, trace in enumerate(near, 1)]
    return "\n\n".join([prompt("demonstrations"), *examples]) if examples else ""


def _example(trace: Trace) -> str:
    """The conversation line by line, cut at a line's end."""
    kept: list[str] = []
    room = _EXAMPLE
    for line in _lines(trace.messages):
        room -= len(line) + 1
        if room < 0:
            return "\n".join([*kept, "…"])
        kept.append(line)
    return "\n".join(kept)


def _lines(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        if message.role == "user" and message.text.strip():
            yield f"Customer: {_cut(message.text)}"
        elif message.role == "assistant":
            if message.text.strip():
                yield f"Agent: {_cut(message.text)}"
            for call in message.tool_calls:
                yield f"Agent calls {call.name}({_cut(_json(call.arguments))})"
        elif message.role == "tool":
            answer = message.content if message.result is None else _json(message.result)
            failed = " failed" if message.is_error else ""
            yield f"Tool {message.name or ''}{failed}: {_cut(answer or '')}"


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"
