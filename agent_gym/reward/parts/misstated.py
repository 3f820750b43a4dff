"""Whether the agent told the customer a number, date or id that nothing supports.

A value is supported by a tool's answer, by the customer or the policy, by the success it is held against, or by
being the sum or difference of two that are, the sums that were told among them, or the total of a list. Of what the
agent says once its work is done, what looks like a code, or like what it wrote in other digits, has to be supported
wherever it stands; before, it may be an example of one. Of other numbers there are honest ones that nobody can trace
("within 3 days"), so they are wrong only in a sentence that the success said too, with another number in it.
"""

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate

from agent_gym.goals import leaves
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.sentences import Sentence, final_places, sentences
from agent_gym.reward.support import Record, cents
from agent_gym.text import Value, kept_values
from agent_gym.types import Message

__all__ = ["misstated"]

_CHECKED = frozenset({"email", "phone", "url"})
_TELLING = re.compile(r"[\d@]")
_EDGES = "*_\"'“”‘’()[]{}<>.,:;!?$€£#"
_MONTHS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())
_EXAMPLE = re.compile(r"\b(?:e\.? ?g|for example|such as|z\. ?b|zum beispiel|p\. ?ex|por ejemplo)\W*$", re.IGNORECASE)
_NAME = re.compile(r"\b([A-Z]\w+) $")
_CODE = re.compile(r"\d{4}")  # shorter numbers stand in sizes, hours and lists


def misstated(talk: Conversation) -> Finding | None:
    if not talk.is_own_case:
        return None
    texts = {at: talk.messages[at].text for at in final_places(talk.messages, ())}
    if not any(map(_TELLING.search, texts.values())):
        return None
    support = _Support(talk.messages, talk.reference.record)
    # Most replies repeat what stands somewhere: only the others are looked through for what their values mean.
    doubtful = {at: text for at, text in texts.items() if not support.covers(text)}
    strange = _unsupported(doubtful.values(), talk, support)
    final = set(final_places(talk.messages, talk.goal.write_tools)) if strange else set()
    for at, text in doubtful.items():
        if any(v.norm in strange and (at in final or _is_exact(v)) for v in kept_values(text)):
            for sentence in sentences(text):
                for value in sentence.values:
                    is_strange = value.norm in strange and not _is_example(value, text)
                    if is_strange and _is_wrong(value, sentence, talk, support, at in final):
                        why = f"it told the customer {value.text!r}, which nothing supports"
                        return Finding(0.0, why, (sentence.text,))
    return Finding(1.0, "every value it told has its support")


def _unsupported(texts: Iterable[str], talk: Conversation, support: "_Support") -> set[str]:
    told = {value.norm: value for text in texts for value in kept_values(text) if value.kind != "name"}
    totals = set().union(*map(_totals, texts))
    told = {norm: value for norm, value in told.items() if norm not in totals}
    if not told:
        return set()
    return support.lacked_by(value for norm, value in told.items() if norm not in talk.reference.norms)


def _totals(text: str) -> set[str]:
    """The amounts that are those which stand before them in the same text, added up, if there are two at least."""
    amounts = sorted((value for value in kept_values(text) if value.kind == "amount"), key=lambda value: value.start)
    added = accumulate(map(cents, amounts))
    return {value.norm for before, value in list(zip(added, amounts[1:], strict=False))[1:] if cents(value) == before}


def _is_wrong(value: Value, sentence: Sentence, talk: Conversation, support: "_Support", final: bool) -> bool:
    is_rough = value.kind == "amount" and value.norm.endswith("0")  # "everything else is above $270"
    if not sentence.asks and _is_exact(value) and not is_rough:
        return True
    if not final:
        return False
    if not sentence.asks and (value.kind in _CHECKED or _is_code(value, talk, support)):
        return True
    if not sentence.asks and _is_misnamed(value, sentence, support):
        return True
    return any(sentence.like(other) and _differs(sentence, other) for other in talk.reference.sentences)


def _is_example(value: Value, text: str) -> bool:
    """Whether it is said to be one: "(e.g., `A-000`)"; of sums and dates that is not believed."""
    return not _is_exact(value) and _EXAMPLE.search(text[: text.find(value.text)]) is not None


def _is_exact(value: Value) -> bool:
    """Sums and dates: nobody says these by the way."""
    return value.kind == "date" or _is_sum(value)


def _is_sum(value: Value) -> bool:
    """An amount, or a number that has a point in it and is one without its sign."""
    return value.kind == "amount" or (value.kind == "number" and "." in value.norm)


def _is_code(value: Value, talk: Conversation, support: "_Support") -> bool:
    """Whether it is long enough to be one, or known with other digits; and is not a word made of known ones."""
    if value.kind != "id" or support.in_pieces(value):
        return False
    is_long = _CODE.search(value.norm) is not None
    return is_long or support.has_like(value.norm) or _is_written_otherwise(value, talk)


def _is_written_otherwise(value: Value, talk: Conversation) -> bool:
    """Whether the agent wrote the same in all but the digits: `SAVE10`, where it tells of `SAVE20`."""
    given = (leaf for call in talk.deeds.writes for leaf in leaves(call.arguments))
    return any(leaf.lower() != value.norm and _shape(leaf) == _shape(value.norm) for leaf in given)


def _shape(code: str) -> str:
    return re.sub(r"\d", "0", code.lower().lstrip("#"))


def _is_misnamed(value: Value, sentence: Sentence, support: "_Support") -> bool:
    """Whether other numbers stand behind the same name: it is `Fibre 61`, where there is a `Fibre 50`."""
    name = _NAME.search(sentence.text[: value.start])
    return value.kind == "number" and name is not None and support.has_like(f"{name[1].lower()} {value.norm}")


def _differs(sentence: Sentence, other: Sentence) -> bool:
    """Whether the other sentence holds a value that this one lacks."""
    return bool({value.norm for value in other.values} - {value.norm for value in sentence.values})


class _Support:
    """All that a conversation was told, and all that stands in the success."""

    def __init__(self, messages: Iterable[Message], success: Record) -> None:
        # What the tools and the customer said is looked through first: mostly it stands there.
        self._records = (Record([message for message in messages if message.role != "assistant"]), success)
        self._worked_out: set[int] = set()

    def lacked_by(self, values: Iterable[Value]) -> set[str]:
        """The norms of the values that nothing supports. What is worked out supports what is worked out of it."""
        left = [value for value in values if not any(record.holds(value) for record in self._records)]
        while found := [value for value in left if _is_sum(value) and self._is_worked_out(value)]:
            self._worked_out.update(map(cents, found))
            left = [value for value in left if value not in found]
        return {value.norm for value in left}

    def covers(self, text: str) -> bool:
        """Whether every word with a digit stands here as it is; of a date in words that would not be enough."""
        low = text.lower()
        if any(map(low.__contains__, _MONTHS)) and any(word[:3] in _MONTHS for word in low.split()):
            return False
        if not _TELLING.search(low):
            return True
        words = [word for word in low.split() if not word.isalpha() and _TELLING.search(word)]
        return all(self._shows(word.strip(_EDGES)) for word in words)

    def _shows(self, word: str) -> bool:
        return any(record.shows(word) or record.shows(_bare(word)) for record in self._records)

    @cached_property
    def _known(self) -> frozenset[int]:
        return self._records[0].cents | self._records[1].cents

    def _is_worked_out(self, value: Value) -> bool:
        known = self._known | self._worked_out
        return any(abs(cents(value) - other) in known for other in known)

    def has_like(self, code: str) -> bool:
        """Whether the same stands here with other digits: `SAVE10`, where `SAVE20` is told."""
        form = re.compile(r"(?<![\w-])" + re.sub(r"\d+", r"\\d+", re.escape(code.lstrip("#"))) + r"(?![\w-])")
        return any(record.matches(form) for record in self._records)

    def in_pieces(self, value: Value) -> bool:
        """A `1000-piece` puzzle is one of 1000 pieces."""
        pieces = re.split(r"[-_]", value.norm)
        return all(any(record.opens(piece) for record in self._records) for piece in pieces)


def _bare(word: str) -> str:
    """A number as records hold it: `1,200.50` as `1200.5`."""
    bare = word.replace(",", "")
    return bare.rstrip("0").rstrip(".") if "." in bare else bare
