"""Messages in, a conversation to read out: who spoke, what was called, what the tools said and where it came from."""

from collections.abc import Iterable, Sequence

from agent_gym.markup import Content, Markup, el
from agent_gym.text import as_text
from agent_gym.types import Message, ToolAnswer, ToolCall

__all__ = ["badge", "conversation"]

_WHO = {"user": "customer", "assistant": "agent", "system": "system", "tool": "tool"}


def conversation(
    messages: Sequence[Message],
    answers: Iterable[tuple[ToolCall, ToolAnswer]] = (),
    *,
    marked: int | None = None,
) -> Markup:
    """`answers` are those of the tool messages, in order; `marked` is where another conversation parts."""
    left = list(answers)
    lines: list[Markup] = []
    for at, message in enumerate(messages):
        parted = "parts" if at == marked else None
        if message.role == "system":
            lines.append(el("details", el("summary", "system prompt"), _said(message, None, parted)))
        elif message.role == "tool":
            answer = left.pop(0)[1] if left and message.name == left[0][0].name else None
            lines.append(_said(message, answer, parted))
        else:
            lines.append(_said(message, None, parted))
    return el("div", lines, class_="talk")


def badge(answer: ToolAnswer) -> Markup:
    evidence = f"; from {', '.join(answer.evidence[:3])}" if answer.evidence else ""
    hint = f"{answer.source}, right in {answer.confidence:.0%} of such cases{evidence}"
    return el("span", f"{answer.source} {answer.confidence:.2f}", class_=f"badge {answer.source}", title=hint)


def _said(message: Message, answer: ToolAnswer | None, parted: str | None) -> Markup:
    who = _WHO[message.role] if message.role != "tool" else (message.name or "tool")
    content: list[Content] = [el("p", message.text)] if message.text else []
    content += [el("pre", f"{call.name}({as_text(call.arguments)})", class_="call") for call in message.tool_calls]
    if message.role == "tool":
        result = message.result if message.result is not None else message.text
        content = [el("pre", as_text(result), class_="result error" if message.is_error else "result")]
    head = el("div", el("b", who), badge(answer) if answer is not None else None, class_="who")
    return el("div", head, content, class_=" ".join(filter(None, ("turn", message.role, parted))))
