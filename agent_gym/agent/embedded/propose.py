"""What could be done next: a state and the record in, candidates with readable features out.

A call is proposed only with arguments this conversation holds. Where one is missing the candidates are the question
for it and the call that finds it out, and where the record's agents asked for a yes before a write it is the request
for that yes.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from agent_gym.agent.embedded import phrases
from agent_gym.agent.embedded.binding import Bound
from agent_gym.agent.embedded.filling import Filled, fill, known_in
from agent_gym.agent.embedded.leaves import text_of
from agent_gym.agent.embedded.manner import asks_for_yes, consents, refuses
from agent_gym.agent.embedded.points import Near
from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.agent.embedded.record import Record
from agent_gym.agent.embedded.sayings import OTHER
from agent_gym.agent.embedded.talk import State
from agent_gym.agent.embedded.traits import Features, Traits
from agent_gym.text import canonical
from agent_gym.types import Json, Message, ToolCall

__all__ = ["Candidate", "propose"]

Kind = Literal["call", "ask", "confirm", "reply", "plain"]
_NEAR = 30  # points that have a say
_TOO_OFTEN = 2  # what was said twice is not said again
_LEAST = 0.35  # of a reply of which less can be said here, the rest makes no sense
_CALLS, _REPLIES = 4, 4  # how many of each are worked out
_WAYS = 2  # sets of arguments a tool is proposed with
_SELDOM, _MOSTLY = 0.2, 0.6  # of a write so seldom confirmed no yes is asked; one so often is not made without
_WISHES, _LIKELY = 2, 0.25  # how many tools are considered for the customer's words alone, and how likely each is


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message that could come next, with what speaks for and against it."""

    kind: Kind
    message: Message
    features: Mapping[str, float]
    evidence: tuple[str, ...] = ()  # conversations it rests on
    about: tuple[str, str] = ("", "")  # the tool it is a step to, and the argument it asks for
    purpose: str = OTHER
    marks: tuple[str, ...] = ()  # of the state, the same for all its candidates


def propose(
    state: State, tools: Sequence[Mapping[str, Json]], record: Record, hidden: frozenset[str] = frozenset()
) -> list[Candidate]:
    """Every candidate of this state, at least one. `hidden` conversations of the record are not looked at."""
    if not state.turns:
        return [Candidate("plain", _say(text), {"plain": 1.0}) for text in phrases.last_resorts(state)]
    return _Proposer(state, tools, record, hidden).candidates()


@dataclass
class _Proposer:
    """One state's work: what is shared between its candidates."""

    state: State
    tools: Sequence[Mapping[str, Json]]
    record: Record
    hidden: frozenset[str]
    near: list[Near] = field(init=False)
    known: frozenset[str] = field(init=False)
    schemas: dict[str, Mapping[str, Json]] = field(init=False)
    traits: Traits = field(init=False)
    _bound: dict[str, list[Bound]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.near = self.record.memory.near(self.state, _NEAR, self.hidden)
        self.known = known_in(self.state)
        self.schemas = dict(_schema(tool) for tool in self.tools)
        self.traits = Traits(self.state, self.record, self.near, self.hidden)

    def candidates(self) -> list[Candidate]:
        votes = self._votes()
        tools = sorted(votes, key=lambda tool: (-votes[tool], tool))[:_CALLS]
        due = [tool for tool in sorted(self.traits.agreed_to) if tool in self.schemas]
        tools += [tool for tool in dict.fromkeys([*due, *self._wishes()]) if tool not in tools]
        replying = [near for near in self.near if near.point.reply]
        share = sum(near.weight for near in replying)
        found = [candidate for tool in tools for candidate in self._for_tool(tool, votes.get(tool, 0.0))]
        found += [candidate for tool in self._finders(tools) for candidate in self._for_tool(tool, 0.0, finds=1.0)]
        asked = {candidate.about[1] for candidate in found if candidate.kind == "ask"}
        found += self._replies(replying, share, asked)
        found += self._plain(share)
        allowed = [c for c in found if c.kind == "call" or c.features["repeated"] < _TOO_OFTEN]
        marks = self.record.moves.known_marks(self.state, self.hidden)
        return [replace(candidate, marks=marks) for candidate in _distinct(allowed) or found[-1:]]

    def _replies(self, replying: Sequence[Near], share: float, asked: set[str]) -> list[Candidate]:
        """What was said at similar points, each purpose once: many wordings of one question are one candidate."""
        found: list[Candidate] = []
        purposes: set[frozenset[str]] = {frozenset({name}) for name in asked}
        for near in replying:
            if self.record.confirmed_by(near.number) & self.schemas.keys():
                continue
            names = frozenset(path for _, path in self.record.elicits.get(near.number, ()))
            if names and names in purposes:
                continue
            made = self._reply(near, share)
            if made and not any(_much_alike(made[0], other) for other in found):
                purposes.add(names)
                found += made
            if len(found) == _REPLIES:
                break
        return found

    def _plain(self, share: float) -> list[Candidate]:
        """Words of our own: a tool's answer told plainly, a parting word, and what can always be said."""
        rows: list[tuple[str, Features]] = []
        if text := phrases.report(self.state, self.record.write_tools):
            rows.append((text, {"vote": share, "plain": 1.0, "report": 1.0, **self.traits.of_purpose([OTHER])}))
        if self.traits.leaving:
            rows.append(
                (
                    phrases.PARTING,
                    {
                        "vote": share,
                        "plain": 1.0,
                        **self.traits.of_purpose([self.record.farewell]),
                        **self.traits.of_ending(True),
                    },
                )
            )
        rows += [(text, {"plain": 2.0 + rank}) for rank, text in enumerate(phrases.last_resorts(self.state))]
        return [Candidate("plain", _say(text), {**f, **self.traits.of_words(text)}) for text, f in rows]

    def _votes(self) -> dict[str, float]:
        """The say of the similar points for each tool at hand."""
        votes: dict[str, float] = defaultdict(float)
        for near in self.near:
            if near.point.calls and near.point.calls[0].name in self.schemas:
                votes[near.point.calls[0].name] += near.weight
            # A question is a step towards a call: if its answer is known, the call is due instead.
            for tool, path in sorted(self.record.elicits.get(near.number, ())):
                if tool in self.schemas and path not in self._bind(tool).missing:
                    votes[tool] += near.weight / len(self.record.elicits[near.number])
            # So is a request for a yes, and it is put in the words of this conversation's own call.
            for tool in sorted(self.record.confirmed_by(near.number) & self.schemas.keys()):
                votes[tool] += near.weight
        return votes

    def _wishes(self) -> list[str]:
        """The tools the customer's words point to most that have not been called."""
        wanted = {
            tool: max(self.traits.wanted.get(tool, 0.0), self.record.named(tool, self.state)) for tool in self.schemas
        }
        due = {tool: chance for tool, chance in wanted.items() if self.traits.is_due(tool)}
        likely = [tool for tool, chance in due.items() if chance >= _LIKELY]
        return sorted(likely, key=lambda tool: (-due[tool], tool))[:_WISHES]

    def _finders(self, tools: Sequence[str]) -> list[str]:
        """Tools whose results hold what the others miss."""
        missing = [(tool, path) for tool in tools for path in self._bind(tool).missing]
        finders = [finder for slot in missing for finder in self.record.binder.finders(*slot)[:2]]
        return [tool for tool in dict.fromkeys(finders) if tool in self.schemas and tool not in tools]

    def _bind(self, tool: str) -> Bound:
        return self._bound_ways(tool)[0]

    def _bound_ways(self, tool: str) -> list[Bound]:
        if tool not in self._bound:
            schema = self.schemas.get(tool, {})
            self._bound[tool] = self.record.binder.ways(tool, self.state, self.near, schema, self.hidden)
        return self._bound[tool]

    def _for_tool(self, tool: str, vote: float, finds: float = 0.0) -> list[Candidate]:
        bound = self._bind(tool)
        features = {**self.traits.of_tool(tool, vote), "finds": finds}
        write = tool in self.record.write_tools
        if bound.missing:
            missing = dict.fromkeys(way.missing[0] for way in self._bound_ways(tool))
            return [] if finds else [self._ask(tool, path, features) for path in missing]
        doubtful = [path for path in bound.doubtful if not self.record.binder.is_chosen(tool, path)]
        found = [self._ask(tool, path, features) for path in doubtful[:1] if write]
        confirmed = self.record.confirmed(tool) if write else 0.0
        refused = write and self._just_refused(tool)
        agreed = self._agreed() and not refused and not (write and self._meant_otherwise(tool, bound))
        ways = [way for way in self._ways(tool, agreed and bool(confirmed)) if not self._made(tool, way.arguments)]
        for rank, way in enumerate(ways[:_WAYS]):
            sure = {**features, "doubt": 1 - way.trust, "unsure": float(bool(way.doubtful)), "other way": float(rank)}
            if not agreed and not rank and confirmed >= _SELDOM:
                found.append(self._confirm(tool, way, sure))
            if agreed or confirmed < (_SELDOM if refused else _MOSTLY):
                found.append(self._call(tool, way, sure | {"unasked": 0.0 if agreed else confirmed}))
        return found

    def _ways(self, tool: str, agreed: bool) -> list[Bound]:
        """The ways to call the tool now; the one agreed to first."""
        ways = self._bound_ways(tool)
        meant = self._agreed_to(tool) if agreed else None
        return [meant, *(way for way in ways if way.arguments != meant.arguments)] if meant else ways

    def _call(self, tool: str, bound: Bound, features: Features) -> Candidate:
        purpose = f"call {tool}"
        call = ToolCall(tool, bound.arguments, f"call_{len(self.state.calls) + 1}")
        features = {
            **features,
            **self.traits.of_purpose([purpose]),
            "ready": 0.0 if bound.doubtful else 1.0,
            "again": float(self._ever_made(tool, bound.arguments)),
        }
        return Candidate(
            "call", Message("assistant", tool_calls=(call,)), features, self._evidence(purpose), purpose=purpose
        )

    def _agreed_to(self, tool: str) -> Bound | None:
        """The call as it was proposed to the customer: what they said yes to is what is done."""
        if self._when_asked is None:
            return None
        then, near = self._when_asked
        bound = self.record.binder.bind(tool, then, near, self.schemas.get(tool, {}), self.hidden)
        return None if bound.missing or self._made(tool, bound.arguments) else bound

    @cached_property
    def _when_asked(self) -> tuple[State, list[Near]] | None:
        """The state in which the agent last spoke to the customer, and what it was like."""
        spoke = self.state.turns[-1][0]
        place = max((at for at in range(spoke) if self._speaks(at)), default=-1)
        then = State(self.state.talk, place)
        return (then, self.record.memory.near(then, _NEAR, self.hidden)) if place >= 0 else None

    def _meant_otherwise(self, tool: str, bound: Bound) -> bool:
        """Whether the customer, asked for a yes, has said something by which the call would be another."""
        if consents(self.state.words) or self.state.event != "user":
            return False
        meant = self._agreed_to(tool)
        return meant is not None and meant.arguments != bound.arguments

    def _just_refused(self, tool: str) -> bool:
        """Whether the tool would not do it: the customer's yes was to the way that failed, not to another."""
        return self.state.event == f"{tool} failed"

    def _speaks(self, at: int) -> bool:
        message = self.state.talk.messages[at]
        return message.role == "assistant" and bool(message.text) and not message.tool_calls

    def _evidence(self, move: str) -> tuple[str, ...]:
        ids = (near.point.conversation_id for near in self.near if near.point.move == move)
        return tuple(dict.fromkeys(ids))[:3]

    def _ever_made(self, tool: str, arguments: Mapping[str, Json]) -> bool:
        same = canonical(arguments)
        return any(made.call.name == tool and canonical(made.call.arguments) == same for made in self.state.calls)

    def _made(self, tool: str, arguments: Mapping[str, Json]) -> bool:
        """Whether this very call was made, and nothing has happened since that could change its answer."""
        changed = 0
        for made in reversed(self.state.calls):
            if made.call.name == tool and canonical(made.call.arguments) == canonical(arguments):
                # What was refused may be tried again once something else has worked.
                return not (made.failed and changed)
            if made.call.name in self.record.write_tools and not made.failed:
                return False
            changed += not made.failed
        return False

    def _agreed(self) -> bool:
        """Whether the customer has said yes, or nothing else, to a question for it."""
        asked, words = self.state.asked, self.state.words
        if not asked or consents(words):
            return bool(asked)
        return asks_for_yes(asked) and not refuses(words) and "?" not in words and not values_in(words)

    def _ask(self, tool: str, path: str, features: Mapping[str, float]) -> Candidate:
        """The question by which recorded agents came to know the value, or a plain one."""
        numbers = self.record.questions.get((tool, path), ())
        purpose, own = f"ask {path}", phrases.question(tool, path)
        said, purposes = Filled(own), [purpose]
        found = self._recorded(numbers, {})
        if found and (not self.traits.times(found[1].text) or self.traits.times(own)):
            said, purposes = found[1], self.record.purposes(found[0])
        features = {**features, **self._asked_by(tool, path, features["vote"])}
        asking = {**self.traits.of_asking([path]), **self.traits.of_words(said.text)}
        asking |= self.traits.of_purpose(purposes)
        return Candidate("ask", _say(said.text), {**features, **asking}, about=(tool, path), purpose=purpose)

    def _asked_by(self, tool: str, path: str, vote: float) -> Features:
        """The say of the similar points at which this was asked for."""
        asking = [near for near in self.near if (tool, path) in self.record.elicits.get(near.number, ())]
        if not asking:
            return {}
        return {
            "vote": min(1.0, max(vote, sum(near.weight for near in asking))),
            "likeness": asking[0].likeness / self.near[0].likeness,
            **self.traits.of_point(asking[0]),
        }

    def _confirm(self, tool: str, bound: Bound, features: Mapping[str, float]) -> Candidate:
        own = phrases.confirmation(
            tool, bound.arguments, phrases.refusal(self.state) if self._just_refused(tool) else ""
        )
        found = self._recorded(self.record.confirmations.get(tool, ()), {tool: bound.arguments})
        said = found[1] if found else Filled(own)
        if said.kept < 0.7 or self.traits.times(said.text):
            said = Filled(own)
        purpose = f"confirm {tool}"
        features = {**features, **self.traits.of_words(said.text), **self.traits.of_purpose([purpose])}
        return Candidate("confirm", _say(said.text), features, about=(tool, ""), purpose=purpose)

    def _recorded(self, numbers: Sequence[int], bound: Mapping[str, Mapping[str, Json]]) -> tuple[int, Filled] | None:
        """The best of these recorded replies: near ones first, then those of which most can be said."""
        rank = {near.number: place for place, near in enumerate(self.near)}
        best: tuple[float, int, Filled] | None = None
        open_ = [n for n in numbers if self.record.memory.points[n].conversation_id not in self.hidden]
        for number in sorted(open_, key=lambda n: (rank.get(n, _NEAR), n))[:6]:
            if not self._honest(number):
                continue
            said = self._filled(number, bound)
            if said and "?" in said.text:
                value = said.kept - said.foreign - rank.get(number, _NEAR) / (2 * _NEAR)
                if best is None or value > best[0]:
                    best = value, number, said
        return best[1:] if best else None

    def _filled(self, number: int, bound: Mapping[str, Mapping[str, Json]]) -> Filled | None:
        return fill(self.record.replies[number], self.state, self.known, bound, self.record.book)

    def _honest(self, number: int) -> bool:
        """Whether the reply of this point can be true here: words after a write claim it, and after a
        refusal only words about a refusal are."""
        past = self.record.memory.points[number].state
        then, now = past.event, self.state.event
        if now.endswith(" failed") or then.endswith(" failed"):
            return then == now and _alike(text_of(past.calls[-1]), text_of(self.state.calls[-1]))
        if then.removesuffix(" answered") in self.record.write_tools and then != now:
            return False
        return self.record.writes_done[number] <= self.state.tools_done

    def _echo(self, near: Near) -> float:
        """The say of the similar points that said much the same."""
        words = self.record.wording(near.number)
        return sum(
            other.weight
            for other in self.near
            if other.point.reply and _alike_words(words, self.record.wording(other.number))
        )

    def _reply(self, near: Near, share: float) -> list[Candidate]:
        if not self._honest(near.number):
            return []
        prepared = {call.name: self._bind(call.name).arguments for call in near.point.then if call.name in self.schemas}
        said = self._filled(near.number, prepared)
        if said is None or said.kept < _LEAST:
            return []
        purposes = self.record.purposes(near.number)
        asked = self.record.elicits.get(near.number, frozenset())
        known = sum(1 for tool, path in asked if tool in self.schemas and path not in self._bind(tool).missing)
        same = self._echo(near)
        features = {
            **self.traits.of_move("reply", same),
            **self.traits.of_point(near),
            **self.traits.of_purpose(purposes),
            **self.traits.of_words(said.text),
            **self.traits.of_asking({path for _, path in asked}),
            **self.traits.of_ending(near.point.ends),
            "likeness": near.likeness / self.near[0].likeness,
            "echo": same / share if share else 0.0,
            "lost": 1 - said.kept,
            "changed": 1 - said.same,
            "turned": float(said.turned),
            "foreign": said.foreign,
            "closes": float(near.point.closes and not (self.traits.leaving or refuses(self.state.words))),
            "known": known / len(asked) if asked else 0.0,
        }
        return [Candidate("reply", _say(said.text), features, (near.point.conversation_id,), purpose=purposes[0])]


def _alike_words(left: frozenset[str], right: frozenset[str]) -> bool:
    return len(left & right) >= 0.4 * len(left | right)


def _much_alike(one: Candidate, other: Candidate) -> bool:
    left, right = set(tokens(one.message.text)), set(tokens(other.message.text))
    return len(left & right) >= 0.7 * len(left | right)


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


def _schema(tool: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
    """(name, parameters) of a function schema, with or without its envelope."""
    inner = tool.get("function", tool)
    return str(inner.get("name", "")), inner.get("parameters") or {}


def _alike(one: str, other: str) -> bool:
    """Whether two refusals are the same but for their values."""
    left, right = ({word for word in tokens(text) if word.isalpha()} for text in (one, other))
    return len(left & right) >= 0.6 * len(left | right)


def _say(text: str) -> Message:
    return Message("assistant", text)
