"""A tool's name in, what it suggests out: a prior, for where the record shows nothing to compare."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from itertools import pairwise

from agent_gym.text import canonical, same
from agent_gym.tool_mocker.entities import Sites, records_in
from agent_gym.tool_mocker.log import Recorded, linking_values
from agent_gym.types import Json

__all__ = ["Kind", "commands", "find_kinds", "kind_by_name", "removes", "sounds_like_a_question", "words_of"]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a tool does, and why we think so."""

    writes: bool
    ends: bool
    why: str
    checks: bool = False  # a read that tells nothing but that its arguments are right
    doubtful: bool = False  # a write, because its answers tell nothing: no more is known


def kind_by_name(name: str) -> Kind:
    """What the name alone suggests."""
    words, verbs = words_of(name), _verbs()
    if verbs["hands_over"].intersection(words) and verbs["to_whom"].intersection(words):
        return Kind(False, True, "its name hands the customer over")
    verb = _verb(name)
    if verb is None:
        return Kind(False, False, "nothing says that it changes anything")
    return Kind(verb in verbs["writes"], False, f"its name says {verb!r}; no record to compare")


def commands(name: str) -> bool:
    """Whether the name opens with a verb that changes something, and asks for nothing: not `order_status`."""
    words, verbs = words_of(name.rpartition(".")[2]), _verbs()
    return bool(words) and words[0] in verbs["writes"] and not (verbs["reads"] | verbs["asked_for"]) & set(words)


def sounds_like_a_question(name: str) -> bool:
    """Whether the first word of the name that is a verb asks for something."""
    return _verb(name) in _verbs()["reads"]


def removes(name: str) -> bool:
    """Whether the name says that something is gone afterwards."""
    return bool(_verbs()["removes"].intersection(words_of(name)[:2]))


def _verb(name: str) -> str | None:
    """The verb that says what is done: the first word, else what is asked for at the end, else any order in between.

    Further on `list` and `check` are things: `UpsertGroceryListItems` lists nothing.
    """
    words, verbs = words_of(name.rpartition(".")[2]), _verbs()
    if words and words[0] in verbs["reads"] | verbs["writes"]:
        return words[0]
    if words and words[-1] in verbs["asked_for"]:
        return "get"
    return next((word for word in words if word in verbs["writes"]), None)


@cache
def _verbs() -> Mapping[str, frozenset[str]]:
    table = resources.files("agent_gym.tool_mocker").joinpath("kinds.toml").read_text("utf-8")
    return {name: frozenset(words.split()) for name, words in tomllib.loads(table).items()}


def words_of(name: str) -> list[str]:
    """The words of a tool's name, whatever joins them."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


_OFTEN, _OF_A_COMMAND = 0.5, 0.1  # shares of the calls whose result differs, from which on a tool writes


@dataclass(slots=True)
class _Evidence:
    changed: Counter[str] = field(default_factory=Counter)  # its answer differed from the last known record
    compared: Counter[str] = field(default_factory=Counter)
    suspects: list[tuple[str, frozenset[str]]] = field(default_factory=list)  # (asked, between two different answers)
    volatile: set[str] = field(default_factory=set)  # tools whose answers change by themselves
    innocent: Counter[str] = field(default_factory=Counter)  # it stood between two equal ones
    blamed: Counter[str] = field(default_factory=Counter)

    def settle(self) -> None:
        """Blame as few tools as explain every difference: the one that explains most first."""
        left = [some for asked, some in self.suspects if asked not in self.volatile]
        while left:
            seen = Counter(name for some in left for name in some)
            worst = max(sorted(seen), key=lambda name: (seen[name], -self.innocent[name]))
            self.blamed[worst] = seen[worst]
            left = [some for some in left if worst not in some]


def find_kinds(conversations: Sequence[Sequence[Recorded]], sites: Sites) -> dict[str, Kind]:
    answers: dict[str, list[Recorded]] = {}
    for calls in conversations:
        for call in calls:
            answers.setdefault(call.name, []).append(call)
    used = _used_answers(conversations)
    orders = {name for name, calls in answers.items() if name not in used and _tells_nothing(calls)}
    kinds = {name: _prior(name, orders) for name in sorted(answers)}
    evidence = _Evidence()
    for calls in conversations:
        _look_around(calls, kinds, evidence)
    evidence.volatile |= _clocks(conversations)
    _look_across(conversations, kinds, evidence)
    evidence.settle()
    # The second round knows from the first which other call may have caused a difference.
    for _ in range(2):
        evidence.changed, evidence.compared = Counter(), Counter()
        for calls in conversations:
            _look_at_records(calls, sites, kinds, evidence)
        kinds = {name: _kind(name, orders, evidence) for name in kinds}
    return {n: replace(k, checks=True) if n in orders and not k.writes and not k.ends else k for n, k in kinds.items()}


def _prior(name: str, orders: set[str]) -> Kind:
    by_name = kind_by_name(name)
    if by_name.ends or by_name.writes or name not in orders or sounds_like_a_question(name):
        return by_name
    return Kind(True, False, "its answers tell nothing that the call did not say", doubtful=True)


def _kind(name: str, orders: set[str], evidence: _Evidence) -> Kind:
    prior = _prior(name, orders)
    blamed = evidence.blamed[name]
    changed, compared = evidence.changed[name], evidence.compared[name]
    if prior.ends:
        return prior
    if blamed:
        return Kind(True, False, f"the same question was answered otherwise after it {blamed} times")
    if compared >= 2 and not sounds_like_a_question(name):
        share = changed / compared
        if share >= (_OF_A_COMMAND if commands(name) else _OFTEN):
            return Kind(True, False, f"its result differed from the last known record {changed} of {compared} times")
        if not commands(name) and not prior.writes:
            return Kind(False, False, f"its result was the last known record {compared - changed} of {compared} times")
    return prior


def _look_at_records(calls: Sequence[Recorded], sites: Sites, kinds: Mapping[str, Kind], evidence: _Evidence) -> None:
    known: dict[tuple[str, str], tuple[Mapping[str, Json], int]] = {}
    shown_by: dict[tuple[str, str], set[str]] = {}
    written: list[frozenset[str]] = []  # what each write so far has named
    for call in calls:
        if call.is_error:
            continue
        writes = kinds[call.name].writes
        for record in records_in(sites, call.name, call.arguments, call.result):
            before, seen_at = known.get(record.name, ({}, len(written)))
            shared = [name for name in record.fields if name in before and before[name] != record.key]
            others = shown_by.setdefault(record.name, set()) - {call.name}
            if record.path == "" and shared and (others or kinds[call.name].writes):
                differs = not all(same(before[name], record.fields[name]) for name in shared)
                # Another write that names the record may have caused it.
                if not differs or not any(record.key in values for values in written[seen_at:]):
                    evidence.compared[call.name] += 1
                    evidence.changed[call.name] += differs
            shown_by[record.name].add(call.name)
            known[record.name] = ({**before, **record.fields}, len(written) + writes)
        if writes:
            written.append(linking_values(call.arguments) | linking_values(call.result))


def _look_around(calls: Sequence[Recorded], kinds: Mapping[str, Kind], evidence: _Evidence) -> None:
    last: dict[tuple[str, bytes], int] = {}
    for at, call in enumerate(calls):
        asked = (call.name, call.key)
        earlier = last.get(asked)
        last[asked] = at
        if earlier is None:
            continue
        between = {other.name for other in calls[earlier + 1 : at] if not other.is_error} - {call.name}
        if same(calls[earlier].result, call.result):
            evidence.innocent.update(between)
        elif not any(kinds[name].writes for name in between):
            suspects = frozenset(name for name in between if not sounds_like_a_question(name))
            if suspects:
                evidence.suspects.append((call.name, suspects))
            else:
                evidence.volatile.add(call.name)


def _clocks(conversations: Sequence[Sequence[Recorded]]) -> set[str]:
    """Tools that never answered a question twice the same: their answers change by themselves."""
    told: dict[tuple[str, bytes], list[Json]] = {}
    for calls in conversations:
        for call in calls:
            told.setdefault((call.name, call.key), []).append(call.result)
    often = {question: some for question, some in told.items() if len(some) > 2}
    return {
        name
        for (name, _), some in often.items()
        if not any(same(a, b) for a, b in pairwise(some)) and len({canonical(one) for one in some}) == len(some)
    }


def _look_across(conversations: Sequence[Sequence[Recorded]], kinds: Mapping[str, Kind], evidence: _Evidence) -> None:
    """The same question answered otherwise in two conversations that had made the same writes about it."""
    asked: dict[tuple[str, bytes], list[tuple[Json, frozenset[tuple[str, bytes]]]]] = {}
    for calls in conversations:
        before: list[tuple[str, bytes, frozenset[str]]] = []
        for call in calls:
            values = linking_values(call.arguments)
            linked = frozenset((name, key) for name, key, named in before if not values.isdisjoint(named))
            asked.setdefault((call.name, call.key), []).append((call.result, linked))
            if not call.is_error and not sounds_like_a_question(call.name):
                before.append((call.name, call.key, values))
    for (name, _), told in sorted(asked.items()):
        for (result, linked), (other, others) in pairwise(told):
            apart = {tool for tool, _ in linked ^ others}
            if not apart or name in evidence.volatile or any(kinds[tool].writes for tool in apart):
                continue
            if not same(result, other):
                evidence.suspects.append((name, frozenset(apart)))


def _used_answers(conversations: Sequence[Sequence[Recorded]]) -> set[str]:
    """Tools that are asked for their answers: mostly, a later call is given something that only they had told."""
    used: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for calls in conversations:
        later: list[frozenset[str]] = [frozenset()]  # what the calls after each one name
        for call in reversed(calls):
            later.append(later[-1] | {value for _, value in _leaves(call.arguments)})
        before: set[str] = set()
        for call, named in zip(calls, later[-2::-1], strict=True):
            before.update(value for _, value in _leaves(call.arguments))
            told = {value for _, value in _leaves(call.result)} - before
            before |= told
            if told and not call.is_error:
                asked[call.name] += 1
                used[call.name] += not told.isdisjoint(named)
    return {name for name, times in asked.items() if 2 * used[name] > times}


def _tells_nothing(calls: Sequence[Recorded]) -> bool:
    """Whether the answers hold nothing but constants and what the calls themselves said."""
    good = [call for call in calls if not call.is_error and call.arguments]
    if not good:
        return False
    seen: dict[str, set[str]] = {}
    for call in good:
        for path, value in _leaves(call.result):
            seen.setdefault(path, set()).add(value)
    for call in good:
        said = " ".join(value for _, value in _leaves(call.arguments)).lower()
        for path, value in _leaves(call.result):
            if len(seen[path]) > 1 and value.lower() not in said and not _worded(value, said, seen[path]):
                return False
    return True


def _worded(value: str, said: str, others: set[str]) -> bool:
    """A sentence whose own words are the call's, the rest being the same in every answer."""
    words = set(value.lower().split())
    common = set.intersection(*(set(other.lower().split()) for other in others))
    return bool(common) and all(word.strip(".,:;'\"()") in said for word in words - common)


def _leaves(value: Json, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():  # keys that are days or numbers are data, not names of fields
            yield from _leaves(inner, f"{path}.{'{}' if name[:1].isdigit() else name}")
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, f"{path}[]")
    else:
        yield path, str(value)
