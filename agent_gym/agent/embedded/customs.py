"""How a tool is called, wherever its values come from: recorded calls in, what holds between their arguments out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import permutations

from agent_gym.agent.embedded.leaves import is_specific, norm_of
from agent_gym.types import Json

__all__ = ["Customs", "Rows", "Turn"]

_NEARLY = 0.95  # of the calls that have both lists: but for a slip, always
_OFTEN = 0.1  # of the turns of customers after which the tool was called

Rows = list[tuple[str, Json]]  # arguments by path
Turn = tuple[str, int]  # of a customer: the conversation, and how many they have had in it


class Customs:
    """`varied`: the arguments that often name another thing when the tool is called again before the customer speaks,
    as when their orders are looked through. A list may have to be as long as another: what is given back, and what for
    it."""

    def __init__(self, calls: Iterable[tuple[Turn, str, Rows]]) -> None:
        """(turn of the customer before it, tool, arguments) of every call."""
        had: dict[tuple[str, str], dict[Turn, set[str]]] = defaultdict(lambda: defaultdict(set))
        both: Counter[tuple[str, str, str]] = Counter()
        equal: Counter[tuple[str, str, str]] = Counter()
        for turn, tool, rows in calls:
            for path, value in rows:
                if is_specific(value):
                    had[tool, path][turn].add(norm_of(value))
            lists = [(path, len(value)) for path, value in rows if isinstance(value, list)]
            for (one, length), (other, its) in permutations(lists, 2):
                both[tool, one, other] += 1
                equal[tool, one, other] += length == its
        varied: dict[str, set[str]] = defaultdict(set)
        for (tool, path), turns in had.items():
            if sum(len(values) > 1 for values in turns.values()) >= _OFTEN * len(turns):
                varied[tool].add(path)
        self._varied = {tool: frozenset(paths) for tool, paths in varied.items()}
        self._paired = frozenset(pair for pair, n in both.items() if equal[pair] >= _NEARLY * n)

    def varied(self, tool: str) -> frozenset[str]:
        return self._varied.get(tool, frozenset())

    def length(self, tool: str, path: str, chosen: Mapping[str, Json]) -> int:
        """How many values a list has to have beside what is chosen for the other arguments; 0 if that is open."""
        lists = [(other, value) for other, value in chosen.items() if isinstance(value, list)]
        return next((len(value) for other, value in lists if (tool, path, other) in self._paired), 0)
