"""What leads to a tool: a tool and a scene in, the call, the question for what it misses, or the request for a yes out.

A call is proposed only with arguments this conversation holds. Where one is missing the candidate is the question for
it, and where the record's agents asked for a yes before a write it is the request for that yes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agent_gym.agent.embedded import phrases
from agent_gym.agent.embedded.binding import Bound, flat, nested
from agent_gym.agent.embedded.candidate import Candidate, say
from agent_gym.agent.embedded.filling import Filled
from agent_gym.agent.embedded.manner import asks_for_yes, consents, refuses
from agent_gym.agent.embedded.points import Near
from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.agent.embedded.scene import NEAR, Scene
from agent_gym.agent.embedded.talk import State
from agent_gym.agent.embedded.traits import Features
from agent_gym.text import canonical
from agent_gym.types import Json, Message, ToolCall

__all__ = ["Steps", "made_certain"]

_WAYS = 2  # sets of arguments a tool is proposed with
_SELDOM, _MOSTLY = 0.2, 0.6  # of a write so seldom confirmed no yes is asked; one so often is not made without


@dataclass
class Steps:
    """The steps that can be taken in one scene."""

    scene: Scene
    # By place: the state then, and the moments it was like.
    _then: dict[int, tuple[State, list[Near]]] = field(init=False, default_factory=dict)

    def towards(self, tool: str, vote: float, finds: float = 0.0) -> list[Candidate]:
        """`vote`: the say of the like moments for the tool; `finds`: it is asked for what another call misses."""
        bound = self.scene.bind(tool)
        features = {**self.scene.traits.of_tool(tool, vote), "finds": finds}
        write = tool in self.scene.record.write_tools
        if bound.missing:
            missing = dict.fromkeys(way.missing[0] for way in self.scene.bound_ways(tool))
            return [] if finds else [self._ask(tool, path, features) for path in missing]
        doubtful = [path for path in bound.doubtful if not self.scene.record.binder.is_chosen(tool, path)]
        found = [self._ask(tool, path, features) for path in doubtful[:1] if write]
        confirmed = self.scene.record.confirmed(tool) if write else 0.0
        refused = write and self._just_refused(tool)
        agreed = self._agreed() and not refused and not (write and self._meant_otherwise(tool, bound))
        ways = [way for way in self._ways(tool, agreed and bool(confirmed)) if not self._made(tool, way.arguments)]
        for rank, way in enumerate(ways[:_WAYS]):
            sure = {**features, "doubt": 1 - way.trust, "unsure": float(bool(way.doubtful)), "other way": float(rank)}
            sure["turned down"] = float(write and self._turned_down(tool, way))
            if not agreed and not rank and confirmed >= _SELDOM:
                found.append(self._confirm(tool, way, sure))
            if agreed or confirmed < (_SELDOM if refused else _MOSTLY):
                found.append(self._call(tool, way, sure | {"unasked": 0.0 if agreed else confirmed}))
        return found

    def _ways(self, tool: str, agreed: bool) -> list[Bound]:
        """The ways to call the tool now; the one agreed to first."""
        ways = self.scene.bound_ways(tool)
        meant = self._agreed_to(tool) if agreed else None
        if meant is None:
            return ways
        meant = made_certain(meant, ways[0])
        return [meant, *(way for way in ways if way.arguments != meant.arguments)]

    def _call(self, tool: str, bound: Bound, features: Features) -> Candidate:
        purpose = f"call {tool}"
        call = ToolCall(tool, bound.arguments, f"call_{len(self.scene.state.calls) + 1}")
        features = {
            **features,
            **self.scene.traits.of_purpose([purpose]),
            "ready": 0.0 if bound.doubtful else 1.0,
            "again": float(self._ever_made(tool, bound.arguments)),
        }
        return Candidate(
            "call", Message("assistant", tool_calls=(call,)), features, self._evidence(purpose), purpose=purpose
        )

    def _agreed_to(self, tool: str) -> Bound | None:
        """The call as it was proposed to the customer: what they said yes to is what is done."""
        place = self.scene.state.answered_by(self.scene.state.spoke)
        bound = self._bound_at(tool, place) if place >= 0 else None
        return None if bound is None or bound.missing or self._made(tool, bound.arguments) else bound

    def _bound_at(self, tool: str, place: int) -> Bound:
        """The call as the agent who spoke at this place would have made it then."""
        if place not in self._then:
            then = State(self.scene.state.talk, place)
            self._then[place] = then, self.scene.record.memory.near(then, NEAR, self.scene.hidden)
        schema = self.scene.schemas.get(tool, {})
        return self.scene.record.binder.bind(tool, *self._then[place], schema, self.scene.hidden)

    def _meant_otherwise(self, tool: str, bound: Bound) -> bool:
        """Whether the customer, asked for a yes, has said something by which the call would be another."""
        if consents(self.scene.state.words) or self.scene.state.event != "user":
            return False
        meant = self._agreed_to(tool)
        if meant is None:
            return False
        before = dict(flat(meant.arguments))
        changed = [value for path, value in flat(bound.arguments) if before.get(path) != value]
        said = set(tokens(self.scene.state.words))
        return any(set(tokens(str(value))) & said for value in changed)

    def _turned_down(self, tool: str, way: Bound) -> bool:
        """Whether the customer was asked for a yes to this very call, and said no."""
        state, asked_about = self.scene.state, self.scene.record.asked_about
        places = (place for place in state.turned_down if tool in asked_about(state.talk.messages[place].text))
        return any(self._bound_at(tool, place).arguments == way.arguments for place in places)

    def _just_refused(self, tool: str) -> bool:
        """Whether the tool would not do it: the customer's yes was to the way that failed, not to another."""
        return self.scene.state.event == f"{tool} failed"

    def _evidence(self, move: str) -> tuple[str, ...]:
        ids = (near.point.conversation_id for near in self.scene.near if near.point.move == move)
        return tuple(dict.fromkeys(ids))[:3]

    def _ever_made(self, tool: str, arguments: Mapping[str, Json]) -> bool:
        same = canonical(arguments)
        return any(made.call.name == tool and canonical(made.call.arguments) == same for made in self.scene.state.calls)

    def _made(self, tool: str, arguments: Mapping[str, Json]) -> bool:
        """Whether this very call was made, and nothing has happened since that could change its answer."""
        changed = 0
        for made in reversed(self.scene.state.calls):
            if made.call.name == tool and canonical(made.call.arguments) == canonical(arguments):
                # What was refused may be tried again once something else has worked.
                return not (made.failed and changed)
            if made.call.name in self.scene.record.write_tools and not made.failed:
                return False
            changed += not made.failed
        return False

    def _agreed(self) -> bool:
        """Whether the customer has said yes, or nothing else, to a question for it."""
        asked, words = self.scene.state.asked, self.scene.state.words
        if not asked or consents(words):
            return bool(asked)
        return asks_for_yes(asked) and not refuses(words) and "?" not in words and not values_in(words)

    def _ask(self, tool: str, path: str, features: Mapping[str, float]) -> Candidate:
        """The question by which recorded agents came to know the value, or a plain one."""
        numbers = self.scene.record.questions.get((tool, path), ())
        purpose, own = f"ask {path}", phrases.question(tool, path)
        said, purposes = Filled(own), [purpose]
        found = self.scene.recorded(numbers, {})
        if found and (not self.scene.traits.times(found[1].text) or self.scene.traits.times(own)):
            said, purposes = found[1], self.scene.record.purposes(found[0])
        features = {**features, **self._asked_by(tool, path, features["vote"])}
        asking = {**self.scene.traits.of_asking([path]), **self.scene.traits.of_words(said.text)}
        asking |= self.scene.traits.of_purpose(purposes)
        return Candidate("ask", say(said.text), {**features, **asking}, about=(tool, path), purpose=purpose)

    def _asked_by(self, tool: str, path: str, vote: float) -> Features:
        """The say of the similar points at which this was asked for."""
        asking = [near for near in self.scene.near if (tool, path) in self.scene.record.elicits.get(near.number, ())]
        if not asking:
            return {}
        return {
            "vote": min(1.0, max(vote, sum(near.weight for near in asking))),
            "likeness": asking[0].likeness / self.scene.near[0].likeness,
            **self.scene.traits.of_point(asking[0]),
        }

    def _confirm(self, tool: str, bound: Bound, features: Mapping[str, float]) -> Candidate:
        own = phrases.confirmation(
            tool, bound.arguments, phrases.refusal(self.scene.state) if self._just_refused(tool) else ""
        )
        found = self.scene.recorded(self.scene.record.confirmations.get(tool, ()), {tool: bound.arguments})
        said = found[1] if found else Filled(own)
        if said.kept < 0.7 or self.scene.traits.times(said.text):
            said = Filled(own)
        purpose = f"confirm {tool}"
        features = {**features, **self.scene.traits.of_words(said.text), **self.scene.traits.of_purpose([purpose])}
        return Candidate("confirm", say(said.text), features, about=(tool, ""), purpose=purpose)


def made_certain(meant: Bound, now: Bound) -> Bound:
    """What was agreed to, where it was a guess then and the words since tell: the proposal itself says much of it."""
    told = dict(flat(now.arguments))
    known = {path: told[path] for path in meant.doubtful if path in told and path not in now.doubtful}
    if not known:
        return meant
    left = tuple(path for path in meant.doubtful if path not in known)
    return replace(meant, arguments=nested(dict(flat(meant.arguments)) | known), doubtful=left)
