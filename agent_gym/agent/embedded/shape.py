"""What the recorded values of one argument look like: values in, a test and a form for new values out."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent_gym.agent.embedded.catalogue import Catalogue
from agent_gym.agent.embedded.leaves import is_specific, norm_of
from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.types import Json

__all__ = ["Shape", "form_of", "mark_of"]

_MOST = 0.9  # of recorded lists: how long these were at most, a new one is too
_FEW = 40  # an argument with no more values than this takes them from a list: its words may be paraphrased


@dataclass(frozen=True, slots=True)
class Shape:
    """`known` holds norm → the form the tool takes; `phrases` the same by first word; `mark` is what every id
    begins with, such as '#'; `alone` says that no other argument of the call ever had the same value; `cues` are
    the words that stand beside it, `rival_cues` those that stand beside the values of others."""

    type: str = "str"
    is_list: bool = False
    longest: int = 1  # of lists, but for few
    forms: frozenset[str] = frozenset()
    known: Mapping[str, Json] = field(default_factory=dict)
    phrases: Mapping[str, Sequence[tuple[tuple[str, ...], Json]]] = field(default_factory=dict)
    loose: tuple[tuple[frozenset[str], Json], ...] = ()
    mark: str = ""
    alone: bool = True
    cues: Mapping[str, float] = field(default_factory=dict)
    rival_cues: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()  # what is known as something else
    kinds: frozenset[str] = frozenset()  # what its values are read as: a name, an e-mail address

    @classmethod
    def of(
        cls,
        values: Sequence[Json],
        path: str = "",
        *,
        alone: bool = True,
        cues: tuple[Mapping[str, float], frozenset[str]] = ({}, frozenset()),
        catalogue: Catalogue | None = None,
    ) -> "Shape":
        """The shape of the values seen, lists taken apart. The `catalogue` knows what else may stand at the path, and
        what people call it; `cues` are the words beside it, and those beside its rivals."""
        flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
        types = Counter(type(item).__name__ for item in flat)
        forms = Counter((norm_of(item), repr(item)) for item in flat)
        usual = {norm: text for (norm, text), _ in sorted(forms.items(), key=lambda row: (row[1], row[0]))}
        known = {norm_of(item): item for item in flat if repr(item) == usual[norm_of(item)]}
        catalogue = catalogue or Catalogue()
        field_name = path.rsplit(".", 1)[-1]
        offered = catalogue.values.get(field_name, {})
        # An argument that takes its values from a list may take any of the list.
        listed = {**offered, **known} if 2 * len(known.keys() & offered.keys()) >= len(known) else known
        words = {norm: tuple(tokens(norm)) for norm, item in listed.items() if isinstance(item, str)}
        phrases: dict[str, list[tuple[tuple[str, ...], Json]]] = {}
        for norm, phrase in words.items():
            if phrase and len("".join(phrase)) > 1:
                phrases.setdefault(phrase[0], []).append((phrase, listed[norm]))
        for norm, item in listed.items():
            for name in catalogue.called(norm):
                phrase = tuple(tokens(name))
                phrases.setdefault(phrase[0], []).append((phrase, item))
        loose = [
            (frozenset(word[:5] for word in phrase), listed[norm])
            for norm, phrase in words.items()
            if len(phrase) > 1 and norm in known and not is_specific(norm)
        ]
        own = offered.keys() | known.keys()
        return cls(
            type=max(sorted(types), key=lambda name: types[name]) if types else "str",
            is_list=any(isinstance(value, list) for value in values),
            longest=_longest([len(value) for value in values if isinstance(value, list)]),
            forms=frozenset(form_of(str(item)) for item in flat),
            known=known,
            phrases=phrases,
            loose=tuple(loose) if len(known) <= _FEW else (),
            mark=mark_of([str(item) for item in known.values()]),
            alone=alone,
            cues=cues[0],
            rival_cues=cues[1],
            elsewhere=frozenset(
                norm
                for name, each in catalogue.values.items()
                if name != field_name
                for norm in each
                if norm not in own
            )
            # The name of a thing is not that of a person, though both stand in a field `name`.
            | (catalogue.things() - listed.keys()),
            kinds=frozenset(value.kind for item in known.values() for value in values_in(str(item))),
        )

    def fits(self, text: str) -> bool:
        return form_of(text) in self.forms

    def cast(self, value: Json) -> Json:
        """The value in the form the tool takes; None where it cannot be one."""
        if isinstance(value, bool) or self.type == "bool":
            return value if isinstance(value, bool) else None
        if self.type in ("dict", "list"):
            return None
        if norm_of(value) in self.known:
            return self.known[norm_of(value)]
        if self.type in ("int", "float"):
            return _number(value, self.type)
        text = str(value)
        if text.lower().startswith(self.mark.lower()):
            return self.mark + text[len(self.mark) :]
        bare = text.lstrip("#")
        return next((t for t in (self.mark + bare, self.mark[:1] + bare) if self.fits(t)), text)

    def year(self) -> str:
        """The usual year of recorded dates, for a date said without one."""
        years = Counter(norm[:4] for norm in self.known if re.match(r"\d{4}-\d\d-\d\d", norm))
        return max(sorted(years), key=lambda year: years[year]) if years else ""


def _longest(lengths: Sequence[int]) -> int:
    return sorted(lengths)[min(len(lengths) - 1, int(_MOST * len(lengths)))] if lengths else 1


def mark_of(values: Sequence[str]) -> str:
    """What all ids of this kind begin with before their digits: a customer may leave it out."""
    heads = {re.split(r"\d", value, maxsplit=1)[0] for value in values}
    return heads.pop() if len(heads) == 1 and len(values) >= 3 and all(is_specific(v) for v in values) else ""


def form_of(text: str) -> str:
    """Letters as one, digits one by one: a tracking number looks like a tracking number."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", text.lstrip("#").lower()))


def _number(value: Json, kind: str) -> Json:
    try:
        number = float(re.sub(r"[^\d.-]", "", str(value)))
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if kind == "int" or number.is_integer() else number
