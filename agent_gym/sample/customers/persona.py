"""How a person writes: personas, and what each does to a sentence; ids, codes and addresses stay intact."""

import random
import re

from agent_gym.sample.grammar import tidy

__all__ = ["PERSONAS", "patience", "styled"]

# persona → (share of customers, how much they put up with)
PERSONAS: dict[str, tuple[int, float]] = {
    "plain": (24, 5.0),
    "polite": (14, 6.0),
    "chatty": (12, 5.5),
    "terse": (16, 4.0),
    "angry": (11, 3.0),
    "elderly": (15, 6.0),
    "typos": (9, 4.5),
    "nonnative": (7, 5.0),
}
_ARTICLES = re.compile(r"\b(the|a|an) (?=[a-z])")
_FOREIGN = (
    ("I'd like to", "I want"),
    ("I would like to", "I like to"),
    ("Could you", "You can"),
    ("Can you", "You can"),
    ("don't", "do not"),
    ("doesn't", "do not"),
    ("I have been", "I am"),
    ("I've", "I have"),
    ("is not", "not"),
    ("any more", "no more"),
    ("didn't", "did not"),
    ("How do I", "How I can"),
    ("it was", "was"),
)


def patience(persona: str, rng: random.Random) -> float:
    return PERSONAS[persona][1] + rng.uniform(-1.0, 1.0)


def styled(text: str, persona: str, rng: random.Random) -> str:
    """The sentence as this persona would type it."""
    if persona == "terse":
        return _lowered(text).rstrip(".")
    if persona == "typos":
        return _mistyped(_lowered(text) if rng.random() < 0.5 else text, rng)
    if persona == "nonnative":
        return _foreign(text, rng)
    if persona == "angry" and rng.random() < 0.25:
        return re.sub(r"[.!]$", rng.choice(("!!", "!!!", "!")), text)
    return text


def _lowered(text: str) -> str:
    """Small letters, except in names and codes: words with digits, an at sign or a capital inside a sentence."""
    return re.sub(r"(?:^|(?<=[.!?] ))([A-Z])(?=[a-z]*\b(?!-))", lambda m: m.group(1).lower(), text)


def _mistyped(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    return " ".join(_slip(word, rng) if rng.random() < 0.16 else word for word in words)


def _slip(word: str, rng: random.Random) -> str:
    """One typing mistake in a plain lower-case word of four letters or more."""
    if not re.fullmatch(r"[a-z]{4,}[.,!?]?", word):
        return word
    at = rng.randrange(1, len(word) - 2)
    slips = (
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    )
    return rng.choice(slips)


def _foreign(text: str, rng: random.Random) -> str:
    for english, learned in _FOREIGN:
        if english in text and rng.random() < 0.7:
            text = text.replace(english, learned)
    text = _ARTICLES.sub(lambda m: "" if rng.random() < 0.55 else m.group(0), text)
    return tidy(text)
