"""Whether the agent ended by denying what the success affirmed, or affirming what it denied, in the same words."""

from collections.abc import Sequence

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.sentences import Sentence, final_places, sentences
from agent_gym.types import Message

__all__ = ["denied"]


def denied(talk: Conversation) -> Finding | None:
    if talk.goal.goal_source == "other_case":
        return None
    mine = _last_words(talk.messages, talk.goal.write_tools)
    theirs = _last_words(talk.reference.messages, talk.goal.write_tools)
    met = False
    for sentence in mine:
        alike = [other for other in theirs if sentence.equals(other)]
        met = met or bool(alike)
        # Who says both, as the success may do of two things, contradicts nobody.
        if alike and all(other.denies != sentence.denies for other in alike):
            if any(other.equals(sentence) and other.denies != sentence.denies for other in mine):
                continue
            why = f"it said {sentence.text!r} where the success said {alike[0].text!r}"
            return Finding(0.0, why, (sentence.text, alike[0].text))
    return Finding(1.0, "it affirmed and denied what the success did") if met else None


def _last_words(messages: Sequence[Message], write_tools: frozenset[str]) -> list[Sentence]:
    places = final_places(messages, write_tools)
    return [sentence for at in places for sentence in sentences(messages[at].text) if not sentence.asks]
