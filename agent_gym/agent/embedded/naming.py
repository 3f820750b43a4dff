"""What people call a thing: recorded results in, the names under which an id is known in all of them out.

A plan is `NET-300` to the tool and "Fibre 300" to everybody else. A name counts if it stands beside the same id in
several conversations and beside no other.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.talk import Talk, is_specific, norm_of

__all__ = ["names_in"]

_ENOUGH = 2  # conversations that agree
_LONGEST = 6  # words of a name


def names_in(talks: Iterable[Talk]) -> Mapping[str, Sequence[str]]:
    """Norm of an id → its names."""
    seen: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, talk in enumerate(talks):
        for leaf in talk.leaves:
            if leaf.result and is_specific(leaf.value) and isinstance(leaf.holder, Mapping):
                for name in _names(leaf.holder, leaf.norm):
                    seen[name][leaf.norm].add(number)
    names: dict[str, list[str]] = defaultdict(list)
    for name, ids in sorted(seen.items()):
        if len(ids) == 1 and all(len(numbers) >= _ENOUGH for numbers in ids.values()):
            names[next(iter(ids))].append(name)
    return dict(names)


def _names(holder: Mapping[str, object], norm: str) -> list[str]:
    texts = [value for value in holder.values() if isinstance(value, str)]
    return [text for text in texts if norm_of(text) != norm and 0 < len(tokens(text)) <= _LONGEST and len(text) > 2]
