"""Values in the customer's words: a state and an argument's shape in, the value the customer meant out.

Where several would do, the words around them decide: what stands after "from" is where recorded customers left.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agent_gym.agent.embedded.leaves import is_specific, norm_of
from agent_gym.agent.embedded.manner import consents, refuses
from agent_gym.agent.embedded.reading import MONTHS, tokens, values_in
from agent_gym.agent.embedded.shape import Shape
from agent_gym.agent.embedded.talk import Said, State, says
from agent_gym.text import Value
from agent_gym.types import Json

__all__ = ["Part", "Spot", "cues_of", "mentioned", "own_words", "place_of", "said", "told"]

Part = Literal["", "first", "last", "mdy", "dmy"]  # a word of a name, or how a date is written
_STOP = re.compile(r"[,;.!?\n]")
_CLAUSE = re.compile(r"[^,;.!?\n]+[,;.!?]?")
_WORD = re.compile(r"[\w'’-]+")
_LONGEST = 6  # words of a value that stands at the end of its clause
_CUE = 0.15  # the share of recorded values beside which a word must stand to tell a new one
_CAPITALS = re.compile(r"(?:\d+ )?[A-Z][\w'&-]*(?: (?:[A-Z][\w'&-]*|of|the|and|de))* ?")


@dataclass(frozen=True, slots=True)
class Spot:
    """A value at its place in the customer's words, and the words beside it."""

    at: int
    value: Json
    beside: tuple[str, ...]
    bare: bool = False  # an id without the letters its kind begins with: any number looks like that


def said(kind: str, part: Part, shape: Shape, state: State, taken: frozenset[str]) -> list[Spot]:
    """The values of this kind that fit the shape."""
    spots = []
    for each in state.said:
        form = _form_of(each.value, part, shape) if each.value.kind == kind else None
        value = shape.cast(form) if form is not None else None
        if value is not None and norm_of(value) not in taken and not _means_another(each.value, value, shape, state):
            bare = bool(shape.mark.strip("#")) and shape.mark.lower() not in each.value.text.lower()
            spots.append(Spot(each.at, value, _beside_said(each, state), bare))
    return [spot for spot in spots if shape.fits(str(spot.value))] or spots


def _means_another(said: Value, value: Json, shape: Shape, state: State) -> bool:
    """Whether a name is one of something else, or a number the short way to say an id that a tool has shown."""
    if said.kind == "name":
        return said.norm in shape.elsewhere
    norm = norm_of(value)
    return state.called_short.get(said.norm, norm) != norm


def _form_of(value: Value, part: Part, shape: Shape) -> str | None:
    """The value as the tool takes it: as said, or in the compared form, whichever has the shape."""
    if part in ("mdy", "dmy"):
        return _iso(value.text, part)
    if part:
        names = value.text.split()
        return names[0] if part == "first" else names[-1]
    if value.kind == "date" and re.fullmatch(r"\d\d-\d\d", value.norm) and shape.year():
        return f"{shape.year()}-{value.norm}"
    marked = [shape.mark + value.norm] if value.kind in ("id", "number") else []
    fitting = next((form for form in (value.text, value.norm, *marked) if shape.fits(form)), None)
    if fitting is not None:
        return fitting
    if value.kind in ("id", "number", "date") and len(shape.known) >= 3:
        return None  # enough examples to say what such a value does not look like
    return value.text if value.kind in ("email", "url", "name") else value.norm


def _iso(text: str, order: Part) -> str | None:
    """A date written with slashes, as a tool takes it."""
    numbers = [int(n) for n in text.split("/")] if re.fullmatch(r"\d+/\d+/\d{4}", text) else []
    if not numbers:
        return None
    month, day = numbers[:2] if order == "mdy" else numbers[1::-1]
    return f"{numbers[2]:04d}-{month:02d}-{day:02d}" if month <= 12 else None


def mentioned(shape: Shape, state: State, taken: frozenset[str], unknown: frozenset[str] = frozenset()) -> list[Spot]:
    """The values the tool is known to take, word for word or nearly so; else what stands where they would."""
    no_match = taken | unknown
    spots = [spot for at, _ in state.turns for spot in _phrases(at, state.words_at(at), shape)]
    spots = _outermost([spot for spot in spots if norm_of(spot.value) not in no_match])
    if not spots and shape.loose:
        for at, _ in reversed(state.turns):
            stems = {word[:5] for word in state.words_at(at)}
            spots += [
                Spot(at, value, ())
                for wanted, value in shape.loose
                if wanted <= stems and norm_of(value) not in no_match
            ]
    return spots or [spot for at, text in state.turns for spot in _unseen(at, text, shape, taken)]


def _phrases(at: int, words: Sequence[str], shape: Shape) -> Iterator[Spot]:
    for i, word in enumerate(words):
        for phrase, value in shape.phrases.get(word, ()):
            end = i + len(phrase)
            if tuple(words[i:end]) == phrase:
                yield Spot(at, value, _beside(words[max(0, i - 1) : i], words[end : end + 1]))


def _outermost(spots: Sequence[Spot]) -> list[Spot]:
    """Without what is but a part of another: 'York' in 'New York'."""
    norms = {norm_of(spot.value) for spot in spots}
    return [s for s in spots if not any(norm_of(s.value) != norm and norm_of(s.value) in norm for norm in norms)]


def _unseen(at: int, text: str, shape: Shape, taken: frozenset[str]) -> Iterator[Spot]:
    """A phrase after words that recorded customers use before this value: what ends the clause, or is capitalised."""
    if shape.type != "str":
        return
    if consents(text) or refuses(text):
        return

    def fits(phrase: str) -> bool:
        norm = norm_of(phrase)
        if not shape.fits(phrase) or norm in taken or norm in shape.elsewhere:
            return False
        # A person's name is no passphrase, though it stands after "is" as well.
        return all(value.norm != norm or value.kind in shape.kinds for value in values_in(text))

    for beside, share in shape.cues.items():
        if share >= _CUE and beside.startswith("<"):
            for phrase in filter(fits, _clause_ends(text).get(beside[1:], ())):
                yield Spot(at, phrase, (beside, ">"))
    for phrase, before in _capitals(text):
        known = before and shape.cues.get(f"<{before[0]}", 0.0) >= _CUE
        whole = not before and len(tokens(text)) <= 4 and shape.cues.get("<", 0.0) >= _CUE
        numbered = phrase[0].isdigit() and len(phrase.split()) > 1  # its form tells it: a street and number
        if (known or whole or numbered) and fits(phrase):
            yield Spot(at, phrase, _beside(before, []))


@lru_cache(maxsize=1 << 13)
def _clause_ends(text: str) -> Mapping[str, Sequence[str]]:
    """By word, what stands in small letters between it and the end of its clause: a few words, at least two.

    One word alone may be anything, and what is asked is not told.
    """
    found: dict[str, list[str]] = {}
    for clause in _CLAUSE.findall(text):
        for match in list(_WORD.finditer(clause))[-_LONGEST - 1 : -2]:
            rest = clause[match.end() :].strip(" :\"'“”")
            if rest.islower() and "?" not in rest:
                found.setdefault(match.group().lower(), []).append(rest.rstrip(".,;!"))
    return found


@lru_cache(maxsize=1 << 13)
def _capitals(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The capitalised phrases of a text, each with the word before it; a month is none."""
    found = [match for match in _CAPITALS.finditer(text) if match.group().strip().lower() not in MONTHS]
    return tuple((match.group().strip(), tokens(text[: match.start()])[-1:]) for match in found)


def _beside(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    return (f"<{before[-1]}" if before else "<", f">{after[0]}" if after else ">")


def _beside_said(each: Said, state: State) -> tuple[str, ...]:
    text, start = state.talk.messages[each.at].text, each.value.start
    # What stands beyond a comma belongs to the next value.
    before, after = _STOP.split(text[:start])[-1], _STOP.split(text[start + len(each.value.text) :])[0]
    return _beside(tokens(before)[-1:], tokens(after)[:1])


def told(spots: Sequence[Spot], shape: Shape) -> tuple[Spot, bool] | None:
    """The spot meant, and whether no other could be: by the words beside it, then the latest."""
    if not spots:
        return None

    def cue(spot: Spot) -> float:
        return max((shape.cues.get(word, 0.0) for word in spot.beside), default=0.0)

    spots = [spot for spot in spots if not (spot.bare and _is_another(spot, shape))]
    if not spots:
        return None
    strongest = max(cue(spot) for spot in spots)
    likely = [spot for spot in spots if cue(spot) >= 0.5 * strongest]
    best = max(likely, key=lambda spot: (spot.at, cue(spot)))
    rivals = {norm_of(spot.value) for spot in likely if spot.at == best.at}
    return best, len(rivals) == 1


def _is_another(spot: Spot, shape: Shape) -> bool:
    """Whether a bare number is more likely something else: by the words beside it, or because it is known as such."""
    number = norm_of(spot.value).removeprefix(norm_of(shape.mark))
    return bool(shape.rival_cues & set(spot.beside)) or number in shape.elsewhere


def cues_of(pairs: Iterable[tuple[State, Json]]) -> dict[str, float]:
    """The words beside an argument's values in recorded customers' words, as shares."""
    counts: dict[str, int] = {}
    total = 0
    for state, value in pairs:
        norm = norm_of(value)
        spot = next(iter([*_value_spots(state, norm), *_phrase_spots(state, norm, value)]), None)
        if spot is not None:
            total += 1
            for word in spot.beside:
                counts[word] = counts.get(word, 0) + 1
    return {word: n / total for word, n in sorted(counts.items()) if n >= 2} if total >= 3 else {}


def _value_spots(state: State, norm: str) -> Iterator[Spot]:
    for each in state.said:
        if says(each.value, norm):
            yield Spot(each.at, norm, _beside_said(each, state))


def _phrase_spots(state: State, norm: str, value: Json) -> Iterator[Spot]:
    phrase = tuple(tokens(norm))
    if phrase and isinstance(value, str):
        shape = Shape(phrases={phrase[0]: [(phrase, value)]})
        for at, _ in state.turns:
            yield from _phrases(at, state.words_at(at), shape)


def place_of(value: Json, state: State) -> int:
    """The first customer turn that says the value, word for word or nearly so for a phrase; -1 if none does."""
    norm = norm_of(value)
    phrase = tokens(norm)
    if isinstance(value, bool) or not phrase or len("".join(phrase)) < 2:
        return -1
    text = f" {' '.join(phrase)} "
    stems = {word[:5] for word in phrase}
    for at, _ in state.turns:
        words = state.words_at(at)
        if phrase[0] in words and text in f" {' '.join(words)} ":
            return at
        if len(phrase) > 1 and not is_specific(norm) and stems <= {word[:5] for word in words}:
            return at
    return -1


def own_words(state: State) -> str:
    """What the customer wants, as they put it: the latest turn that is more than an answer."""
    for _, text in reversed(state.turns):
        if len(tokens(text)) >= 5 and not consents(text):
            return " ".join(text.split())
    return " ".join(state.opener.split())
