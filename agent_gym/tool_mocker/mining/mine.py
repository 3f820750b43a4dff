"""Recorded conversations in, the mined World out: the miners, in the order they need one another."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from agent_gym.text import canonical, digest, tokens
from agent_gym.tool_mocker.mining.absence import find_absence, known_values, with_shared
from agent_gym.tool_mocker.mining.attempts import attempts_in, find_subjects
from agent_gym.tool_mocker.mining.borrowing import with_borrowed
from agent_gym.tool_mocker.mining.calibration import Calibration
from agent_gym.tool_mocker.mining.effects import find_effect
from agent_gym.tool_mocker.mining.functions import find_function
from agent_gym.tool_mocker.mining.history import Told, history_of
from agent_gym.tool_mocker.mining.kinds import find_kinds
from agent_gym.tool_mocker.mining.queries import find_query
from agent_gym.tool_mocker.mining.readbacks import ReadBackExample, find_read_backs, read_back_examples
from agent_gym.tool_mocker.mining.records import holders_of, origins_of, read_fields, start_records
from agent_gym.tool_mocker.mining.refusals import Attempt, RefusalRule, find_refusals
from agent_gym.tool_mocker.mining.schemas import function_schema
from agent_gym.tool_mocker.mining.searches import find_search
from agent_gym.tool_mocker.mining.side_effects import SideExample, find_side_effects, side_examples
from agent_gym.tool_mocker.mining.tables import find_sites
from agent_gym.tool_mocker.mining.verbs import kind_by_name
from agent_gym.tool_mocker.mining.writes import WriteExample, write_examples
from agent_gym.tool_mocker.recorded import Recorded, by_tool, unwrapped, wrapping_tools
from agent_gym.tool_mocker.rules.predicates import NotYet
from agent_gym.tool_mocker.world import Asked, Example, ToolModel, World
from agent_gym.types import Json

__all__ = ["mine"]

_MOST_EXAMPLES = 500

Conversations = Sequence[Sequence[Recorded]]


def mine(recorded: Conversations, declared: Iterable[Mapping[str, Json]] = ()) -> World:
    """The world that the conversations show; `declared` are the traces' own tool schemas."""
    wrapping = wrapping_tools(call for conversation in recorded for call in conversation)
    conversations = [unwrapped(conversation, wrapping) for conversation in recorded]
    schemas = {tool["function"]["name"]: tool for tool in declared}
    calls = by_tool(call for conversation in conversations for call in conversation)
    sites = find_sites(calls)
    kinds = {name: kind_by_name(name) for name in schemas} | find_kinds(conversations, sites)
    histories = [history_of(conversation, sites, kinds) for conversation in conversations]
    records = start_records(histories)
    holders = holders_of(records)
    subjects = find_subjects(calls, sites, holders)

    def tables_of(key: str) -> Sequence[str]:
        return holders.get(key, ())

    shown_in = known_values([call for conversation in conversations for call in conversation], subjects)
    untouched: dict[str, list[Told]] = {}
    for history in histories:
        for call, done in history.untouched:
            untouched.setdefault(call.name, []).append((call, done))
    writes: dict[str, list[WriteExample]] = {}
    sides: dict[str, list[SideExample]] = {}
    backs: dict[str, list[ReadBackExample]] = {}
    refused: dict[str, list[Attempt]] = {}
    accepted: dict[str, list[Attempt]] = {}
    for conversation in conversations:
        for example in write_examples(conversation, sites, kinds, subjects, records):
            writes.setdefault(example.call.name, []).append(example)
        for name, side in side_examples(conversation, sites, kinds, subjects, records):
            sides.setdefault(name, []).append(side)
        for back in read_back_examples(conversation, kinds):
            backs.setdefault(back.read.name, []).append(back)
        for name, attempt in attempts_in(conversation, sites, subjects, records):
            (accepted if attempt.error is None else refused).setdefault(name, []).append(attempt)

    own = {
        name: find_refusals(refused.get(name, ()), accepted.get(name, ()), tables_of, writes=kind.writes)
        for name, kind in sorted(kinds.items())
    }
    write_tools = frozenset(name for name, kind in kinds.items() if kind.writes)
    vocabulary = {name: _vocabulary(calls.get(name, ())) for name in write_tools}
    refusals = with_borrowed(own, accepted, subjects, write_tools, vocabulary)

    gates = {
        name: frozenset(rule.condition.tool for rule in rules if isinstance(rule.condition, NotYet))
        for name, rules in refusals.items()
    }

    queries = {
        name: None if name in subjects or kinds[name].writes else find_query(seen, sites, records, holders)
        for name, seen in sorted(calls.items())
    }
    absences = with_shared(
        {name: find_absence(seen, subjects.get(name), queries[name], shown_in) for name, seen in sorted(calls.items())},
        queries,
    )

    def model(name: str) -> ToolModel:
        seen = calls.get(name, [])
        good = tuple(call for call in seen if not call.is_error)
        return ToolModel(
            name=name,
            kind=kinds[name],
            schema=schemas.get(name) or function_schema(name, [call.arguments for call in good or seen]),
            text_encoded=_as_text(good),
            wrapped=name in wrapping,
            argument_sets=frozenset(frozenset(call.arguments) for call in good),
            answers=_commonest(untouched.get(name, ()), gates[name]),
            examples=_examples(good),
            writes=tuple(writes.get(name, ())),
            function=find_function(_unexplained(seen, refused.get(name, ()), refusals[name])),
            effect=find_effect(writes[name], records, tables_of) if name in writes else None,
            side_effects=find_side_effects(sides.get(name, ()), tables_of),
            read_backs=find_read_backs(backs.get(name, ()), tables_of),
            subject=subjects.get(name),
            refusals=refusals[name],
            query=queries.get(name),
            search=None if kinds[name].writes else find_search(seen, sites, records),
            absence=absences.get(name),
        )

    models = {name: model(name) for name in sorted(kinds)}
    fields = read_fields(calls, sites, kinds)
    return World(
        models,
        kinds,
        sites,
        records,
        origins_of(histories),
        fields,
        wrapping,
        gates,
        Calibration.of({}),
        frozenset(shown_in),
    )


def _examples(calls: Sequence[Recorded]) -> tuple[Example, ...]:
    """Distinct calls, the latest first: more than some hundred would hardly hold a nearer one."""
    distinct = {call.key: call for call in calls}
    latest = list(reversed(distinct.values()))[:_MOST_EXAMPLES]
    return tuple(
        Example(call, {name: canonical(value) for name, value in call.arguments.items()}, digest(call.result))
        for call in latest
    )


def _unexplained(calls: Sequence[Recorded], refused: Sequence[Attempt], rules: Sequence[RefusalRule]) -> list[Recorded]:
    """The calls without those that a rule refuses: what it answers is asked before any function."""
    ruled = {
        (attempt.conversation_id, digest(attempt.context.arguments))
        for attempt in refused
        if any(rule.condition.holds(attempt.context) for rule in rules)
    }
    return [call for call in calls if not call.is_error or (call.conversation_id, call.key) not in ruled]


def _vocabulary(calls: Sequence[Recorded]) -> frozenset[str]:
    """The words of a tool's answers."""
    return frozenset(word for call in calls[:50] for word in tokens(canonical(call.result).decode()))


def _as_text(calls: Sequence[Recorded]) -> bool:
    """Whether the tool's logs keep JSON as a string."""
    return 2 * sum(isinstance(call.raw, str) and not isinstance(call.result, str) for call in calls) > len(calls)


def _commonest(told: Iterable[Told], gates: frozenset[str]) -> dict[Asked, Recorded]:
    """What was asked → the answer most conversations got; among equals the first."""
    rows: dict[Asked, list[Recorded]] = {}
    for call, done in told:
        rows.setdefault((call.key, done & gates), []).append(call)
    chosen = {}
    for asked, same_call in rows.items():
        forms = [canonical(call.result) for call in same_call]
        counts = Counter(forms)
        best = max(counts.values())
        chosen[asked] = next(call for call, form in zip(same_call, forms, strict=True) if counts[form] == best)
    return chosen
