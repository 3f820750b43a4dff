"""A recorded conversation in, the profile of its customer out."""

from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz.distance import OSA

from agent_gym.errors import MessageError
from agent_gym.text import tokens, values_in
from agent_gym.types import Trace
from agent_gym.user_simulator import english
from agent_gym.user_simulator.acts import AgentTurn, content_words, count_repeats, read_turn, sentences, telling_words
from agent_gym.user_simulator.facts import mine_facts, told_by
from agent_gym.user_simulator.nearness import Nearness
from agent_gym.user_simulator.profile import (
    CustomerProfile,
    Decision,
    Ending,
    Matter,
    Persona,
    Request,
    Sentence,
    Spoken,
)
from agent_gym.user_simulator.replies import answers_no, answers_yes, says_goodbye, says_thanks
from agent_gym.user_simulator.talk import Talk, Turn

__all__ = ["mine_profile", "recorded_talk"]

_SHORT = 5  # words: the usual bound of a "short reply" in studies of real customers
_FITS_ELSEWHERE = 2  # content words of a yes or no: one with more is about something
_SAYS_SOMETHING = 3  # content words
_TAKEN_UP = 2  # content words: with one in common, two sentences may be about anything
_LONG = 5  # letters
_A_FEW, _HARDLY_ANY = 12, 0.1
_SAME = 0.5  # of the content words of two refusals
_NEWS, _MUCH_OF_IT = 2, 0.3  # content words that are new, and their share
_PATIENCE = 3  # repeats put up with beyond those of the record


def mine_profile(trace: Trace) -> CustomerProfile:
    """The customer of the trace; a `MessageError` where it has no customer."""
    talk = recorded_talk(trace)
    heard = [read_turn(turn.heard) for turn in talk.turns]
    record = [told_by(message) for message in trace.messages]
    facts = tuple(mine_facts(trace.messages, heard, record))
    own = frozenset(fact.norm for fact in facts)
    news = list(_news(talk.turns, heard))
    last = len(heard) - 1
    spoken = [_spoken(turn, heard[i], news[i], own, i == last) for i, turn in enumerate(talk.turns)]
    wish = _wish(spoken)
    return CustomerProfile(
        conversation_id=trace.conversation_id,
        opener=talk.turns[0].said,
        wish=wish,
        matters=tuple(_matters(spoken, wish, talk.heard)),
        facts=facts,
        decisions=tuple(_decisions(spoken)),
        requests=tuple(_requests(spoken, news, wish, talk.heard)),
        persona=_persona(spoken),
        ending=_ending(trace, talk, spoken),
        last_words=talk.turns[-1].said,
        lingers=spoken[-1].closing and bool(talk.heard),
        spoken=tuple(spoken),
        spoken_of=telling_words(" ".join([*(f"{turn.heard} {turn.said}" for turn in talk.turns), talk.heard])),
        record="\n".join(t for t, m in zip(record, trace.messages, strict=True) if m.role in ("assistant", "tool")),
        near=Nearness([turn.heard for turn in talk.turns]),
    )


def recorded_talk(trace: Trace) -> Talk:
    """The trace as its customer lived it; a `MessageError` where there is no customer."""
    talk = Talk.of(trace.messages)
    if not talk.turns:
        raise MessageError(f"conversation {trace.conversation_id!r} has no user turn: there is no customer to play")
    return talk


def _news(turns: Sequence[Turn], heard: Sequence[AgentTurn]) -> Iterator[bool]:
    """Of each turn, whether it brings up what nobody had spoken of."""
    known: set[str] = set()
    for turn, words_heard in zip(turns, heard, strict=True):
        known |= content_words(words_heard.text)
        words = content_words(turn.said)
        fresh = len(words - known)
        yield fresh >= _NEWS and fresh >= _MUCH_OF_IT * len(words)
        known |= words


def _spoken(turn: Turn, heard: AgentTurn, news: bool, own: frozenset[str], last: bool) -> Spoken:
    parting = last or (_may_part(heard) and not news)  # thanks and something new go on
    parts = [(text, frozenset(v.norm for v in values_in(text))) for text in sentences(turn.said)]
    return Spoken(
        heard=heard,
        said=turn.said,
        sentences=tuple(Sentence(text, values - own) for text, values in parts),
        words=content_words(turn.said),
        values=frozenset(norm for _, values in parts for norm in values),
        closing=says_goodbye(turn.said) or (says_thanks(turn.said) and parting),
        consents=not any(values for _, values in parts) and (answers_yes(turn.said) or answers_no(turn.said)),
        changes=_changes(turn, heard),
    )


def _changes(turn: Turn, heard: AgentTurn) -> bool:
    """Whether a customer who was asked for a yes wants something else instead."""
    if "confirms" not in heard.acts or answers_yes(turn.said) or answers_no(turn.said):
        return False
    return bool(english.INSTEAD.search(turn.said.lower())) and not telling_words(turn.said) <= telling_words(heard.text)


def _wish(spoken: Sequence[Spoken]) -> str:
    """The opener, unless it says nothing: then the first turn that asks for something."""
    if len(spoken[0].words) >= _SAYS_SOMETHING:
        return spoken[0].said
    wishes = (one for one in spoken[1:] if not one.closing and english.WISH.search(one.said.lower()))
    wish = next((one for one in wishes if len(one.words) >= _SAYS_SOMETHING), spoken[0])
    own = [sentence.text for sentence in wish.sentences if not sentence.learned]
    return " ".join(own) or spoken[0].said


def _matters(spoken: Sequence[Spoken], wish: str, last: str) -> Iterator[Matter]:
    """What the wish asks for, sentence by sentence, as far as the agent took it up in words of its own."""
    answers = telling_words(" ".join([*(one.heard.text for one in spoken[1:]), last]))
    for sentence in sentences(wish):
        words = telling_words(sentence) & answers
        if len(words) >= _TAKEN_UP and english.WISH.search(sentence.lower()):
            yield Matter(sentence, words)


def _decisions(spoken: Sequence[Spoken]) -> Iterator[Decision]:
    for turn, one in enumerate(spoken):
        if one.heard.acts.isdisjoint(("confirms", "offers")):
            continue
        if answers_yes(one.said) or answers_no(one.said):
            first = one.sentences[0].text
            words = "" if values_in(first) or len(content_words(first)) > _FITS_ELSEWHERE else first
            over = frozenset[str]().union(*(sentence.learned for sentence in one.sentences))
            yield Decision(turn, one.heard.text, answers_yes(one.said), words, over)


def _requests(spoken: Sequence[Spoken], news: Sequence[bool], wish: str, last: str) -> Iterator[Request]:
    """Turns after the opener and the wish that bring up something new, unasked."""
    answers = [*(one.heard for one in spoken[1:]), read_turn(last)]
    for turn, (one, answer) in enumerate(zip(spoken, answers, strict=True)):
        fresh = turn > 0 and news[turn] and wish not in one.said and not one.closing and not _is_objection(one, answer)
        if fresh and _asks_for_it(one, one is spoken[-1]):
            yield Request(turn, one.said, one.heard.acts)


def _is_objection(one: Spoken, answer: AgentTurn) -> bool:
    """Whether words to a refusal got much the same refusal again: then they were about the same thing."""
    if "refuses" not in one.heard.acts & answer.acts:
        return False
    before, after = content_words(one.heard.text), content_words(answer.text)
    return len(before & after) >= _SAME * min(len(before), len(after))


def _asks_for_it(one: Spoken, last: bool) -> bool:
    """Whether what a turn brings up is meant to be dealt with: after "anything else?" it is, unless the talk ends."""
    low = one.said.lower()
    wishes, adds = bool(english.WISH.search(low)), bool(english.ALSO.search(low))
    if _may_part(one.heard) and not last:
        return True
    return wishes and adds if one.heard.wants_answer else wishes or adds


def _may_part(heard: AgentTurn) -> bool:
    """Whether a customer may leave after this: something is done, or the agent asks for more to do."""
    return not heard.acts.isdisjoint(("closes", "claims_done"))


def _persona(spoken: Sequence[Spoken]) -> Persona:
    lengths = [len(tokens(one.said)) for one in spoken]
    polite = sum(bool(english.POLITE.search(one.said.lower())) for one in spoken)
    return Persona(
        words_per_turn=sum(lengths) / len(lengths),
        short_rate=sum(n <= _SHORT for n in lengths) / len(lengths),
        polite_rate=polite / len(spoken),
        patience=count_repeats([one.heard for one in spoken[1:]]) + _PATIENCE,
        typo_rate=_typo_rate(spoken),
        foreign=_foreign([word for one in spoken for word in tokens(one.said)]),
    )


def _typo_rate(spoken: Sequence[Spoken]) -> float:
    """The share of the customer's longer words that are a letter off, inside, from one that the agent used."""
    known = {word for one in spoken for word in one.heard.words if len(word) >= _LONG}
    said = [word for one in spoken for word in tokens(one.said) if len(word) >= _LONG and word.isalpha()]
    slips = sum(_is_slip(word, known) for word in said if word not in known)
    return slips / len(said) if said else 0.0


def _is_slip(word: str, known: Iterable[str]) -> bool:
    # Another ending is another form of the word, and no slip.
    alike = (other for other in known if other[0] == word[0] and other[-2:] == word[-2:])
    return any(OSA.distance(word, other, score_cutoff=1) == 1 for other in alike)


def _foreign(words: Sequence[str]) -> bool:
    """Whether hardly any of the words are those that hold English together; of a few words nobody can say."""
    return len(words) >= _A_FEW and sum(word in english.EMPTY for word in words) < _HARDLY_ANY * len(words)


def _ending(trace: Trace, talk: Talk, spoken: Sequence[Spoken]) -> Ending:
    last = read_turn(talk.heard)
    if "hands_over" in last.acts or "TRANSFER" in str(trace.metadata.get("ended_by", "")).upper():
        return "handed_over"
    if spoken[-1].closing or "claims_done" in last.acts or "closes" in last.acts:
        return "satisfied"
    if "refuses" in spoken[-1].heard.acts or "refuses" in last.acts:
        return "gave_up"
    return "open"
