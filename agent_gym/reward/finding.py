"""What one part found: a raw score in [0, 1], and a sentence that says why."""

from dataclasses import dataclass

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A part that does not apply returns None instead: never 0."""

    raw: float
    why: str
    evidence: tuple[str, ...] = ()
