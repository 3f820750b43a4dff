"""Recorded conversations in, the mined World out: the miners, in the order they need one another."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from agent_gym.text import canonical, digest, tokens
from agent_gym.tool_mocker.calibration import Calibration
from agent_gym.tool_mocker.mining.absence import AbsenceRule, Lookup, find_absence, shown_values, with_shared
from agent_gym.tool_mocker.mining.answers import Answers, find_answers
from agent_gym.tool_mocker.mining.borrowing import with_borrowed
from agent_gym.tool_mocker.mining.complaints import find_complaints
from agent_gym.tool_mocker.mining.effects import find_effect
from agent_gym.tool_mocker.mining.examples import Examples, examples_of
from agent_gym.tool_mocker.mining.functions import find_function
from agent_gym.tool_mocker.mining.ground import Ground, find_ground
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.mining.queries import QueryRule, find_query
from agent_gym.tool_mocker.mining.read_backs import find_read_backs
from agent_gym.tool_mocker.mining.records import read_fields
from agent_gym.tool_mocker.mining.refusals import RefusalRule, find_refusals
from agent_gym.tool_mocker.mining.sampling import MOST_EXAMPLES
from agent_gym.tool_mocker.mining.schemas import ResultSchema, function_schema, result_schema
from agent_gym.tool_mocker.mining.searches import find_search
from agent_gym.tool_mocker.mining.selections import find_selection
from agent_gym.tool_mocker.mining.side_effects import find_side_effects
from agent_gym.tool_mocker.mining.stories import find_stories, stories_tell
from agent_gym.tool_mocker.mining.variables import find_variable_rule
from agent_gym.tool_mocker.mining.weights import argument_weights, usual_arguments
from agent_gym.tool_mocker.mining.wordings import find_wordings
from agent_gym.tool_mocker.recorded import Recorded, unwrapped, wrapping_tools
from agent_gym.tool_mocker.rules.predicates import NotYet
from agent_gym.tool_mocker.world import Example, Tally, ToolModel, World, words_in
from agent_gym.types import Json, Watch, unwatched

__all__ = ["mine"]

_LONGEST = 20_000  # bytes of an answer: what it does is said before that

Conversations = Sequence[Sequence[Recorded]]


class _Among(NamedTuple):
    """What is found of a tool with all others in view."""

    refusals: tuple[RefusalRule, ...]
    query: QueryRule | None
    absence: AbsenceRule | None
    told: Answers


def mine(
    recorded: Conversations,
    declared: Iterable[Mapping[str, Json]] = (),
    groups: Mapping[str, int] | None = None,
    watch: Watch = unwatched,
) -> World:
    """The world that the conversations show; `declared` are the traces' own tool schemas.

    `groups`: conversation → the customer, or the case, that it is of; without them each is a group of its own.
    """
    wrapping = wrapping_tools(call for conversation in recorded for call in conversation)
    conversations = [unwrapped(conversation, wrapping) for conversation in recorded] if wrapping else recorded
    schemas = {tool["function"]["name"]: tool for tool in declared}
    ground = find_ground(conversations, schemas)
    examples = examples_of(ground)
    # These three lend one another: a tool may follow a rule that only others were seen to follow.
    refusals = _refusals(ground, examples, watch)
    queries = _queries(ground)
    of_group = groups or {conversation[0].conversation_id: at for at, conversation in enumerate(conversations)}
    shown_in = shown_values((call for calls in conversations for call in calls), ground.subjects, of_group)
    absences = _absences(ground, queries, shown_in, of_group)
    told = _answers(ground, refusals, conversations)
    tools = {
        name: _tool(
            name,
            ground,
            examples[name],
            schema=schemas.get(name),
            wrapped=name in wrapping,
            among=_Among(refusals[name], queries.get(name), absences.get(name), told[name]),
        )
        for name in _in_turn(ground.kinds, "mining the tools", watch)
    }
    return World(
        tools=tools,
        kinds={name: model.kind for name, model in tools.items()},
        wrapping=wrapping,
        sites=ground.sites,
        records=ground.records,
        origins=ground.origins,
        table_fields=read_fields(ground.sample, ground.sites, ground.kinds),
        stories=find_stories(conversations, _heard(tools.values())),
        mentioned=frozenset(shown_in),
        listings={model.selection.tool: model.selection for model in tools.values() if model.selection},
        wordings=find_wordings(call for calls in ground.sample.values() for call in calls if call.is_error),
        calibration=Calibration.of({}),
    )


def _in_turn(names: Iterable[str], what: str, watch: Watch) -> Iterator[str]:
    """The names in order; whoever watches is told when the work on one is done."""
    ordered = sorted(names)
    for done, name in enumerate(ordered, 1):
        yield name
        watch(what, done, len(ordered))


def _refusals(ground: Ground, examples: Mapping[str, Examples], watch: Watch) -> dict[str, tuple[RefusalRule, ...]]:
    own = {
        name: find_refusals(
            examples[name].refused, examples[name].accepted, ground.tables_of, writes=ground.kinds[name].writes
        )
        for name in _in_turn(ground.kinds, "mining what the tools refuse", watch)
    }
    vocabulary = {name: _vocabulary(ground.sample.get(name, ())) for name, kind in ground.kinds.items() if kind.writes}
    return with_borrowed(own, examples, ground.subjects, vocabulary)


def _vocabulary(calls: Sequence[Recorded]) -> frozenset[str]:
    """The words of a tool's answers."""
    told = (canonical(call.result)[:_LONGEST].decode(errors="ignore") for call in calls[:50])
    return frozenset(word for text in told for word in tokens(text))


def _queries(ground: Ground) -> dict[str, QueryRule | None]:
    """A read whose calls name their record needs no search for it."""
    return {
        name: None
        if name in ground.subjects or ground.kinds[name].writes
        else find_query(calls, ground.sites, ground.records, ground.holders)
        for name, calls in sorted(ground.sample.items())
    }


def _absences(
    ground: Ground,
    queries: Mapping[str, QueryRule | None],
    shown_in: Mapping[str, int | None],
    groups: Mapping[str, int],
) -> dict[str, AbsenceRule | None]:
    lookups = {name: Lookup(ground.subjects.get(name), queries[name]) for name in sorted(ground.calls)}
    own = {name: find_absence(ground.calls[name], lookup, shown_in, groups) for name, lookup in lookups.items()}
    return with_shared(own, lookups, ground.calls)


def _answers(
    ground: Ground, refusals: Mapping[str, Sequence[RefusalRule]], conversations: Conversations
) -> dict[str, Answers]:
    """What was answered to each question; what else was, only where stories tell when."""
    found = {name: find_answers(ground.untouched.get(name, ()), _gates(rules)) for name, rules in refusals.items()}
    contests = {name: tuple(told.rivals.values()) for name, told in found.items()}
    named = {rival.call.conversation_id for rivals in contests.values() for some in rivals for rival in some}
    stories = find_stories(conversations, named)
    return {
        name: told if stories_tell(contests[name], stories) else replace(told, rivals={})
        for name, told in found.items()
    }


def _gates(refusals: Iterable[RefusalRule]) -> frozenset[str]:
    return frozenset(rule.condition.tool for rule in refusals if isinstance(rule.condition, NotYet))


def _heard(models: Iterable[ToolModel]) -> set[str]:
    """The conversations whose stories tell something."""
    telling = [model for model in models if model.stories_tell]
    rivals = {rival.call.conversation_id for model in telling for some in model.rivals.values() for rival in some}
    return rivals | {example.call.conversation_id for model in telling for example in model.examples}


def _tool(
    name: str,
    ground: Ground,
    examples: Examples,
    *,
    schema: Mapping[str, Json] | None,
    wrapped: bool,
    among: _Among,
) -> ToolModel:
    kind = ground.kinds[name]
    calls = ground.calls.get(name, ())
    good = [call for call in calls if not call.is_error]
    usual = usual_arguments(good)
    declared = schema or function_schema(name, [call.arguments for call in good or calls])
    parameters: Mapping[str, Json] = declared["function"].get("parameters") or {}
    return ToolModel(
        name=name,
        kind=kind,
        schema=declared,
        results=_results(ground.sample.get(name, ())),
        complaints=find_complaints((call for call in calls if call.is_error), parameters),
        recorded=Tally(len(calls), len(calls) - len(good)),
        text_encoded=_text_encoded(good),
        wrapped=wrapped,
        argument_sets=frozenset(frozenset(call.arguments) for call in good),
        subject=ground.subjects.get(name),
        gates=_gates(among.refusals),
        answers=among.told.commonest,
        contested=among.told.contested,
        rivals=among.told.rivals,
        examples=_examples(good, usual),
        usual=usual,
        weights=argument_weights(good),
        function=find_function(_unexplained(ground.sample.get(name, ()), examples.refused, among.refusals)),
        by_variables=find_variable_rule(examples.varied, ground.tables_of),
        selection=find_selection(calls, examples.selected, ground.calls),
        effect=find_effect(examples.writes, ground.tables_of, writes=kind.writes),
        side_effects=find_side_effects(examples.sides, ground.tables_of),
        read_backs=find_read_backs(examples.read_backs, ground.tables_of),
        refusals=among.refusals,
        query=among.query,
        search=None if kind.writes else find_search(calls, ground.sites, ground.records),
        absence=among.absence,
    )


def _results(calls: Sequence[Recorded]) -> ResultSchema:
    good, bad = ([call.raw for call in calls if call.is_error is wrong] for wrong in (False, True))
    return ResultSchema(result_schema(good), result_schema(bad))


def _text_encoded(calls: Sequence[Recorded]) -> bool:
    """Whether the tool's logs keep JSON as a string."""
    return 2 * sum(isinstance(call.raw, str) and not isinstance(call.result, str) for call in calls) > len(calls)


def _examples(calls: Sequence[Recorded], usual: Mapping[str, Json]) -> tuple[Example, ...]:
    """Distinct calls, the latest first: more than some hundred would hardly hold a nearer one."""
    distinct = {call.key: call for call in calls}
    latest = itertools.islice(reversed(distinct.values()), MOST_EXAMPLES)
    return tuple(
        Example(
            call,
            {name: canonical(value) for name, value in {**usual, **call.arguments}.items()},
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
