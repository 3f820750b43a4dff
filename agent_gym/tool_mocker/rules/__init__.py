"""The rules by which calls are answered, one idea a file: how it is learned, how it answers, how it says itself.

`RULES` names them in the order in which they are tried where nothing is known of a log, each with the share of its
answers that is then expected to be right. What a log shows of both replaces that, tool by tool (`precision`).
"""

from collections.abc import Mapping

from agent_gym.tool_mocker.evidence import Evidence
from agent_gym.tool_mocker.rules.effect import EffectRule, FieldRule, SelectionRule, learn_effect, learn_selection
from agent_gym.tool_mocker.rules.function import FunctionRule, learn_function
from agent_gym.tool_mocker.rules.invalid import Defect, InvalidRule, learn_invalid
from agent_gym.tool_mocker.rules.listing import KnownRowsRule, ListingRule, learn_listing
from agent_gym.tool_mocker.rules.missing import MissingRule, Search, learn_missing
from agent_gym.tool_mocker.rules.neighbour import NeighbourRule
from agent_gym.tool_mocker.rules.recorded import ElsewhereRule, HereBeforeRule, HereRule, PatchedRule, RecordedRule
from agent_gym.tool_mocker.rules.refusal import Refusal, RefusalRule, learn_refusal
from agent_gym.tool_mocker.rules.totals import Measure, Step, TotalsRule, learn_totals
from agent_gym.tool_mocker.rules.views import (
    FieldViewRule,
    QueryRule,
    RecordViewRule,
    learn_field_view,
    learn_query,
    learn_record_view,
)
from agent_gym.tool_mocker.world import Rule

__all__ = ["KEPT", "RULES", "learn_rules"]

RULES: Mapping[str, float] = {
    "recorded here": 0.99,  # what this very conversation was told in this situation
    "recorded": 0.98,  # what other conversations were told in the same situation
    "field": 0.9,  # one field of a record
    "record": 0.9,  # the record that a call names
    "state": 0.9,  # a recorded answer, with this session's own writes in it
    "missing": 0.8,  # what does not exist
    "refusal": 0.8,  # what the record says is refused
    "invalid": 0.9,  # arguments that the tool does not take
    "selection": 0.7,  # what follows from a row that this session was shown
    "effect": 0.85,  # what a write would do to a known record
    "function": 0.97,  # what follows from the arguments alone
    "listing": 0.9,  # the rows that fit
    "totals": 0.9,  # an earlier answer, its numbers moved by what was written since
    "here before": 0.7,  # what this very conversation was told where other things had been done
    "elsewhere": 0.6,  # what was told where other things had been done
    "query": 0.9,  # the record that holds what was asked for
    "known rows": 0.3,  # those of the known rows that fit
    "neighbour": 0.1,  # the nearest recorded answer, adapted
}

KEPT: tuple[type, ...] = (  # what a stored world may hold of them
    *(HereRule, HereBeforeRule, RecordedRule, PatchedRule, ElsewhereRule, NeighbourRule, InvalidRule, Defect),
    *(FieldViewRule, RecordViewRule, QueryRule, MissingRule, Search, RefusalRule, Refusal, FunctionRule),
    *(ListingRule, KnownRowsRule, EffectRule, FieldRule, SelectionRule, TotalsRule, Step, Measure),
)


def learn_rules(evidence: Evidence, mentioned: Mapping[str, int | None]) -> dict[str, Mapping[str, Rule]]:
    """tool → its rules, in the order of `RULES`; `mentioned`: value → whose results show it (`mentioned_values`)."""
    refusals = learn_refusal(evidence)
    queries = learn_query(evidence)
    listings = learn_listing(evidence)
    reads = [name for name, kind in evidence.kinds.items() if not kind.writes]
    found: Mapping[str, Mapping[str, Rule]] = {
        "recorded here": dict.fromkeys(evidence.kinds, HereRule()),
        "recorded": dict.fromkeys(evidence.kinds, RecordedRule()),
        "field": learn_field_view(evidence),
        "record": learn_record_view(evidence),
        "totals": learn_totals(evidence),
        "state": dict.fromkeys(reads, PatchedRule()),
        "missing": learn_missing(evidence, queries, mentioned),
        "refusal": refusals,
        "invalid": learn_invalid(evidence),
        "function": learn_function(evidence, refusals),
        "listing": listings,
        "here before": dict.fromkeys(reads, HereBeforeRule()),
        "elsewhere": dict.fromkeys(reads, ElsewhereRule()),
        "selection": learn_selection(evidence),
        "effect": learn_effect(evidence),
        "query": queries,
        "known rows": dict.fromkeys(listings, KnownRowsRule()),
        "neighbour": dict.fromkeys(evidence.kinds, NeighbourRule()),
    }
    return {name: {rule: found[rule][name] for rule in RULES if name in found[rule]} for name in sorted(evidence.kinds)}
