"""A customer's plain words in, the same in a model's words out; what says more, or other, is not spoken.

The state machine has chosen the act and the facts before the model is asked: the model only words them. A
reply that adds a value, drops one or turns a yes into a no is thrown away, and the plain words are spoken.
A model that does not answer raises an `LlmError`: nobody pretends that it did.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from agent_gym.llm import ChatModel, ChatRequest
from agent_gym.text import tokens, values_in
from agent_gym.types import Message
from agent_gym.user_simulator.profile import Fact
from agent_gym.user_simulator.replies import answers_no, answers_yes
from agent_gym.user_simulator.situation import Situation
from agent_gym.user_simulator.wording import Move

__all__ = ["ModelVoice"]

_EXAMPLES = 4
_LONGEST = 400  # characters of what is shown
_WORDIER = 3  # times as many words as the plain ones, and a few: more says more


@dataclass(frozen=True, slots=True)
class ModelVoice:
    """The voice of one customer. `seed` goes to the model, for those that keep to it."""

    model: ChatModel
    seed: int = 0

    def __call__(self, move: Move, words: str, now: Situation) -> str:
        request = ChatRequest(
            messages=[Message("user", _task(words, now))],
            system=resources.files("agent_gym.user_simulator").joinpath("prompts", "voice.txt").read_text("utf-8"),
            temperature=0.7,
            max_tokens=300,
            seed=self.seed,
        )
        said = self.model.complete(request).message.text.strip().strip('"').strip()
        return said if says_the_same(said, words, move, now) else words


def says_the_same(said: str, words: str, move: Move, now: Situation) -> bool:
    """Whether the model's words may stand for the plain ones."""
    length, plain = len(tokens(said)), len(tokens(words))
    if not length or length > _WORDIER * plain + 12:
        return False
    meant = {value.norm for value in values_in(words)}
    named = {value.norm for value in values_in(said)}
    if not meant <= named or not named <= meant | now.known:
        return False
    if any(fact.text.lower() in said.lower() for fact in _hidden(move, words, now)):
        return False
    return not (answers_yes(words) and answers_no(said)) and not (answers_no(words) and answers_yes(said))


def _hidden(move: Move, words: str, now: Situation) -> Iterator[Fact]:
    """The facts that are not due yet."""
    for fact in now.profile.facts:
        if fact not in move.facts and not now.has_said(fact) and fact.text.lower() not in words.lower():
            yield fact


def _task(words: str, now: Situation) -> str:
    # The model sees only what the customer has said so far: what it does not know it cannot give away.
    manner = [turn.text[:_LONGEST] for turn in now.own[:_EXAMPLES]]
    lines = ["How this customer writes:", *(f"- {text}" for text in manner)]
    lines += ["", "The agent has just said:", now.heard.text[:_LONGEST], "", "In plain words, the customer says next:"]
    return "\n".join([*lines, words])
