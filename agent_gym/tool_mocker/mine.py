"""Recorded conversations in, the mined World out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agent_gym.tool_mocker.effects import learn_effects
from agent_gym.tool_mocker.evidence import Evidence, find_evidence
from agent_gym.tool_mocker.expressions.counting import NextNumber
from agent_gym.tool_mocker.expressions.language import Expr
from agent_gym.tool_mocker.faults import find_wordings
from agent_gym.tool_mocker.log import PLAIN, Recorded, find_forms, plain
from agent_gym.tool_mocker.precision import Precision
from agent_gym.tool_mocker.rules import RULES, learn_rules
from agent_gym.tool_mocker.rules.effect import EffectRule
from agent_gym.tool_mocker.rules.missing import grounded_arguments, mentioned_values, owned_arguments
from agent_gym.tool_mocker.rules.neighbour import examples_of
from agent_gym.tool_mocker.rules.recorded import find_memories
from agent_gym.tool_mocker.rules.refusal import RefusalRule
from agent_gym.tool_mocker.schemas import ResultSchema, result_schema
from agent_gym.tool_mocker.world import Rule, Tally, Tool, World
from agent_gym.types import Json, Watch, unwatched

__all__ = ["mine"]


def mine(
    recorded: Sequence[Sequence[Recorded]],
    declared: Iterable[Mapping[str, Json]] = (),
    groups: Mapping[str, int] | None = None,
    watch: Watch = unwatched,
) -> World:
    """The world that the conversations show; `declared` are the traces' own tool schemas.

    `groups`: conversation → the customer, or the case, that it is of; without them each is a group of its own.
    """
    forms = find_forms(call for conversation in recorded for call in conversation)
    conversations = [plain(conversation, forms) for conversation in recorded]
    of_group = groups or {conversation[0].conversation_id: at for at, conversation in enumerate(conversations)}
    evidence = find_evidence(conversations, {tool["function"]["name"]: tool for tool in declared}, of_group)
    watch("mining the tools", 1, 3)
    mentioned = mentioned_values(evidence)
    rules = learn_rules(evidence, mentioned)
    watch("mining the tools", 2, 3)
    plain_tools = {name: _tool(name, evidence, some) for name, some in rules.items()}
    memories, stories = find_memories(evidence, {name: tool.gates for name, tool in plain_tools.items()})
    effects = learn_effects(evidence)
    grounded = grounded_arguments(evidence, mentioned)
    owned = owned_arguments(evidence)
    tools = {
        name: replace(
            tool,
            form=forms.get(name, PLAIN),
            memory=memories[name],
            effects=effects.get(name, ()),
            grounded=grounded.get(name, frozenset()),
            owned=owned.get(name, ()),
            counters=_counters(tool.rules),
            alters=_alters(tool.rules),
        )
        for name, tool in plain_tools.items()
    }
    watch("mining the tools", 3, 3)
    return World(
        tools=tools,
        kinds={name: tool.kind for name, tool in tools.items()},
        forms=forms,
        dependence=evidence.dependence,
        sites=evidence.sites,
        records=evidence.records,
        by_fields=evidence.by_fields,
        origins=evidence.origins,
        stories=stories,
        mentioned=frozenset(mentioned),
        wordings=find_wordings(call for calls in evidence.sample.values() for call in calls if call.is_error),
        precision=Precision.of({}, RULES),
    )


def _gates(rules: Mapping[str, Rule]) -> frozenset[str]:
    refusal = rules.get("refusal")
    return refusal.gates if isinstance(refusal, RefusalRule) else frozenset()


def _counters(rules: Mapping[str, Rule]) -> tuple[tuple[str, Expr], ...]:
    effect = rules.get("effect")
    fields = effect.fields if isinstance(effect, EffectRule) else ()
    return tuple((field.name, field.value) for field in fields if isinstance(field.value, NextNumber))


def _alters(rules: Mapping[str, Rule]) -> frozenset[str] | None:
    effect = rules.get("effect")
    if not isinstance(effect, EffectRule) or not effect.shown:
        return None
    return frozenset(field.name.partition(".")[0] for field in effect.fields)


def _tool(name: str, evidence: Evidence, rules: Mapping[str, Rule]) -> Tool:
    calls = evidence.calls.get(name, ())
    good = [call for call in calls if not call.is_error]
    shown = [[call.raw for call in evidence.sample.get(name, ()) if call.is_error is wrong] for wrong in (False, True)]
    return Tool(
        name=name,
        kind=evidence.kinds[name],
        schema=evidence.schemas[name],
        results=ResultSchema(*map(result_schema, shown)),
        recorded=Tally(len(calls), len(calls) - len(good)),
        subject=evidence.subjects.get(name),
        gates=_gates(rules),
        examples=examples_of(good),
        rules=rules,
    )
