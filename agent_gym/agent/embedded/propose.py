"""What could be done next: a state and the record in, candidates with readable features out.

Which tools are considered is decided here: those the like moments called, those the customer has agreed to or asks for,
and those that find out what the others miss. `steps` says how to get to each, `tellings` what can be said instead.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent_gym.agent.embedded import phrases
from agent_gym.agent.embedded.candidate import Candidate, say
from agent_gym.agent.embedded.record import Record
from agent_gym.agent.embedded.scene import Scene
from agent_gym.agent.embedded.steps import Steps
from agent_gym.agent.embedded.talk import State
from agent_gym.agent.embedded.tellings import Tellings
from agent_gym.text import canonical
from agent_gym.types import Json

__all__ = ["propose"]

_TOO_OFTEN = 2  # what was said twice is not said again
_CALLS = 4  # tools of the like moments that are considered
_WISHES, _LIKELY = 2, 0.25  # how many tools are considered for the customer's words alone, and how likely each is


def propose(
    state: State, tools: Sequence[Mapping[str, Json]], record: Record, hidden: frozenset[str] = frozenset()
) -> list[Candidate]:
    """Every candidate of this state, at least one. `hidden` conversations of the record are not looked at."""
    if not state.turns:
        return [Candidate("plain", say(text), {"plain": 1.0}) for text in phrases.last_resorts(state)]
    scene = Scene(state, tools, record, hidden)
    found = _steps(scene)
    replying = [near for near in scene.near if near.point.reply]
    share = sum(near.weight for near in replying)
    tellings = Tellings(scene)
    asked = {candidate.about[1] for candidate in found if candidate.kind == "ask"}
    found += tellings.replies(replying, share, asked)
    found += tellings.plain(share)
    allowed = [c for c in found if c.kind == "call" or c.features["repeated"] < _TOO_OFTEN]
    marks = record.moves.known_marks(state, hidden)
    return [replace(candidate, marks=marks) for candidate in _distinct(allowed) or found[-1:]]


def _steps(scene: Scene) -> list[Candidate]:
    """The steps to every tool that is considered."""
    votes, steps = _votes(scene), Steps(scene)
    tools = sorted(votes, key=lambda tool: (-votes[tool], tool))[:_CALLS]
    due = [tool for tool in sorted(scene.traits.agreed_to) if tool in scene.schemas]
    tools += [tool for tool in dict.fromkeys([*due, *_wishes(scene)]) if tool not in tools]
    found = [candidate for tool in tools for candidate in steps.towards(tool, votes.get(tool, 0.0))]
    return found + [one for tool in _finders(scene, tools) for one in steps.towards(tool, 0.0, finds=1.0)]


def _votes(scene: Scene) -> dict[str, float]:
    """The say of the similar points for each tool at hand."""
    votes: dict[str, float] = defaultdict(float)
    for near in scene.near:
        if near.point.calls and near.point.calls[0].name in scene.schemas:
            votes[near.point.calls[0].name] += near.weight
        # A question is a step towards a call: if its answer is known, the call is due instead.
        for tool, path in sorted(scene.record.elicits.get(near.number, ())):
            if tool in scene.schemas and path not in scene.bind(tool).missing:
                votes[tool] += near.weight / len(scene.record.elicits[near.number])
        # So is a request for a yes, and it is put in the words of this conversation's own call.
        for tool in sorted(scene.record.confirmed_by(near.number) & scene.schemas.keys()):
            votes[tool] += near.weight
    return votes


def _wishes(scene: Scene) -> list[str]:
    """The tools the customer's words point to most that have not been called."""
    wanted = {
        tool: max(scene.traits.wanted.get(tool, 0.0), scene.record.named(tool, scene.state)) for tool in scene.schemas
    }
    due = {tool: chance for tool, chance in wanted.items() if scene.traits.is_due(tool)}
    likely = [tool for tool, chance in due.items() if chance >= _LIKELY]
    return sorted(likely, key=lambda tool: (-due[tool], tool))[:_WISHES]


def _finders(scene: Scene, tools: Sequence[str]) -> list[str]:
    """Tools whose results hold what the others miss."""
    missing = [(tool, path) for tool in tools for path in scene.bind(tool).missing]
    finders = [finder for slot in missing for finder in scene.record.binder.finders(*slot)[:2]]
    return [tool for tool in dict.fromkeys(finders) if tool in scene.schemas and tool not in tools]


def _distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Without those that would do or say the same as one proposed before."""
    found: dict[tuple[str, bytes], Candidate] = {}
    for each in candidates:
        calls = canonical([[call.name, call.arguments] for call in each.message.tool_calls])
        named = replace(each, features={**each.features, f"kind {each.kind}": 1.0})
        # Two tools may miss the same thing: it is asked for once.
        key = (each.about[1], b"ask") if each.kind == "ask" else (each.message.text, calls)
        found.setdefault(key, named)
    return list(found.values())
