"""A gym in, everything a TRL trainer takes out, under the names it takes it by."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from typing import Any

from agent_gym.adapters.datasets.kept import Kept, Wanted, kept_rollouts, kept_traces
from agent_gym.adapters.datasets.rows import dpo_rows, sft_row, sft_turns
from agent_gym.adapters.trl.cases import Cases, toolset
from agent_gym.adapters.trl.rollouts import roll_out
from agent_gym.adapters.trl.scoring import LogMetric, Scoring
from agent_gym.adapters.trl.toolclass import ToolEnvironment, tool_class
from agent_gym.adapters.trl.versions import require_trl
from agent_gym.corpus import Split
from agent_gym.environment import Environment, open_environment
from agent_gym.environment.episode import Episode
from agent_gym.environment.rollout import Rollout
from agent_gym.errors import AgentGymError
from agent_gym.types import Json

__all__ = ["TrlSpec"]

_EPISODE = "gym_episode"  # the field that takes an episode from the rollout to its reward


class TrlSpec:
    """What goes to `GRPOTrainer` as `train_dataset`, `reward_funcs` and `rollout_func`, each under its own name.

    With `rollout_func` the model talks to the customer in plain text and calls tools in its own template; with
    `environment_factory=spec.environment_factory` instead, TRL runs its own tool loop and the customer is reached
    through the tool `respond_to_user`. `gym` is an Environment, a gym file or trace files. `turns_left` starts
    every episode where the recorded agent had so many messages left; `rows` repeats the cases with other seeds;
    a turn has at most `turn_tokens`. `show_tools=False` leaves the tools' schemas out of the prompt, which a small
    model, trained on the recorded turns, can do without.
    """

    def __init__(
        self,
        gym: Environment | str | PathLike[str],
        *,
        split: Split = "train",
        rows: int | None = None,
        seed: int = 0,
        turns_left: int | None = None,
        turn_tokens: int = 256,
        show_tools: bool = True,
        max_turns: int | None = None,
    ) -> None:
        require_trl()
        self.environment = gym if isinstance(gym, Environment) else open_environment(gym, agent="embedded")
        self.cases = Cases(self.environment, split, turns_left, max_turns)
        self.scoring = Scoring()
        self._rows, self._seed, self._turn_tokens, self._show_tools = rows, seed, turn_tokens, show_tools
        self._dataset: Any = None

    @property
    def train_dataset(self) -> Any:
        """A `datasets.Dataset`: prompt, environment (the tool set's name), conversation_id, seed, from_turn."""
        if self._dataset is None:
            self._dataset = json_dataset(list(self.cases.rows(self._rows, self._seed)), ("prompt",))
        return self._dataset

    @property
    def environment_factory(self) -> dict[str, Callable[[], ToolEnvironment]]:
        """tool set → a class with its tools as methods; the rows' `environment` column chooses."""
        scenarios = self.environment.scenarios(self.cases.split)
        sets = {toolset(s): s.tools for s in scenarios if s.scorable}
        return {name: tool_class(name, tools, self.cases, self.scoring) for name, tools in sets.items()}

    @property
    def reward_funcs(self) -> list[Callable[..., list[float | None]]]:
        return [self.gym_reward]

    def gym_reward(
        self,
        prompts: Sequence[Json],
        environments: Sequence[Any] | None = None,
        gym_episode: Sequence[Episode] | None = None,
        log_metric: LogMetric | None = None,
        **_columns: Json,
    ) -> list[float | None]:
        """The score of each conversation; None masks it. An environment of `environment_factory` pays by itself."""
        if gym_episode is not None:
            return self.scoring.rewards(gym_episode, log_metric)
        if environments is not None and log_metric is not None:
            self.scoring.log([environment._live() for environment in environments], log_metric)
        return [None] * len(prompts)

    @property
    def sft_dataset(self) -> Any:
        """Every turn of the recorded successes: prompt, completion and, if tools are shown, their schemas."""
        return self._sft(sft_turns(self._successes()), ("prompt", "completion"))

    @property
    def sft_conversations(self) -> Any:
        """The recorded successes whole: messages and, if tools are shown, their schemas.

        For `assistant_only_loss`: each conversation is read once for all its turns, which is several times cheaper.
        """
        return self._sft(map(sft_row, self._successes()), ("messages",))

    def _successes(self) -> Iterator[Kept]:
        return (kept for kept in kept_traces(self.environment, Wanted()) if kept.split == self.cases.split)

    def _sft(self, rows: Iterable[dict[str, Json]], columns: tuple[str, ...]) -> Any:
        columns += ("tools",) if self._show_tools else ()
        return json_dataset([{name: row[name] for name in columns} for row in rows], columns)

    def dpo_dataset(self, rollouts: Iterable[Rollout]) -> Any:
        """The best and the worst rollout of each case: prompt, chosen, rejected and the tools' schemas."""
        played = kept_rollouts(self.environment, rollouts, Wanted("all"))
        rows = [row for kept, row in dpo_rows(played) if kept.split == self.cases.split]
        return json_dataset(rows, ("prompt", "chosen", "rejected", "tools"))

    def rollout_func(self, prompts: Sequence[Json], trainer: Any) -> dict[str, Json]:
        """Whole conversations, one for each prompt: those of a group have the same customer and seed."""
        conversations, fields = roll_out(
            self.cases, prompts, trainer, turn_tokens=self._turn_tokens, show_tools=self._show_tools
        )
        return fields | {_EPISODE: [conversation.episode for conversation in conversations]}


def json_dataset(rows: Sequence[dict[str, Json]], json_columns: Sequence[str]) -> Any:
    """Rows with JSON in some columns, kept as it is: Arrow would give every call all arguments, most of them null."""
    import datasets  # noqa: PLC0415  heavy, and optional

    if not rows:
        raise AgentGymError("there is nothing to make a dataset of: no success, or no rollouts far enough apart")
    kinds = {str: "string", int: "int64", float: "float64", bool: "bool"}
    features = {
        name: datasets.List(datasets.Json()) if name in json_columns else datasets.Value(kinds[type(value)])
        for name, value in rows[0].items()
    }
    return datasets.Dataset.from_list(list(rows), features=datasets.Features(features))
