"""A recorded conversation in, the profile of its customer out."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from agent_gym.errors import MessageError
from agent_gym.text import Value, canonical, tokens, values_in
from agent_gym.types import Message, Trace
from agent_gym.user_simulator import english
from agent_gym.user_simulator.acts import AgentTurn, content_words, read_turn, sentences
from agent_gym.user_simulator.nearness import Nearness
from agent_gym.user_simulator.profile import (
    CustomerProfile,
    Decision,
    Ending,
    Fact,
    Persona,
    Request,
    Sentence,
    Spoken,
)
from agent_gym.user_simulator.talk import Talk, Turn

__all__ = ["answers_no", "answers_yes", "mine_profile", "recorded_talk", "says_goodbye", "stands_in"]

_SHORT = 5  # words: the usual bound of a "short reply" in studies of real customers
_PATIENCE = (3, 6)  # repeats put up with at least and at most


def mine_profile(trace: Trace) -> CustomerProfile:
    """The customer of the trace; a `MessageError` where it has no customer."""
    talk = recorded_talk(trace)
    heard = [read_turn(turn.heard) for turn in talk.turns]
    facts = tuple(_facts(trace.messages, heard))
    own = frozenset(fact.norm for fact in facts)
    last = len(heard) - 1
    spoken = [_spoken(turn, heard[i], own, i == last) for i, turn in enumerate(talk.turns)]
    return CustomerProfile(
        conversation_id=trace.conversation_id,
        opener=talk.turns[0].said,
        facts=facts,
        decisions=tuple(_decisions(spoken)),
        requests=tuple(_requests(spoken)),
        persona=_persona(spoken),
        ending=_ending(trace, talk, spoken),
        last_words=talk.turns[-1].said,
        spoken=tuple(spoken),
        record="\n".join(_words(m) for m in trace.messages if m.role in ("assistant", "tool")).lower(),
        near=Nearness([turn.heard for turn in talk.turns]),
    )


def recorded_talk(trace: Trace) -> Talk:
    """The trace as its customer lived it; a `MessageError` where there is no customer."""
    talk = Talk.of(trace.messages)
    if not talk.turns:
        raise MessageError(f"conversation {trace.conversation_id!r} has no user turn: there is no customer to play")
    return talk


def _words(message: Message) -> str:
    """What a message tells, a tool's answer as JSON."""
    if message.role == "tool" and message.result is not None:
        return canonical(message.result).decode("utf-8", "replace")
    return message.text


def _spoken(turn: Turn, heard: AgentTurn, own: frozenset[str], last: bool) -> Spoken:
    parts = [(text, frozenset(v.norm for v in values_in(text))) for text in sentences(turn.said)]
    return Spoken(
        heard=heard,
        said=turn.said,
        sentences=tuple(Sentence(text, values - own) for text, values in parts),
        words=content_words(turn.said),
        values=frozenset(norm for _, values in parts for norm in values),
        closing=says_thanks(turn.said) and (last or "closes" in heard.acts or "claims_done" in heard.acts),
    )


def _facts(messages: Sequence[Message], heard: Sequence[AgentTurn]) -> Iterator[Fact]:
    told = ""  # all that has been said so far, by whomever
    turn = -1
    moved = True
    for message in messages:
        if message.role == "user" and message.text.strip():
            turn += moved
            moved = False
            yield from _new_facts(message.text.strip(), told, turn, heard[turn])
            told += "\n" + message.text.lower()
        elif message.role in ("assistant", "tool"):
            moved = True
            told += "\n" + _words(message).lower()


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
    for kind, label, word in _self_described(said):
        if all(word not in value.text for value in values) and word.lower() not in told:
            labels = content_words(label)
            yield Fact(kind, word, word.lower(), turn, asked, labels, slots, f"My {label} is {word}.")
    plain = not (values or answers_yes(said) or answers_no(said) or says_thanks(said) or "?" in said)
    if asked and plain and len(tokens(said)) <= 6 and said.lower() not in told:
        yield Fact("phrase", said, " ".join(tokens(said)), turn, asked, frozenset(), slots, said)


def _self_described(said: str) -> Iterator[tuple[str, str, str]]:
    """What the customer says of itself in plain words: kind, label and value."""
    for match in english.MY.finditer(said):
        yield "phrase", match[1], match[2]
    for match in english.I_AM.finditer(said):
        yield "name", "name", match[1]


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
    """The customer's own words just before the value, or just after it where none stand before."""
    before = english.CLAUSE.split(sentence[:start])[-1]
    after = english.CLAUSE.split(sentence[start + len(value.text) :])[0]
    return frozenset(_last(before, 3)) or frozenset(_last(after, 3))


def _last(text: str, n: int) -> list[str]:
    kept = [word for word in tokens(text) if content_words(word)][-n:]
    return sorted({w for word in kept for w in content_words(word)})


def _decisions(spoken: Sequence[Spoken]) -> Iterator[Decision]:
    for turn, one in enumerate(spoken):
        if one.heard.acts.isdisjoint(("confirms", "offers")):
            continue
        if answers_yes(one.said) or answers_no(one.said):
            first = one.sentences[0].text
            words = "" if values_in(first) or len(tokens(first)) > 12 else first
            yield Decision(turn, one.heard.text, answers_yes(one.said), words)


def _requests(spoken: Sequence[Spoken]) -> Iterator[Request]:
    """Turns after the opener that bring up something nobody had spoken of."""
    known = set(content_words(spoken[0].said)) | content_words(spoken[0].heard.text)
    for turn, one in enumerate(spoken[1:], start=1):
        known |= content_words(one.heard.text)
        words = content_words(one.said)
        fresh = len(words - known)
        unprompted = not one.heard.wants_answer or bool(english.ALSO.search(one.said.lower()))
        asking = bool(english.WISH.search(one.said.lower()))
        if unprompted and asking and not one.closing and fresh >= 2 and fresh >= 0.3 * len(words):
            yield Request(turn, one.said, one.heard.acts)
        known |= words


def _persona(spoken: Sequence[Spoken]) -> Persona:
    lengths = [len(tokens(one.said)) for one in spoken]
    polite = sum(bool(english.POLITE.search(one.said.lower())) for one in spoken)
    repeats = sum(a.heard.text == b.heard.text != "" for a, b in pairwise(spoken))
    return Persona(
        words_per_turn=sum(lengths) / len(lengths),
        short_rate=sum(n <= _SHORT for n in lengths) / len(lengths),
        polite_rate=polite / len(spoken),
        patience=min(_PATIENCE[1], max(_PATIENCE[0], repeats + 2)),
    )


def _ending(trace: Trace, talk: Talk, spoken: Sequence[Spoken]) -> Ending:
    last = read_turn(talk.heard)
    if "hands_over" in last.acts or "TRANSFER" in str(trace.metadata.get("ended_by", "")).upper():
        return "handed_over"
    if spoken[-1].closing or "claims_done" in last.acts or "closes" in last.acts:
        return "satisfied"
    if "refuses" in spoken[-1].heard.acts or "refuses" in last.acts:
        return "gave_up"
    return "open"


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
