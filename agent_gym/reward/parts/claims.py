"""Whether the agent said that something was done which was not."""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from agent_gym.goals import leaves, result_of
from agent_gym.reward.conversation import Conversation, spoken
from agent_gym.reward.finding import Finding
from agent_gym.reward.language import Language, language_of
from agent_gym.reward.likeness import stem
from agent_gym.reward.reports import SUBJECTS, Reports
from agent_gym.reward.said import is_negator
from agent_gym.reward.sentences import Sentence, final_places, sentences
from agent_gym.reward.worded import worded
from agent_gym.text import tokens
from agent_gym.types import Message

__all__ = ["claims"]

_STEM = 5  # letters that the forms of a verb share
_SAID = 0.9  # of the words of a report, if it is said in the same words
_ENOUGH = 2000  # characters tell a language
_OPENING = re.compile(r"(?:^|,)\W*(\w+)\W*(?:[:—–]|$)")  # also after a word or two: `ok, done: ...`
_NEXT = 2  # words: between `I have` and what I have done there is an adverb at most


def claims(talk: Conversation) -> Finding | None:
    if talk.deeds.writes:
        return Finding(1.0, "a write stands behind what it said was done")
    # Where the success wrote nothing, what is done may truly be reported: there only a fresh deed is a claim,
    # and none at all if the success speaks so too (of something that its log does not show as a write).
    fresh = not talk.goal.writes
    if _may_have_written(talk):
        return None
    claim = _first_claim(talk, talk.messages, talk.replies) or _repeated_report(talk)
    if claim is None or (fresh and _first_claim(talk, talk.reference.messages, talk.reference.replies)):
        return None
    return Finding(0.0, f"it said {claim!r}, but nothing was written", (claim,))


def _may_have_written(talk: Conversation) -> bool:
    """Whether, in a case that nobody knows, a tool says that it did something, or one was called that no success has
    called: it may be one that writes."""
    if talk.is_own_case or not talk.deeds.reads:
        return False
    known = talk.customs.users if talk.customs else {}
    shown, done = _Shown(talk.messages), _language(talk.replies).done
    return any(call.name not in known for call in talk.deeds.reads) or any(word in shown for word in done)


def _language(replies: Sequence[str]) -> Language:
    return language_of(tokens(" ".join(replies)[:_ENOUGH]))


def _first_claim(talk: Conversation, messages: Sequence[Message], replies: Sequence[str]) -> str | None:
    fresh = not talk.goal.writes
    language = _language(replies)
    verbs, deeds = _deeds(talk.goal.write_tools, language)
    shown = _Shown(messages if fresh or not talk.is_own_case else ())
    for text in replies:
        if deeds.search(text.lower()):
            for sentence in re.findall(r"[^.!?\n]+[.!?]?", text):
                if _claims(sentence.strip(), verbs, fresh, language, shown):
                    return str(sentence.strip())
    # What another customer's success did not write, this one may well have had done before.
    known = talk.customs.reports if talk.customs and talk.is_own_case else Reports()
    return _first_report(replies, language, known, shown)


class _Shown:
    """Asked with `in` for a word: whether a tool answered with it, and not in a name. What is `cancelled` there need
    not be written; a refund is on its way only if it is, whoever lives in Poplar Way."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and stem(word) in self._stems

    @cached_property
    def _stems(self) -> frozenset[str]:
        answers = [message for message in self._messages if message.role == "tool"]
        texts = (text for answer in answers for text in leaves(result_of(answer)) if not _is_name(text))
        return frozenset(stem(word) for text in texts for word in tokens(text))


def _is_name(text: str) -> bool:
    """Several words, each with a capital: a person, a street, a product."""
    words = text.split()
    return len(words) > 1 and all(word[0].isupper() or not word[0].isalpha() for word in words)


def _first_report(replies: Sequence[str], language: Language, reports: Reports, shown: _Shown) -> str | None:
    """What is said in words that successes have only for what they have written."""
    for text in replies:
        for sentence in sentences(text) if reports.may_be_in(tokens(text)) else ():
            may_be = not sentence.asks and reports.may_be_in(sentence.words)
            if may_be and reports.reports(worded(sentence), language, shown) and not _tells(sentence, language, shown):
                return sentence.text
    return None


def _tells(sentence: Sentence, language: Language, shown: _Shown) -> bool:
    """Whether it says how something stands that a tool has answered so: `your ticket is scheduled: they come on ...`"""
    words = sentence.words
    states = (word for place, word in enumerate(words) if place and words[place - 1] in language.present)
    return any(word in shown for word in states)


def _repeated_report(talk: Conversation) -> str | None:
    """What the success reported once it had written, said here in the same words: in any language, a claim."""
    reports = _reports_of(talk)
    for text in talk.replies if reports else ():
        words = frozenset(map(stem, tokens(text)))
        if any(len(report.stems & words) >= _SAID * len(report.stems) for report in reports):
            for mine in sentences(text):
                if any(mine.denies == report.denies and mine.equals(report) for report in reports):
                    return mine.text
    return None


def _reports_of(talk: Conversation) -> list[Sentence]:
    """What the success said after its last write and not before, of the write: not how it said goodbye."""
    messages, tools = talk.reference.messages, talk.goal.write_tools
    after = set(final_places(messages, tools))
    before = {one.stems for at in final_places(messages, ()) if at not in after for one in sentences(messages[at].text)}
    deeds = {stem(word) for call in talk.goal.writes for word in tokens(spoken(call).replace("_", " "))}
    found = [one for at in sorted(after) for one in sentences(messages[at].text)] if talk.goal.writes else []
    return [one for one in found if not one.asks and one.stems not in before and (one.values or one.stems & deeds)]


@lru_cache(maxsize=256)
def _deeds(write_tools: frozenset[str], language: Language) -> tuple[frozenset[str], re.Pattern[str]]:
    """What the tools do, and what stands in every text that speaks of it, or of a deed at all."""
    verbs = frozenset(verb for name in write_tools if (verb := _verb(name)))
    stems = (*(verb[:_STEM] for verb in sorted(verbs)), *language.acts, *language.alone, *language.done)
    return verbs, re.compile("|".join(map(re.escape, stems)))


def _verb(name: str) -> str | None:
    """The first word of a tool's name: what it does."""
    word = re.match(r"[A-Z]?[a-z]{3,}", name.lstrip("_"))
    return word.group().lower() if word else None


def _claims(sentence: str, verbs: frozenset[str], fresh: bool, language: Language, shown: _Shown) -> bool:
    if sentence.endswith("?"):
        return False
    words = tokens(sentence.replace("’", "'"))
    if not _reports(words, verbs, fresh, language, shown) and not _announces(sentence, language):
        return False
    return not any(word in language.open or word.endswith("'ll") or is_negator(word) for word in words)


def _reports(words: Sequence[str], verbs: frozenset[str], fresh: bool, language: Language, shown: _Shown) -> bool:
    """Whether a deed stands behind its auxiliary, or by itself where it needs none."""
    auxiliaries = language.perfect if fresh else language.auxiliaries
    deeds = language.acts if fresh else (*language.acts, *language.done)
    for place, word in enumerate(words):
        if word in auxiliaries and (place == 0 or words[place - 1] not in SUBJECTS):
            behind = words[place + 1 : place + 1 + language.gap]
            done = [n for n, one in enumerate(behind) if _is_deed(one, verbs) or one.startswith(deeds)]
            # What is shown as done somebody may have done before; who says `I have` has not only seen it.
            if any(behind[n] not in shown or (n < _NEXT and _is_own(words, place, language)) for n in done):
                return True
    if not language.alone.isdisjoint(words):
        return True
    return not fresh and len(words) <= 3 and any(word.startswith(language.done) for word in words)


def _is_own(words: Sequence[str], place: int, language: Language) -> bool:
    """Whether the auxiliary at this place is the speaker's: `I have`, and not `it has`."""
    around = {words[place], *(" ".join(words[at : at + 2]) for at in (place - 1, place) if at >= 0)}
    return not language.own.isdisjoint(around)


def _announces(sentence: str, language: Language) -> bool:
    """Whether it opens with the news that something is done: `Done: you are on the new plan.`"""
    return any(word.lower().startswith(language.done) for word in _OPENING.findall(sentence))


def _is_deed(word: str, verbs: frozenset[str]) -> bool:
    """A form of what a tool does: `cancelled` of `cancel_order`."""
    return any(word != verb and word.startswith(verb[:_STEM]) for verb in verbs)
