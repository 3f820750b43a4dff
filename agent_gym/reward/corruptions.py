"""A success in, the same success with one thing wrong out: an argument, a write too many, a number, a "not"."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from agent_gym.goals import arguments_of, goal_from, is_void
from agent_gym.reward.conversation import spoken
from agent_gym.reward.likeness import stem
from agent_gym.reward.said import is_negator
from agent_gym.reward.sentences import final_places
from agent_gym.reward.workbench import Workbench, script
from agent_gym.text import digest, same, tokens, values_in
from agent_gym.types import Json, Message, ToolCall, Trace, Write

__all__ = [
    "argument_changed",
    "needless_write",
    "negated",
    "number_changed",
    "numbers_changed",
    "write_repeated",
    "wrong_argument",
]

_TRIES = 8  # needless writes tried until one is accepted
_VERB = re.compile(r"\b(is|are|was|were|has|have|had|will|can|am)\b", re.IGNORECASE)
_CHECKED = frozenset({"amount", "id", "date", "number", "percent", "phone"})


def wrong_argument(success: Trace, bench: Workbench) -> list[Message] | None:
    return argument_changed(success, bench, _other)


def argument_changed(
    success: Trace, bench: Workbench, change: Callable[[Json, Sequence[Json]], Json]
) -> list[Message] | None:
    """One argument of one required write replaced; which one, the conversation's id decides."""
    goal = goal_from(success, bench.mocker, "declared")
    places = [
        (call, name)
        for call in _lasting(bench.play(success, script(success.messages)).world.writes)
        for name, value in sorted(arguments_of(call).items())
        if (call.name, name) not in goal.free_text and value not in (None, "", [], {})
    ]
    start = int.from_bytes(digest(success.conversation_id)[:4]) if places else 0
    for step in range(len(places)):
        call, name = places[(start + step) % len(places)]
        given = arguments_of(call)
        known = [arguments_of(example).get(name) for example in bench.samples(call.name, success)]
        wrong = change(given[name], known)
        if not same(wrong, given[name]):
            return _replaced(success, call, ToolCall(call.name, {**given, name: wrong}))
    return None


def write_repeated(success: Trace, bench: Workbench) -> list[Message] | None:
    """The last write made once more; None where the tools refuse that, or it changes nothing."""
    return _with_one_more(success, bench, reversed(goal_from(success, bench.mocker, "declared").writes))


def needless_write(success: Trace, bench: Workbench) -> list[Message] | None:
    """A write of another conversation, made on top."""
    goal = goal_from(success, bench.mocker, "declared")
    calls = [call for tool in sorted(bench.mocker.write_tools) for call in bench.samples(tool, success)]
    start = int.from_bytes(digest(success.conversation_id)[:4]) % len(calls) if calls else 0
    foreign = [
        call
        for call in calls[start:] + calls[:start]
        if not any(same(call.arguments, w.arguments) for w in goal.writes)
    ]
    return _with_one_more(success, bench, iter(foreign[:_TRIES]))


def number_changed(success: Trace, bench: Workbench) -> list[Message] | None:
    """The last value that the agent told from a tool's answer, told wrong wherever it is told."""
    results = " ".join(str(message.result) for message in success.messages if message.role == "tool").lower()
    told = [
        value.text
        for at in final_places(success.messages, bench.mocker.write_tools)
        for value in values_in(success.messages[at].text)
        if value.kind in _CHECKED and len(re.sub(r"\D", "", value.text)) > 1 and (not results or value.norm in results)
    ]
    if not told:
        return None
    wrong = _digits_turned(told[-1])
    return _reworded(success, bench, lambda text: text.replace(told[-1], wrong))


def numbers_changed(success: Trace, bench: Workbench) -> list[Message] | None:
    texts = [success.messages[at].text for at in final_places(success.messages, bench.mocker.write_tools)]
    if not any(len(re.sub(r"\D", "", v.text)) > 1 for text in texts for v in values_in(text) if v.kind in _CHECKED):
        return None
    return _reworded(success, bench, _digits_turned)


def negated(success: Trace, bench: Workbench) -> list[Message] | None:
    """Every statement that the agent ends with, denied, if it tells a value or speaks of a write: no farewells."""
    calls = [call for message in success.messages for call in message.tool_calls]
    deeds = {
        stem(word)
        for call in calls
        if call.name in bench.mocker.write_tools
        for word in tokens(spoken(call).replace("_", " "))
    }
    return _reworded(
        success, bench, lambda text: re.sub(r"[^.!?\n]+[.!?\n]?", lambda s: _denied(s.group(), deeds), text)
    )


def _denied(sentence: str, deeds: Collection[str]) -> str:
    """With a "not" at the verb nearest before what it tells, else at its first."""
    if sentence.endswith("?") or any(map(is_negator, tokens(sentence))):
        return sentence
    told = [value.start for value in values_in(sentence) if value.kind != "name"]
    told += [word.start() for word in re.finditer(r"\w+", sentence) if stem(word.group().lower()) in deeds]
    verbs = list(_VERB.finditer(sentence)) if told else []
    if not verbs:
        return sentence
    verb = next((verb for verb in reversed(verbs) if verb.start() < min(told)), verbs[0])
    return f"{sentence[: verb.end()]} not{sentence[verb.end() :]}"


def _reworded(success: Trace, bench: Workbench, change: Callable[[str], str]) -> list[Message] | None:
    finals = {id(success.messages[at]) for at in final_places(success.messages, bench.mocker.write_tools)}
    changed = [
        replace(message, content=change(message.text)) if id(message) in finals else message
        for message in success.messages
    ]
    if all(new.content == old.content for new, old in zip(changed, success.messages, strict=True)):
        return None
    return script(changed)


def _with_one_more(success: Trace, bench: Workbench, extra: Iterator[ToolCall]) -> list[Message] | None:
    """The success with the first of the calls that has an effect, made before the agent speaks for the last time."""
    acts = script(success.messages)
    spoken = [at for at, act in enumerate(acts) if act.role == "assistant" and not act.tool_calls]
    place = spoken[-1] if spoken else len(acts)
    before = len(bench.play(success, acts).world.writes)
    for call in extra:
        longer = [*acts[:place], Message("assistant", tool_calls=(replace(call, id="one_more"),)), *acts[place:]]
        writes = bench.play(success, longer).world.writes
        made = [
            write for write in writes if same(write.call.arguments, call.arguments) and write.call.name == call.name
        ]
        if len(writes) > before and made and not is_void(made[-1]):
            return longer
    return None


def _lasting(writes: Sequence[Write]) -> Iterator[ToolCall]:
    """The writes whose effect no later write covers up."""
    for at, write in enumerate(writes):
        later = {(c.table, c.key, c.path) for other in writes[at + 1 :] for c in other.changes}
        if not write.changes or any((c.table, c.key, c.path) not in later for c in write.changes):
            yield write.call


def _replaced(success: Trace, old: ToolCall, new: ToolCall) -> list[Message]:
    """The success with the call replaced wherever it is made: some tools refuse it at first."""
    return script(
        [
            replace(
                message,
                tool_calls=tuple(
                    replace(new, id=call.id) if _is_same(call, old) else call for call in message.tool_calls
                ),
            )
            for message in success.messages
        ]
    )


def _is_same(call: ToolCall, other: ToolCall) -> bool:
    return call.name == other.name and same(call.arguments, other.arguments)


def _other(value: Json, known: Sequence[Json]) -> Json:
    """A value of the same kind that is another one: one that other conversations gave, else with its digits turned."""
    for candidate in known:
        if type(candidate) is type(value) and candidate and not same(candidate, value):
            return candidate
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return [*value[:-1], _other(value[-1], ())]
    return _digits_turned(value) if isinstance(value, str) and re.search(r"\d", value) else f"{value}x"


def _digits_turned(text: str) -> str:
    """Every digit another one, the first never 0."""
    return re.sub(r"\d", lambda digit: str(int(digit.group()) % 9 + 1), text)
