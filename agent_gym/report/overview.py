"""A gym in, what a person asks first out: how much is in it, how it is split, how the conversations ended."""

from collections import Counter
from collections.abc import Mapping

from agent_gym.environment import Environment
from agent_gym.fidelity.verdict import verdict_words
from agent_gym.markup import Content, el, table
from agent_gym.report.charts import Bar, bars, calibration
from agent_gym.types import Json

__all__ = ["overview", "quality"]

_ADVICE = 5


def overview(environment: Environment, fidelity: Mapping[str, Json]) -> Content:
    counts = environment.counts
    scorable = sum(scenario.scorable for scenario in environment.scenarios())
    cards = (
        (f"{counts['conversations']:,}", "conversations"),
        (f"{counts['calls']:,}", "tool calls"),
        (f"{counts['tools']}", "tools"),
        (f"{counts['successes']:,}", "known successes to learn from"),
        (f"{scorable:,}", "cases that can be scored"),
        (f"{counts['test']:,}", "held out: nothing was learned from them"),
    )
    return [
        el(
            "div",
            [el("div", el("b", number), el("span", what), class_="card") for number, what in cards],
            class_="cards",
        ),
        *_told(fidelity.get("tools") or {}),
        _ranking(fidelity.get("ranking") or {}),
    ]


_ASKED = {
    "against": "on the conversations given",
    "new_rollout": "when another agent acts in a recorded case",
    "new_case": "for customers that no record shows",
}


def _told(tools: Mapping[str, Json]) -> list[Content]:
    """The verdict in words, for each way in which the tools were asked."""
    on = tools.get("measured_on") or {}
    verdicts = [(name, verdict_words(on[key].get("verdict") or {})) for key, name in _ASKED.items() if key in on]
    verdicts = verdicts or [("", verdict_words(tools.get("verdict") or {}))]
    lists = [(f"The verdict on the tools {name}".strip(), words) for name, words in verdicts]
    lists.append(("What data would help most", tuple(str(one["words"]) for one in tools.get("advice") or ())[:_ADVICE]))
    return [
        [el("h3", title), el("ul", [el("li", line) for line in lines], class_="plain")]
        for title, lines in lists
        if lines
    ]


def _ranking(found: Mapping[str, Json]) -> Content:
    """Whether better agents do better here, which is what training relies on."""
    title = el("h3", "Do recorded agents rank as they really did?")
    if not found.get("by_agent"):
        why = f"Not measured: {found['why']}." if found.get("why") else "Not measured: run agent-gym fidelity."
        return [title, el("p", why, class_="soft")]
    low, high = found["spearman_interval"]
    agents = found["by_agent"].items()
    rows = [(name, f"{one['conversations']:,}", f"{one['real']:.1%}", f"{one['live']:.1%}") for name, one in agents]
    stated = (
        f"Rank correlation {found['spearman']:.2f} [{low:.2f}, {high:.2f}]"
        if found["spearman"] is not None
        else "All alike"
    )
    pairs = (
        f"{found['ordered']:.0%} of {found['pairs']} pairs in the right order" if found["pairs"] else "no pair differs"
    )
    lead = (
        f"{stated} over {found['agents']} agents and {found['conversations']:,} conversations; {pairs}. "
        "Each was replayed in a gym made of other agents' conversations."
    )
    points = [(one["real"], one["live"], one["conversations"]) for _, one in agents]
    columns = (f"agent (metadata.{found['key']})", "conversations", "succeeded, by the log", "in the gym")
    return [
        title,
        el("p", lead),
        el(
            "div",
            table(columns, rows, numbers=frozenset({1, 2, 3})),
            calibration(points, "One dot an agent: how often it succeeded", across="by the log", up="in the gym"),
            class_="pair",
        ),
    ]


def quality(environment: Environment) -> Content:
    """What the log holds, and what a gym can make nothing of."""
    traces = list(environment.corpus)
    outcomes = Counter(trace.outcome or "not said" for trace in traces)
    without = {
        "no customer says anything": sum(not any(m.role == "user" for m in t.messages) for t in traces),
        "no outcome is given": sum(t.outcome is None for t in traces),
        "no rating is given": sum(t.satisfaction_score is None for t in traces),
        "no tool is called": sum(not any(m.tool_calls for m in t.messages) for t in traces),
        "a call has no result": sum(any(result is None for _, result in t.calls()) for t in traces),
    }
    shares = [Bar(name, count / max(1, len(traces)), note=f"{count:,}") for name, count in outcomes.most_common(12)]
    return [
        bars(shares, "How the conversations ended, as the log says it"),
        table(
            ("in so many conversations", "", "share"),
            ((name, f"{count:,}", f"{count / max(1, len(traces)):.1%}") for name, count in without.items()),
            numbers=frozenset({1, 2}),
        ),
    ]
