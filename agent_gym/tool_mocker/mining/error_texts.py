"""Errors that calls got in, their words out: one text for all calls refused for one reason."""

import re
from collections.abc import Iterator, Mapping, Sequence

from agent_gym.text import canonical, tokens
from agent_gym.tool_mocker.mining.atoms import TablesOf
from agent_gym.tool_mocker.mining.induction import Inducer
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.rules.expressions import Const, Expr, Path, Template
from agent_gym.types import Json

__all__ = ["masked", "shared_words", "wording"]

# The rule language's own words: an error that has one of them does not speak of the rule.
_GRAMMAR = frozenset(
    "a an and argument be count does element for id ids in is it like look names no not of or over pair record sum than"
    " the to true false".split()
)


def masked(moment: Moment) -> bytes:
    """The error without the values of this call: calls refused for one reason share it."""
    text = canonical(moment.error).decode()
    for _, value in _repeatable(moment.context.arguments):
        text = text.replace(value, "…")
    return re.sub(r"\d+(?:\.\d+)?", "0", text).encode()


def shared_words(condition: str, error: Json) -> int:
    """How many words a condition and the error have in common, in the singular."""
    speaks, told = (
        {word.removesuffix("s") for word in tokens(text.replace("_", " ").replace(".", " ")) if word not in _GRAMMAR}
        for text in (condition, str(error))
    )
    return len(speaks & told)


def _repeatable(arguments: Mapping[str, Json]) -> Iterator[tuple[Path, str]]:
    """The call's values that an error may repeat; of a list, the first and the last."""
    for name, value in sorted(arguments.items()):
        places = [(name, at) for at in (0, -1) if value] if isinstance(value, list) else [(name,)]
        for steps in places:
            given = value[steps[1]] if len(steps) > 1 else value
            if isinstance(given, str | int) and len(str(given)) >= 2:
                yield Path("argument", steps), str(given)


def wording(refused: Sequence[Moment], tables_of: TablesOf) -> Expr | None:
    """The error as the tool words it: the same each time, or with values of the call and its record in place."""
    errors = [moment.error for moment in refused]
    found = Inducer([moment.context for moment in refused], tables_of).explain(errors)
    if isinstance(found, Const) and len(refused) == 1 and isinstance(errors[0], str):
        # One example cannot show which words are values; the call's own values are.
        parts: list[str | Expr] = [errors[0]]
        places = list(_repeatable(refused[0].context.arguments))
        # Of two arguments that are the same, the error repeats the one that it speaks of.
        for place, value in sorted(places, key=lambda each: -shared_words(each[0].words(), errors[0])):
            parts = [piece for part in parts for piece in _split(part, value, place)]
        return Template(tuple(part for part in parts if part != ""))
    return found


def _split(part: str | Expr, value: str, place: Expr) -> list[str | Expr]:
    if not isinstance(part, str) or value not in part:
        return [part]
    before, _, after = part.partition(value)
    return [before, place, after]
