"""A mined tool in, words out: what it does, how that is known, by which rules it answers, how often rightly."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.absence import AbsenceRule
from agent_gym.tool_mocker.mining.tables import Site
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.world import ToolModel, World
from agent_gym.types import Source

__all__ = ["Explanation", "Rule", "Tally", "Validation", "explain", "tallies"]

Does = Literal["reads", "writes", "hands over"]


class Tally(NamedTuple):
    """What was recorded of a tool."""

    calls: int = 0
    errors: int = 0


class Rule(NamedTuple):
    """A learned rule: the source of the answers it gives, what it says, on how many examples it rests if counted."""

    source: Source
    words: str
    examples: int | None = None

    def __str__(self) -> str:
        counted = f" ({self.examples} examples)" if self.examples is not None else ""
        return f"{self.source}: {self.words}{counted}"


class Validation(NamedTuple):
    """How a source did on held-out calls of a tool."""

    source: Source
    right: int
    asked: int

    def __str__(self) -> str:
        return f"{self.source} {self.right} of {self.asked}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """One tool, explained. `validation` is empty where nothing was held out."""

    name: str
    does: Does
    why: str
    recorded: Tally
    tables: tuple[str, ...]
    rules: tuple[Rule, ...]
    validation: tuple[Validation, ...]

    def words(self) -> str:
        """The whole explanation, one line a fact."""
        lines = [
            f"{self.name} {self.does}: {self.why}",
            f"  recorded: {self.recorded.calls} calls, {self.recorded.errors} of them errors",
            *(f"  shows {table}" for table in self.tables),
            *(f"  {rule}" for rule in self.rules),
        ]
        if self.validation:
            lines.append(f"  right in validation: {', '.join(map(str, self.validation))}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.words()


def explain(model: ToolModel, world: World, recorded: Tally) -> Explanation:
    return Explanation(
        name=model.name,
        does="hands over" if model.kind.ends else "writes" if model.kind.writes else "reads",
        why=model.kind.why,
        recorded=recorded,
        tables=tuple(_table(path, site) for (tool, path), site in sorted(world.sites.items()) if tool == model.name),
        rules=tuple(_rules(model)),
        validation=tuple(_validation(model.name, world)),
    )


def tallies(conversations: Iterable[Iterable[Recorded]]) -> dict[str, Tally]:
    """tool → how often it was called, and how often that was an error."""
    counts: dict[str, Tally] = {}
    for calls in conversations:
        for call in calls:
            known = counts.get(call.name, Tally())
            counts[call.name] = Tally(known.calls + 1, known.errors + call.is_error)
    return counts


def _table(path: str, site: Site) -> str:
    where = f"at {path}" if path else "as its result"
    key = site.key_field or (f"argument.{site.key_argument}" if site.key_argument else "the id it stands under")
    return f"{site.table} {where}, named by {key}"


def _rules(model: ToolModel) -> Iterator[Rule]:
    if model.function is not None:
        yield Rule("function", model.function.words(), model.function.examples)
    for refusal in model.refusals:
        yield Rule("rule", refusal.words(), refusal.examples)
    if model.effect is not None:
        yield Rule("effect", model.effect.words(), model.effect.examples)
    for side in model.side_effects:
        yield Rule("effect", side.words(), side.examples)
    if model.query is not None:
        yield Rule("query", model.query.words())
    if model.search is not None:
        yield Rule("query", model.search.words())
    if model.absence is not None and (expected := _expected(model.absence)):
        error = canonical(model.absence.error).decode()
        yield Rule("not_found", f"answers {error} to what the record does not show: {', '.join(expected)}")


def _expected(absence: AbsenceRule) -> list[str]:
    """In which cases the rule denies, and how surely. One that never does is no rule to tell of."""
    looks = {"an id like the known ones": min(absence.shapes, default=""), "one unlike them": ""}
    return [
        f"{look} in a {case} case ({share:.0%} sure)"
        for case in ("recorded", "new")
        for look, value in looks.items()
        if (share := absence.denies(value, anchored=case == "recorded")) is not None
    ]


def _validation(name: str, world: World) -> Iterator[Validation]:
    measured = world.calibration.tallies
    for source in get_args(Source):
        if (name, source) in measured:
            yield Validation(source, *measured[name, source])
