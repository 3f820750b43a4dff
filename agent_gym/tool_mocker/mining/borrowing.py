"""Refusals of all tools in, refusals of those that share their conditions out.

A rule that several tools of a business follow (verify first, only open orders) is followed by the next one
too, though nobody has broken it there yet. It is borrowed only where no accepted call speaks against it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from agent_gym.text import canonical, tokens
from agent_gym.tool_mocker.mining.error_texts import shared_words
from agent_gym.tool_mocker.mining.examples import Examples
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.mining.refusals import RefusalRule
from agent_gym.tool_mocker.mining.subjects import Subject
from agent_gym.tool_mocker.mining.verbs import words_of
from agent_gym.tool_mocker.rules.expressions import Const, Expr, Template
from agent_gym.tool_mocker.rules.predicates import Equal, NotAmong, NotMember, NotYet, Predicate

__all__ = ["reworded", "with_borrowed"]

_MIN_ACCEPTED = 3
_MIN_LENDERS = 2
_MANY = 10


class Loan(NamedTuple):
    """A rule that other tools may borrow."""

    lender: str
    rule: RefusalRule


def with_borrowed(
    refusals: Mapping[str, tuple[RefusalRule, ...]],
    examples: Mapping[str, Examples],
    subjects: Mapping[str, Subject],
    vocabulary: Mapping[str, frozenset[str]],
) -> dict[str, tuple[RefusalRule, ...]]:
    """Every tool's rules, with those borrowed from other writes after its own.

    `vocabulary`: tool that writes → the words of its answers, in which it says what it does.
    """
    found = dict(refusals)
    loans = _loans(refusals, vocabulary.keys())
    for name in sorted(vocabulary):
        own = {rule.condition.words() for rule in refusals.get(name, ())}
        tried = examples[name].accepted
        for words, offered in loans.items():
            near = [loan for loan in offered if loan.lender != name and _may_lend(loan, name, subjects)]
            if words in own or not near or len(tried) < _MIN_ACCEPTED:
                continue
            lender, rule = near[0]
            enough = len(near) >= _MIN_LENDERS or not isinstance(rule.condition, NotYet)
            if enough and _kept(rule.condition, tried):
                own_words = _own_words(rule, examples[name].refused)
                error = own_words or reworded(rule.error, lender, name, vocabulary[name])
                found[name] = (*found.get(name, ()), replace(rule, error=error))
    return found


def _kept(condition: Predicate, accepted: Sequence[Moment]) -> bool:
    """Whether the accepted calls keep to a condition: all of them, or many where some do not tell."""
    held = [condition.holds(moment.context) for moment in accepted]
    return True not in held and (None not in held or held.count(False) >= max(_MANY, len(held) / 2))


def _own_words(rule: RefusalRule, refused: Sequence[Moment]) -> Expr | None:
    """How the borrower itself words the lender's error, if it once did: often but for a full stop."""
    if not isinstance(rule.error, Const):
        return None
    lent = tokens(canonical(rule.error.constant).decode())
    same = (m for m in refused if rule.condition.holds(m.context) and tokens(canonical(m.error).decode()) == lent)
    return next((Const(moment.error) for moment in same), None)


def _loans(refusals: Mapping[str, tuple[RefusalRule, ...]], write_tools: Collection[str]) -> dict[str, list[Loan]]:
    """condition in words → the writes that follow it, each once: two errors for one condition are one lender."""
    loans: dict[str, dict[str, Loan]] = {}
    for name, rules in sorted(refusals.items()):
        for rule in rules if name in write_tools else ():
            if isinstance(rule.condition, NotYet | NotAmong | NotMember | Equal):
                loans.setdefault(rule.condition.words(), {}).setdefault(name, Loan(name, rule))
    return {words: list(lenders.values()) for words, lenders in loans.items()}


def _may_lend(loan: Loan, borrower: str, subjects: Mapping[str, Subject]) -> bool:
    """What must be done first is a matter of the business; a record's state only of tools about that record."""
    condition, error = loan.rule.condition, loan.rule.error
    if isinstance(condition, NotYet):
        return True
    words = condition.words()
    proven = "argument" not in words or loan.rule.examples > 1
    return proven and subjects.get(loan.lender) == subjects.get(borrower) and shared_words(words, error.words()) > 0


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
