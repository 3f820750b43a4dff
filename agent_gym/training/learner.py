"""The learner: an environment in, a policy that gets better round by round out.

It starts as a clone of the recorded successes. In each round it plays a few more episodes of every practice case, moves
its weights towards what scored better, and is tried on cases it does not practise on. It can be written down after any
round, and goes on from there as if it had never stopped.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Self

import numpy as np

from agent_gym.agent import EmbeddedAgent
from agent_gym.agent.embedded.choose import WEIGHTS
from agent_gym.environment import Environment
from agent_gym.errors import AgentGymError
from agent_gym.reward.combine import HELD_AGAINST
from agent_gym.stats import rate
from agent_gym.training.cloning import clone, examples
from agent_gym.training.forest import Forest, Node, Vector
from agent_gym.training.gradient import Batch, Path, follow, sampled, walked
from agent_gym.types import Json

__all__ = ["Learner", "Options", "Round"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a policy is trained. The same options and seed give the same policy."""

    seed: int = 0
    rounds: int = 6
    cases: int = 140  # practised on; more cost time and teach little that is new
    episodes: int = 3  # of each case, every round
    steps: int = 2  # of the weights, every round
    rate: float = 3.0  # how far they move for a gain in reward: the larger, the further from what is known
    heat: float = 0.5  # how even the chances of candidates are while practising
    patience: int = 4  # rounds without getting better, after which it ends
    max_turns: int = 30
    examples: int = 1000  # recorded turns the clone is made from
    validation: int = 50  # cases at most, a quarter of all at most
    off_support: float = 0.2  # the share of episodes asking what the record cannot answer at which to give up


@dataclass(frozen=True, slots=True)
class Round:
    """How good the policy is after so many rounds: on cases it does not practise on, choosing the best each time."""

    number: int
    reward: float
    success: float
    success_low: float
    success_high: float
    practice_reward: float | None  # of the episodes played to learn from; the clone has played none
    practice_success: float | None
    off_support: float
    flags: Mapping[str, float]  # what the reward held against the episodes, as shares
    turns: int  # played so far, of which
    grown: int  # were worked out

    @property
    def worth(self) -> float:
        return self.reward


class Learner:
    """A training run: everything that changes is here."""

    def __init__(self, environment: Environment, agent: EmbeddedAgent, options: Options) -> None:
        self.environment, self.agent, self.options = environment, agent, options
        self.names = tuple(WEIGHTS)
        self.forest = Forest(environment, agent, self.names, options.max_turns)
        self.rng = np.random.default_rng(options.seed)
        self.practice, self.validation = _cases(environment, options, self.rng)
        self.cloned = self.weights = self.best = self._vector(WEIGHTS)
        self.history: list[Round] = []
        self._paths: dict[str, list[Path]] = {name: [] for name in self.practice}

    def imitate(self, progress: Callable[[int, int], None] = lambda _, __: None) -> None:
        """Become a clone of the recorded successes, and be tried as such."""
        made = examples(self.environment, self.agent, self.forest, self.options.examples, progress)
        self.cloned = self.weights = self.best = clone(made, self._vector(WEIGHTS))
        self.history = [self._tried(0, [])]

    @property
    def over(self) -> str:
        """Why there is no more to do; empty while there is."""
        last, options = self.history[-1], self.options
        if last.off_support > options.off_support:
            return "too many episodes asked what the record cannot answer"
        if last.number >= options.rounds:
            return "all rounds are played"
        best = max(self.history, key=lambda each: each.worth)
        return "it gets no better" if last.number - best.number >= options.patience else ""

    def practise(self, progress: Callable[[int, int], None] = lambda _, __: None) -> Round:
        """One more round."""
        played: list[Path] = []
        for n, name in enumerate(self.practice):
            progress(n, len(self.practice))
            for _ in range(self.options.episodes):
                path = sampled(self.forest, name, self.weights, self.options.heat, self.rng)
                played.append(path)
                if not path.end.off_support:
                    self._paths[name].append(path)
        self._improve()
        tried = self._tried(len(self.history), played)
        if tried.worth > max(each.worth for each in self.history):
            self.best = self.weights
        self.history.append(tried)
        return tried

    def _improve(self) -> None:
        telling = [group for group in self._paths.values() if len({path.reward for path in group}) > 1]
        if not telling:
            return
        batch = Batch(telling)
        for _ in range(self.options.steps):
            step = self.options.rate / self.options.steps * batch.direction(self.weights, self.options.heat)
            self.weights = self.weights + step

    def _tried(self, number: int, played: Sequence[Path]) -> Round:
        ends = [follow(self.forest, name, self.weights) for name in self.validation]
        scores = [end.score for end in ends if end.score is not None]
        won = rate(sum(score.success for score in scores), len(scores))
        flags = Counter(flag for score in scores for flag in score.flags if flag in HELD_AGAINST)
        asked: Sequence[Node] = [path.end for path in played] or ends
        return Round(
            number=number,
            reward=float(np.mean([float(score) for score in scores])),
            success=won.value,
            success_low=won.low,
            success_high=won.high,
            practice_reward=float(np.mean([path.reward for path in played])) if played else None,
            practice_success=float(np.mean([path.success for path in played])) if played else None,
            off_support=float(np.mean([end.off_support for end in asked])),
            flags={flag: n / len(scores) for flag, n in sorted(flags.items())},
            turns=self.forest.turns,
            grown=self.forest.grown,
        )

    def named(self, weights: Vector) -> dict[str, float]:
        return dict(zip(self.names, weights.tolist(), strict=True))

    def _vector(self, named: Mapping[str, float]) -> Vector:
        return np.array([named.get(name, 0.0) for name in self.names])

    def to_dict(self) -> dict[str, Json]:
        """All that is needed to go on."""
        return {
            "options": asdict(self.options),
            "history": [asdict(each) for each in self.history],
            "weights": self.named(self.weights),
            "rng": {key: str(value) for key, value in self.rng.bit_generator.state["state"].items()},
            "paths": {name: [[path.chance, *path.choices] for path in paths] for name, paths in self._paths.items()},
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
        learner.cloned, learner.best, learner.weights = map(learner._vector, (cloned, best, state["weights"]))
        learner.history = [Round(**each) for each in state["history"]]
        learner.rng.bit_generator.state = {
            **learner.rng.bit_generator.state,
            "state": {key: int(value) for key, value in state["rng"].items()},
        }
        for name, rows in state["paths"].items():
            learner._paths[name] = [walked(learner.forest, name, choices, chance) for chance, *choices in rows]
        return learner


def _cases(environment: Environment, options: Options, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Train cases to practise on, and train cases to be tried on; the same ones where there are too few."""
    if not environment.corpus.successes and environment.corpus.labelled:
        raise AgentGymError("no train conversation is known to have ended well: there is nothing to learn from")
    names = [s.conversation_id for s in environment.scenarios("train") if s.scorable]
    if not names:
        raise AgentGymError("no train conversation has a goal to play for: there is nothing to learn from")
    order = [names[place] for place in rng.permutation(len(names))]
    groups = environment.corpus.groups
    apart = set(dict.fromkeys(groups[name] for name in order[: min(options.validation, len(order) // 4)]))
    held = [name for name in order if groups[name] in apart]
    practice = [name for name in order if groups[name] not in apart][: options.cases]
    return (practice, held[: options.validation]) if held and practice else (order[: options.cases], order[:1])
