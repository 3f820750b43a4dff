"""Measures the rules on the log itself: each part of the conversations asked of a world mined from the others."""

import hashlib
import itertools
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

from agent_gym.text import same
from agent_gym.tool_mocker.log import Recorded, plain
from agent_gym.tool_mocker.mine import mine
from agent_gym.tool_mocker.precision import REFUSAL, Outcome, Precision
from agent_gym.tool_mocker.rules import RULES
from agent_gym.tool_mocker.rules.neighbour import Alike
from agent_gym.tool_mocker.rules.recorded import apart
from agent_gym.tool_mocker.rules.refusal import RefusalRule
from agent_gym.tool_mocker.state import Place, State
from agent_gym.tool_mocker.world import World
from agent_gym.types import Json, ToolAnswer, ToolCall, Watch, unwatched

__all__ = ["folds", "validated", "validation", "with_earned"]


_MOST_CONVERSATIONS = 400  # of each half: enough to tell how often a kind of answer is right
_MOST_CALLS = 3000
_MOST_FOLDS = 5
_FEW = 150  # conversations, up to which as many parts can be afforded

Conversations = Sequence[Sequence[Recorded]]


def validated(
    conversations: Conversations, groups: Mapping[str, int] | None = None, watch: Watch = unwatched
) -> Precision:
    """How often each rule is right on cases that the world was not mined from."""
    found: dict[str, list[Outcome]] = {}
    parts = folds(conversations, groups)
    steps = _in_steps(watch, len(parts))
    for at, asked in enumerate(parts):
        mined = [calls for other, part in enumerate(parts) if other != at for calls in part]
        if mined and asked:
            _check(mine(mined, groups=groups, watch=steps), asked, found)
    return Precision.of(dict(sorted(found.items())), RULES)


def validation(
    conversations: Conversations, groups: Mapping[str, int], *, elsewhere: bool = False, watch: Watch = unwatched
) -> Callable[[], Precision]:
    """What waits for `validated` of them; `elsewhere`: in a process of its own, which begins at once."""
    if not elsewhere:
        return lambda: validated(conversations, groups, watch)
    # A fork would copy the locks of threads that draw a progress bar.
    pool = ProcessPoolExecutor(1, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN))
    some = [calls for part in folds(conversations, groups) for calls in part]
    found = pool.submit(validated, some, groups)
    pool.shutdown(wait=False)
    return found.result


def with_earned(world: World, precision: Precision) -> World:
    """The world, its rules in the order that they have earned, without the reasons to refuse that have not."""
    tools = {}
    for name, tool in world.tools.items():
        rules = {rule: tool.rules[rule] for rule in precision.order(name) if rule in tool.rules}
        refusal, wrong = rules.get(REFUSAL), precision.wrong_reasons.get(name)
        if isinstance(refusal, RefusalRule) and wrong:
            rules[REFUSAL] = refusal.without(wrong)
        tools[name] = replace(tool, rules=rules)
    return replace(world, tools=tools, precision=precision)


def folds(conversations: Conversations, groups: Mapping[str, int] | None) -> list[list[Sequence[Recorded]]]:
    """The conversations in parts, all of a case in one, by a hash: the same whatever the order. Small logs in more."""
    parts: list[list[Sequence[Recorded]]] = [[] for _ in range(_MOST_FOLDS if len(conversations) <= _FEW else 2)]
    # Logs are often sorted by kind of case: in the order of their hashes, the first ones are of all kinds.
    for calls in sorted(conversations, key=lambda calls: _hash(calls[0].conversation_id)):
        name = calls[0].conversation_id
        case = str(groups[name]) if groups is not None and name in groups else name
        part = parts[_hash(case)[0] % len(parts)]
        if len(part) < _MOST_CONVERSATIONS:
            part.append(calls)
    return parts


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def _in_steps(watch: Watch, parts: int) -> Watch:
    """Told of the steps of all parts as one count."""
    steps = itertools.count(1)

    def told(_what: str, _done: int, each: int) -> None:
        done = next(steps)
        watch("validating the tools", done, max(done, parts * each))

    return told


def _check(world: World, asked: Conversations, found: dict[str, list[Outcome]]) -> None:
    """Add to `found` how every rule answers the calls of conversations that the world was not mined from.

    The session is told what the record says, not what the rules do: each call is asked in its true state.
    """
    alike, made = Alike(), 0
    for calls in asked:
        if made >= _MOST_CALLS:
            return
        made += len(calls)
        state = State(world, alike, None, 0)
        told: dict[Place, Json] = {}  # what the conversation itself was told in each situation
        for recorded in plain(calls, world.forms):
            call = ToolCall(recorded.name, recorded.arguments)
            tool = world.tools.get(recorded.name)
            if tool is not None:
                answers = ((name, rule.answer(call, state)) for name, rule in tool.rules.items())
                right = {name: same(answer.result, recorded.raw) for name, answer in answers if answer is not None}
                place, _ = state.place_in_anchor(call)
                before = [other for other in told if other[:2] == place[:2]]
                if place in told:
                    right["recorded here"] = same(told[place], recorded.raw)
                elif before and "here before" in tool.rules:
                    nearest = min(before, key=lambda other: apart(other[2], place[2]))
                    right["here before"] = same(told[nearest], recorded.raw)
                told[place] = recorded.raw
                refusal = tool.rules.get(REFUSAL)
                reason = refusal.reason(call, state) if isinstance(refusal, RefusalRule) else ""
                found.setdefault(recorded.name, []).append(Outcome(right, bool(place[2]), reason, recorded.is_error))
            state.remember(call, ToolAnswer(recorded.raw, recorded.is_error, "recorded", 1.0))
