"""Numbers in, inline SVG out: no library, no network, and they print."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_gym.markup import Markup, el

__all__ = ["Band", "Bar", "bars", "calibration", "curve"]

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


def calibration(
    points: Sequence[tuple[float, float, int]], title: str, across: str = "stated", up: str = "really"
) -> Markup:
    """(stated, really, how many): on the diagonal, what is said is so."""
    most = max((count for _, _, count in points), default=1)
    drawn = [
        el("rect", x=30, y=8, width=_SIDE - 40, height=_SIDE - 40, class_="track"),
        el("line", x1=30, y1=_SIDE - 32, x2=_SIDE - 10, y2=8, class_="diagonal"),
        el("text", across, x=_SIDE / 2, y=_SIDE - 12, class_="label", text_anchor="middle"),
        el(
            "text",
            up,
            x=14,
            y=_SIDE / 2,
            class_="label",
            text_anchor="middle",
            transform=f"rotate(-90 14 {_SIDE / 2})",
        ),
    ]
    for stated, really, count in points:
        x, y = 30 + (_SIDE - 40) * stated, 8 + (_SIDE - 40) * (1 - really)
        hint = el("title", f"{across} {stated:.2f}, {up} {really:.2f}, of {count}")
        drawn.append(
            el("circle", hint, cx=round(x, 1), cy=round(y, 1), r=round(3 + 7 * (count / most) ** 0.5, 1), class_="dot")
        )
    return _figure(_SIDE, _SIDE, drawn, title)


@dataclass(frozen=True, slots=True)
class Band:
    """A line of values between 0 and 1, with its interval where there is one."""

    label: str
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


def curve(series: Sequence[Band], title: str, ticks: Sequence[str] = ()) -> Markup:
    """Values over steps, one line a series, the interval as a band behind it; `ticks` name the steps."""
    width, height, left, right, top, bottom = 560, 220, 34, 150, 10, 26
    longest = max((len(one.values) for one in series), default=0)
    step = (width - left - right) / max(1, longest - 1)
    span = height - top - bottom

    def place(at: int, value: float) -> tuple[float, float]:
        return left + step * at, top + span * (1 - min(1.0, max(0.0, value)))

    drawn = []
    for mark in (0.0, 0.5, 1.0):
        y = place(0, mark)[1]
        drawn.append(el("line", x1=left, x2=width - right, y1=round(y, 1), y2=round(y, 1), class_="grid"))
        drawn.append(el("text", f"{mark:g}", x=left - 6, y=round(y + 4, 1), text_anchor="end", class_="label"))
    for at, tick in enumerate(ticks or [str(at) for at in range(longest)]):
        drawn.append(el("text", tick, x=round(place(at, 0)[0], 1), y=height - 8, text_anchor="middle", class_="label"))
    for number, one in enumerate(series):
        edge = [place(at, value) for at, value in enumerate(one.high)]
        edge += reversed([place(at, value) for at, value in enumerate(one.low)])
        if edge:
            drawn.append(el("polygon", points=_points(edge), class_=f"band s{number % 4}"))
    for number, one in enumerate(series):
        at_each = [place(at, value) for at, value in enumerate(one.values)]
        drawn.append(el("polyline", points=_points(at_each), class_=f"line s{number % 4}"))
        for (x, y), value in zip(at_each, one.values, strict=True):
            hint = el("title", f"{one.label}: {value:.3f}")
            drawn.append(el("circle", hint, cx=round(x, 1), cy=round(y, 1), r=3, class_=f"point s{number % 4}"))
    drawn += _ends([(one.label, place(0, one.values[-1])[1]) for one in series if one.values], width - right + 10)
    return _figure(width, height, drawn, title)


def _ends(labels: Sequence[tuple[str, float]], x: float) -> list[Markup]:
    """The name of each line at its end, none over another."""
    placed, lowest = [], -100.0
    for number, (label, y) in sorted(enumerate(labels), key=lambda one: one[1][1]):
        lowest = max(y, lowest + 15)
        placed.append(el("text", label[:24], x=x, y=round(lowest + 4, 1), class_=f"end s{number % 4}"))
    return placed


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _figure(width: float, height: float, drawn: Sequence[Markup], title: str) -> Markup:
    picture = el(
        "svg", drawn, viewBox=f"0 0 {width} {height}", role="img", aria_label=title, width=width, height=height
    )
    return el("figure", picture, el("figcaption", title))
