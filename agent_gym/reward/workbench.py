"""What is said and called in, the conversation it would have been out: every answer from the mined world."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Message, ToolCall, Trace, WorldView, paired_calls

__all__ = ["Played", "Workbench", "script"]


@dataclass(frozen=True, slots=True)
class Played:
    """A conversation that could have happened, and the world as it left it."""

    messages: tuple[Message, ...]
    world: WorldView


@dataclass(frozen=True, slots=True)
class Workbench:
    """Tools to try things with in a recorded case.

    `groups` tells which conversations are of one customer; `policy` is the prompt of traces that carry none.
    """

    mocker: ToolMocker
    groups: Mapping[str, int] = field(default_factory=dict)
    policy: str | None = None

    def play(self, case: Trace, acts: Iterable[Message]) -> Played:
        """The acts of customer and agent in a session of their own, anchored to the case."""
        session = self.mocker.session(case.conversation_id)
        messages: list[Message] = []
        for act in acts:
            calls = tuple(replace(call, id=call.id or f"call_{at}") for at, call in enumerate(act.tool_calls))
            messages.append(replace(act, tool_calls=calls))
            for call in calls:
                answer = session.call(call.name, call.arguments)
                messages.append(
                    Message(
                        "tool", name=call.name, tool_call_id=call.id, result=answer.result, is_error=answer.is_error
                    )
                )
        return Played(tuple(messages), session.world)

    def samples(self, tool: str, besides: Trace) -> Iterator[ToolCall]:
        """Calls of the tool that were made, with success, for other customers."""
        name = besides.conversation_id
        for example in self.mocker.world.tools[tool].examples:
            source = example.call.conversation_id
            if source != name and (name not in self.groups or self.groups.get(source) != self.groups[name]):
                yield ToolCall(tool, example.call.arguments)


def script(messages: Sequence[Message]) -> list[Message]:
    """What customer and agent said and called, without the answers and without calls that nobody answered."""
    open_calls = {id(call) for call, answer in paired_calls(messages) if answer is None}
    acts = [
        replace(message, tool_calls=tuple(call for call in message.tool_calls if id(call) not in open_calls))
        for message in messages
        if message.role != "tool"
    ]
    return [act for act in acts if act.role != "assistant" or act.tool_calls or act.text.strip()]
