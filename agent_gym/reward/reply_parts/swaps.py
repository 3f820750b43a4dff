"""Whether a near copy of the reference was tampered with: a telling word exchanged, or the words jumbled."""

from rapidfuzz.distance import Levenshtein

from agent_gym.reward.finding import Finding
from agent_gym.reward.likeness import stem
from agent_gym.reward.reply import Reply
from agent_gym.reward.said import Said

__all__ = ["swaps"]

_NEAR_COPY = 0.7  # below this order of words the wording is the writer's own, and a changed word says nothing
_SAME_WORDS = 0.9  # above this the words are the reference's own, and another order of them is no paraphrase
# Exchanging these for each other seldom changes what is said.
_SMALL_WORDS = frozenset(
    "a an the this that these those it its i we you he she they my our your his her their me us him them is are was "
    "were be been being has have had do does did will to for of on in at by with from and or as so now please".split()
)


def swaps(reply: Reply) -> Finding | None:
    if reply.reference is None or not reply.exact or len(reply.reference.words) < 2:
        return None
    if reply.order >= _NEAR_COPY:
        return _exchanged(reply.response, reply.reference)
    if reply.overlap >= _SAME_WORDS:
        return Finding(0.3, "it is the reference with its words jumbled")
    return None


def _exchanged(mine: Said, theirs: Said) -> Finding:
    raw, found = 1.0, []
    for step in Levenshtein.editops(theirs.words, mine.words):
        if step.tag != "replace":
            continue
        was, now = theirs.words[step.src_pos], mine.words[step.dest_pos]
        if stem(was) != stem(now) and not {was, now} & _SMALL_WORDS:
            raw *= 0.4 if _is_name(was, theirs) or _is_name(now, mine) else 0.7
            found.append(f"{was} → {now}")
    if not found:
        return Finding(1.0, "no telling word was exchanged")
    return Finding(raw, f"it is the reference with words exchanged: {', '.join(found[:3])}", tuple(found))


def _is_name(word: str, text: Said) -> bool:
    """Written with a capital although it does not open a sentence."""
    openers = {sentence[0] for sentence in text.sentences}
    return word not in openers and word.capitalize() in text.text and word not in text.text
