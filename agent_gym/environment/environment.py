"""The recipe: what was mined from the traces, and how episodes are made from it."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from agent_gym.corpus import Corpus, Split
from agent_gym.environment.difficulty import within
from agent_gym.environment.episode import DEFAULT_MAX_TURNS, Episode
from agent_gym.environment.facts import Facts, MinedFacts
from agent_gym.environment.options import EpisodeOptions, check_options, tool_options
from agent_gym.environment.prefix import prefix_of, replayed
from agent_gym.environment.query import QueryAgent
from agent_gym.environment.scenario import Scenario, scenario_of
from agent_gym.environment.stored import Recipe, write_environment
from agent_gym.errors import AgentGymError, OptionError
from agent_gym.keeping import Recent
from agent_gym.reward import RewardFunction
from agent_gym.store import GymFile
from agent_gym.tool_mocker import ToolMocker, ToolSession
from agent_gym.types import Agent, Json, User
from agent_gym.user_simulator import CustomerProfile, Noise, make_user, mine_profile
from agent_gym.user_simulator.noise import QUIET

if TYPE_CHECKING:
    from agent_gym.environment.gymnasium import TraceEnv

__all__ = ["Environment"]

Outcome = Literal["succeeded", "failed"]
_AT_HAND = 1024  # cases whose recorded answers stay read: a trainer comes back to them
_CASES = 4096  # cases and customers that stay worked out


@dataclass(frozen=True, slots=True)
class Environment:
    """Immutable and shared; `query_agent, tool_mocker, reward_fn = environment` as the founding API has it."""

    corpus: Corpus
    tool_mocker: ToolMocker
    reward_fn: RewardFunction
    agent: Agent
    user_kind: str = "agenda"
    policy: str | None = None
    seed: int = 0
    # Caches of what is always the same for a conversation.
    _scenarios: dict[str, Scenario] = field(default_factory=lambda: Recent(_CASES), repr=False, compare=False)
    _profiles: dict[str, CustomerProfile] = field(default_factory=lambda: Recent(_CASES), repr=False, compare=False)
    _facts: list[Facts] = field(default_factory=list, repr=False, compare=False)  # one, once it is asked for
    # A session that nobody has called yet keeps what is read off its conversation for the next one there.
    _sessions: OrderedDict[str, ToolSession] = field(default_factory=OrderedDict, repr=False, compare=False)

    def __iter__(self) -> Iterator[Any]:  # three types in order: what type checkers cannot say of an iterator
        yield self.query_agent
        yield self.tool_mocker
        yield self.reward_fn

    @property
    def query_agent(self) -> QueryAgent:
        return QueryAgent(self.agent, self.tool_mocker, self.policy)

    def scenario(self, conversation_id: str) -> Scenario:
        """The playable case of one conversation."""
        found = self._scenarios.get(conversation_id)
        if found is None:
            trace = self.corpus[conversation_id]
            found = scenario_of(trace, self.corpus, self.tool_mocker, self.reward_fn.goals, self.policy)
            self._scenarios[conversation_id] = found
        return found

    @property
    def facts(self) -> Facts:
        """What is known of all conversations."""
        if not self._facts:
            self._facts.append(MinedFacts(self.corpus, self.reward_fn.goals))
        return self._facts[0]

    def playable(self, split: Split | None = None, *, scorable: bool = False) -> list[str]:
        """The ids of all `scenarios`, which cost no more than their names; `scorable`: only of those with a goal."""
        if split is not None and split not in get_args(Split):
            raise OptionError("split", split, get_args(Split))
        known = ((name, has_goal) for name, has_goal in self.facts.playable.items() if has_goal or not scorable)
        return [name for name, _ in known if split is None or self.corpus.split(name) == split]

    def scenarios(
        self,
        split: Split | None = None,
        outcome: Outcome | str | None = None,
        *,
        pass_rate: tuple[float, float] | None = None,
        agent: Agent | None = None,
        k: int = 8,
        shuffled: int | None = None,
    ) -> tuple[Scenario, ...]:
        """Every conversation that a customer opened; `outcome` is a label, or "succeeded" or "failed".

        With `pass_rate`, `agent` (this environment's own if none is given) plays each case `k` times, and those in
        which its share of successes lies within the bounds are kept. `shuffled` is the seed of another order.
        """
        found = [self.scenario(name) for name in self.playable(split)]
        found = [s for s in found if outcome is None or _has(s, outcome)]
        if pass_rate is not None:
            found = list(within(self, found, pass_rate, agent or self.agent, k))
        if shuffled is not None:
            Random(shuffled).shuffle(found)  # noqa: S311  an order, not a secret
        return tuple(found)

    def user(self, conversation_id: str, kind: str | None = None, seed: int = 0, noise: Noise = QUIET) -> User:
        """The customer of a recorded conversation: "agenda", "replay", "llm", "gemini[:model]" or "openai:model".

        `noise` makes it a difficult one; the seed decides whatever is left to chance.
        """
        trace, goal = self.corpus[conversation_id], self.scenario(conversation_id).goal
        kind = kind or self.user_kind
        if kind != "replay" and conversation_id not in self._profiles:
            self._profiles[conversation_id] = mine_profile(trace)
        profile = self._profiles.get(conversation_id)
        return make_user(trace, kind, goal=goal, seed=seed, profile=profile, noise=noise, crowd=self.facts.crowd)

    def episode(
        self, conversation_id: str | None = None, *, seed: int = 0, **options: Unpack[EpisodeOptions]
    ) -> Episode:
        """A live conversation in a recorded case; without an id, the seed chooses a scorable train case.

        `options` are those of `EpisodeOptions`: `from_turn`, `user`, `noise`, `off_support`, `max_turns`,
        `max_tokens`, `count_tokens`, `shaping`, and for the tools `faults`, `max_rung`, `model`.
        """
        check_options(options)
        scenario = self.scenario(conversation_id) if conversation_id is not None else self._drawn(seed)
        trace, user = self.corpus[scenario.conversation_id], options.get("user")
        if user is None or isinstance(user, str):
            user = self.user(trace.conversation_id, user, seed, options.get("noise", QUIET))
        session = self.tool_mocker.session(trace.conversation_id, seed=seed, **tool_options(options))
        self._keep_at_hand(trace.conversation_id)
        messages, answers = replayed(prefix_of(trace, options.get("from_turn", 0)), session)
        return Episode(
            scenario=scenario,
            session=session,
            user=user,
            reward_fn=self.reward_fn,
            seed=seed,
            max_turns=options.get("max_turns") or DEFAULT_MAX_TURNS,
            max_tokens=options.get("max_tokens"),
            count_tokens=options.get("count_tokens"),
            off_support=options.get("off_support", "ignore"),
            end_tools=self.tool_mocker.end_tools,
            messages=(*scenario.prompt, *messages) if messages else (),
            answers=answers,
            shaping=options.get("shaping", False),
        )

    def to_gymnasium(self, split: Split = "train", **options: Json) -> "TraceEnv":
        """This environment as a Gymnasium one; `options` are those of `episode`."""
        from agent_gym.environment.gymnasium import TraceEnv  # noqa: PLC0415  loads a framework

        return TraceEnv(self, split=split, **options)

    def save(self, path: str | PathLike[str]) -> GymFile:
        """Learn all there is to learn and write it to one file, from which `agent_gym.load` makes this again."""
        recipe = Recipe(self.user_kind, self.policy, self.seed)
        return write_environment(path, self.corpus, self.tool_mocker, self.reward_fn, self.facts, recipe)

    @property
    def counts(self) -> dict[str, int]:
        """What a person asks first of a gym."""
        return {
            "conversations": len(self.corpus),
            "train": len(self.corpus.train),
            "test": len(self.corpus.test),
            "successes": len(self.corpus.successes),
            "tools": len(self.tool_mocker.world.kinds),
            "calls": self.facts.calls,
        }

    def _keep_at_hand(self, conversation_id: str) -> None:
        session = self._sessions.pop(conversation_id, None)
        self._sessions[conversation_id] = session or self.tool_mocker.session(conversation_id)
        if len(self._sessions) > _AT_HAND:
            self._sessions.popitem(last=False)

    def _drawn(self, seed: int) -> Scenario:
        scorable = self.playable("train", scorable=True)
        if not scorable:
            raise AgentGymError("no train conversation has a goal to play for; name one with conversation_id=")
        return self.scenario(scorable[(self.seed + seed) % len(scorable)])


def _has(scenario: Scenario, outcome: str) -> bool:
    if outcome in ("succeeded", "failed"):
        return scenario.succeeded is (outcome == "succeeded")
    return scenario.outcome == outcome
