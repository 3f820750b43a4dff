"""A customer's words in, what they do out: say yes or no, thank, take leave."""

from typing import Literal, get_args

from agent_gym.text import tokens, values_in
from agent_gym.user_simulator import english

__all__ = ["CUSTOMER_ACTS", "CustomerAct", "answers_no", "answers_yes", "customer_act", "says_goodbye", "says_thanks"]

CustomerAct = Literal[
    "closes",  # leaves, or says that nothing more is wanted
    "confirms",
    "declines",
    "asks",
    "tells",
    "requests",
    "acknowledges",
]
CUSTOMER_ACTS: tuple[CustomerAct, ...] = get_args(CustomerAct)
_FEW = 3  # words without a value, a wish or a question: no more than "all right then"


def customer_act(said: str, leaves: bool = False) -> CustomerAct:
    """What a turn does first of all: one act, so that two turns either agree or do not."""
    if leaves or says_goodbye(said):
        return "closes"
    if answers_yes(said):
        return "confirms"
    if answers_no(said):
        return "declines"
    if "?" in said:
        return "asks"
    if values_in(said):
        return "tells"
    if says_thanks(said) or len(tokens(said)) <= _FEW:
        return "acknowledges"
    return "requests" if english.WISH.search(said.lower()) else "tells"


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
