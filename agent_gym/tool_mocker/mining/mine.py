"""Recorded conversations in, the mined World out: the miners, in the order they need one another."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from agent_gym.text import canonical, digest, tokens
from agent_gym.tool_mocker.calibration import Calibration
from agent_gym.tool_mocker.mining.absence import AbsenceRule, find_absence, known_values, with_shared
from agent_gym.tool_mocker.mining.borrowing import with_borrowed
from agent_gym.tool_mocker.mining.effects import find_effect
from agent_gym.tool_mocker.mining.examples import Examples, examples_of
from agent_gym.tool_mocker.mining.functions import find_function
from agent_gym.tool_mocker.mining.ground import Ground, find_ground
from agent_gym.tool_mocker.mining.history import Told
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.mining.queries import QueryRule, find_query
from agent_gym.tool_mocker.mining.read_backs import find_read_backs
from agent_gym.tool_mocker.mining.records import origins_of, read_fields
from agent_gym.tool_mocker.mining.refusals import RefusalRule, find_refusals
from agent_gym.tool_mocker.mining.schemas import function_schema
from agent_gym.tool_mocker.mining.searches import find_search
from agent_gym.tool_mocker.mining.side_effects import find_side_effects
from agent_gym.tool_mocker.mining.stories import Rival, rivals_of, stories_tell
from agent_gym.tool_mocker.mining.variables import find_variable_rule
from agent_gym.tool_mocker.mining.wordings import find_wordings
from agent_gym.tool_mocker.recorded import Recorded, unwrapped, wrapping_tools
from agent_gym.tool_mocker.rules.predicates import NotYet
from agent_gym.tool_mocker.world import Asked, Example, Tally, ToolModel, World, words_in
from agent_gym.types import Json

__all__ = ["mine"]

_MOST_EXAMPLES = 500

Conversations = Sequence[Sequence[Recorded]]


def mine(recorded: Conversations, declared: Iterable[Mapping[str, Json]] = ()) -> World:
    """The world that the conversations show; `declared` are the traces' own tool schemas."""
    wrapping = wrapping_tools(call for conversation in recorded for call in conversation)
    conversations = [unwrapped(conversation, wrapping) for conversation in recorded]
    calls = [call for conversation in conversations for call in conversation]
    schemas = {tool["function"]["name"]: tool for tool in declared}
    ground = find_ground(conversations, schemas)
    examples = examples_of(conversations, ground)
    # These three lend one another: a tool may follow a rule that only others were seen to follow.
    refusals = _refusals(ground, examples)
    queries = _queries(ground)
    shown_in = known_values(calls, ground.subjects)
    absences = _absences(ground, queries, shown_in)
    tools = {
        name: _tool(
            name,
            ground,
            examples[name],
            schema=schemas.get(name),
            wrapped=name in wrapping,
            refusals=refusals[name],
            query=queries.get(name),
            absence=absences.get(name),
        )
        for name in sorted(ground.kinds)
    }
    return World(
        tools=tools,
        sites=ground.sites,
        records=ground.records,
        origins=origins_of(ground.histories),
        table_fields=read_fields(ground.calls, ground.sites, ground.kinds),
        stories=ground.stories,
        mentioned=frozenset(shown_in),
        wordings=find_wordings(call for call in calls if call.is_error),
        calibration=Calibration.of({}),
    )


def _refusals(ground: Ground, examples: Mapping[str, Examples]) -> dict[str, tuple[RefusalRule, ...]]:
    own = {
        name: find_refusals(examples[name].refused, examples[name].accepted, ground.tables_of, writes=kind.writes)
        for name, kind in sorted(ground.kinds.items())
    }
    accepted = {name: found.accepted for name, found in examples.items()}
    vocabulary = {name: _vocabulary(ground.calls.get(name, ())) for name, kind in ground.kinds.items() if kind.writes}
    return with_borrowed(own, accepted, ground.subjects, vocabulary)


def _vocabulary(calls: Sequence[Recorded]) -> frozenset[str]:
    """The words of a tool's answers."""
    return frozenset(word for call in calls[:50] for word in tokens(canonical(call.result).decode()))


def _queries(ground: Ground) -> dict[str, QueryRule | None]:
    """A read whose calls name their record needs no search for it."""
    return {
        name: None
        if name in ground.subjects or ground.kinds[name].writes
        else find_query(calls, ground.sites, ground.records, ground.holders)
        for name, calls in sorted(ground.calls.items())
    }


def _absences(
    ground: Ground, queries: Mapping[str, QueryRule | None], shown_in: Mapping[str, frozenset[str]]
) -> dict[str, AbsenceRule | None]:
    own = {
        name: find_absence(calls, ground.subjects.get(name), queries[name], shown_in)
        for name, calls in sorted(ground.calls.items())
    }
    return with_shared(own, queries)


def _tool(
    name: str,
    ground: Ground,
    examples: Examples,
    *,
    schema: Mapping[str, Json] | None,
    wrapped: bool,
    refusals: tuple[RefusalRule, ...],
    query: QueryRule | None,
    absence: AbsenceRule | None,
) -> ToolModel:
    kind = ground.kinds[name]
    calls = ground.calls.get(name, ())
    good = [call for call in calls if not call.is_error]
    gates = frozenset(rule.condition.tool for rule in refusals if isinstance(rule.condition, NotYet))
    told = _by_asked(examples.untouched, gates)
    return ToolModel(
        name=name,
        kind=kind,
        schema=schema or function_schema(name, [call.arguments for call in good or calls]),
        recorded=Tally(len(calls), len(calls) - len(good)),
        text_encoded=_text_encoded(good),
        wrapped=wrapped,
        argument_sets=frozenset(frozenset(call.arguments) for call in good),
        subject=ground.subjects.get(name),
        gates=gates,
        answers={asked: _commonest(same_call) for asked, same_call in told.items()},
        rivals=_rivals(told),
        stories_tell=stories_tell(good, ground.stories),
        examples=_examples(good),
        writes=tuple(examples.writes),
        function=find_function(_unexplained(calls, examples.refused, refusals)),
        by_variables=find_variable_rule(examples.varied, ground.tables_of),
        effect=find_effect(examples.writes, ground.tables_of, writes=kind.writes),
        side_effects=find_side_effects(examples.sides, ground.tables_of),
        read_backs=find_read_backs(examples.read_backs, ground.tables_of),
        refusals=refusals,
        query=query,
        search=None if kind.writes else find_search(calls, ground.sites, ground.records),
        absence=absence,
    )


def _text_encoded(calls: Sequence[Recorded]) -> bool:
    """Whether the tool's logs keep JSON as a string."""
    return 2 * sum(isinstance(call.raw, str) and not isinstance(call.result, str) for call in calls) > len(calls)


def _by_asked(told: Iterable[Told], gates: frozenset[str]) -> dict[Asked, list[Recorded]]:
    rows: dict[Asked, list[Recorded]] = {}
    for call, done in told:
        rows.setdefault((call.key, done & gates), []).append(call)
    return rows


def _commonest(same_call: Sequence[Recorded]) -> Recorded:
    """The answer most conversations got; among equals the first."""
    forms = [canonical(call.result) for call in same_call]
    counts = Counter(forms)
    best = max(counts.values())
    return next(call for call, form in zip(same_call, forms, strict=True) if counts[form] == best)


def _rivals(told: Mapping[Asked, Sequence[Recorded]]) -> dict[Asked, tuple[Rival, ...]]:
    found = {asked: rivals_of(same_call) for asked, same_call in told.items() if len(same_call) > 1}
    return {asked: rivals for asked, rivals in found.items() if rivals}


def _examples(calls: Sequence[Recorded]) -> tuple[Example, ...]:
    """Distinct calls, the latest first: more than some hundred would hardly hold a nearer one."""
    distinct = {call.key: call for call in calls}
    latest = list(reversed(distinct.values()))[:_MOST_EXAMPLES]
    return tuple(
        Example(
            call,
            {name: canonical(value) for name, value in call.arguments.items()},
            digest(call.result),
            words_in(call.arguments),
        )
        for call in latest
    )


def _unexplained(calls: Sequence[Recorded], refused: Sequence[Moment], rules: Sequence[RefusalRule]) -> list[Recorded]:
    """The calls without those that a rule refuses: what it answers is asked before any function."""
    ruled = {
        (moment.call.conversation_id, moment.call.key)
        for moment in refused
        if any(rule.condition.holds(moment.context) for rule in rules)
    }
    return [call for call in calls if not call.is_error or (call.conversation_id, call.key) not in ruled]
