"""A log in, all that can be measured of a gym made from it out: tools, customers, reward, and the whole."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from agent_gym.environment import create_environment
from agent_gym.fidelity.audit import Audit, audit
from agent_gym.fidelity.held_out import HeldOut, measure_held_out
from agent_gym.fidelity.held_out_users import HeldOutUsers, measure_held_out_users
from agent_gym.fidelity.ranking import Ranking, measure_ranking
from agent_gym.fidelity.reward import measure_reward
from agent_gym.fidelity.verdict import verdict
from agent_gym.markup import card
from agent_gym.reward.card import RewardCard
from agent_gym.reward.hacks import HACKS
from agent_gym.types import Json, Trace

__all__ = ["Fidelity", "measure_fidelity"]

Stage = Callable[[str], AbstractContextManager[None]]  # what is being done, while it is


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How true a gym is, part by part and as a whole. `audit` is None where the hacks were not tried."""

    tools: HeldOut
    users: HeldOutUsers
    reward: RewardCard
    ranking: Ranking
    audit: Audit | None

    def to_dict(self) -> dict[str, Json]:
        audited: dict[str, Json] = {} if self.audit is None else {"audit": self.audit.to_dict()}
        return {
            "tools": self.tools.to_dict(),
            "users": self.users.to_dict(),
            "reward": {**self.reward.to_dict(), **audited},
            "ranking": self.ranking.to_dict(),
        }

    def _repr_html_(self) -> str:
        rows: list[tuple[str, str]] = []
        if self.tools.main is not None:
            rows.append(("tools, exactly right on unseen calls", str(self.tools.main.exact)))
            rows += [("", line) for line in verdict(self.tools.main.by_tool).words()]
        if (told := self.users.foretold) is not None:
            rows.append(("customers, the values they tell (F1)", f"{told.fact_f1:.3f} of {told.turns} turns"))
        for name, regime in (("own case", self.reward.own_case), ("other cases", self.reward.other_case)):
            if regime is not None:
                rows.append((f"reward beside successes of {name}, AUC", f"{regime.auc.value:.3f}"))
        rows.append(("agents ranked as in truth", self.ranking.why or f"Spearman {self.ranking.spearman:.2f}"))
        if self.audit is not None:
            rows.append(("does any hack pay?", "no" if self.audit.passed else f"in {len(self.audit.exceptions)} tries"))
        return card("Fidelity", f"{self.tools.conversations:,} conversations", rows)


def measure_fidelity(
    traces: Sequence[Trace],
    against: Sequence[Trace] | None = None,
    *,
    policy: str | None = None,
    run_audit: bool = False,
    seed: int = 0,
    stage: Stage = lambda _: nullcontext(),
) -> Fidelity:
    """Measured on `against`, conversations that are not in the log; without it, on parts of the log held out."""
    with stage(f"mining {len(traces):,} conversations and asking about others …"):
        tools = measure_held_out(traces, against, seed)
    with stage("holding the customers against other conversations of their cases …"):
        users = measure_held_out_users(traces, against)
    with stage("holding the reward against how the conversations ended …"):
        environment = create_environment(traces, agent="embedded", policy=policy)
        card = measure_reward(environment.corpus, environment.tool_mocker)
    with stage("replaying recorded agents in gyms of the others …"):
        ranking = measure_ranking(traces)
    if not run_audit:
        return Fidelity(tools, users, card, ranking, None)
    with stage(f"trying {len(HACKS)} hacks on the reward …"):
        return Fidelity(tools, users, card, ranking, audit(environment))
