"""Conversations in, calibration out: each half of them asked of a world mined from the other half."""

import hashlib
import itertools
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from agent_gym.text import same
from agent_gym.tool_mocker.alike import Alike
from agent_gym.tool_mocker.calibration import Calibration, Checked
from agent_gym.tool_mocker.mining.mine import mine
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.session import ToolSession
from agent_gym.tool_mocker.world import World
from agent_gym.types import Source, Watch, unwatched

__all__ = ["halves", "validated", "validation"]

_MOST_CONVERSATIONS = 400  # of each half: enough to tell how often a kind of answer is right
_MOST_CALLS = 3000

Conversations = Sequence[Sequence[Recorded]]


def validated(
    conversations: Conversations, groups: Mapping[str, int] | None = None, watch: Watch = unwatched
) -> Calibration:
    """How often each kind of answer is right on conversations that the world was not mined from."""
    left, right = (half[:_MOST_CONVERSATIONS] for half in halves(conversations))
    if not left or not right:
        return Calibration.of({})
    found: dict[tuple[str, Source], Checked] = {}
    steps = _in_steps(watch)
    for mined, asked in ((left, right), (right, left)):
        _check(mine(mined, groups=groups, watch=steps), asked, found)
    return Calibration.of(dict(sorted(found.items())))


def validation(
    conversations: Conversations, groups: Mapping[str, int], *, elsewhere: bool = False, watch: Watch = unwatched
) -> Callable[[], Calibration]:
    """What waits for `validated` of them; `elsewhere`: in a process of its own, which begins at once."""
    if not elsewhere:
        return lambda: validated(conversations, groups, watch)
    # A fork would copy the locks of threads that draw a progress bar.
    pool = ProcessPoolExecutor(1, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN))
    some = [calls for half in halves(conversations) for calls in half[:_MOST_CONVERSATIONS]]
    found = pool.submit(validated, some, groups)
    pool.shutdown(wait=False)
    return found.result


def halves(conversations: Conversations) -> tuple[list[Sequence[Recorded]], list[Sequence[Recorded]]]:
    """Two halves, by a hash of the conversation's id: the same whatever the order."""
    parts: tuple[list[Sequence[Recorded]], list[Sequence[Recorded]]] = ([], [])
    for calls in conversations:
        parts[hashlib.sha256(calls[0].conversation_id.encode()).digest()[0] % 2].append(calls)
    return parts


def _in_steps(watch: Watch) -> Watch:
    """Told of the tools of both halves as one count: each half goes through its tools twice."""
    steps = itertools.count(1)

    def told(_what: str, _done: int, tools: int) -> None:
        done = next(steps)
        watch("validating the tools", done, max(done, 4 * tools))

    return told


def _check(world: World, asked: Conversations, found: dict[tuple[str, Source], Checked]) -> None:
    """Add to `found` how a world answers the calls of conversations that it was not mined from."""
    alike, made = Alike(), 0
    for calls in asked:
        if made >= _MOST_CALLS:
            return
        made += len(calls)
        session = ToolSession(world, alike)
        for call in calls:
            answer = session.call(call.name, call.arguments)
            is_right = same(answer.result, call.result)
            known = found.get((call.name, answer.source), Checked(0, 0))
            found[call.name, answer.source] = Checked(known.right + is_right, known.asked + 1)
