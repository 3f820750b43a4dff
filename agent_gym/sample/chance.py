"""The one source of chance in the sample: a generator that depends on its parts alone, in any process."""

import random

__all__ = ["seeded"]


def seeded(*parts: object) -> random.Random:
    """A generator seeded with text, which Python hashes the same way everywhere."""
    return random.Random(" ".join(map(str, parts)))  # noqa: S311  # sample data, no secrets
