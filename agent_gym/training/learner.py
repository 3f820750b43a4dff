"""The learner: an environment in, a policy that gets better round by round out.

It starts as a clone of the recorded successes. In each round it plays a few more episodes of every practice case, moves
its weights towards what scored better, and is tried on cases it does not practise on. It can be written down after any
round, and goes on from there as if it had never stopped.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Self

import numpy as np

from agent_gym.agent import EmbeddedAgent
from agent_gym.agent.embedded.choose import WEIGHTS
from agent_gym.environment import Environment
from agent_gym.fidelity.watch import hack_shares
from agent_gym.reward.combine import HELD_AGAINST
from agent_gym.stats import rate
from agent_gym.training.cases import dealt, sure_gain
from agent_gym.training.climbing import climbed
from agent_gym.training.cloning import clone, examples
from agent_gym.training.forest import Forest, Node
from agent_gym.training.form import Form, Vector
from agent_gym.training.gradient import Group, follow, tried
from agent_gym.types import Json

__all__ = ["Learner", "Options", "Round"]


_FRESH = 120  # cases at most, not yet practised on, on which a round that seems better is tried besides
_SURE = 2.33  # standard errors: of a hundred policies that are no better, one passes for better
_SLIGHT = 0.01  # a lesson that says less is not kept


@dataclass(frozen=True, slots=True)
class Options:
    """How a policy is trained. The same options and seed give the same policy."""

    seed: int = 0
    rounds: int = 2
    cases: int = 45  # practised on in a round at most, all in turn
    turns: int = 6000  # played in a round, after which it takes on no further case: long conversations cost the most
    steps: int = 6  # of the weights, from the clone's, at most
    heat: float = 1.0  # how even the chances of candidates are while practising
    least: float = 0.15  # how likely a move must be to be tried
    patience: int = 4  # rounds without getting better, after which it ends
    max_turns: int = 30
    examples: int = 700  # recorded turns the clone is made from
    validation: int = 60  # cases at most, of a quarter of the customers at most
    off_support: float = 0.2  # the share of episodes asking what the record cannot answer at which to give up


@dataclass(frozen=True, slots=True)
class Round:
    """How good the policy is after so many rounds: on cases it does not practise on, choosing the best each time."""

    number: int
    reward: float
    success: float
    success_low: float
    success_high: float
    practice_reward: float | None  # in the cases of the round, before it; the clone has played none
    practice_success: float | None
    off_support: float
    flags: Mapping[str, float]  # what the reward held against the episodes, as shares
    turns: int  # played so far, of which
    grown: int  # were worked out
    hacks: Mapping[str, float] = field(default_factory=dict)  # of the audit: how often each pays in its episodes
    gain: float = 0.0  # in reward over the clone, case by case,
    gain_low: float = 0.0  # and what it is at least, all but surely

    @property
    def worth(self) -> float:
        return self.reward

    @property
    def better(self) -> bool:
        """Whether it does better than the clone by more than chance would have it."""
        return self.gain_low > 0

    @property
    def paying(self) -> dict[str, float]:
        """The hacks that pay at all, the worst first."""
        return {hack: share for hack, share in sorted(self.hacks.items(), key=lambda one: -one[1]) if share}


class Learner:
    """A training run: everything that changes is here."""

    def __init__(self, environment: Environment, agent: EmbeddedAgent, options: Options) -> None:
        self.environment, self.agent, self.options = environment, agent, options
        self.form = Form.of(agent)
        self.forest = Forest(environment, agent, self.form, options.max_turns)
        self.rng = np.random.default_rng(options.seed)
        self.practice, self.validation = dealt(environment, options.validation, self.rng)
        self.cloned = self.weights = self.best = self.form.vector(WEIGHTS)
        self.history: list[Round] = []
        self._groups: dict[tuple[str, tuple[int, ...]], Group] = {}

    def imitate(self, progress: Callable[[int, int], None] = lambda _, __: None) -> None:
        """Become a clone of the recorded successes, and be tried as such."""
        made = examples(self.environment, self.agent, self.forest, self.options.examples, progress)
        self.cloned = self.weights = self.best = clone(made, self.form.vector(WEIGHTS))
        self.history = [self._tried(0, [], [])]

    @property
    def over(self) -> str:
        """Why there is no more to do; empty while there is."""
        last, options = self.history[-1], self.options
        if last.off_support > options.off_support:
            return "too many episodes asked what the record cannot answer"
        if last.number >= options.rounds:
            return "all rounds are played"
        return "it gets no better" if last.number - self.kept.number >= options.patience else ""

    @property
    def kept(self) -> Round:
        """The round whose policy is the best so far: the clone, until one does better by more than chance."""
        return max((each for each in self.history if each.better or not each.number), key=lambda each: each.worth)

    def practise(self, progress: Callable[[int, int], None] = lambda _, __: None) -> Round:
        """One more round."""
        names, before = self._due(), self.forest.turns
        ends: list[Node] = []
        own: list[Node] = []
        for n, name in enumerate(names):
            if self.forest.turns - before >= self.options.turns:
                break
            progress(n, len(names))
            groups, reached = tried(self.forest, name, self.weights, self.options.heat, self.options.least)
            self._groups |= {(name, group.road): group for group in groups}
            own.append(reached[0])
            ends += reached
        self._improve()
        tested = self._tried(len(self.history), own, ends)
        if tested.better and tested.worth > self.kept.worth:
            self.best = self.weights
        self.history.append(tested)
        return tested

    def _due(self) -> list[str]:
        """The cases of the next round: all in turn."""
        first = (len(self.history) - 1) * self.options.cases
        count = min(self.options.cases, len(self.practice))
        return [self.practice[(first + n) % len(self.practice)] for n in range(count)]

    def _improve(self) -> None:
        by_case: dict[str, list[Group]] = {}
        for (name, _), group in sorted(self._groups.items(), key=lambda item: item[0][0]):
            by_case.setdefault(self.environment.corpus.cases[name], []).append(group)
        self.weights = climbed(self.form, by_case, self.cloned, self.options.steps, self.options.heat).copy()
        lessons = self.weights[len(self.form.features) :]
        lessons[np.abs(lessons) < _SLIGHT] = 0.0

    def _tried(self, number: int, own: Sequence[Node], played: Sequence[Node]) -> Round:
        ends = [follow(self.forest, name, self.weights) for name in self.validation]
        scores = [end.score for end in ends if end.score is not None]
        gain, gain_low = self._gained(number)
        won = rate(sum(score.success for score in scores), len(scores))
        flags = Counter(flag for score in scores for flag in score.flags if flag in HELD_AGAINST)
        return Round(
            number=number,
            reward=float(np.mean([float(score) for score in scores])),
            success=won.value,
            success_low=won.low,
            success_high=won.high,
            practice_reward=float(np.mean([end.reward for end in own])) if own else None,
            practice_success=float(np.mean([bool(end.score and end.score.success) for end in own])) if own else None,
            off_support=float(np.mean([end.off_support for end in played or ends])),
            flags={flag: n / len(scores) for flag, n in sorted(flags.items())},
            turns=self.forest.turns,
            grown=self.forest.grown,
            gain=gain,
            gain_low=gain_low,
            hacks=hack_shares(self.environment, [end.episode for end in ends]),
        )

    def _gained(self, number: int) -> tuple[float, float]:
        """The gain over the clone, case by case, and what it is at least.

        Who seems to do better is tried on cases that nobody has looked at yet: of a few, some round is always lucky in.
        """
        gain, low = self._compared(self.validation)
        fresh = self.practice[number * self.options.cases :][:_FRESH]
        return self._compared([*self.validation, *fresh]) if low > 0 else (gain, low)

    def _compared(self, names: Sequence[str]) -> tuple[float, float]:
        now, before = (
            {name: follow(self.forest, name, w).reward for name in names} for w in (self.weights, self.cloned)
        )
        return sure_gain({name: now[name] - before[name] for name in names}, self.environment.corpus.cases, _SURE)

    def named(self, weights: Vector) -> dict[str, float]:
        return self.form.named(weights)

    def to_dict(self) -> dict[str, Json]:
        """All that is needed to go on."""
        return {
            "options": asdict(self.options),
            "history": [asdict(each) for each in self.history],
            "weights": self.named(self.weights),
            "rng": {key: str(value) for key, value in self.rng.bit_generator.state["state"].items()},
            "groups": [[name, road, group.moves, group.rewards] for (name, road), group in self._groups.items()],
        }

    @classmethod
    def resumed(
        cls,
        environment: Environment,
        agent: EmbeddedAgent,
        cloned: Mapping[str, float],
        best: Mapping[str, float],
        state: Mapping[str, Json],
    ) -> Self:
        """The learner that `to_dict` wrote. Raises `KeyError`, `TypeError` or `ValueError` where it did not."""
        learner = cls(environment, agent, Options(**state["options"]))
        learner.cloned, learner.best, learner.weights = map(learner.form.vector, (cloned, best, state["weights"]))
        learner.history = [Round(**each) for each in state["history"]]
        learner.rng.bit_generator.state = {
            **learner.rng.bit_generator.state,
            "state": {key: int(value) for key, value in state["rng"].items()},
        }
        for name, road, moves, rewards in state["groups"]:
            group = Group(learner.forest.reached(name, road), tuple(road), tuple(moves), tuple(rewards))
            learner._groups[name, group.road] = group
        return learner
