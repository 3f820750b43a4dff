"""Whether the agent ended by denying what the success affirmed, or affirming what it denied, in the same words."""

from collections.abc import Iterable, Sequence

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.sentences import Sentence, final_places, has_negator, sentences
from agent_gym.types import Message

__all__ = ["denied"]

_AGREED = Finding(1.0, "it denied nothing that the success affirmed, nor the other way round")


def denied(talk: Conversation) -> Finding | None:
    if talk.goal.goal_source == "other_case":
        return None
    said, success = (
        _last_texts(messages, talk.goal.write_tools) for messages in (talk.messages, talk.reference.messages)
    )
    if not said or not success:
        return None
    if not any(map(has_negator, said)) and not any(map(has_negator, success)):
        return _AGREED
    mine, theirs = _stated(said), _stated(success)
    if not mine or not theirs:
        return None
    denials, others = [one for one in theirs if one.denies], [one for one in theirs if not one.denies]
    for sentence in mine:
        against = _same(sentence, others if sentence.denies else denials)
        # Who says both, as the success may do of two things, contradicts nobody.
        if against is None or _opposed(sentence, mine) or _same(sentence, denials if sentence.denies else others):
            continue
        why = f"it said {sentence.text!r} where the success said {against.text!r}"
        return Finding(0.0, why, (sentence.text, against.text))
    return _AGREED


def _same(sentence: Sentence, others: Iterable[Sentence]) -> Sentence | None:
    return next((other for other in others if sentence.equals(other)), None)


def _opposed(sentence: Sentence, others: Iterable[Sentence]) -> bool:
    return _same(sentence, (other for other in others if other.denies != sentence.denies)) is not None


def _last_texts(messages: Sequence[Message], write_tools: frozenset[str]) -> list[str]:
    return [messages[at].text for at in final_places(messages, write_tools)]


def _stated(texts: Sequence[str]) -> list[Sentence]:
    return [sentence for text in texts for sentence in sentences(text) if not sentence.asks]
