"""A gym and its fidelity in, the tools out: how true they are, their rules in words, examples with provenance."""

from collections.abc import Mapping, Sequence

from agent_gym.environment import Environment
from agent_gym.fidelity.verdict import PLACES
from agent_gym.markup import Content, Markup, el, table
from agent_gym.report.charts import Band, Bar, bars, calibration, curve
from agent_gym.report.talk import badge
from agent_gym.text import as_text, digest
from agent_gym.types import Json

__all__ = ["tools"]

_EXAMPLES = 3
_RULES = 12


def tools(environment: Environment, measured: Mapping[str, Json]) -> Content:
    asked = _asked(environment)
    return [
        _fidelity(measured),
        el("h3", "Each tool"),
        el("input", type="search", placeholder="find a tool", aria_label="find a tool", data_filters="tool-list"),
        el(
            "div",
            [_tool(environment, name, asked.get(name, ()), measured) for name in _names(environment)],
            id="tool-list",
        ),
    ]


def _names(environment: Environment) -> list[str]:
    return sorted(str(tool["function"]["name"]) for tool in environment.tool_mocker.tools)


def _fidelity(measured: Mapping[str, Json]) -> Content:
    """How the mined tools answered calls of conversations they had not seen."""
    on = measured.get("measured_on") or {}
    if not on:
        return el("p", "Not measured: run agent-gym fidelity, or let this command do it.", class_="soft")
    named = {
        "against": "the conversations given",
        "new_rollout": "other agents in known cases",
        "new_case": "new customers",
    }
    rows = [
        (named[name], f"{m['calls']:,}", _rate(m, "exact"), f"{m['field_f1']:.1%}", _rate(m, "type"),
         _rate(m, "error_agreement"), _rate(m["after_write"], "exact"), f"{m['confidence_error']:.3f}")
        for name, m in on.items()
        if m.get("calls")
    ]  # fmt: skip
    columns = (
        "asked about",
        "calls",
        "exact",
        "fields F1",
        "right type",
        "errors agree",
        "after a write",
        "confidence off by",
    )
    shares = [
        Bar(source, row["exact"], row["exact_interval"][0], row["exact_interval"][1], f"of {row['calls']:,}")
        for source, row in (measured.get("by_source") or {}).items()
        if row["calls"]
    ]
    stated = [(row["stated"], row["right"], row["calls"]) for row in measured.get("confidence") or ()]
    said = "Stated confidence of the answers, and how often they were right"
    return [
        table(columns, rows, numbers=frozenset(range(1, 8))),
        _beside(measured),
        bars(shares, "Exactly right on unseen calls, by where the answer came from") if shares else None,
        calibration(stated, said) if stated else None,
    ]


def _beside(measured: Mapping[str, Json]) -> Content:
    """What recording the traffic alone would have given."""
    others = measured.get("beside") or {}
    if not others:
        return None
    shares = [
        Bar(name, row["exact"], row["exact_interval"][0], row["exact_interval"][1], f"of {row['calls']:,}")
        for name, row in (("this gym", measured), *others.items())
    ]
    return bars(shares, "Exactly right on unseen calls, beside simpler ways to answer")


def _rate(row: Mapping[str, Json], name: str) -> str:
    value, (low, high) = row.get(name), row.get(f"{name}_interval") or (None, None)
    return "–" if value is None or low is None else f"{value:.1%} [{low:.1%}, {high:.1%}]"


def _tool(
    environment: Environment, name: str, asked: Sequence[Mapping[str, Json]], measured: Mapping[str, Json]
) -> Markup:
    told = environment.tool_mocker.explain(name)
    rules = [el("li", str(rule)) for rule in told.rules[:_RULES]]
    if len(told.rules) > _RULES:
        rules.append(el("li", f"… and {len(told.rules) - _RULES} more", class_="soft"))
    calls = f"{told.recorded.calls:,} recorded calls, {told.recorded.errors:,} errors"
    return el(
        "details",
        el("summary", name, " ", el("span", f"{told.does} · {calls}", class_="soft"), _verdict(name, measured)),
        el("p", told.why, class_="soft"),
        el("ul", rules, class_="plain")
        if rules
        else el("p", "No rule was learned: recorded answers only.", class_="soft"),
        el("p", "Right in validation: ", ", ".join(map(str, told.validation))) if told.validation else None,
        _grown(name, measured),
        _examples(environment, name, asked),
        id=f"tool-{name}",
    )


def _verdict(name: str, measured: Mapping[str, Json]) -> Content:
    found = (measured.get("by_tool") or {}).get(name)
    if not found or found.get("verdict") not in PLACES:
        return None
    words, _ = PLACES[found["verdict"]]
    return [
        " ",
        el("span", f"{words}: {_rate(found, 'exact')} of {found['calls']:,}", class_=f"badge {found['verdict']}"),
    ]


def _grown(name: str, measured: Mapping[str, Json]) -> Content:
    """The tool's curve: how often it was right with ever more of the log."""
    steps = ((measured.get("growth") or {}).get(name) or {}).get("steps") or ()
    known = [step for step in steps if step["exact"] is not None]
    if len(known) < 2:
        return None
    title = f"Exactly right on {known[-1]['calls']:,} unseen calls, by recorded calls mined"
    return curve([Band(name, [step["exact"] for step in known])], title, [f"{step['examples']:,}" for step in known])


def _asked(environment: Environment) -> dict[str, list[Mapping[str, Json]]]:
    """tool → a few different recorded calls of it."""
    found: dict[str, dict[bytes, Mapping[str, Json]]] = {}
    for trace in environment.corpus.train:
        for message in trace.messages:
            for call in message.tool_calls:
                known = found.setdefault(call.name, {})
                if len(known) < _EXAMPLES:
                    known.setdefault(digest(call.arguments), call.arguments)
    return {name: list(known.values()) for name, known in found.items()}


def _examples(environment: Environment, name: str, asked: Sequence[Mapping[str, Json]]) -> Content:
    """Recorded calls asked again, by a session that belongs to no conversation."""
    lines = []
    for arguments in asked:
        answer = environment.tool_mocker.session().call(name, arguments)
        call = el("pre", f"{name}({as_text(arguments)})", class_="call")
        lines.append(el("div", call, badge(answer), el("pre", as_text(answer.result)[:600])))
    return lines
