"""The reward card: how far the score can be trusted, measured on conversations it was not fitted to, and in words."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Self, TypeVar, cast

from agent_gym.stats import Bin
from agent_gym.types import Json

__all__ = ["Measured", "PartCard", "RegimeCard", "RewardCard", "card_text"]

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Measured:
    """A number with its 95 % interval, resampled by case and customer; NaN where it could not be measured."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class PartCard:
    """One part: its weight in the fit (0: it did not enter), how well it orders alone, and where it applies."""

    name: str
    weight: float
    auc: float
    applies: float


@dataclass(frozen=True, slots=True)
class RegimeCard:
    """Cross-fitted by case: every conversation was judged by what conversations of other groups taught."""

    successes: int
    failures: int
    groups: int
    fitted: str  # how the chance is made: "isotonic", "Platt", or "defaults"
    auc: Measured
    within_case: Measured
    pairs: int
    brier: float
    calibration_error: float
    curve: tuple[Bin, ...]
    parts: tuple[PartCard, ...]

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Self:
        return cls(
            **{
                **value,
                "auc": _read(Measured, value["auc"]),
                "within_case": _read(Measured, value["within_case"]),
                "curve": tuple(Bin(*row) for row in value["curve"]),
                "parts": tuple(_read(PartCard, part) for part in value["parts"]),
            }
        )


@dataclass(frozen=True, slots=True)
class RewardCard:
    """`own_case`: a success of the case was known; `other_case`: only other customers' successes were.

    A regime without a single labelled conversation to judge is None. `not_learned` says in words what the
    conversations could not teach.
    """

    own_case: RegimeCard | None
    other_case: RegimeCard | None
    outcomes: str
    ratings: int
    satisfaction: float | None  # rank correlation with held-out ratings
    satisfaction_blind: float | None  # the same from the customer's turns alone
    not_learned: tuple[str, ...]

    def to_dict(self) -> dict[str, Json]:
        """JSON knows no NaN: a number that could not be measured is null."""
        return cast("dict[str, Json]", _known(asdict(self)))

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Self:
        regimes = {
            name: RegimeCard.from_dict(value[name]) if value[name] else None for name in ("own_case", "other_case")
        }
        return cls(**{**value, **regimes, "not_learned": tuple(value["not_learned"])})


def _known(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _known(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_known(inner) for inner in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _read(kind: type[Kind], value: Mapping[str, Json]) -> Kind:
    return kind(**{name: math.nan if inner is None else inner for name, inner in value.items()})


def card_text(card: RewardCard) -> str:
    return "\n".join(_lines(card))


def _lines(card: RewardCard) -> Iterator[str]:
    yield from _regime("A success of the case is known", card.own_case)
    yield from _regime("Only other customers' successes are known", card.other_case)
    yield "What the outcomes mean"
    yield from (f"  {line}" for line in card.outcomes.splitlines())
    if card.satisfaction is not None:
        yield (
            f"Satisfaction, logged with weight 0: rank correlation {card.satisfaction:.2f} with {card.ratings} ratings "
            f"where the ending is known, {card.satisfaction_blind:.2f} from the customer's turns alone"
        )
    if card.not_learned:
        yield "Not learned"
        yield from (f"  {sentence}" for sentence in card.not_learned)


def _regime(title: str, card: RegimeCard | None) -> Iterator[str]:
    if card is None:
        yield f"{title}: no labelled conversation to judge"
        return
    labels = f"{card.successes} successes, {card.failures} failures in {card.groups} groups"
    yield f"{title}: {labels}; chance by {card.fitted}"
    yield f"  orders them right (AUC)     {card.auc}"
    yield f"  within a case               {card.within_case} over {card.pairs} pairs"
    yield f"  Brier {card.brier:.3f}, calibration error {card.calibration_error:.3f}"
    for row in card.curve:
        yield f"    says {row.stated:4.0%}, is {row.true:4.0%} of {row.n}"
    for part in sorted(card.parts, key=lambda part: (-part.weight, part.name)):
        entered = f"weight {part.weight:5.2f}" if part.weight else "did not enter"
        yield f"    {part.name:16} {entered:13} alone {part.auc:.3f}, applies to {part.applies:4.0%}"
