"""Whether the reply reads like one: sentences, no repetition, no flood, nothing of the machinery."""

import re

from agent_gym.reward.finding import Finding
from agent_gym.reward.reply import Reply

__all__ = ["quality"]

_PUNCTUATION = re.compile(r"[.!?,;:。！？]")
_MARKS = re.compile(r"[#<{\"`]")  # of machinery: few replies have one, and this is soon said
_MACHINERY = re.compile(r"###|<\|?\w+\|?>|\{\s*\"|\"(?:tool_calls|arguments)\"|```")


def quality(reply: Reply) -> Finding:
    words, text = reply.response.words, reply.response.text.strip()
    if not words:
        return Finding(0.0, "it says nothing")
    faults = []
    if len(words) >= 8 and len(set(words)) < len(words) / 2:
        faults.append("repeats itself")
    if len(words) >= 12 and not _PUNCTUATION.search(text):
        faults.append("is a heap of words, not a sentence")
    if len(words) > (3 * len(reply.reference.words) + 30 if reply.reference else 400):
        faults.append("is far too long")
    if _MARKS.search(text) and _MACHINERY.search(text):
        faults.append("shows machinery instead of speech")
    raw = max(0.0, 1 - 0.5 * len(faults))
    return Finding(raw, "it " + " and ".join(faults) if faults else "it reads like a reply")
