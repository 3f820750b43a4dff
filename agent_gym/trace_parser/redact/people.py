"""A sentence in, the names of people in it out, as folded words: what follows an introduction or a given name."""

import re
from collections.abc import Iterator
from functools import cache

from agent_gym.trace_parser.redact.kinds import fold, token_texts, words

__all__ = ["Name", "name_words", "names_in"]

Name = tuple[str, ...]

_BEFORE = 20  # characters in which the word before a name stands
_RUN = re.compile(r"\b[^\W\d_a-z][\w'’]+(?:[ -][^\W\d_a-z][\w'’]+){0,4}")


def name_words(text: str) -> Name:
    """The words of a name, without titles and particles."""
    particles = words().particles
    return tuple(word for word in token_texts(text) if word not in particles and not word.isdigit())


def names_in(text: str) -> Iterator[Name]:
    for run in _RUN.finditer(text):
        if not run.group().isupper():  # EVA is a foam
            yield from _in_run(run.group(), fold(text[max(0, run.start() - _BEFORE) : run.start()]))
    low = text.lower().replace("’", "'")
    for sure, phrases, pattern in zip((True, False), (words().sure, words().likely), _introductions(), strict=True):
        if not any(phrase in low for phrase in phrases):  # which is quicker to see than that the pattern is not there
            continue
        for match in pattern.finditer(text):
            name = _introduced(match["said"], sure)
            if name:
                yield name


def _in_run(run: str, before: str) -> Iterator[Name]:
    """The name in a run of words with capitals, `before` being what stands before it."""
    known = words()
    written = re.split(r"[ -]", run)
    said = [_bare(fold(word)) for word in written]
    at = next((i for i, word in enumerate(said) if word in known.given), None)
    if at is None:
        return
    lead = said[at - 1] if at else before.rstrip().rpartition(" ")[2]
    if lead in known.towns or (at and lead not in _leads()):
        return
    ends = next((i for i, word in enumerate(written) if i > at and word.isupper()), len(written))
    name = [word for word in said[at : min(at + 3, ends)] if len(word) > 1]
    if not any(word in known.places for word in name[1:]):  # "Allison Road" is a street
        yield name_words(" ".join(name))


def _bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)


def _introduced(said: str, sure: bool) -> Name:
    known = words()
    given = said.split()
    capitals = next((n for n, word in enumerate(given) if not word[:1].isupper()), len(given))
    if not sure and fold(given[0]) not in known.given:
        return ()
    if capitals:
        return name_words(" ".join(given[: min(capitals, 3)]))
    # Typed in a hurry: "my name is noah brown". Two words at most, the second only if nothing follows it.
    return name_words(" ".join(given if len(given) == 2 else given[:1])) if len(given[0]) > 2 else ()


@cache
def _leads() -> frozenset[str]:
    """Words that stand before a name without being of it."""
    phrases = (*words().sure, *words().likely)
    return words().particles | {fold(phrase).split()[-1] for phrase in phrases}


@cache
def _introductions() -> tuple[re.Pattern[str], re.Pattern[str]]:
    def pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
        told = "|".join(sorted((re.escape(p).replace("'", "['’]") for p in phrases), key=len, reverse=True))
        return re.compile(rf"(?<!\w)(?i:{told}):?\s(?P<said>[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){{0,2}})")

    return pattern(words().sure), pattern(words().likely)
