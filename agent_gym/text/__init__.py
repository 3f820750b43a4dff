"""Text and JSON as comparable things: canonical forms, the values a sentence holds, retrieval."""

from agent_gym.text.canonical import as_text, canonical, digest, parsed, same
from agent_gym.text.retrieval import TextIndex, tokens
from agent_gym.text.values import Value, kept_values, may_hold_values, values_in

__all__ = [
    "TextIndex",
    "Value",
    "as_text",
    "canonical",
    "digest",
    "kept_values",
    "may_hold_values",
    "parsed",
    "same",
    "tokens",
    "values_in",
]
