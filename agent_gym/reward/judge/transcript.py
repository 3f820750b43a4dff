"""Messages and the end state in, what a judge may see of them out: what was said, done and answered, never thought.

Every message is one line of JSON, so that no text in it can pass for another message.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent_gym.text import canonical
from agent_gym.types import Json, Message, WorldView

__all__ = ["Transcript", "transcript_of", "without_reasoning"]

_LONGEST = 8000  # characters of one text or result: what is longer is shown by its beginning and its end
_LEAST_QUOTE = 3  # letters and digits: less is found in any conversation

# What JSON leaves as it is, and yet begins a new line to whoever reads it.
_LINE_BREAKS = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in "\u0085\u2028\u2029"})

_WORDS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|inner_monologue|monologue"
_THOUGHT = re.compile(rf"<(?P<tag>{_WORDS})\b[^<>]*>.*?(?:</(?P=tag)\s*>|\Z)", re.IGNORECASE | re.DOTALL)
# Templates of some models open the tag themselves: the text then holds its end alone.
_THOUGHT_BEFORE = re.compile(rf"\A.*</(?:{_WORDS})\s*>", re.IGNORECASE | re.DOTALL)
_THINKING_TOOL = re.compile(rf"(?:{_WORDS})", re.IGNORECASE)  # a tool that does nothing but hold a thought


@dataclass(frozen=True, slots=True)
class Transcript:
    """`lines` is what is shown; `passages` are the texts a quote may come from, each with who speaks in it."""

    lines: tuple[str, ...]
    passages: tuple[tuple[str, str], ...]
    cut: bool = False

    def speaker_of(self, quote: str) -> str | None:
        """Who says the quoted words; None where nobody does. Case, spaces and quotation marks do not count."""
        wanted = _bare(quote)
        if sum(character.isalnum() for character in wanted) < _LEAST_QUOTE:
            return None
        return next((speaker for speaker, text in self.passages if wanted in _bare(text)), None)


def transcript_of(messages: Sequence[Message], world: WorldView | None = None) -> Transcript:
    shown = [*_shown(messages), *(_final_state(world) if world is not None else ())]
    lines, passages, cut = [], [], False
    for speaker, line in shown:
        short = {name: _shortened(value) for name, value in line.items()}
        cut = cut or short != line
        lines.append(canonical(short).decode().translate(_LINE_BREAKS))
        passages += [(speaker, _text(value)) for name, value in short.items() if name != "from"]
    return Transcript(tuple(lines), tuple(passages), cut)


def without_reasoning(text: str) -> str:
    """What is left is what the agent meant to say; words that are nothing but thoughts were delivered, and stay."""
    return _THOUGHT_BEFORE.sub("", _THOUGHT.sub("", text)).strip() or text.strip()


def _shown(messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Json]]]:
    for message in messages:
        if message.role == "user":
            yield "the customer", {"from": "customer", "said": message.text}
        elif message.role == "tool" and not _THINKING_TOOL.fullmatch(message.name or ""):
            result = message.content if message.result is None else message.result
            kind = "error" if message.is_error else "result"
            yield "a tool result", {"from": "tool", "tool": message.name, kind: result}
        elif message.role == "assistant" and not message.tool_calls:
            yield "the agent", {"from": "agent", "said": without_reasoning(message.text)}
        # Words beside calls are not delivered: they are the agent's thoughts about what it does.
        for call in message.tool_calls:
            if not _THINKING_TOOL.fullmatch(call.name):
                yield "a tool call", {"from": "agent", "call": call.name, "arguments": call.arguments}


def _final_state(world: WorldView) -> Iterator[tuple[str, dict[str, Json]]]:
    """One line for each record that the conversation has changed."""
    records: dict[tuple[str, str], dict[str, Json]] = defaultdict(dict)
    for (table, key, path), value in sorted(world.changes().items(), key=lambda change: change[0]):
        records[table, key][path] = value
    for (table, key), fields in records.items():
        yield "the final state", {"from": "final state", "record": f"{table} {key}", "changed": fields}
    if not records:
        yield "the final state", {"from": "final state", "changed": "nothing was changed"}


def _shortened(value: Json) -> Json:
    text = _text(value)
    if len(text) <= _LONGEST:
        return value
    half = _LONGEST // 2
    return f"{text[:half]} … ({len(text) - 2 * half} characters left out) … {text[-half:]}"


def _text(value: Json) -> str:
    """The value as a line shows it: a string that holds JSON is shown, and quoted, in canonical form too."""
    shown = canonical(value).decode()
    return value if isinstance(value, str) and shown.startswith('"') else shown


def _bare(text: str) -> str:
    """Without what changes when a passage is copied out of JSON and back into it."""
    plain = unicodedata.normalize("NFKC", re.sub(r"\\[nrtbf]", "", text)).casefold()
    return re.sub(r"[\s\\\"'“”‘’«»]", "", plain)
