"""Whether the reply denies what the reference affirms, or the other way round, sentence by sentence."""

from collections.abc import Sequence

from agent_gym.reward.finding import Finding
from agent_gym.reward.likeness import overlap
from agent_gym.reward.reply import Reply
from agent_gym.reward.said import is_negator

__all__ = ["polarity"]

_PREFIXES = ("un", "in", "im", "dis", "non", "ir", "il")


def polarity(reply: Reply) -> Finding | None:
    if reply.reference is None or not reply.exact:
        return None
    met = 0
    for wanted in reply.reference.sentences:
        bare = _bare(wanted)
        alike = [(overlap(_bare(given), bare), -i) for i, given in enumerate(reply.response.sentences)]
        best, place = max(alike, default=(0.0, 0))
        if best < 0.5:
            continue
        met += 1
        given = reply.response.sentences[-place]
        if _denials(given, wanted) % 2:
            return Finding(0.0, f"it says {' '.join(given)!r} where the reference says {' '.join(wanted)!r}")
    return Finding(1.0, "it affirms and denies what the reference does") if met else None


def _bare(words: Sequence[str]) -> list[str]:
    return [word for word in words if not is_negator(word)]


def _denials(given: Sequence[str], wanted: Sequence[str]) -> int:
    """How often one of the two says no where the other does not."""
    count = sum(map(is_negator, given)) + sum(map(is_negator, wanted))
    mine, theirs = set(given) - set(wanted), set(wanted) - set(given)
    opposed = {(a, b) for a in mine for b in theirs if _opposed(a, b) or _opposed(b, a)}
    return count + len(opposed)


def _opposed(word: str, other: str) -> bool:
    return any(word == prefix + other for prefix in _PREFIXES)
