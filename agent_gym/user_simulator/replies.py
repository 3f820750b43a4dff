"""A customer's words in, what they do out: say yes or no, thank, take leave."""

from agent_gym.text import tokens
from agent_gym.user_simulator import english

__all__ = ["answers_no", "answers_yes", "says_goodbye", "says_thanks"]


def says_thanks(said: str) -> bool:
    """Thanks, a farewell or "that's all", and nothing that wants an answer: words that may close a talk."""
    low = said.lower()
    return "?" not in low and len(tokens(low)) <= 30 and bool(english.THANKS.search(low) or english.GOODBYE.search(low))


def says_goodbye(said: str) -> bool:
    """A farewell beyond mere thanks: nothing more is wanted."""
    return "?" not in said and bool(english.GOODBYE.search(said.lower()))


def answers_yes(said: str) -> bool:
    return bool(english.YES.match(said.lower()))


def answers_no(said: str) -> bool:
    return bool(english.NO.match(said.lower()))
