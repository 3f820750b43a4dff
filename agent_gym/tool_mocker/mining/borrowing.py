"""Refusals of all tools in, refusals of those that share their conditions out.

A rule that several tools of a business follow (verify first, only open orders) is followed by the next one
too, though nobody has broken it there yet. It is borrowed only where no accepted call speaks against it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent_gym.text import tokens
from agent_gym.tool_mocker.mining.refusals import Attempt, RefusalRule
from agent_gym.tool_mocker.mining.verbs import words_of
from agent_gym.tool_mocker.mining.writes import Subject
from agent_gym.tool_mocker.rules.expressions import Const, Expr, Template
from agent_gym.tool_mocker.rules.predicates import NotAmong, NotYet

__all__ = ["reworded", "with_borrowed"]

_MIN_ACCEPTED = 3
_MIN_LENDERS = 2


def with_borrowed(
    refusals: Mapping[str, tuple[RefusalRule, ...]],
    accepted: Mapping[str, Sequence[Attempt]],
    subjects: Mapping[str, Subject],
    write_tools: frozenset[str],
    vocabulary: Mapping[str, frozenset[str]],
) -> dict[str, tuple[RefusalRule, ...]]:
    """Every tool's rules, with those borrowed from other writes after its own.

    `vocabulary`: tool → the words of its answers, in which it says what it does.
    """
    found = dict(refusals)
    for name in sorted(write_tools):
        own = {rule.condition.words() for rule in refusals.get(name, ())}
        rows = accepted.get(name, ())
        for words, lenders in _lenders(refusals, write_tools).items():
            near = [lender for lender in lenders if _may_lend(lender, name, refusals, subjects, words)]
            if words in own or not near or len(rows) < _MIN_ACCEPTED:
                continue
            rule = next(rule for rule in refusals[near[0]] if rule.condition.words() == words)
            enough = len(near) >= _MIN_LENDERS or isinstance(rule.condition, NotAmong)
            if enough and all(rule.condition.holds(attempt.context) is False for attempt in rows):
                error = reworded(rule.error, near[0], name, vocabulary.get(name, frozenset()))
                found[name] = (*found.get(name, ()), replace(rule, error=error))
                own.add(words)
    return found


def reworded(error: Expr, lender: str, borrower: str, vocabulary: frozenset[str]) -> Expr:
    """The lender's error in the borrower's words: "cannot be modified" of one is "cannot be cancelled" of another."""
    theirs, ours = words_of(lender)[:1], words_of(borrower)[:1]
    said = next((w for w in tokens(error.words()) if theirs and _inflected(w, theirs[0])), None)
    mine = next((w for w in sorted(vocabulary) if ours and _inflected(w, ours[0])), None)
    if said is None or mine is None or theirs == ours:
        return error
    if isinstance(error, Const) and isinstance(error.constant, str):
        return Const(error.constant.replace(said, mine))
    if isinstance(error, Template):
        return Template(tuple(p.replace(said, mine) if isinstance(p, str) else p for p in error.parts))
    return error


def _inflected(word: str, verb: str) -> bool:
    """Whether a word is the verb's past: modified of modify, cancelled of cancel."""
    stem = verb[:-1] if verb[-1] in "ey" and len(verb) > 4 else verb
    return word != verb and word.startswith(stem) and word.endswith("ed") and len(word) <= len(verb) + 3


def _lenders(refusals: Mapping[str, tuple[RefusalRule, ...]], write_tools: frozenset[str]) -> dict[str, list[str]]:
    """condition → the writes that follow it."""
    lenders: dict[str, list[str]] = {}
    for name, rules in sorted(refusals.items()):
        if name in write_tools:
            for rule in rules:
                if isinstance(rule.condition, NotYet | NotAmong):
                    lenders.setdefault(rule.condition.words(), []).append(name)
    return lenders


def _may_lend(
    lender: str,
    borrower: str,
    refusals: Mapping[str, tuple[RefusalRule, ...]],
    subjects: Mapping[str, Subject],
    words: str,
) -> bool:
    """What must be done first is a matter of the business; a record's state only of tools about that record."""
    if lender == borrower:
        return False
    rule = next(rule for rule in refusals[lender] if rule.condition.words() == words)
    if isinstance(rule.condition, NotYet):
        return True
    speaks = set(tokens(rule.error.words())) & set(tokens(words.replace(".", " ").replace("_", " ")))
    return bool(speaks) and "argument" not in words and subjects.get(lender) == subjects.get(borrower)
