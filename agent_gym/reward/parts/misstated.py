"""Whether the agent told the customer a number, date or id that nothing supports.

A value is supported by a tool's answer, by the customer or the policy, by the success it is held against, or by
being the sum or difference of two that are, the sums that were told among them. Of what the agent says once its work
is done, what looks like a code has to be supported wherever it stands; before, it may be an example of one. Of other
numbers there are honest ones that nobody can trace ("within 3 days"), so they are wrong only in a sentence that the
success said too, with another number in it.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.sentences import Sentence, final_places, sentences, values_said
from agent_gym.text import Value
from agent_gym.types import Message

__all__ = ["misstated"]

_ALWAYS = frozenset({"amount", "date"})
_CHECKED = frozenset({"email", "phone", "url"})
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3})")
_TELLING = re.compile(r"[\d@]")
_EDGES = "*_\"'“”‘’()[]{}<>.,:;!?$€£#"
_MONTHS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())
_CODE = re.compile(r"\d{4}")  # shorter numbers stand in sizes, hours and lists


def misstated(talk: Conversation) -> Finding | None:
    if talk.goal.goal_source == "other_case":
        return None
    texts = {at: talk.messages[at].text for at in final_places(talk.messages, ())}
    if not any(map(_TELLING.search, texts.values())):
        return None
    support = _Support(talk.messages, talk.reference.messages)
    # Most replies repeat what stands somewhere: only the others are looked through for what their values mean.
    doubtful = {at: text for at, text in texts.items() if not support.covers(text)}
    strange = _unsupported(doubtful.values(), talk, support)
    final = set(final_places(talk.messages, talk.goal.write_tools)) if strange else set()
    for at, text in doubtful.items():
        if any(v.norm in strange and (at in final or v.kind in _ALWAYS) for v in values_said(text)):
            for sentence in sentences(text):
                for value in sentence.values:
                    if value.norm in strange and _is_wrong(value, sentence, talk, support, at in final):
                        why = f"it told the customer {value.text!r}, which nothing supports"
                        return Finding(0.0, why, (sentence.text,))
    return Finding(1.0, "every value it told has its support")


def _unsupported(texts: Iterable[str], talk: Conversation, support: "_Support") -> set[str]:
    told = {value.norm: value for text in texts for value in values_said(text) if value.kind != "name"}
    if not told:
        return set()
    known = {value.norm for message in talk.reference.messages for value in values_said(message.text)}
    return support.lacked_by(value for norm, value in told.items() if norm not in known)


def _is_wrong(value: Value, sentence: Sentence, talk: Conversation, support: "_Support", final: bool) -> bool:
    is_rough = value.kind == "amount" and value.norm.endswith("0")  # "everything else is above $270"
    if not sentence.asks and value.kind in _ALWAYS and not is_rough:
        return True
    if not final:
        return False
    is_code = value.kind == "id" and _CODE.search(value.norm) and not support.in_pieces(value)
    if not sentence.asks and (is_code or value.kind in _CHECKED):
        return True
    theirs = (other for message in talk.reference.messages for other in sentences(message.text))
    return any(sentence.like(other) and _differs(sentence, other) for other in theirs)


def _differs(sentence: Sentence, other: Sentence) -> bool:
    """Whether the other sentence holds a value that this one lacks."""
    return bool({value.norm for value in other.values} - {value.norm for value in sentence.values})


class _Support:
    """All that a conversation was told, and all that stands in the success."""

    def __init__(self, messages: Iterable[Message], success: Iterable[Message]) -> None:
        self._told = [message for message in messages if message.role != "assistant"]
        self._success = tuple(success)

    def lacked_by(self, values: Iterable[Value]) -> set[str]:
        """The norms of the values that nothing supports. What is worked out supports what is worked out of it."""
        left = [value for value in values if not self._holds(value)]
        while found := [value for value in left if value.kind == "amount" and self._is_worked_out(value)]:
            self._cents.update(map(_cents, found))
            left = [value for value in left if value not in found]
        return {value.norm for value in left}

    def covers(self, text: str) -> bool:
        """Whether every word with a digit stands here as it is; of a date in words that would not be enough."""
        words = text.lower().split()
        if any(word[:3] in _MONTHS for word in words):
            return False
        return all(self._shows(word.strip(_EDGES)) for word in words if _TELLING.search(word))

    def _shows(self, word: str) -> bool:
        """What the tools and the customer said is looked through first: mostly it stands there."""
        return (
            _stands_in(word, self._here)
            or _stands_in(bare := _bare(word), self._here)
            or _stands_in(word, self._there)
            or _stands_in(bare, self._there)
        )

    @cached_property
    def _here(self) -> str:
        return _raw(self._told)

    @cached_property
    def _there(self) -> str:
        return _raw(self._success)

    @cached_property
    def _text(self) -> str:
        return _THOUSANDS.sub("", f"{self._here}\n{self._there}")

    @cached_property
    def _cents(self) -> set[int]:
        return {round(100 * float(number)) for number in re.findall(r"\d{1,12}(?:\.\d{1,4})?", self._text)}

    def _holds(self, value: Value) -> bool:
        if value.kind in ("amount", "number", "percent"):
            # Most numbers stand there as they are: only for the others all that is there is read as numbers.
            return _stands_in(value.norm.lstrip("-"), self._text) or _cents(value) in self._cents
        return value.norm in self._text

    def _is_worked_out(self, value: Value) -> bool:
        return any(abs(_cents(value) - other) in self._cents for other in self._cents)

    def in_pieces(self, value: Value) -> bool:
        """A `1000-piece` puzzle is one of 1000 pieces."""
        return all(re.search(rf"\b{re.escape(piece)}", self._text) for piece in re.split(r"[-_]", value.norm))


def _raw(messages: Sequence[Message]) -> str:
    texts = [f"{m.text} {'' if m.result is None else m.result}" for m in messages]
    texts += [str(call.arguments) for message in messages for call in message.tool_calls]
    return "\n".join(texts).lower()


def _bare(word: str) -> str:
    """A number as records hold it: `1,200.50` as `1200.5`."""
    bare = word.replace(",", "")
    return bare.rstrip("0").rstrip(".") if "." in bare else bare


def _cents(value: Value) -> int:
    return abs(round(100 * float(value.norm)))


def _stands_in(number: str, text: str) -> bool:
    """Whether the number stands in the text by itself, not as a piece of a longer one."""
    at = text.find(number)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(number) : at + len(number) + 1]
        if not before.isdigit() and before != "." and not after.isdigit():
            return True
        at = text.find(number, at + 1)
    return False
