"""How often words are said here and elsewhere in, those that are said here and hardly anywhere else out."""

import math
from collections import Counter

__all__ = ["ENOUGH", "SEEN", "no_chance", "peculiar"]

ENOUGH = 2000  # successes tell how agents speak
SEEN = 5  # of them that say it in the same words
_ALONE = 0.97  # of those that say them at all
_CHANCE = 0.05  # words taken for peculiar that are not


def peculiar(here: Counter[str], elsewhere: Counter[str], least: float) -> list[str]:
    """The words said so often here at least, in their order."""
    return sorted(word for word, n in here.items() if n >= least and n >= _ALONE * (n + elsewhere[word]))


def no_chance(here: Counter[str], elsewhere: Counter[str]) -> float:
    """How often words have to be said here, and nowhere else, for that to be no chance, as many as there are."""
    share = here.total() / ((here.total() + elsewhere.total()) or 1)
    return max(SEEN, math.log(_CHANCE / len(here)) / math.log(share) if 0 < share < 1 else 0.0)
