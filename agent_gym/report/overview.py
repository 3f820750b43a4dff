"""A gym in, what a person asks first out: how much is in it, how it is split, how the conversations ended."""

from collections import Counter

from agent_gym.environment import Environment
from agent_gym.report.charts import Bar, bars
from agent_gym.report.markup import Content, el, table

__all__ = ["overview", "quality"]


def overview(environment: Environment, verdicts: tuple[str, ...]) -> Content:
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
    told = el("ul", [el("li", line) for line in verdicts], class_="plain") if verdicts else None
    return [
        el(
            "div",
            [el("div", el("b", number), el("span", what), class_="card") for number, what in cards],
            class_="cards",
        ),
        el("h3", "The verdict on the tools") if told else None,
        told,
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
