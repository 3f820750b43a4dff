"""A gym file, or logs, in; an Environment out."""

from collections.abc import Iterable
from os import PathLike
from typing import Any

from agent_gym.environment.create import assembled, create_environment
from agent_gym.environment.environment import Environment
from agent_gym.environment.stored import SHAPE, shape_of_parts
from agent_gym.errors import GymFileError
from agent_gym.store import GymFile, is_gym_file
from agent_gym.store.corpus import StoredCorpus, corpus_in
from agent_gym.types import Agent, TraceLike

__all__ = ["load", "open_environment"]


def load(path: str | PathLike[str], agent: str | Agent | None = None, user: str | None = None) -> Environment:
    """The environment that was saved: the same split, the same answers. `agent` is not part of a gym."""
    file = GymFile.open(path)
    options = file.sections.get("options")
    if not isinstance(options, dict) or not {"user", "policy", "seed"} <= options.keys():
        raise GymFileError(file.path, "it holds no environment", "build it again")
    chosen = (agent, user or options["user"], options["policy"], options["seed"])
    kept = file.parts if file.sections.get(SHAPE) == shape_of_parts() else None
    if kept is not None:
        return assembled(StoredCorpus(file, kept), *chosen, kept=kept)
    # Another version of the program wrote it: what it mined, if anything, is mined again.
    corpus = corpus_in(file)
    if not len(corpus):
        raise GymFileError(file.path, "it holds no conversation", "build it again")
    return assembled(corpus, *chosen)


def open_environment(source: str | PathLike[str] | Iterable[TraceLike], **options: Any) -> Environment:
    """A gym file or a trace file alike. `options` are those of `create_environment`; a gym keeps its own split."""
    if isinstance(source, str | PathLike) and is_gym_file(source):
        return load(source, **{name: options[name] for name in ("agent", "user") if options.get(name) is not None})
    return create_environment(source, **options)
