"""What the reward learned in, a section and an index out, and back."""

from dataclasses import dataclass
from functools import cached_property

from agent_gym.keeping import Codec, Keeper, Kept, found_in
from agent_gym.reward.combine import Fitted
from agent_gym.reward.customs import Customs
from agent_gym.reward.model import Curve, RewardModel
from agent_gym.reward.questions import Questions
from agent_gym.reward.reports import Reports
from agent_gym.reward.satisfaction import Satisfaction
from agent_gym.reward.signs import Signs
from agent_gym.reward.signs.bag import Bag
from agent_gym.text import TextIndex

__all__ = ["REWARD_TYPES", "KeptReward", "Learned", "keep_reward"]

_LEARNED, _INDEX = "reward", "references"


@dataclass(frozen=True, slots=True)
class Learned:
    """All that a reward function takes from the train conversations."""

    required: frozenset[str]
    taken_as_successes: tuple[str, ...]  # the conversations, where no label says which they are
    customs: Customs
    own_case: Fitted
    other_case: Fitted


REWARD_TYPES: tuple[type, ...] = (
    Learned,
    Fitted,
    RewardModel,
    Curve,
    Signs,
    Bag,
    Satisfaction,
    Customs,
    Reports,
    Questions,
)


def keep_reward(learned: Learned, index: TextIndex, keeper: Keeper) -> None:
    keeper.section(_LEARNED, Codec(REWARD_TYPES).encode(learned))
    index.keep(keeper, _INDEX)


class KeptReward:
    """What was learned, read when it is first asked for."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    @cached_property
    def learned(self) -> Learned:
        return found_in(self._kept, _LEARNED, Learned, Codec(REWARD_TYPES))

    @cached_property
    def index(self) -> TextIndex:
        """Of what the customers of successes said."""
        return TextIndex.kept_in(self._kept, _INDEX)
