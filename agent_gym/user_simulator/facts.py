"""A recorded conversation in, what only its customer knew out: the values it was the first to say."""

from collections.abc import Iterator, Sequence

from agent_gym.text import Value, canonical, tokens, values_in
from agent_gym.types import Message
from agent_gym.user_simulator import english
from agent_gym.user_simulator.acts import AgentTurn, content_words, sentences
from agent_gym.user_simulator.profile import Fact
from agent_gym.user_simulator.replies import answers_no, answers_yes, says_thanks

__all__ = ["mine_facts", "new_values", "stands_in", "told_by"]


def mine_facts(messages: Sequence[Message], heard: Sequence[AgentTurn], record: Sequence[str]) -> Iterator[Fact]:
    """The facts of a conversation, given what was heard before each customer turn and what each message tells."""
    told = ""  # all that has been said so far, by whomever
    turn = -1
    moved = True
    for message, words in zip(messages, record, strict=True):
        if message.role == "user" and message.text.strip():
            turn += moved
            moved = False
            yield from _new_facts(message.text.strip(), told, turn, heard[turn])
            told += "\n" + words
        elif message.role in ("assistant", "tool"):
            moved = True
            if message.role == "assistant":  # what a tool answered, the customer has not seen
                told += "\n" + words


def told_by(message: Message) -> str:
    """What a message tells, in lower case; a tool's answer as JSON."""
    if message.role == "tool" and message.result is not None:
        return canonical(message.result).decode("utf-8", "replace").lower()
    return message.text.lower()


def stands_in(value: Value, told: str) -> bool:
    """Whether the value, in its own or its normal form, is a word of the lower-case text."""
    for form in {value.text.lower().lstrip("#"), value.norm}:
        at = told.find(form)
        while at >= 0:
            before, after = told[at - 1 : at], told[at + len(form) : at + len(form) + 1]
            if not before.isalnum() and not after.isalnum():
                return True
            at = told.find(form, at + 1)
    return False


def new_values(said: str, told: str) -> list[Value]:
    """The values of the words that do not stand in the lower-case text."""
    return [value for value in values_in(said) if not stands_in(value, told)]


def _new_facts(said: str, told: str, turn: int, heard: AgentTurn) -> Iterator[Fact]:
    asked = "asks" in heard.acts
    slots = heard.slots if asked else frozenset[str]()
    values = values_in(said)
    for value in values:
        if not stands_in(value, told):
            sentence, start = _around(said, value)
            yield Fact(
                value.kind, value.text, value.norm, turn, asked, _labels(sentence, start, value), slots, sentence
            )
    described = list(_self_described(said))
    for kind, label, word in described:
        if all(word not in value.text for value in values) and word.lower() not in told:
            labels = content_words(label)
            yield Fact(kind, word, word.lower(), turn, asked, labels, slots, f"My {label} is {word}.")
    plain = not (values or described or answers_yes(said) or answers_no(said) or says_thanks(said) or "?" in said)
    if asked and plain and len(tokens(said)) <= 6 and said.lower() not in told:
        yield Fact("phrase", said, " ".join(tokens(said)), turn, asked, frozenset(), slots, said)


def _self_described(said: str) -> Iterator[tuple[str, str, str]]:
    """What the customer says of itself in plain words: kind, label and value."""
    for match in english.MY.finditer(said):
        yield "phrase", match[1], match[2]
    for match in english.I_AM.finditer(said):
        yield "name", "name", match[1]


def _around(said: str, value: Value) -> tuple[str, int]:
    """The sentence that holds the value, and where in it the value starts."""
    at = 0
    for sentence in sentences(said):
        at = said.index(sentence, at)
        if value.start < at + len(sentence):
            return sentence, value.start - at
        at += len(sentence)
    return said, value.start


def _labels(sentence: str, start: int, value: Value) -> frozenset[str]:
    """The customer's own words for the value: those just before it, else just after it.

    A bare number counts what follows it: "4 guests", but "room 12".
    """
    before = _content(english.CLAUSE.split(sentence[:start])[-1])[-3:]
    after = _content(english.CLAUSE.split(sentence[start + len(value.text) :])[0])[:3]
    near, far = (after, before) if value.kind == "number" else (before, after)
    return frozenset(near or far)


def _content(text: str) -> list[str]:
    return [stem for word in tokens(text) for stem in content_words(word)]
