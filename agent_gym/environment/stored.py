"""An Environment in, a gym file out, and back: one that was kept plays as the one that was mined."""

import hashlib
from os import PathLike

from agent_gym.corpus import Corpus
from agent_gym.environment.facts import FACT_TYPES, Facts, keep_facts
from agent_gym.keeping import Codec, written_json
from agent_gym.reward import RewardFunction
from agent_gym.reward.stored import REWARD_TYPES
from agent_gym.store import GymFile
from agent_gym.store.corpus import CORPUS_TYPES, keep_corpus
from agent_gym.store.writing import writing
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.stored import WORLD_TYPES, keep_world
from agent_gym.types import Json

__all__ = ["SHAPE", "shape_of_parts", "write_environment"]

SHAPE = "shape"


def shape_of_parts() -> str:
    """What the mined parts look like in this version of the program: a file of another shape is mined again."""
    types = (*WORLD_TYPES, *REWARD_TYPES, *CORPUS_TYPES, *FACT_TYPES)
    return hashlib.sha256(written_json(Codec(types).shape)).hexdigest()[:16]


def write_environment(
    path: str | PathLike[str], corpus: Corpus, mocker: ToolMocker, reward: RewardFunction, facts: Facts, options: Json,
    counts: Json,
) -> GymFile:  # fmt: skip
    with writing(path) as writer:
        content = writer.traces(corpus, corpus.split)
        keep_corpus(corpus, writer)
        keep_world(mocker.world, writer)
        reward.keep(writer)
        keep_facts(facts, writer)
        digest = hashlib.sha256(written_json([content, options])).hexdigest()
        writer.describe({"options": options, "counts": counts, "content_digest": digest, SHAPE: shape_of_parts()})
    return GymFile.open(path)
