"""A gym, or played rollouts, in; Minari datasets out: one for each split, to be read as `train-v0` and `test-v0`.

An observation is what `env.to_gymnasium()` shows, an action the text it takes: what is read here can be played there.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from gymnasium.spaces import Text

from agent_gym.adapters.chat import chat_messages, chat_tools
from agent_gym.adapters.datasets.export import Export
from agent_gym.adapters.datasets.kept import Wanted, fits, kept_rollouts
from agent_gym.adapters.trl.cases import toolset
from agent_gym.corpus import Split
from agent_gym.environment import Environment
from agent_gym.environment.action import action_text
from agent_gym.environment.episode import malformed_at, observed
from agent_gym.environment.recorded_agent import relived
from agent_gym.environment.rollout import Rollout
from agent_gym.errors import AgentGymError, MissingExtra
from agent_gym.types import Json

__all__ = ["export_minari"]


def export_minari(
    environment: Environment, folder: Path, *, wanted: Wanted, rollouts: Sequence[Rollout] | None = None
) -> Export:
    """Write `rollouts` that were played in this gym, or the recorded conversations, scored as they went.

    `rewards` are 0 but for the last, which is the score. Of each episode the metadata tell the case, the prompt, the
    tool set (its schemas are in the dataset's metadata), the ending, and whether it was a success.
    """
    require_minari()
    for place in (folder / "test-v0", folder / "train-v0"):
        if place.exists():
            raise AgentGymError(f"{place} exists already: delete it, or write to another folder")
    lived: dict[Split, list[_Lived]] = {}
    for rollout in _played(environment, wanted, rollouts):
        found = _lived(rollout)
        if found.actions:
            lived.setdefault(environment.scenario(rollout.conversation_id).split, []).append(found)
    if not lived:
        raise AgentGymError(f"nothing to write: no conversation fits ({wanted.words()})")
    folder.mkdir(parents=True, exist_ok=True)
    source = "recorded conversations" if rollouts is None else "episodes played in a gym"
    for split, episodes in sorted(lived.items()):
        told = f"{len(episodes)} {source}, {split} split ({wanted.words()}), scored by their gym's reward"
        # The whole path: Minari loses its way in a relative one.
        _write(folder.resolve() / f"{split}-v0", environment, episodes, told)
    counts: dict[str, int] = {split: len(episodes) for split, episodes in lived.items()}
    return Export(folder, "minari", counts, tuple(f"{split}-v0" for split in sorted(counts)))


def require_minari() -> None:
    for name in ("minari", "pyarrow", "pillow"):  # Minari does not say that it needs the last
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            raise MissingExtra("minari", f"{name} is not installed") from None
        if name == "minari" and found.split(".")[:2] != ["0", "5"]:
            raise MissingExtra("minari", f"minari {found} is installed, and this adapter supports minari>=0.5,<0.6")


@dataclass(frozen=True, slots=True)
class _Lived:
    """A rollout as offline learners read it: T actions between T + 1 observations."""

    rollout: Rollout
    observations: list[str]
    actions: list[str]

    @property
    def score(self) -> float:
        return float(self.rollout.score or 0.0)


def _played(environment: Environment, wanted: Wanted, rollouts: Sequence[Rollout] | None) -> Iterator[Rollout]:
    if rollouts is not None:
        yield from (rollout for _, rollout in kept_rollouts(environment, rollouts, wanted))
        return
    outcome = None if wanted.outcome == "all" else wanted.outcome
    unlabelled = Wanted("all", wanted.min_score, wanted.sources)  # the label is the log's, not the score's
    for scenario in environment.scenarios(outcome=outcome):
        if scenario.scorable and fits(found := relived(environment, scenario.conversation_id), unlabelled):
            yield found


def _lived(rollout: Rollout) -> _Lived:
    messages, wrong = rollout.messages, malformed_at(rollout.messages)
    turns = [at for at, message in enumerate(messages) if message.role == "assistant" and message.trainable]
    # What was not understood is kept as it was sent: it is not to be understood now either.
    actions = [messages[at].text if at in wrong else action_text(messages[at]) for at in turns]
    ends = [*turns[1:], len(messages)]
    seen = [observed(messages[: turns[0]])] if turns else []
    return _Lived(rollout, [*seen, *(observed(messages[:end]) for end in ends if turns)], actions)


def _write(place: Path, environment: Environment, episodes: Sequence[_Lived], description: str) -> None:
    """The dataset appears whole or not at all."""
    import minari  # noqa: PLC0415  an optional extra
    from minari.dataset.minari_storage import MinariStorage  # noqa: PLC0415

    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        part.mkdir()
        storage = MinariStorage.new(
            part / "data",
            observation_space=_space(text for episode in episodes for text in episode.observations),
            action_space=_space(text for episode in episodes for text in episode.actions),
            data_format="arrow",
        )
        described = {"dataset_id": place.name, "minari_version": minari.__version__, "description": description}
        storage.update_metadata(described | {"toolsets": _toolsets(environment, episodes)})
        storage.update_episodes([_buffer(episode) for episode in episodes])
        storage.update_episode_metadata([_told(environment, episode) for episode in episodes])
        part.rename(place)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _space(texts: Iterable[str]) -> Text:
    """Gymnasium's Text takes only the characters it names, so it names all there are."""
    found = list(texts)
    return Text(max(1, *map(len, found)), min_length=0, charset="".join(sorted(set().union(*found))) or "x")


def _buffer(episode: _Lived) -> Any:
    from minari.data_collector.episode_buffer import EpisodeBuffer  # noqa: PLC0415  an optional extra

    steps = len(episode.actions)
    ended = episode.rollout.ending in ("customer_left", "handed_over")
    return EpisodeBuffer(
        seed=episode.rollout.seed,
        options={"conversation_id": episode.rollout.conversation_id},
        observations=episode.observations,
        actions=episode.actions,
        rewards=[0.0] * (steps - 1) + [episode.score],
        terminations=[False] * (steps - 1) + [ended],
        truncations=[False] * (steps - 1) + [not ended],
    )


def _told(environment: Environment, episode: _Lived) -> dict[str, Json]:
    rollout = episode.rollout
    scenario = environment.scenario(rollout.conversation_id)
    return {
        "success": rollout.score is not None and rollout.score.success,
        "ending": rollout.ending,
        "sources": sorted({answer.source for _, answer in rollout.answers}),
        "prompt": chat_messages(scenario.prompt),
        "toolset": toolset(scenario),
    }


def _toolsets(environment: Environment, episodes: Iterable[_Lived]) -> Mapping[str, Json]:
    scenarios = [environment.scenario(episode.rollout.conversation_id) for episode in episodes]
    return {toolset(scenario): chat_tools(scenario.tools) for scenario in scenarios}
