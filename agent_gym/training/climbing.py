"""How far to follow the gradient: groups by case in, weights out that do better in cases left out as well.

All that practice has shown so far is climbed again from the clone, so that nothing is counted twice. How many steps
pay is tried first: some cases are left out, and the steps are counted after which the policy does best in their groups.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from agent_gym.training.form import Form, Vector
from agent_gym.training.gradient import Batch, Group

__all__ = ["climbed"]

_PARTS = 4  # into which cases are dealt; each is left out once
_FEW = 8  # cases with fewer say nothing of how many steps pay
_STEP = 1.0  # how far one step goes: a unit of worth for a unit of reward, measured as the natural gradient does

_COLD = 0.25  # of the heat of practice: who is tried chooses the best, and to be surer of the same choice is no gain

Groups = Mapping[str, Sequence[Group]]


def climbed(form: Form, groups: Groups, start: Vector, steps: int, heat: float) -> Vector:
    """The weights after as many steps as pay, at least one; where nothing tells, those it starts from."""
    telling = {case: [group for group in each if group.telling] for case, each in sorted(groups.items())}
    telling = {case: each for case, each in telling.items() if each}
    if not telling:
        return start
    paying = _paying(form, telling, start, steps, heat)
    return _path(form, list(telling.values()), start, paying, heat)[-1]


def _paying(form: Form, telling: Groups, start: Vector, steps: int, heat: float) -> int:
    """After how many steps the cases left out go best."""
    cases = list(telling.values())
    if len(cases) < _FEW:
        return 1
    gained = np.zeros(steps + 1)
    for part in range(_PARTS):
        kept = [each for n, each in enumerate(cases) if n % _PARTS != part]
        left_out = Batch(form, [group for each in cases[part::_PARTS] for group in each])
        gained += [left_out.reward(weights, _COLD * heat) for weights in _path(form, kept, start, steps, heat)]
    return max(1, int(np.argmax(gained)))


def _path(form: Form, cases: Sequence[Sequence[Group]], start: Vector, steps: int, heat: float) -> list[Vector]:
    """The weights before the first step, and after each."""
    batch = Batch(form, [group for each in cases for group in each])
    path = [start]
    for _ in range(steps):
        path.append(path[-1] + _STEP * batch.direction(path[-1], heat))
    return path
