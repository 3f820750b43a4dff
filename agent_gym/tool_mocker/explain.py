"""A mined tool in words: what it does, how that is known, by which rules it answers, how often rightly."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agent_gym.tool_mocker.entities import Site
from agent_gym.tool_mocker.world import Tally, Tool, World
from agent_gym.types import Source

__all__ = ["Explanation", "Statement", "Validation", "explain"]


Does = Literal["reads", "writes", "hands over"]


class Statement(NamedTuple):
    """What a rule says: the label of the answers it gives, its words, on how many examples it rests if counted."""

    source: Source
    words: str
    examples: int | None = None

    def __str__(self) -> str:
        rests_on = f" ({_counted(self.examples, 'example')})" if self.examples is not None else ""
        return f"{self.source}: {self.words}{rests_on}"


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


class Validation(NamedTuple):
    """How a rule did on held-out calls of a tool that no earlier one answers."""

    rule: str
    right: int
    asked: int

    def __str__(self) -> str:
        return f"{self.rule} {self.right} of {self.asked}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """One tool, explained. `validation` is empty where nothing was held out."""

    name: str
    does: Does
    why: str
    recorded: Tally
    tables: tuple[str, ...]
    rules: tuple[Statement, ...]
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


def explain(tool: Tool, world: World) -> Explanation:
    return Explanation(
        name=tool.name,
        does="hands over" if tool.kind.ends else "writes" if tool.kind.writes else "reads",
        why=tool.kind.why,
        recorded=tool.recorded,
        tables=tuple(_table(path, site) for (name, path), site in sorted(world.sites.items()) if name == tool.name),
        rules=tuple(_rules(tool)),
        validation=tuple(_validation(tool.name, world)),
    )


def _table(path: str, site: Site) -> str:
    where = f"at {path}" if path else "as its result"
    key = site.key_field or (f"argument.{site.key_argument}" if site.key_argument else "the id it stands under")
    return f"{site.table} {where}, named by {key}"


def _rules(tool: Tool) -> Iterator[Statement]:
    """In the order in which they are tried, then what the tool does to records that its answer does not show."""
    for rule in tool.rules.values():
        if words := rule.words():
            yield Statement(rule.source, words, getattr(rule, "examples", None))
    for effect in tool.effects:
        yield Statement("effect", effect.words(), effect.examples)


def _validation(name: str, world: World) -> Iterator[Validation]:
    for rule, checked in world.precision.validated(name):
        yield Validation(rule, *checked)
