"""A gym in, dataset rows out: which recorded case an episode is of, and the prompt it begins with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent_gym.adapters.chat import chat_messages
from agent_gym.corpus import Split
from agent_gym.environment import Environment
from agent_gym.environment.episode import Episode, OffSupport
from agent_gym.environment.prefix import opened_at
from agent_gym.environment.scenario import Scenario
from agent_gym.errors import AgentGymError, MessageError
from agent_gym.text import digest
from agent_gym.types import Json

__all__ = ["CASE", "Case", "Cases"]

CASE = "case"  # the key of a prompt's last message that says which case it opens: templates do not look at it


@dataclass(frozen=True, slots=True)
class Case:
    """Where an episode starts: equal cases have the same customer, the same tools, the same past."""

    conversation_id: str
    seed: int
    from_turn: int

    def to_dict(self) -> dict[str, Json]:
        return {"conversation_id": self.conversation_id, "seed": self.seed, "from_turn": self.from_turn}


@dataclass(frozen=True, slots=True)
class Cases:
    """The scorable cases of one split, and how their episodes are opened."""

    environment: Environment
    split: Split = "train"
    turns_left: int | None = None  # start where the recorded agent had so many messages left; None: at the opener
    max_turns: int | None = None
    off_support: OffSupport = "flag"

    def rows(self, count: int | None, seed: int) -> Iterator[dict[str, Json]]:
        """`count` rows, every case once before any comes again with another seed; all cases once without a count."""
        scenarios = [s for s in self.environment.scenarios(self.split, shuffled=seed) if s.scorable]
        if not scenarios:
            raise AgentGymError(
                f"no {self.split} conversation has a goal to play for: training needs recorded successes"
            )
        starts = [(s.conversation_id, self._start(s), toolset(s)) for s in scenarios]
        for at in range(len(starts) if count is None else count):
            conversation_id, turn, tools = starts[at % len(starts)]
            case = Case(conversation_id, seed + at // len(starts), turn)
            yield {"prompt": self.prompt(case), "environment": tools, **case.to_dict()}

    def prompt(self, case: Case) -> list[dict[str, Json]]:
        """What the model reads before its first turn, marked with the case."""
        messages = chat_messages(self.open(case).messages)
        return [*messages[:-1], messages[-1] | {CASE: case.to_dict()}]

    def open(self, case: Case) -> Episode:
        return self.environment.episode(
            case.conversation_id,
            seed=case.seed,
            from_turn=case.from_turn,
            max_turns=self.max_turns,
            off_support=self.off_support,
        )

    def of_prompt(self, prompt: Json) -> Case:
        """The case that a prompt of `rows` opens."""
        last = prompt[-1] if isinstance(prompt, list) and prompt else None
        marked = last.get(CASE) if isinstance(last, Mapping) else None
        if not isinstance(marked, Mapping):
            raise MessageError(f"a prompt of another dataset: its last message has no {CASE!r}; use `train_dataset`")
        return Case(marked["conversation_id"], marked["seed"], marked["from_turn"])

    def _start(self, scenario: Scenario) -> int:
        if self.turns_left is None:
            return 0
        trace = self.environment.corpus[scenario.conversation_id]
        said = sum(message.role == "assistant" for message in trace.messages[opened_at(trace.messages) :])
        return max(0, said - self.turns_left)


def toolset(scenario: Scenario) -> str:
    """The name of a case's tools: equal for equal tools."""
    return f"tools_{digest(list(scenario.tools)).hex()[:12]}"
