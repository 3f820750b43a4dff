"""A policy's text in, criteria out: the rules in it that a transcript can show to be broken, found without a model.

A rule becomes a pitfall ("the agent broke this rule"): a breach has a passage that shows it, whereas a rule that has
nothing to do with the conversation at hand is simply not broken.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent_gym.reward.judge.criteria import Criterion, short_name

__all__ = ["policy_criteria"]

# What forbids or obliges, the plainest first: with more rules than may be asked, these come first.
_STRENGTH = tuple(
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        r"never|must not|mustn't|not allowed|prohibited|forbidden|under no circumstances",
        r"must|always|required to|ha(?:ve|s) to|do not|don't|cannot|can't|may not|(?:can|may) only|only (?:if|when)",
        r"should not|shouldn't|should|shall|make sure|ensure|before you|no more than|at most|at least|refuse|deny",
    )
)
_ITEM = re.compile(r"^\s*(?:[-*•–+]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?P<text>\S.*)$")
_HEADING = re.compile(r"^\s*(?:#+\s*(?P<marked>.+?)\s*#*|(?P<plain>[^.!?]{1,80}):)\s*$")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?![a-z])|(?<=[。！？])")  # what goes on in a small letter is "e.g. this"
_SHORTEST, _LONGEST = 12, 600  # characters of one rule
_CONTEXT = 1500  # characters of the section around it


class _Sentence(NamedTuple):
    text: str
    item: bool  # it stands in a list
    section: str


def policy_criteria(policy: str, most: int = 12) -> tuple[Criterion, ...]:
    """At most so many rules of a policy, the plainest, in the policy's own order.

    A rule is a sentence that forbids or obliges, in English; of a policy that has none, its list items.
    """
    sentences = list(_sentences(_sections(policy)))
    rules = [sentence for sentence in sentences if _strength(sentence) < len(_STRENGTH)]
    rules = rules or [sentence for sentence in sentences if sentence.item]
    distinct = {rule.text: rule for rule in reversed(rules)}  # of a rule said twice, the first
    plainest = sorted(distinct.values(), key=lambda rule: (_strength(rule), rules.index(rule)))[:most]
    return tuple(_criterion(rule) for rule in sorted(plainest, key=rules.index))


def _strength(sentence: _Sentence) -> int:
    return next((at for at, words in enumerate(_STRENGTH) if words.search(sentence.text)), len(_STRENGTH))


def _criterion(rule: _Sentence) -> Criterion:
    context = rule.section[:_CONTEXT] if rule.section != rule.text else ""
    broken = f"The agent broke this rule of its policy: {rule.text}"
    return Criterion(broken, "pitfall", id=short_name(rule.text), context=context)


def _sections(policy: str) -> list[list[str]]:
    """The lines by paragraph; a heading, or a line that announces a list, stays with what follows it."""
    sections: list[list[str]] = [[]]
    for line in _unwrapped(policy.splitlines()):
        if not line.strip():
            if sections[-1] and not _HEADING.match(sections[-1][-1]):
                sections.append([])
        elif _HEADING.match(line) and not _ITEM.match(line):
            sections.append([line])
        else:
            sections[-1].append(line)
    return [section for section in sections if section]


def _unwrapped(lines: list[str]) -> list[str]:
    """A line that goes on in a small letter belongs to the one before it."""
    whole: list[str] = []
    for line in lines:
        if whole and whole[-1].strip() and line.lstrip()[:1].islower() and not _ITEM.match(line):
            whole[-1] = f"{whole[-1].rstrip()} {line.strip()}"
        else:
            whole.append(line)
    return whole


def _sentences(sections: list[list[str]]) -> Iterator[_Sentence]:
    for section in sections:
        for line in section:
            item = _ITEM.match(line)
            if _HEADING.match(line) and not item:
                continue
            for text in _SENTENCE.split((item["text"] if item else line).strip()):
                if _SHORTEST <= len(text) <= _LONGEST:
                    yield _Sentence(text, bool(item), "\n".join(section))
