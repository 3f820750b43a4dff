"""Which cases to practise on: an environment in, train cases to practise on and others to be tried on out.

A log may hold many conversations of one case: whoever wins one of them wins most. So every case has its turn before any
has a second one, and how sure a gain is depends on how many cases it was seen in, not on how many conversations.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from agent_gym.environment import Environment
from agent_gym.errors import AgentGymError

__all__ = ["dealt", "evenly", "set_apart", "sure_gain"]


def dealt(environment: Environment, validation: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Train cases to practise on, and train cases to be tried on; the same ones where there are too few.

    Tried on are a quarter of the cases, and `validation` conversations, at most.
    """
    corpus = environment.corpus
    if not corpus.successes and corpus.labelled:
        raise AgentGymError("no train conversation is known to have ended well: there is nothing to learn from")
    names = [s.conversation_id for s in environment.scenarios("train") if s.scorable]
    if not names:
        raise AgentGymError("no train conversation has a goal to play for: there is nothing to learn from")
    order, distinct = evenly([names[place] for place in rng.permutation(len(names))], corpus.cases)
    customers = [corpus.groups[name] for name in order[:distinct]]
    apart = set_apart(customers, min(validation, max(1, distinct // 4)))
    held = [name for name in order if corpus.groups[name] in apart]
    practice = [name for name in order if corpus.groups[name] not in apart]
    return (practice, held[:validation]) if held and practice else (order, order[:1])


def evenly(names: Sequence[str], cases: Mapping[str, str]) -> tuple[list[str], int]:
    """The same names, one of every case first, then a second one of those that have it, …; and how many cases it is."""
    seen: Counter[str] = Counter()
    rounds: dict[int, list[str]] = defaultdict(list)
    for name in names:
        rounds[seen[cases[name]]].append(name)
        seen[cases[name]] += 1
    return [name for turn in sorted(rounds) for name in rounds[turn]], len(seen)


def set_apart(customers: Sequence[int], wanted: int) -> set[int]:
    """Customers who have about so many cases between them, `customers` naming one for each case.

    None of them has more than half: one customer says little of others, and who has most of the cases is needed to
    practise with. Where all have as many, it is the one with the fewest.
    """
    sizes = Counter(customers)
    apart: set[int] = set()
    for customer in sizes:
        if sizes[customer] <= max(1, wanted // 2) and sum(sizes[one] for one in apart) < wanted:
            apart.add(customer)
    return apart or {min(sizes, key=lambda one: sizes[one])}


def sure_gain(gains: Mapping[str, float], cases: Mapping[str, str], errors: float) -> tuple[float, float]:
    """The mean of conversations' gains, and what it is at least: so many standard errors less, counted over cases. Of a
    single case nothing is sure."""
    by_case: dict[str, list[float]] = defaultdict(list)
    for name, gain in gains.items():
        by_case[cases[name]].append(gain)
    mean = float(np.mean(list(gains.values())))
    if len(by_case) < 2:
        return mean, min(mean, 0.0)
    # The error of a mean over clusters of unequal size.
    apart = [sum(each) - mean * len(each) for each in by_case.values()]
    return mean, mean - errors * float(np.sqrt(np.sum(np.square(apart)))) / len(gains)
