"""Training histories in, their learning curves out: success and reward on cases not practised on, round by round."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_gym.markup import Content, Markup, el, table
from agent_gym.report.charts import Band, curve
from agent_gym.training import Round, listed

__all__ = ["NamedHistory", "learning"]


@dataclass(frozen=True, slots=True)
class NamedHistory:
    """The rounds of one training, the clone first."""

    name: str
    rounds: tuple[Round, ...]


def learning(found: Sequence[NamedHistory]) -> Content:
    return [_learned(history) for history in found if history.rounds]


def _learned(history: NamedHistory) -> Markup:
    rounds = history.rounds
    lines = [
        Band("success", [r.success for r in rounds], [r.success_low for r in rounds], [r.success_high for r in rounds]),
        Band("reward", [r.reward for r in rounds]),
    ]
    rows = [_row(each) for each in rounds]
    columns = ("round", "success", "reward", "off support", "held against it", "hacks that pay")
    return el(
        "div",
        el("h3", f"Training: {history.name}"),
        curve(lines, "Success, with its 95 % interval, and reward in cases not practised on, by round of practice"),
        el("details", el("summary", "round by round"), table(columns, rows, numbers=frozenset({1, 2, 3}))),
    )


def _row(one: Round) -> tuple[str, ...]:
    return (
        "the clone" if one.number == 0 else str(one.number),
        f"{one.success:.1%} [{one.success_low:.1%}, {one.success_high:.1%}]",
        f"{one.reward:.3f}",
        f"{one.off_support:.1%}",
        listed(one.flags),
        listed(one.paying),
    )
