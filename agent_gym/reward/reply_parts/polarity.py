"""Whether the reply denies what the reference affirms, or the other way round, sentence by sentence."""

from collections.abc import Sequence, Set

from agent_gym.reward.finding import Finding
from agent_gym.reward.likeness import Bag, overlap
from agent_gym.reward.reply import Reply
from agent_gym.reward.said import PREFIXES, Said, is_negator

__all__ = ["polarity"]

_SAME = 0.5  # sentences less alike speak of different things


def polarity(reply: Reply) -> Finding | None:
    if reply.reference is None or not reply.exact:
        return None
    if not _may_deny(reply.response, reply.reference):
        return Finding(1.0, "neither it nor the reference denies anything")
    met = False
    for place, wanted in enumerate(reply.reference.bags):
        best, at = _nearest(wanted, reply.response.bags)
        if best < _SAME:
            continue
        met = True
        given, theirs = reply.response.sentences[at], reply.reference.sentences[place]
        if _denials(given, theirs) % 2:
            return Finding(0.0, f"it says {' '.join(given)!r} where the reference says {' '.join(theirs)!r}")
    return Finding(1.0, "it affirms and denies what the reference does") if met else None


def _may_deny(one: Said, other: Said) -> bool:
    """Whether anything in the two is denied: mostly nothing is, and their sentences need not be compared."""
    if one.denies or other.denies:
        return True
    return not one.denied.isdisjoint(other.words) or not other.denied.isdisjoint(one.words)


def _nearest(wanted: Bag, bags: Sequence[Bag]) -> tuple[float, int]:
    """How alike the sentence is to the one most like it, and which that is; the first of equals."""
    best, at = 0.0, 0
    for place, given in enumerate(bags):
        # A sentence much longer than another cannot be like it.
        if min(given.total, wanted.total) >= _SAME * max(given.total, wanted.total) / (2 - _SAME):
            alike = overlap(given, wanted)
            if alike > best:
                best, at = alike, place
    return best, at


def _denials(given: Sequence[str], wanted: Sequence[str]) -> int:
    """How often one of the two says no where the other does not."""
    count = sum(map(is_negator, given)) + sum(map(is_negator, wanted))
    mine, theirs = set(given) - set(wanted), set(wanted) - set(given)
    return count + _opposed(mine, theirs) + _opposed(theirs, mine)


def _opposed(words: Set[str], others: Set[str]) -> int:
    """How many words are another with a prefix that denies it."""
    return sum(word.startswith(prefix) and word[len(prefix) :] in others for word in words for prefix in PREFIXES)
