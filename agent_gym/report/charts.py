"""Numbers in, inline SVG out: no library, no network, and they print."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_gym.report.markup import Markup, el

__all__ = ["Bar", "bars", "calibration", "curve"]

_WIDTH, _ROW, _LABEL = 640, 22, 190
_SIDE = 260


@dataclass(frozen=True, slots=True)
class Bar:
    """A share with its interval, and on how many it rests."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


def bars(rows: Sequence[Bar], title: str) -> Markup:
    """Horizontal bars from 0 to 1; the line in each is its 95 % interval."""
    span = _WIDTH - _LABEL - 130
    drawn = []
    for at, row in enumerate(rows):
        y = at * _ROW
        drawn += [
            el("text", row.label[:30], x=_LABEL - 8, y=y + 15, text_anchor="end", class_="label"),
            el("rect", x=_LABEL, y=y + 4, width=span, height=14, class_="track"),
            el("rect", x=_LABEL, y=y + 4, width=round(span * row.value, 1), height=14, class_="fill"),
        ]
        if row.low is not None and row.high is not None:
            left, right = (_LABEL + span * edge for edge in (row.low, row.high))
            drawn.append(el("line", x1=round(left, 1), x2=round(right, 1), y1=y + 11, y2=y + 11, class_="interval"))
        told = f"{row.value:.1%}  {row.note}".strip()
        drawn.append(el("text", told, x=_LABEL + span + 8, y=y + 15, class_="value"))
    return _figure(_WIDTH, len(rows) * _ROW + 4, drawn, title)


def calibration(points: Sequence[tuple[float, float, int]], title: str) -> Markup:
    """(stated, really, how many): on the diagonal, what is said is so."""
    most = max((count for _, _, count in points), default=1)
    drawn = [
        el("rect", x=30, y=8, width=_SIDE - 40, height=_SIDE - 40, class_="track"),
        el("line", x1=30, y1=_SIDE - 32, x2=_SIDE - 10, y2=8, class_="diagonal"),
        el("text", "stated", x=_SIDE / 2, y=_SIDE - 12, class_="label", text_anchor="middle"),
        el(
            "text",
            "really",
            x=14,
            y=_SIDE / 2,
            class_="label",
            text_anchor="middle",
            transform=f"rotate(-90 14 {_SIDE / 2})",
        ),
    ]
    for stated, really, count in points:
        x, y = 30 + (_SIDE - 40) * stated, 8 + (_SIDE - 40) * (1 - really)
        hint = el("title", f"stated {stated:.2f}, really {really:.2f}, of {count}")
        drawn.append(
            el("circle", hint, cx=round(x, 1), cy=round(y, 1), r=round(3 + 7 * (count / most) ** 0.5, 1), class_="dot")
        )
    return _figure(_SIDE, _SIDE, drawn, title)


def curve(series: Sequence[tuple[str, Sequence[float]]], title: str) -> Markup:
    """Values between 0 and 1 over rounds, one line a series."""
    width, height = 520, 200
    longest = max((len(values) for _, values in series), default=0)
    drawn = [el("rect", x=30, y=8, width=width - 130, height=height - 30, class_="track")]
    for number, (name, values) in enumerate(series):
        step = (width - 130) / max(1, longest - 1)
        at = [(30 + step * i, 8 + (height - 30) * (1 - value)) for i, value in enumerate(values)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        drawn.append(el("polyline", points=points, class_=f"line s{number % 4}"))
        if at:
            drawn.append(el("text", name, x=width - 95, y=round(at[-1][1] + 4, 1), class_="label"))
    return _figure(width, height, drawn, title)


def _figure(width: float, height: float, drawn: Sequence[Markup], title: str) -> Markup:
    picture = el(
        "svg", drawn, viewBox=f"0 0 {width} {height}", role="img", aria_label=title, width=width, height=height
    )
    return el("figure", picture, el("figcaption", title))
