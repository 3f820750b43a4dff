"""A mined tool in, words out: what it does, how that is known, by which rules it answers, how often rightly."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from agent_gym.tool_mocker.sites import Site
from agent_gym.tool_mocker.world import Tally, ToolModel, World
from agent_gym.types import Source

__all__ = ["Explanation", "Rule", "Validation", "explain"]

Does = Literal["reads", "writes", "hands over"]


class Rule(NamedTuple):
    """A learned rule: the source of the answers it gives, what it says, on how many examples it rests if counted."""

    source: Source
    words: str
    examples: int | None = None

    def __str__(self) -> str:
        rests_on = f" ({_counted(self.examples, 'example')})" if self.examples is not None else ""
        return f"{self.source}: {self.words}{rests_on}"


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


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
            f"  recorded: {_counted(self.recorded.calls, 'call')}, {_counted(self.recorded.errors, 'error')}",
            *(f"  shows {table}" for table in self.tables),
            *(f"  {rule}" for rule in self.rules),
        ]
        if self.validation:
            lines.append(f"  right in validation: {', '.join(map(str, self.validation))}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.words()


def explain(model: ToolModel, world: World) -> Explanation:
    return Explanation(
        name=model.name,
        does="hands over" if model.kind.ends else "writes" if model.kind.writes else "reads",
        why=model.kind.why,
        recorded=model.recorded,
        tables=tuple(_table(path, site) for (tool, path), site in sorted(world.sites.items()) if tool == model.name),
        rules=tuple(_rules(model)),
        validation=tuple(_validation(model.name, world)),
    )


def _table(path: str, site: Site) -> str:
    where = f"at {path}" if path else "as its result"
    key = site.key_field or (f"argument.{site.key_argument}" if site.key_argument else "the id it stands under")
    return f"{site.table} {where}, named by {key}"


def _rules(model: ToolModel) -> Iterator[Rule]:
    """In the order of the ladder, side effects after the effect."""
    for read_back in model.read_backs:
        yield Rule("state", read_back.words(), read_back.examples)
    for refusal in model.refusals:
        yield Rule("rule", refusal.words(), refusal.examples)
    if model.function is not None:
        yield Rule("function", model.function.words(), model.function.examples)
    if model.by_variables is not None:
        yield Rule("state", model.by_variables.words(), model.by_variables.examples)
    if model.selection is not None:
        yield Rule("query", model.selection.words(), model.selection.examples)
    if model.stories_tell:
        yield Rule("recorded", "told different things, answers as the conversation that had asked the same before")
    if model.effect is not None:
        yield Rule("effect", model.effect.words(), model.effect.examples)
    for side in model.side_effects:
        yield Rule("effect", side.words(), side.examples)
    if model.query is not None:
        yield Rule("query", model.query.words())
    if model.search is not None:
        yield Rule("query", model.search.words())
    if model.absence is not None and model.absence.expected():
        yield Rule("not_found", model.absence.words())


def _validation(name: str, world: World) -> Iterator[Validation]:
    measured = world.calibration.by_tool
    for source in get_args(Source):
        if (name, source) in measured:
            yield Validation(source, *measured[name, source])
