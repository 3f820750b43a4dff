"""How an agent of a skill words things: the same news, said in a manner of its own."""

import random
import re

from agent_gym.sample.grammar import Phrases, tidy
from agent_gym.sample.tables import table

__all__ = ["Voice"]


class Voice:
    """Draws an agent's phrases and gives them the manner of its skill."""

    def __init__(self, skill: str, rng: random.Random) -> None:
        self._skill, self._rng = skill, rng
        self._phrases = Phrases(table("agents"))

    def say(self, rule: str, **slots: str) -> str:
        text = self._phrases.say(rule, self._rng, **{k: v for k, v in slots.items() if v})
        if rule in ("look", "work", "next"):
            return text
        if self._skill == "sloppy":
            return _offhand(text)
        return text

    def flourish(self, text: str) -> str:
        """A whole message with the little words that this agent puts around it."""
        prefix = self._little(f"voice.{self._skill}/prefix")
        suffix = self._little(f"voice.{self._skill}/suffix")
        return f"{prefix}{text}{suffix}"

    def _little(self, rule: str) -> str:
        if rule not in self._phrases or self._rng.random() > 0.6:
            return ""
        return str(self._rng.choice(table("agents")[rule]))


def _offhand(text: str) -> str:
    """Without the courtesies, in small letters."""
    text = re.sub(r"(Happy to help|Of course|Thank you|Thanks for getting in touch|Great, thanks)[.!] ?", "", text)
    text = re.sub(r"(?i)\bplease\b,? ?", "", text)
    text = tidy(text).replace("I've", "ive").replace("I can't", "i cant").replace(" don't", " dont")
    return re.sub(r"(^|[.!?] )([A-Z])(?=[a-z']*\b[^-])", lambda m: m.group(1) + m.group(2).lower(), text)
