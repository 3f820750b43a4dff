"""Turn a phrase template into words: `[a|b]` chooses, `<rule>` inserts another rule, `{slot}` a value."""

import random
import re
from collections.abc import Mapping, Sequence

__all__ = ["Phrases", "joined", "lowered", "tidy"]

_CHOICE = re.compile(r"\[([^\[\]]*)\]")  # the innermost brackets
_RULE = re.compile(r"<([a-z_./]+)>")
_SLOT = re.compile(r"\{([a-z_]+)\}")
_START = re.compile(r"(^|[.!?] )([a-z])(?=[a-z']*(?:[ ,.!?:;]|$)(?!\S*@))")
_KEEPS_CAPITAL = re.compile(r"I\b|[A-Z]+\b|Fibre|Pocket|Screen|Copper|Harrowline")


class Phrases:
    """A table of rules, each a list of templates."""

    def __init__(self, rules: Mapping[str, Sequence[str]]) -> None:
        self._rules = rules

    def __contains__(self, rule: object) -> bool:
        return rule in self._rules

    def first_of(self, *rules: str) -> str:
        """The first rule of the names given that the table has."""
        return next(rule for rule in rules if rule in self._rules)

    def draw(self, rule: str, rng: random.Random, slots: Mapping[str, str]) -> tuple[str, frozenset[str]]:
        """The words of one rule, and the slots that they tell. Templates with unfilled slots are not drawn."""
        text = self._expand(rng.choice([t for t in self._rules[rule] if _fillable(t, slots)]), rng, slots)
        used = frozenset(_SLOT.findall(text))
        return _SLOT.sub(lambda m: slots[m.group(1)], text).strip(), used

    def say(self, rule: str, rng: random.Random, **slots: str) -> str:
        """The words of one rule as a sentence."""
        return tidy(self.draw(rule, rng, slots)[0])

    def _expand(self, text: str, rng: random.Random, slots: Mapping[str, str]) -> str:
        while True:
            if match := _CHOICE.search(text):
                options = [o for o in match.group(1).split("|") if _fillable(o, slots)] or [""]
                text = text[: match.start()] + rng.choice(options) + text[match.end() :]
            elif match := _RULE.search(text):
                options = [t for t in self._rules[match.group(1)] if _fillable(t, slots)]
                text = text[: match.start()] + rng.choice(options or [""]) + text[match.end() :]
            else:
                return text


def _fillable(template: str, slots: Mapping[str, str]) -> bool:
    """Slots within brackets are optional: only those outside must be known."""
    bare = template
    while _CHOICE.search(bare):
        bare = _CHOICE.sub("", bare)
    return all(slot in slots for slot in _SLOT.findall(bare))


def tidy(text: str) -> str:
    """Spaces and punctuation as a person would leave them after optional parts fell away."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,.!?;:])", r"\1", text)
    text = re.sub(r"^[,.;:\s]+", "", text)
    text = re.sub(r",([.!?])", r"\1", text)
    # Sentences start with a capital, ids and addresses stay as they are.
    return _START.sub(lambda m: m.group(1) + m.group(2).upper(), text)


def joined(*parts: str) -> str:
    """Parts as one message: each its own sentence unless it leads on with a comma or a colon."""
    words = [part.strip() for part in parts if part.strip()]
    closed = [w if w.endswith((".", "!", "?", ",", ":")) else f"{w}." for w in words[:-1]]
    return tidy(" ".join([*closed, *words[-1:]]))


def lowered(text: str) -> str:
    """A sentence as it goes on after a comma: a small letter unless the word keeps its capital."""
    return text if _KEEPS_CAPITAL.match(text) else text[:1].lower() + text[1:]
