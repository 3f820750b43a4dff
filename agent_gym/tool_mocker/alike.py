"""A call's arguments in, the recorded calls that are most like it out: found by the values they have in common."""

import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.world import Example, ToolModel

__all__ = ["Alike", "likeness"]


def likeness(example: Example, forms: Mapping[str, bytes], weights: Mapping[str, float]) -> tuple[float, int, int]:
    """How many arguments agree: in their very value, by what that tells of the answer, or at least in being there."""
    known = example.forms
    same = [name for name, form in forms.items() if known.get(name) == form]
    return sum(weights.get(name, 0.0) for name in same), len(same), len(known.keys() & forms.keys())


@dataclass(frozen=True, slots=True)
class _Places:
    """Where a tool's examples stand: by their arguments' names, and by each argument's value."""

    by_names: Mapping[frozenset[str], list[int]]
    by_value: Mapping[tuple[str, bytes], list[int]]
    usual: Example  # answered as most of all

    @classmethod
    def of(cls, examples: Sequence[Example]) -> "_Places":
        by_names: dict[frozenset[str], list[int]] = {}
        by_value: dict[tuple[str, bytes], list[int]] = {}
        for at, example in enumerate(examples):
            by_names.setdefault(frozenset(example.forms), []).append(at)
            for value in example.forms.items():
                by_value.setdefault(value, []).append(at)
        return cls(by_names, by_value, _usual(examples))


class Alike:
    """Of one world, for all its sessions; a tool's examples are put in order when they are first looked for."""

    def __init__(self) -> None:
        self._places: dict[str, _Places] = {}

    def most(self, model: ToolModel, forms: Mapping[str, bytes]) -> Sequence[Example]:
        """The examples of the greatest `likeness`, in their order, of a tool that has some.

        A value in common raises an example above all that have none: these need not be weighed.
        """
        places = self._of(model)
        agreeing = _agreeing(places, forms, model.weights)
        shared: list[tuple[int, Collection[int]]] = [
            (len(names & forms.keys()), found) for names, found in places.by_names.items()
        ]
        if agreeing:
            shared = [(n, both) for n, found in shared if (both := agreeing.intersection(found))]
        most = max(n for n, _ in shared)
        best = [found for n, found in shared if n == most]
        if len(best) == 1 and len(best[0]) == len(model.examples):
            return model.examples
        return [model.examples[at] for at in sorted(itertools.chain.from_iterable(best))]

    def usual(self, model: ToolModel, examples: Sequence[Example]) -> Example:
        """The first of some examples of the tool that is answered as most of them are."""
        return self._of(model).usual if examples is model.examples else _usual(examples)

    def _of(self, model: ToolModel) -> _Places:
        places = self._places.get(model.name)
        if places is None:
            places = self._places[model.name] = _Places.of(model.examples)
        return places


def _usual(examples: Sequence[Example]) -> Example:
    votes = Counter([example.result for example in examples])
    most = max(votes.values())
    return next(example for example in examples if votes[example.result] == most)


def _agreeing(places: _Places, forms: Mapping[str, bytes], weights: Mapping[str, float]) -> set[int]:
    """Those that agree in most, by weight and then by number; none where none agrees in anything."""
    told: dict[int, float] = {}
    count: dict[int, int] = {}
    for value in forms.items():
        weight = weights.get(value[0], 0.0)
        for at in places.by_value.get(value, ()):
            told[at] = told.get(at, 0.0) + weight
            count[at] = count.get(at, 0) + 1
    best = max(((told[at], count[at]) for at in told), default=None)
    return {at for at in told if (told[at], count[at]) == best}
