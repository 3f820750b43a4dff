"""Read the data files of the sample business: its catalogue, its tools, its policy and its phrases."""

import json
from functools import cache
from importlib.resources import files
from typing import cast

from agent_gym.types import Json

__all__ = ["catalog", "policy", "table"]


def policy() -> str:
    """The written policy that every agent of the business is given."""
    return files(__package__).joinpath("policy.md").read_text("utf-8")


def catalog() -> dict[str, Json]:
    """Plans, coupons, areas, outages, fees and the business's fixed date."""
    return cast("dict[str, Json]", table("catalog"))


@cache
def table(name: str) -> Json:
    """One JSON file of `words/`, read once; callers must not change it."""
    return json.loads(files(__package__).joinpath("words", f"{name}.json").read_text("utf-8"))
