"""A trained policy on disk: JSON in, named weights out, and back; nothing in it is code.

`gym` is the digest of the conversations it was trained on: the weights speak of their tools, and a policy of another
gym is refused. `training` is what the trainer needs to go on, and is left alone here.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import orjson

from agent_gym.corpus import Corpus, opener
from agent_gym.errors import PolicyFileError
from agent_gym.text import digest
from agent_gym.types import Json
from agent_gym.whole_files import whole_files

__all__ = ["PolicyFile", "gym_digest", "is_policy_file", "is_policy_spec"]

_KIND = "agent_gym policy"
_VERSION = 1
_TRAIN = "train one with `agent-gym train GYM -o FILE`"


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """What a policy file says. `cloned` are the weights before training, for who wants to compare."""

    gym: str
    weights: Mapping[str, float]
    cloned: Mapping[str, float] = field(default_factory=dict)
    training: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        try:
            found = orjson.loads(Path(path).read_bytes())
        except OSError as error:
            raise PolicyFileError(path, f"it cannot be read ({error.strerror})", _TRAIN) from error
        except orjson.JSONDecodeError as error:
            raise PolicyFileError(path, f"it is torn or no JSON: {error}", _TRAIN) from error
        if not isinstance(found, dict) or found.get("kind") != _KIND:
            raise PolicyFileError(path, "it is not a policy", _TRAIN)
        if found.get("version") != _VERSION:
            raise PolicyFileError(path, f"it is of version {found.get('version')}, not {_VERSION}", "train it again")
        if not _numbers(found.get("weights")) or not _numbers(found.get("cloned")):
            raise PolicyFileError(path, "its weights are not numbers by name", "train it again")
        training = found.get("training")
        return cls(str(found.get("gym")), found["weights"], found["cloned"], training or {})

    def write(self, path: str | os.PathLike[str]) -> None:
        """Whole or not at all: a killed run leaves the policy of before."""
        target = Path(path)
        if not target.parent.is_dir():
            raise PolicyFileError(target, "its folder does not exist", "make the folder first")
        rows = {"kind": _KIND, "version": _VERSION, "gym": self.gym, "weights": dict(self.weights)}
        rows |= {"cloned": dict(self.cloned), "training": dict(self.training)}
        with whole_files(target) as (file,):
            file.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2) + b"\n")

    def check(self, path: str | os.PathLike[str], corpus: Corpus) -> None:
        """Raises where the policy is of another gym."""
        if self.gym != gym_digest(corpus):
            raise PolicyFileError(path, "it was trained on another gym", "train one on this gym, or open that one")


def gym_digest(corpus: Corpus) -> str:
    """What tells one body of conversations, and its split, from another."""
    rows = sorted((t.conversation_id, corpus.split(t.conversation_id), len(t.messages), opener(t)) for t in corpus)
    return digest(rows).hex()


def is_policy_spec(spec: str) -> bool:
    """Whether an `agent` names a policy file."""
    return spec.endswith(".json")


def is_policy_file(path: str | os.PathLike[str]) -> bool:
    """Whether the file begins as a policy does; `PolicyFile.read` says whether it is one."""
    try:
        with Path(path).open("rb") as file:
            return f'"kind": "{_KIND}"'.encode() in file.read(80)
    except OSError:
        return False


def _numbers(value: Json) -> bool:
    return isinstance(value, dict) and all(
        isinstance(number, int | float) and math.isfinite(number) for number in value.values()
    )
