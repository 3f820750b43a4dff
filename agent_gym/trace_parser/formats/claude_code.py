"""Session logs of Claude Code and its kin (the Agent SDK's stream, Qwen Code, Gemini CLI): one line an event.

One answer of the model is often spread over several lines; sub-agents work in lines of their own; commands and notices
of the terminal are written as the user's, but nobody said them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes, one_message
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.values import objects, word
from agent_gym.types import Json, Message

__all__ = ["CLAUDE_AGENT_SDK", "CLAUDE_CODE", "QWEN_CODE"]

_LINES: Final = ("user", "assistant", "tool_result")
_OTHER_LINES: Final = {
    "system", "summary", "progress", "attachment", "file-history-snapshot", "queue-operation", "result", "stream_event",
    "rate_limit_event", "last-prompt", "custom-title", "ai-title", "permission-mode", "agent-name", "tag",
}  # fmt: skip
_NOT_SAID: Final = re.compile(
    r"^\s*(?:<(?:command-name|command-message|local-command-stdout|local-command-caveat)>|Caveat: )"
)


def _is_line(record: dict[str, Json]) -> bool:
    kind, message = word(record.get("type")), record.get("message")
    if kind in _LINES and isinstance(message, dict):
        return "content" in message or "parts" in message
    return kind in _OTHER_LINES and "payload" not in record


def _said_lines(records: Sequence[Json]) -> list[dict[str, Json]]:
    return [
        r for r in records if isinstance(r, dict) and r.get("type") in _LINES and isinstance(r.get("message"), dict)
    ]


def _known(records: Sequence[Json]) -> float:
    return share(records, _is_line) if _said_lines(records) else 0.0


def _with_parts(records: Sequence[Json]) -> bool:
    return any("parts" in line["message"] for line in _said_lines(records))


def _from_sdk(records: Sequence[Json]) -> bool:
    kinds = {(word(r.get("type")), word(r.get("subtype"))) for r in objects(records)}
    return ("system", "init") in kinds or any(
        "session_id" in line and "uuid" not in line for line in _said_lines(records)
    )


def _detect_code(records: Sequence[Json]) -> float:
    return 0.9 * _known(records) * (not _with_parts(records)) * (not _from_sdk(records))


def _detect_sdk(records: Sequence[Json]) -> float:
    return 0.92 * _known(records) * _from_sdk(records)


def _detect_parts(records: Sequence[Json]) -> float:
    return 0.92 * _known(records) * _with_parts(records)


def _keys(record: Json) -> list[str]:
    """The session; the sidechain of a sub-agent is part of it."""
    session = record.get("sessionId") or record.get("session_id") if isinstance(record, dict) else None
    return [f"session {session}"] if isinstance(session, str) else []


def _read(group: Group) -> Iterator[Draft]:
    """The session first, then its sub-agents, linked to it."""
    records = [record for record in group.values if isinstance(record, dict)]
    main = [record for record in records if not record.get("isSidechain") and not record.get("parent_tool_use_id")]
    side = [record for record in records if record.get("isSidechain")]
    if not _said_lines(main):
        main, side = side or records, []
    nested = [record for record in records if record.get("parent_tool_use_id")]
    session = next(
        (r[key] for r in records for key in ("sessionId", "session_id") if isinstance(r.get(key), str)), None
    )
    draft = _draft(_branch(_said_lines(main)) if not nested else _said_lines(records), session, _outcome(records))
    yield draft
    for number, thread in enumerate(_threads(side), 1):
        yield _child(_draft(thread, f"{session}/agent-{number}", None), session, thread[0])
    for parent, lines in _progress(records).items():
        # A log without an id of its own cannot be linked to; its sub-agents then stay in the main thread's call.
        if session is not None:
            yield _child(_draft(lines, f"{session}/{parent}", None), session, {"parentToolUseID": parent})


def _draft(lines: Sequence[dict[str, Json]], session: Json, outcome: str | None) -> Draft:
    notes = Notes()
    messages: list[Message] = []
    for line in _whole_messages(lines):
        if _nobody_said(line):
            continue
        role = "assistant" if line["type"] == "assistant" else "user"
        messages += (
            one_message({"role": role, **{k: v for k, v in line["message"].items() if k != "type"}}, notes) or []
        )
    first = lines[0] if lines else {}
    kept = {key: first[key] for key in ("cwd", "version", "timestamp", "gitBranch") if isinstance(first.get(key), str)}
    return draft_of(messages, notes, session, outcome=outcome, metadata=kept)


def _whole_messages(lines: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """The lines of one answer put together: they share the id of the message."""
    whole: list[dict[str, Json]] = []
    for line in lines:
        last = whole[-1] if whole else None
        message = line["message"]
        same = last is not None and message.get("id") is not None and last["message"].get("id") == message["id"]
        content = message.get("content")
        if last is not None and same and isinstance(content, list) and isinstance(last["message"].get("content"), list):
            joined = [
                *last["message"]["content"],
                *(block for block in content if block not in last["message"]["content"]),
            ]
            whole[-1] = {**last, "message": {**last["message"], "content": joined}}
        else:
            whole.append(line)
    return whole


def _nobody_said(line: dict[str, Json]) -> bool:
    content = line["message"].get("content")
    if isinstance(content, list) and content and isinstance(content[0], dict):
        content = content[0].get("text") if content[0].get("type") == "text" else None
    return bool(line.get("isMeta")) or (isinstance(content, str) and _NOT_SAID.match(content) is not None)


def _branch(lines: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """The lines that lead to the last one; a rewind leaves others behind. Logs without parents are read as they are."""
    by_id = {line["uuid"]: line for line in lines if isinstance(line.get("uuid"), str)}
    parents = [word(line.get("parentUuid")) for line in lines]
    forks = sum(parent in by_id for parent in parents) - len(set(parents) & set(by_id))
    if len(by_id) < len(lines) or forks <= 0:
        return list(lines)
    kept: set[str] = set()
    at = word(lines[-1].get("uuid"))
    while at in by_id and at not in kept:
        kept.add(at)
        at = word(by_id[at].get("parentUuid"))
    if at and at not in kept:  # the parent is a line of another kind: the chain is cut here
        return list(lines)
    # Parallel calls fork the chain as well: lines of one answer, and the results of its calls, belong to it.
    answers = {word(line["message"].get("id")) for line in lines if line["uuid"] in kept} - {""}
    return [
        line
        for line, parent in zip(lines, parents, strict=True)
        if line["uuid"] in kept
        or word(line["message"].get("id")) in answers
        or (parent in kept and line.get("toolUseResult") is not None)
    ]


def _threads(lines: Sequence[dict[str, Json]]) -> list[list[dict[str, Json]]]:
    threads: dict[str, list[dict[str, Json]]] = {}
    home: dict[str, str] = {}
    for line in _said_lines(lines):
        uuid, parent = str(line.get("uuid")), str(line.get("parentUuid"))
        key = str(line.get("agentId") or home.get(parent) or uuid)
        home[uuid] = key
        threads.setdefault(key, []).append(line)
    return list(threads.values())


def _progress(records: Sequence[dict[str, Json]]) -> dict[str, list[dict[str, Json]]]:
    """The lines of sub-agents that report as progress, by the call that started them."""
    found: dict[str, list[dict[str, Json]]] = {}
    for record in records:
        inner = record.get("data") if record.get("type") == "progress" else None
        line = inner.get("message") if isinstance(inner, dict) else None
        if isinstance(line, dict) and line.get("type") in _LINES and isinstance(line.get("message"), dict):
            found.setdefault(str(record.get("parentToolUseID")), []).append(line)
    return found


def _child(draft: Draft, session: Json, line: dict[str, Json]) -> Draft:
    links = {"parent_conversation_id": session, "parent_tool_call_id": line.get("parentToolUseID")}
    kept = {**draft.metadata, **{key: value for key, value in links.items() if value is not None}}
    return Draft(draft.messages, draft.conversation_id, None, None, draft.tools, kept, draft.warnings)


def _outcome(records: Sequence[dict[str, Json]]) -> str | None:
    for record in reversed(records):
        if record.get("type") == "result" and isinstance(record.get("is_error"), bool):
            return "error" if record["is_error"] else "completed"
    return None


CLAUDE_CODE = Format("claude_code", "Claude Code sessions", _detect_code, _read, _keys)
CLAUDE_AGENT_SDK = Format("claude_agent_sdk", "Claude Agent SDK message streams", _detect_sdk, _read, _keys)
QWEN_CODE = Format("qwen_code", "Qwen Code and Gemini CLI sessions", _detect_parts, _read, _keys)
