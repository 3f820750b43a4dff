"""A training's history in, its curve out: as a picture (SVG), and in words and bars for a terminal."""

from collections.abc import Callable, Mapping, Sequence

from agent_gym.fidelity.watch import worst
from agent_gym.reward.hacks import HackClass
from agent_gym.training.learner import Round

__all__ = ["Points", "colour_of", "drawn", "is_warning", "lines_of", "listed", "sparkline"]

Points = Sequence[tuple[float, float]]  # (round, value)

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 780, 380, 64, 56, 170, 52
_INK, _PALE, _SUCCESS = "#1f2933", "#d9dee4", "#e8590c"
_COLOURS = {
    "success": _SUCCESS,
    "reward": "#0b7285",
    "practice reward": "#adb5bd",
    "held against it": "#c2255c",
    "no work pays": "#862e9c",
    "corrupted pays": "#e599f7",
}
_WATCHED = "#2b8a3e"
_WARNINGS = ("held against it", "no work pays", "corrupted pays")
_BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float]) -> str:
    """Values from 0 to 1 as a row of bars."""
    return "".join(_BARS[min(len(_BARS) - 1, int(max(0.0, value) * len(_BARS)))] for value in values)


def listed(shares: Mapping[str, float]) -> str:
    """Shares by name, in their order; the number first, for a name may hold a comma."""
    return ", ".join(f"{share:.0%} {name}" for name, share in shares.items())


def drawn(history: Sequence[Round], title: str, watched: Mapping[str, Sequence[float]] | None = None) -> str:
    """Reward and success on cases not practised on, round by round, with the interval of the success, the share of
    episodes of which the reward held something against the policy, and the share in which the worst hack of each class
    pays. `watched` are other lines: one value a round."""
    last = max(history[-1].number, 1)

    def place(number: float, value: float) -> tuple[float, float]:
        across = _LEFT + (_WIDTH - _LEFT - _RIGHT) * number / last
        return across, _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - value)

    band = [place(each.number, each.success_high) for each in history]
    band += [place(each.number, each.success_low) for each in reversed(history)]
    lines = lines_of(history, watched)
    rows = [*_frame(title, last, place), f'<polygon points="{_points(band)}" fill="{_SUCCESS}" opacity="0.13"/>']
    rows += [_line([place(*point) for point in points], name) for name, points in lines.items()]
    rows += _labels({name: points[-1][1] for name, points in lines.items()}, place)
    return "\n".join([*rows, "</svg>", ""])


def lines_of(history: Sequence[Round], watched: Mapping[str, Sequence[float]] | None = None) -> dict[str, Points]:
    """The lines of a curve by name; one without a point is none."""
    lines: dict[str, Points] = {
        "practice reward": [
            (each.number, each.practice_reward) for each in history if each.practice_reward is not None
        ],
        "success": [(each.number, each.success) for each in history],
        "reward": [(each.number, each.reward) for each in history],
        "held against it": [(each.number, min(1.0, sum(each.flags.values()))) for each in history],
        "no work pays": _worst(history, "no work or deception"),
        "corrupted pays": _worst(history, "a success corrupted in one place"),
        **{name: list(enumerate(values)) for name, values in (watched or {}).items()},
    }
    return {name: points for name, points in lines.items() if points}


def _worst(history: Sequence[Round], kind: HackClass) -> Points:
    found = [(each.number, worst(each.hacks, kind)) for each in history]
    return [(number, share) for number, share in found if share is not None]


def colour_of(name: str) -> str:
    return _COLOURS.get(name, _WATCHED)


def is_warning(name: str) -> bool:
    """Whether a line says how the reward is hacked; such lines are broken."""
    return name in _WARNINGS


_Place = Callable[[float, float], tuple[float, float]]


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _line(points: Sequence[tuple[float, float]], name: str) -> str:
    colour, dashes = colour_of(name), ' stroke-dasharray="6 4"' if is_warning(name) else ""
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>' for x, y in points)
    return f'<polyline points="{_points(points)}" fill="none" stroke="{colour}" stroke-width="2.4"{dashes}/>{dots}'


def _labels(ends: Mapping[str, float], place: _Place) -> list[str]:
    """The name of each line at its end, none over another."""
    rows: list[str] = []
    lowest = float("inf")
    for name, value in sorted(ends.items(), key=lambda end: end[1]):
        lowest = min(place(0, value)[1], lowest - 17)
        rows.append(_text(_WIDTH - _RIGHT + 12, lowest + 4, f"{name} {value:.2f}", colour_of(name), "start"))
    return rows


def _frame(title: str, last: int, place: _Place) -> list[str]:
    family = "font-family=\"system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\""
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" {family}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_LEFT, 30, title, _INK, "start", 16),
        _text(place(last / 2, 0)[0], _HEIGHT - 10, "rounds of practice (0: the clone)", _INK),
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        (left, y), (right, _) = place(0, tick), place(last, tick)
        rows.append(f'<line x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}" stroke="{_PALE}"/>')
        rows.append(_text(_LEFT - 10, y + 4, f"{tick:g}", _INK, "end"))
    below = place(0, 0)[1] + 20
    return rows + [_text(place(n, 0)[0], below, str(n), _INK) for n in range(0, last + 1, max(1, last // 8))]


def _text(x: float, y: float, text: str, colour: str, anchor: str = "middle", size: int = 12) -> str:
    safe = text.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}">{safe}</text>'
