"""How a tool is called, wherever its values come from: recorded calls in, what holds between their arguments out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import permutations

from agent_gym.agent.embedded.leaves import is_specific, norm_of
from agent_gym.types import Json

__all__ = ["Customs"]

_NEARLY = 0.95  # of the calls that have both lists: but for a slip, always
_Rows = list[tuple[str, Json]]  # arguments by path


class Customs:
    """`varied`: the arguments that name another thing when the tool is called again in a conversation, as when a
    customer's orders are looked through. A list may have to be as long as another: what is given back, and what for
    it."""

    def __init__(self, calls: Iterable[tuple[str, str, _Rows]]) -> None:
        """(conversation, tool, arguments) of every call, in order."""
        had: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        varied: dict[str, set[str]] = defaultdict(set)
        both: Counter[tuple[str, str, str]] = Counter()
        equal: Counter[tuple[str, str, str]] = Counter()
        for conversation_id, tool, rows in calls:
            for path, value in rows:
                values = had[conversation_id, tool, path]
                if values and is_specific(value) and norm_of(value) not in values:
                    varied[tool].add(path)
                values.add(norm_of(value))
            lists = [(path, len(value)) for path, value in rows if isinstance(value, list)]
            for (one, length), (other, its) in permutations(lists, 2):
                both[tool, one, other] += 1
                equal[tool, one, other] += length == its
        self._varied = {tool: frozenset(paths) for tool, paths in varied.items()}
        self._paired = frozenset(pair for pair, n in both.items() if equal[pair] >= _NEARLY * n)

    def varied(self, tool: str) -> frozenset[str]:
        return self._varied.get(tool, frozenset())

    def length(self, tool: str, path: str, chosen: Mapping[str, Json]) -> int:
        """How many values a list has to have beside what is chosen for the other arguments; 0 if that is open."""
        lists = [(other, value) for other, value in chosen.items() if isinstance(value, list)]
        return next((len(value) for other, value in lists if (tool, path, other) in self._paired), 0)
