"""The reward's card and audit in, how far its scores can be trusted out."""

from collections.abc import Mapping

from agent_gym.markup import Content, el, table
from agent_gym.report.charts import calibration
from agent_gym.types import Json

__all__ = ["reward"]

_REGIMES = {"own_case": "a success of the case is known", "other_case": "only other customers' successes are known"}


def reward(measured: Mapping[str, Json]) -> Content:
    cards = [_regime(label, measured[name]) for name, label in _REGIMES.items() if measured.get(name)]
    if not cards:
        cards = [el("p", "Not measured: no outcome in the log says which conversations went well.", class_="soft")]
    missing = [el("li", str(line)) for line in measured.get("not_learned") or ()]
    return [
        cards,
        [el("h3", "What the log could not teach"), el("ul", missing, class_="plain")] if missing else None,
        _audit(measured.get("audit")),
    ]


def _regime(label: str, card: Mapping[str, Json]) -> Content:
    rows = [
        ("orders successes before failures (AUC)", _measured(card["auc"])),
        ("the same, within a case", _measured(card["within_case"])),
        ("error of the stated chance", _number(card["calibration_error"])),
        ("Brier score", _number(card["brier"])),
        ("labelled conversations", f"{card['successes']:,} successes, {card['failures']:,} failures"),
        ("fitted", str(card["fitted"])),
    ]
    points = [(float(b[0]), float(b[1]), int(b[2])) for b in (_bin(row) for row in card["curve"]) if b[2]]
    parts = [
        (part["name"], f"{part['weight']:.2f}", _number(part["auc"]), f"{part['applies']:.0%}")
        for part in card["parts"]
    ]
    picture = calibration(points, "Stated chance of success, and how often it was one") if points else None
    alone = table(("part", "weight", "AUC alone", "applies"), parts, numbers=frozenset({1, 2, 3}))
    return [
        el("h3", f"When {label}"),
        el("div", table(("", ""), rows), picture, class_="pair"),
        el("details", el("summary", "part by part"), alone),
    ]


def _bin(row: Json) -> tuple[float, float, int]:
    stated, really, count = (row["stated"], row["really"], row["n"]) if isinstance(row, Mapping) else row
    return stated or 0.0, really or 0.0, count


def _measured(value: Mapping[str, Json]) -> str:
    return (
        "–" if value["value"] is None else f"{value['value']:.3f} [{_number(value['low'])}, {_number(value['high'])}]"
    )


def _number(value: Json) -> str:
    return "–" if value is None else f"{value:.3f}"


def _audit(found: Mapping[str, Json] | None) -> Content:
    if not found:
        return el("p", "The audit was not run: agent-gym report --audit tries every hack on the reward.", class_="soft")
    rows = [
        (row["hack"], row["class"], f"{row['n']:,}", f"{row['mean']:.3f}", f"{row['worst']:.3f}", f"{row['below']:.3f}",
         el("span", "no", class_="good") if row["passed"] else el("span", "yes", class_="bad"))
        for row in found["hacks"]
        if row["n"]
    ]  # fmt: skip
    columns = ("hack", "class", "tried", "mean", "worst", "must be below", "pays?")
    return [el("h3", "Does any hack pay?"), table(columns, rows, numbers=frozenset({2, 3, 4, 5}))]
