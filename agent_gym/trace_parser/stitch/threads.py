"""Model calls in the order they were made in; conversations out, each grown from call to call.

Most loggers repeat the whole history with every call, so a call continues the conversation that its history begins
with. Others log only what is new, shorten the history when it grows long, or branch off after a retry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.stitch.results import with_results
from agent_gym.trace_parser.stitch.span import Span, ancestors, canonical, once_logged
from agent_gym.types import Json, Message

__all__ = ["Stitched", "stitched"]


@dataclass(slots=True)
class Stitched:
    """One conversation put together. `parent` is the id of the span it was nested in, "" for the main one."""

    system: Message | None = None
    messages: list[Message] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    agent: str = ""
    parent: str = ""
    parent_call: str = ""
    first: Span | None = None
    last_trace: str = ""
    compactions: int = 0
    alternatives: list[list[Json]] = field(default_factory=list)

    def all_messages(self) -> list[Message]:
        return [self.system, *self.messages] if self.system is not None else list(self.messages)

    def append(self, messages: Sequence[Message], digests: Sequence[bytes]) -> None:
        self.messages += messages
        self.digests += digests

    def cut(self, length: int) -> None:
        """Forgets all behind `length` messages, keeping it as an alternative."""
        if len(self.messages) > length:
            self.alternatives.append([message.to_dict() for message in self.messages[length:]])
            del self.messages[length:], self.digests[length:]


def stitched(spans: Sequence[Span], notes: Notes, opening: Sequence[Message] = ()) -> list[Stitched]:
    """The conversations of the spans of one key, the main one first.

    `opening` is what the trace itself says it was asked, for loggers whose model calls do not hold it.
    """
    by_id = {span.id: span for span in spans}
    threads: list[Stitched] = []
    calls = sorted(once_logged(spans), key=lambda span: span.start)
    for span in calls:
        agent, parent, parent_call = _home(span, by_id)
        given = [message for message in span.given if message.role != "system"]
        system = next((message for message in span.given if message.role == "system"), None)
        thread = _continued(span, given, [t for t in threads if (t.agent, t.parent) == (agent, parent)], system)
        if thread is None:
            thread = Stitched(agent=agent, parent=parent, parent_call=parent_call, first=span)
            threads.append(thread)
            thread.append(given, span.digests)
        if thread.system is None:
            thread.system = system
        thread.append(span.said, [canonical(message) for message in span.said] if len(calls) > 1 else ())
        thread.last_trace = span.trace
    threads.sort(key=lambda thread: bool(thread.parent))
    if threads and opening and not threads[0].parent:
        main = threads[0]
        if not any(message.role == "user" for message in main.messages):
            main.messages[:0] = [message for message in opening if message.role != "system"]
        main.system = main.system or next((message for message in opening if message.role == "system"), None)
    tools = [span for span in spans if span.kind != "llm"]
    for thread in threads:
        thread.messages = with_results(thread.messages, tools, notes)
        if thread.alternatives:
            notes.warn(
                "the log holds other branches of this conversation: the last one is kept", len(thread.alternatives)
            )
        if thread.compactions:
            notes.warn("the log shortened the history on the way: the long form is kept")
    return threads


def _home(span: Span, by_id: Mapping[str, Span]) -> tuple[str, str, str]:
    """The agent a call belongs to, and the tool span that agent works for, with its call id."""
    agent = ""
    for around in ancestors(span, by_id):
        if around.kind == "agent" and not agent:
            agent = around.name or around.id
        if around.kind == "tool":
            return agent, around.id, around.call_id
    return "", "", ""


def _continued(
    span: Span, given: Sequence[Message], threads: Sequence[Stitched], system: Message | None
) -> Stitched | None:
    """The conversation that this call goes on with, brought to where the call was made; None for a new one."""
    digests = span.digests
    for thread in sorted(threads, key=lambda thread: -_common(thread.digests, digests)):
        common = _common(thread.digests, digests)
        if common == len(thread.digests):  # the usual case: the history so far, and what is new
            thread.append(given[common:], digests[common:])
            return thread
        if common:  # a retry, or an edited turn
            thread.cut(common)
            thread.append(given[common:], digests[common:])
            return thread
    for thread in reversed(threads):
        overlap = _overlap(thread.digests, digests)
        if overlap:  # the beginning was left out
            thread.compactions += 1
            thread.append(given[overlap:], digests[overlap:])
            return thread
        if _only_new(span, given, thread, system):
            thread.append(given, digests)
            return thread
    return None


def _common(known: Sequence[bytes], given: Sequence[bytes]) -> int:
    length = 0
    while length < min(len(known), len(given)) and known[length] == given[length]:
        length += 1
    return length


def _overlap(known: Sequence[bytes], given: Sequence[bytes]) -> int:
    """How many messages at the end of what is known stand at the beginning of what was given."""
    for length in range(min(len(known), len(given)), 0, -1):
        if list(known[-length:]) == list(given[:length]):
            return length
    return 0


def _only_new(span: Span, given: Sequence[Message], thread: Stitched, system: Message | None) -> bool:
    """Whether the log shows only what was added: nothing, results of the last calls, or the next turn's question."""
    if not given:
        return True
    open_calls = thread.messages[-1].tool_calls if thread.messages else ()
    if given[0].role == "tool":
        return bool(open_calls)
    same_agent = system is None or thread.system is None or system.content == thread.system.content
    return same_agent and span.trace != thread.last_trace and given[0].role == "user" and not open_calls
