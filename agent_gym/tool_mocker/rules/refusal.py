"""Refuses what the recorded tool refused: the condition, and the words of the error.

A reason must hold for nearly every call that got its error and for hardly any accepted one. Few examples prove
little, so among the conditions that do, the one whose words the error itself uses is preferred, and a single
example is believed only then.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

from agent_gym.text import canonical, tokens
from agent_gym.tool_mocker.entities import Subject
from agent_gym.tool_mocker.evidence import Evidence, Moment
from agent_gym.tool_mocker.expressions.language import MISSING, Const, Context, Expr, Path, Template
from agent_gym.tool_mocker.expressions.predicates import (
    Both,
    Compared,
    Equal,
    Misshapen,
    NotAmong,
    NotMember,
    NotYet,
    Predicate,
    Unnamed,
)
from agent_gym.tool_mocker.induction.atoms import TablesOf
from agent_gym.tool_mocker.induction.inducer import Inducer
from agent_gym.tool_mocker.rules.conditions import conditions, exceptions
from agent_gym.tool_mocker.state import State
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

__all__ = ["Refusal", "RefusalRule", "learn_refusal"]

_MOST_EXAMPLES = 80
_COVERS = 0.75  # of the refused calls whose condition can be told
_COVERS_SOME = 0.4  # enough where the error has other reasons too, but speaks of this one, and
_UNBROKEN = 10  # so many accepted calls keep to it
_BROKEN = 0.02  # of the accepted calls: a log has its odd ones
_EXCEPTED = 0.25  # of the accepted calls: more are no exception
_MIN_ACCEPTED = 3
_MIN_LENDERS = 2
_MANY = 10

# The rule language's own words: an error that has one of them does not speak of the rule.
_GRAMMAR = frozenset(
    "a an and argument be count does element for id ids in is it like look names no not of or over pair record sum than"
    " the to true false".split()
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """When the tool refuses, and with which words."""

    condition: Predicate
    error: Expr
    examples: int
    evidence: tuple[str, ...]

    def words(self) -> str:
        return f"refused with {self.error.words()} where {self.condition.words()}"


@dataclass(frozen=True, slots=True)
class RefusalRule:
    """All that a tool refuses, each reason with its own words."""

    source: ClassVar[Source] = "rule"

    refusals: tuple[Refusal, ...]

    @property
    def gates(self) -> frozenset[str]:
        """The tools without which it refuses."""
        return frozenset(one.condition.tool for one in self.refusals if isinstance(one.condition, NotYet))

    def holding(self, context: Context) -> Refusal | None:
        """The first reason that holds and can be told."""
        holds = (one for one in self.refusals if one.condition.holds(context))
        return next((one for one in holds if one.error.value(context) is not MISSING), None)

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        context = self._context(call, state)
        refusal = self.holding(context)
        if refusal is None:
            return None
        error = state.tool(call.name).encoded(refusal.error.value(context))
        return ToolAnswer(error, True, "rule", 0.0, refusal.evidence)

    def reason(self, call: ToolCall, state: State) -> str:
        """Why it refuses the call, in words."""
        refusal = self.holding(self._context(call, state))
        return refusal.condition.words() if refusal is not None else ""

    def without(self, reasons: Set[str]) -> Self:
        """The same rule without reasons that have refused what is fine."""
        return replace(self, refusals=tuple(one for one in self.refusals if one.condition.words() not in reasons))

    def _context(self, call: ToolCall, state: State) -> Context:
        about = state.about(call)
        # What was made up is no ground to refuse on.
        record = state.record(*about) if about is not None and not state.is_made_up(*about) else None
        return Context(call.arguments, record or {}, state.record, state.done)

    def words(self) -> str:
        return "; ".join(refusal.words() for refusal in self.refusals)


def learn_refusal(evidence: Evidence) -> dict[str, RefusalRule]:
    own = {
        name: _own(evidence.refused[name], evidence.accepted[name], evidence, writes=kind.writes)
        for name, kind in sorted(evidence.kinds.items())
    }
    return {name: RefusalRule(refusals) for name, refusals in _with_borrowed(own, evidence).items() if refusals}


def _own(
    refused: Sequence[Moment], accepted: Sequence[Moment], evidence: Evidence, *, writes: bool
) -> tuple[Refusal, ...]:
    """The reasons, most often seen first; where two conditions hold at once, the one that won in the record."""
    groups: dict[bytes, list[Moment]] = {}
    for moment in _distinct(refused):
        groups.setdefault(_masked(moment), []).append(moment)
    good = [moment.context for moment in accepted[:_MOST_EXAMPLES]]
    known = sum(moment.about in evidence.records for moment in accepted)
    found: list[tuple[Refusal, Sequence[Moment]]] = []
    for _, moments in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        unknown = sum(moment.about not in evidence.records for moment in moments)
        if 2 * known > len(accepted) and 2 * unknown > len(moments):
            continue  # what it is about is not known: whether it exists at all is counted elsewhere
        rule = _rule(moments[:_MOST_EXAMPLES], good, evidence.tables_of, writes=writes)
        if rule is not None:
            found.append((rule, moments))
    return tuple(sorted((rule for rule, _ in found), key=lambda rule: -_wins(rule, found)))


def _distinct(moments: Sequence[Moment]) -> list[Moment]:
    """Each call once: one that was tried again and again proves no more than once."""
    first = {canonical([moment.context.arguments, moment.error]): moment for moment in reversed(moments)}
    return list(reversed(first.values()))


def _rule(
    refused: Sequence[Moment], accepted: Sequence[Context], tables_of: TablesOf, *, writes: bool
) -> Refusal | None:
    """The rule for calls that all got one error, if a condition tells them from the accepted ones."""
    bad = [moment.context for moment in refused]
    error = _wording(refused, tables_of)
    if error is None or not accepted:
        return None
    told = refused[0].error
    tried = list(conditions(bad, accepted, tables_of, writes=writes))
    different = len({canonical([context.arguments, context.record]) for context in bad})
    condition = _best(tried, bad, accepted, told, different)
    if condition is None and different > 1:
        excepting = _with_exceptions(tried, bad, accepted, told, tables_of)
        condition = _best(excepting, bad, accepted, told, different)
    if condition is None:
        return None
    evidence = tuple(dict.fromkeys(moment.call.conversation_id for moment in refused))[:5]
    return Refusal(condition, error, len(refused), evidence)


def _best(
    tried: Iterable[Predicate], bad: Sequence[Context], accepted: Sequence[Context], told: Json, different: int
) -> Predicate | None:
    """The condition that explains the refusals best, if one does; so many of them are different."""
    best: tuple[_Quality, Predicate] | None = None
    for condition in tried:
        quality = _quality(condition, bad, accepted, told)
        if quality is None or not _believed(condition, quality, different):
            continue
        if best is None or quality > best[0]:
            best = (quality, condition)
    return best[1] if best is not None else None


def _believed(condition: Predicate, quality: "_Quality", different: int) -> bool:
    """Whether so many examples are enough. One is if the error speaks of it, and that is not one of thousands."""
    if different > 1:
        return True
    if isinstance(condition, Equal):
        of_the_call = all(isinstance(e, Path) and e.root == "argument" for e in (condition.left, condition.right))
        return of_the_call and quality.shared_words > 1
    if isinstance(condition, Misshapen):
        return quality.shared_words > 1
    return quality.shared_words > 0 and not isinstance(condition, Compared | Unnamed)


def _with_exceptions(
    tried: Iterable[Predicate], bad: Sequence[Context], accepted: Sequence[Context], told: Json, tables_of: TablesOf
) -> Iterator[Predicate]:
    """Conditions that the error speaks of and a few accepted calls break, with what those have in common excepted."""
    for first in tried:
        if not isinstance(first, NotMember | NotAmong) or _covered(first, bad) != 1.0:
            continue
        broken = [context for context in accepted if first.holds(context)]
        if 0 < len(broken) <= _EXCEPTED * len(accepted) and _shared_words(first.words(), told):
            yield from (Both(first, second) for second in exceptions(first.inner, bad, broken, accepted, tables_of))


class _Quality(NamedTuple):
    """How well a condition explains an error: compared field by field, more is better."""

    alone: bool  # no other reason is needed
    covered: float  # the share of the refused calls it holds for, with a bonus for the words it shares
    shared_words: int  # with the error's text
    definite: int  # two values that differ say more than one that is smaller; what nobody has seen says least
    brevity: int


def _quality(condition: Predicate, bad: Sequence[Context], accepted: Sequence[Context], told: Json) -> _Quality | None:
    """None for a condition that explains too little, or is true of accepted calls too."""
    covered = _covered(condition, bad)
    if covered is None:
        return None
    told_apart = broken = 0
    for context in accepted:
        held = condition.holds(context)
        told_apart += held is not None
        broken += held is True
        if broken > _BROKEN * len(accepted):
            return None
    if 2 * told_apart < len(accepted):
        return None
    words = condition.words()
    shared = _shared_words(words, told)
    if covered < _COVERS and (shared < 2 or broken or told_apart < _UNBROKEN):
        return None
    definite = 0 if isinstance(condition, Unnamed) else 1 if isinstance(condition, Compared | Misshapen) else 2
    bonus = 0.15 * min(2, shared)
    return _Quality(covered >= _COVERS, round(covered + bonus, 2), shared, definite, -len(words))


def _covered(condition: Predicate, bad: Sequence[Context]) -> float | None:
    """The share of the refused calls it holds for, of those it can tell; None as soon as that is too few."""
    told = held = 0
    needed = _COVERS_SOME if len(bad) > 1 else _COVERS
    for context in bad:
        found = condition.holds(context)
        told += found is not None
        held += found is True
        # Thousands of conditions are tried and nearly all fail: most of them within the first few calls.
        if told - held > (1 - needed) * len(bad):
            return None
    enough = held >= _COVERS * told or (held > 1 and held >= needed * told)
    return held / told if told and 2 * told >= len(bad) and enough else None


def _wins(rule: Refusal, found: Sequence[tuple[Refusal, Sequence[Moment]]]) -> int:
    """How much more often the rule's error was given where another rule held too than the other way round."""
    own = next(moments for known, moments in found if known is rule)
    return sum(
        sum(other.condition.holds(moment.context) is True for moment in own)
        - sum(rule.condition.holds(moment.context) is True for moment in moments)
        for other, moments in found
        if other is not rule
    )


class _Loan(NamedTuple):
    """A reason that other tools may borrow."""

    lender: str
    refusal: Refusal


def _with_borrowed(own: Mapping[str, tuple[Refusal, ...]], evidence: Evidence) -> dict[str, tuple[Refusal, ...]]:
    """Every tool's refusals, with those borrowed from other writes after its own.

    A rule that several tools of a business follow (verify first, only open orders) is followed by the next one too,
    though nobody has broken it there yet. It is borrowed only where no accepted call speaks against it.
    """
    found = dict(own)
    writing = [name for name in sorted(own) if evidence.writes(name)]
    loans = _loans(own, writing)
    for name in writing:
        conditions_of = {refusal.condition.words() for refusal in own[name]}
        tried = evidence.accepted[name]
        for words, offered in loans.items():
            near = [loan for loan in offered if loan.lender != name and _may_lend(loan, name, evidence.subjects)]
            if words in conditions_of or not near or len(tried) < _MIN_ACCEPTED:
                continue
            refusal = near[0].refusal
            enough = len(near) >= _MIN_LENDERS or not isinstance(refusal.condition, NotYet)
            if enough and _kept(refusal.condition, tried):
                error = _own_words(refusal, evidence.refused[name]) or refusal.error
                found[name] = (*found[name], replace(refusal, error=error))
    return found


def _kept(condition: Predicate, accepted: Sequence[Moment]) -> bool:
    """Whether the accepted calls keep to a condition: all of them, or many where some do not tell."""
    held = [condition.holds(moment.context) for moment in accepted]
    return True not in held and (None not in held or held.count(False) >= max(_MANY, len(held) / 2))


def _own_words(rule: Refusal, refused: Sequence[Moment]) -> Expr | None:
    """How the borrower itself words the lender's error, if it once did: often but for a full stop."""
    if not isinstance(rule.error, Const):
        return None
    lent = tokens(canonical(rule.error.constant).decode())
    same = (m for m in refused if rule.condition.holds(m.context) and tokens(canonical(m.error).decode()) == lent)
    return next((Const(moment.error) for moment in same), None)


def _loans(refusals: Mapping[str, tuple[Refusal, ...]], write_tools: Collection[str]) -> dict[str, list[_Loan]]:
    """condition in words → the writes that follow it, each once: two errors for one condition are one lender."""
    loans: dict[str, dict[str, _Loan]] = {}
    for name, rules in sorted(refusals.items()):
        for rule in rules if name in write_tools else ():
            if isinstance(rule.condition, NotYet | NotAmong | NotMember | Equal):
                loans.setdefault(rule.condition.words(), {}).setdefault(name, _Loan(name, rule))
    return {words: list(lenders.values()) for words, lenders in loans.items()}


def _may_lend(loan: _Loan, borrower: str, subjects: Mapping[str, Subject]) -> bool:
    """What must be done first is a matter of the business; a record's state only of tools about that record."""
    condition, error = loan.refusal.condition, loan.refusal.error
    if isinstance(condition, NotYet):
        return True
    words = condition.words()
    proven = "argument" not in words or loan.refusal.examples > 1
    return proven and subjects.get(loan.lender) == subjects.get(borrower) and _shared_words(words, error.words()) > 0


def _masked(moment: Moment) -> bytes:
    """The error without the values of this call: calls refused for one reason share it."""
    text = canonical(moment.error).decode()
    for _, value in _repeatable(moment.context.arguments):
        text = text.replace(value, "…")
    return re.sub(r"\d+(?:\.\d+)?", "0", text).encode()


def _shared_words(condition: str, error: Json) -> int:
    """How many words a condition and the error have in common, in the singular."""
    speaks, told = (
        {word.removesuffix("s") for word in tokens(text.replace("_", " ").replace(".", " ")) if word not in _GRAMMAR}
        for text in (condition, str(error))
    )
    return len(speaks & told)


def _repeatable(arguments: Mapping[str, Json]) -> Iterator[tuple[Path, str]]:
    """The call's values that an error may repeat; of a list, the first and the last."""
    for name, value in sorted(arguments.items()):
        places = [(name, at) for at in (0, -1) if value] if isinstance(value, list) else [(name,)]
        for steps in places:
            given = value[steps[1]] if len(steps) > 1 else value
            if isinstance(given, str | int) and len(str(given)) >= 2:
                yield Path("argument", steps), str(given)


def _wording(refused: Sequence[Moment], tables_of: TablesOf) -> Expr | None:
    """The error as the tool words it: the same each time, or with values of the call and its record in place."""
    errors = [moment.error for moment in refused]
    found = Inducer([moment.context for moment in refused], tables_of).explain(errors)
    if isinstance(found, Const) and len(refused) == 1 and isinstance(errors[0], str):
        # One example cannot show which words are values; the call's own values are.
        parts: list[str | Expr] = [errors[0]]
        places = list(_repeatable(refused[0].context.arguments))
        # Of two arguments that are the same, the error repeats the one that it speaks of.
        for place, value in sorted(places, key=lambda each: -_shared_words(each[0].words(), errors[0])):
            parts = [piece for part in parts for piece in _split(part, value, place)]
        return Template(tuple(part for part in parts if part != ""))
    return found


def _split(part: str | Expr, value: str, place: Expr) -> list[str | Expr]:
    if not isinstance(part, str) or value not in part:
        return [part]
    before, _, after = part.partition(value)
    return [before, place, after]
