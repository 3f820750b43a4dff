"""An Environment in, a gym file out, and traces in, the same file out, in stages that need not be done twice.

A gym that was kept plays as the one that was mined.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike

from agent_gym.corpus import Corpus
from agent_gym.environment.facts import FACT_TYPES, Facts, MinedFacts, keep_facts
from agent_gym.environment.witnessing import Helpers, helping
from agent_gym.keeping import Codec, Kept, written_json
from agent_gym.reward import RewardFunction
from agent_gym.reward.learning import Witness
from agent_gym.reward.stored import REWARD_TYPES
from agent_gym.store import GymFile, GymWriter, writing
from agent_gym.store.corpus import CORPUS_TYPES, corpus_in, keep_corpus
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.stored import WORLD_TYPES, keep_world, kept_world
from agent_gym.types import Json, Trace, Watch, unwatched

__all__ = ["SHAPE", "Recipe", "build_gym", "shape_of_parts", "write_environment"]

SHAPE = "shape"
WORTH_HELP = 1000  # train conversations
_CONTENT = "traces_digest"
_TRACES, _WORLD, _REWARD = "traces", "world", "reward"  # the stages of a build


def shape_of_parts() -> str:
    """What the mined parts look like in this version of the program: a file of another shape is mined again."""
    types = (*WORLD_TYPES, *REWARD_TYPES, *CORPUS_TYPES, *FACT_TYPES)
    return hashlib.sha256(written_json(Codec(types).shape)).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a gym is made by, beside its traces."""

    user: str = "agenda"
    policy: str | None = None
    seed: int = 0
    test_fraction: float = 0.0

    @property
    def options(self) -> Json:
        """What is asked for when the gym is opened again; the split is kept as it was drawn."""
        return {"user": self.user, "policy": self.policy, "seed": self.seed}


def write_environment(
    path: str | PathLike[str],
    corpus: Corpus,
    mocker: ToolMocker,
    reward: RewardFunction,
    facts: Facts,
    recipe: Recipe,
) -> GymFile:
    with writing(path) as writer:
        content = writer.traces(corpus, corpus.split)
        writer.describe({_CONTENT: content})
        keep_corpus(corpus, writer)
        keep_world(mocker.world, writer)
        reward.keep(writer)
        keep_facts(facts, writer)
        _describe(writer, content, corpus, len(mocker.world.kinds), facts, recipe, {})
    return GymFile.open(path)


def build_gym(
    path: str | PathLike[str],
    read: Callable[[], Iterable[Trace]],
    recipe: Recipe,
    manifest: Mapping[str, Json],
    stage: Callable[[str], None],
    workers: int = 1,
    watch: Watch = unwatched,
) -> GymFile:
    """Read and mine, or go on with what an interrupted build of the same manifest has done; `stage` is told what is on.

    The manifest says what the traces are read from: equal ones must mean equal traces.
    """
    with writing(path, {"manifest": dict(manifest), SHAPE: shape_of_parts()}) as writer:
        if writer.is_done(_TRACES):
            stage("going on with what was read")
            corpus = corpus_in(GymFile.open(writer.path), grouped=True)
        else:
            stage("reading")
            corpus = Corpus(read(), test_fraction=recipe.test_fraction, seed=recipe.seed)
            writer.describe({_CONTENT: writer.traces(corpus, corpus.split)})
            keep_corpus(corpus, writer)
            writer.done(_TRACES)
        kept = GymFile.open(writer.path)
        with helping(writer.path, 0 if writer.is_done(_REWARD) else _helpers(workers, corpus)) as helpers:
            mocker = _mocker(writer, kept.parts, corpus, stage, workers, watch)
            reward = RewardFunction.fit(corpus, mocker)
            facts = MinedFacts(corpus, reward.goals)
            if not writer.is_done(_REWARD):
                stage("learning what success looks like")
                _keep_reward(reward, corpus, writer, helpers, watch)
                keep_facts(facts, writer)
                writer.done(_REWARD)
        content = str(kept.sections[_CONTENT])
        _describe(writer, content, corpus, len(mocker.world.kinds), facts, recipe, manifest)
    return GymFile.open(path)


def _helpers(workers: int, corpus: Corpus) -> int:
    """A process that helps reads all conversations first: with few of them it would come too late."""
    return workers - 1 if len(corpus.train) >= WORTH_HELP else 0


def _keep_reward(reward: RewardFunction, corpus: Corpus, writer: GymWriter, helpers: Helpers, watch: Watch) -> None:
    def here(names: list[str]) -> Iterator[Witness]:
        return reward.witnesses(corpus.those(names))

    names = [trace.conversation_id for trace in corpus.train if corpus.succeeded(trace) is not None]
    reward.keep(writer, helpers.witnesses(names, here, watch))


def _mocker(
    writer: GymWriter,
    kept: Kept | None,
    corpus: Corpus,
    stage: Callable[[str], None],
    workers: int,
    watch: Watch,
) -> ToolMocker:
    if kept is not None and writer.is_done(_WORLD):
        return ToolMocker(kept_world(kept, corpus.__getitem__), corpus)
    stage("mining the tools")
    mocker = ToolMocker.fit(corpus, workers=workers, watch=watch)
    keep_world(mocker.world, writer)
    writer.done(_WORLD)
    return mocker


def _describe(
    writer: GymWriter,
    content: str,
    corpus: Corpus,
    tools: int,
    facts: Facts,
    recipe: Recipe,
    manifest: Mapping[str, Json],
) -> None:
    counts = {
        "conversations": len(corpus),
        "train": len(corpus.train),
        "test": len(corpus.test),
        "successes": len(corpus.successes),
        "tools": tools,
        "calls": facts.calls,
    }
    digest = hashlib.sha256(written_json([content, recipe.options])).hexdigest()
    described = {"options": recipe.options, "counts": counts, "content_digest": digest, "manifest": dict(manifest)}
    writer.describe({**described, SHAPE: shape_of_parts()})
