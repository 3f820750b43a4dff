"""A training's history in, its curve as a PNG out; matplotlib draws it, and is an extra."""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agent_gym.errors import MissingExtra
from agent_gym.training.curve import Points, colour_of, is_warning, lines_of
from agent_gym.training.learner import Round

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["pictured"]

_INK, _PALE = "#1f2933", "#d9dee4"
_APART = 0.045  # names nearer than this would stand over each other


def pictured(history: Sequence[Round], title: str, watched: Mapping[str, Sequence[float]] | None = None) -> bytes:
    """The lines of `drawn` as a picture. Raises `MissingExtra` where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtra("plot", "a learning curve as PNG needs matplotlib") from error
    figure = Figure(figsize=(7.8, 3.8), dpi=160, layout="constrained")
    axes = figure.add_subplot()
    numbers = [each.number for each in history]
    low, high = [each.success_low for each in history], [each.success_high for each in history]
    axes.fill_between(numbers, low, high, color=colour_of("success"), alpha=0.13, linewidth=0)
    lines = lines_of(history, watched)
    for name, points in lines.items():
        style = "--" if is_warning(name) else "-"
        colour = colour_of(name)
        axes.plot(*zip(*points, strict=True), style, color=colour, linewidth=2.2, marker="o", markersize=4)
    _named(axes, lines, numbers[-1])
    _framed(axes, title, numbers)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png")
    return drawn.getvalue()


def _named(axes: "Axes", lines: Mapping[str, Points], last: int) -> None:
    """The name of each line at its end, none over another."""
    highest = -1.0
    for name, points in sorted(lines.items(), key=lambda line: line[1][-1][1]):
        value = points[-1][1]
        highest = max(value, highest + _APART)
        told = f"  {name} {value:.2f}"
        axes.text(last, highest, told, color=colour_of(name), fontsize=9, va="center", clip_on=False)


def _framed(axes: "Axes", title: str, numbers: Sequence[int]) -> None:
    axes.set_title(title, loc="left", color=_INK, fontsize=12)
    axes.set_xlabel("rounds of practice (0: the clone)", color=_INK)
    axes.set_ylim(0, 1)
    axes.set_xlim(0, max(numbers[-1], 1))
    axes.set_xticks(list(numbers))
    axes.grid(axis="y", color=_PALE)
    axes.tick_params(colors=_INK, length=0)
    axes.spines[:].set_visible(False)
