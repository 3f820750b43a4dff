"""A trace of the right shape in, one that needs no second look out: control tokens gone, results paired by id."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent_gym.trace_parser.nouns import new_message
from agent_gym.trace_parser.pairing import Place, pairs
from agent_gym.trace_parser.repairs import Repairs
from agent_gym.types import Json, Message, Trace

__all__ = ["is_settled", "settled"]

# What simulators of other harnesses write to end a conversation: ###STOP###, ###TRANSFER###, ###OUT-OF-SCOPE###.
_CONTROL_TOKEN = re.compile(r"###[A-Z][A-Z_-]*###")


def settled(trace: Trace, repairs: Repairs) -> Trace:
    """The same trace where nothing is to be done; every change is noted in the repairs and in the metadata."""
    messages: Sequence[Message] = trace.messages
    if not is_settled(messages):
        if (named := _named(messages, repairs)) is not None:
            messages = named
        elif not is_settled(messages := _read_texts(messages, trace.metadata, repairs)):
            messages = _paired(messages, repairs)
    if not repairs.counts:
        return trace
    return replace(trace, messages=tuple(messages), metadata=repairs.onto(trace.metadata))


def is_settled(messages: Sequence[Message]) -> bool:
    """No control tokens; every result behind its caller, under its call's name and an id unique in the trace."""
    seen: set[str] = set()
    unanswered: dict[str, str] = {}
    for message in messages:
        content = message.content
        if message.role == "tool":
            name = unanswered.pop(message.tool_call_id or "", None)
            if name is None or name != message.name or (content is not None and message.result is None):
                return False
            continue
        if content is not None and "###" in content and message.role != "system" and _holds_token(content):
            return False
        if unanswered:
            unanswered = {}
        for call in message.tool_calls:
            if not call.id or call.id in seen or message.role != "assistant":
                return False
            seen.add(call.id)
            unanswered[call.id] = call.name
    return True


def _holds_token(content: str) -> bool:
    return _CONTROL_TOKEN.search(content) is not None


def _named(messages: Sequence[Message], repairs: Repairs) -> list[Message] | None:
    """Span logs name a result by its call's id alone: where no more than the names is missing, they are filled in."""
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    named = [
        new_message(
            "tool",
            message.content,
            (),
            names.get(message.tool_call_id or ""),
            message.tool_call_id,
            message.result,
            message.is_error,
            message.trainable,
            message.final,
        )
        if message.role == "tool" and not message.name
        else message
        for message in messages
    ]
    if not is_settled(named):
        return None
    repairs.note("result_renamed", sum(message.role == "tool" and not message.name for message in messages))
    return named


def _read_texts(messages: Sequence[Message], metadata: Mapping[str, Json], repairs: Repairs) -> list[Message]:
    """The messages without control tokens, and a tool's text taken as its result."""
    kept: list[Message] = []
    positions: list[int] = []
    tokens: list[str] = []
    for at, message in enumerate(messages):
        read: Message | None = message
        if message.content is not None:
            if message.role == "tool":
                read = _with_result(message, repairs)
            elif message.role != "system" and "###" in message.content:
                read = _without_tokens(message, tokens, repairs)
        if read is not None:
            kept.append(read)
            positions.append(repairs.position(at))
    repairs.positions = positions
    if tokens:
        repairs.note("control_token_stripped", len(tokens))
        repairs.ended_by = tokens[-1]
        if len(tokens) > 1 or "ended_by" in metadata:
            repairs.raw["control_tokens"] = tokens
    return kept


def _without_tokens(message: Message, tokens: list[str], repairs: Repairs) -> Message | None:
    """The rest of the message, None where there is none; its tokens are appended to `tokens`."""
    if not (found := _CONTROL_TOKEN.findall(message.text)):
        return message
    tokens += found
    text = _CONTROL_TOKEN.sub("", message.text).strip()
    if text or message.tool_calls:
        return replace(message, content=text or None)
    repairs.note("control_token_message_dropped")
    return None


def _with_result(message: Message, repairs: Repairs) -> Message:
    if message.result is not None:
        return message
    repairs.note("result_from_content")
    return replace(message, content=None, result=message.content)


def _paired(messages: Sequence[Message], repairs: Repairs) -> list[Message]:
    """The messages with every result directly behind its caller, under its call's name and id."""
    answers = pairs(messages)
    ids = _unique_ids(messages, repairs)
    results_of: dict[int, list[int]] = defaultdict(list)
    for result in sorted(answers):
        results_of[answers[result].message].append(result)
    _note_moved(messages, answers, repairs)
    paired: list[Message] = []
    calls_left_open = False
    for at, message in enumerate(messages):
        if message.role == "tool":
            if at not in answers:
                paired += _unpaired(repairs.position(at), message, calls_left_open, repairs)
        elif message.role == "user" and message.tool_calls:
            paired += _customer_calls(at, messages, results_of[at], repairs)
        elif message.tool_calls:
            calls = tuple(replace(call, id=ids[Place(at, n)]) for n, call in enumerate(message.tool_calls))
            paired.append(replace(message, tool_calls=calls))
            for result in results_of[at]:
                paired.append(_answer(result, answers[result], messages, ids, repairs))
            calls_left_open = len(results_of[at]) < len(calls)
        else:
            paired.append(message)
    return paired


def _unique_ids(messages: Sequence[Message], repairs: Repairs) -> dict[Place, str]:
    given = {call.id for message in messages for call in message.tool_calls}
    ids: dict[Place, str] = {}
    used: set[str] = set()
    for at, message in enumerate(messages):
        for n, call in enumerate(message.tool_calls):
            stem, count = call.id or f"call_{len(ids) + 1}", 1
            call_id = stem
            while call_id in used or (call_id in given and call_id != call.id):
                count += 1
                call_id = f"{stem}#{count}"
            if call_id != call.id:
                repairs.note("call_id_made_unique" if call.id else "call_id_made")
            used.add(call_id)
            ids[Place(at, n)] = call_id
    return ids


def _note_moved(messages: Sequence[Message], answers: Mapping[int, Place], repairs: Repairs) -> None:
    before = -1
    for at, message in enumerate(messages):
        if message.role != "tool":
            before = at
        elif at in answers and answers[at].message != before:
            repairs.note("result_moved_to_its_call")


def _answer(at: int, place: Place, messages: Sequence[Message], ids: Mapping[Place, str], repairs: Repairs) -> Message:
    result, call = messages[at], messages[place.message].tool_calls[place.call]
    replaced: dict[str, Json] = {}
    if result.name != call.name:
        repairs.note("result_renamed")
        replaced["name"] = result.name
    if not call.id or result.tool_call_id != call.id:
        repairs.note("result_paired")
        replaced["tool_call_id"] = result.tool_call_id
    repairs.keep_extras(repairs.position(at), {key: value for key, value in replaced.items() if value})
    return replace(result, name=call.name, tool_call_id=ids[place])


def _unpaired(at: int, result: Message, calls_left_open: bool, repairs: Repairs) -> list[Message]:
    """A result that answers no call. Behind a call left open it would look like that call's answer."""
    if not result.name or calls_left_open:
        repairs.note("result_set_aside")
        repairs.set_aside(at, result.to_dict())
        return []
    repairs.note("result_without_call")
    if result.tool_call_id:
        repairs.keep_extras(at, {"tool_call_id": result.tool_call_id})
    return [replace(result, tool_call_id=None)]


def _customer_calls(at: int, messages: Sequence[Message], results: Sequence[int], repairs: Repairs) -> list[Message]:
    """Some harnesses let the customer use tools of their own; the agent never sees those."""
    message = messages[at]
    repairs.note("customer_call_set_aside", len(message.tool_calls))
    repairs.set_aside(repairs.position(at), message.to_dict())
    for result in results:
        repairs.set_aside(repairs.position(result), messages[result].to_dict())
    return [replace(message, tool_calls=())] if message.content else []
