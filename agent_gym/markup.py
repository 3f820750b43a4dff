"""Text and elements in, HTML out: whatever is not made here is escaped, so trace text can never be more than text."""

import html
import unicodedata
from collections.abc import Iterable
from typing import TypeAlias

__all__ = ["Content", "Markup", "card", "el", "joined", "table", "text"]

Content: TypeAlias = "Markup | str | int | float | Iterable[Content] | None"
_VOID = frozenset({"br", "hr", "input", "meta"})
_LONGEST = 4000  # characters of one text: a report is to be read


class Markup(str):
    """HTML that was made here, and nowhere else."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Plain text: escaped, without control characters, and cut where nobody reads on."""
    plain = "".join(c for c in str(value) if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    cut = f"{plain[:_LONGEST]} … ({len(plain) - _LONGEST:,} characters more)" if len(plain) > _LONGEST else plain
    return Markup(html.escape(cut, quote=True))


def el(tag: str, /, *content: Content, **attributes: str | float | bool | None) -> Markup:
    """An element. `class_` is class; an attribute that is None or False is left out, `data_x` is data-x."""
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    if tag in _VOID and not content:
        return Markup(f"<{tag}{given}>")
    return Markup(f"<{tag}{given}>{joined(content)}</{tag}>")


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def joined(content: Content) -> Markup:
    if content is None:
        return Markup()
    if isinstance(content, Markup):
        return content
    if isinstance(content, str | int | float):
        return text(content)
    return Markup("".join(joined(part) for part in content))


def table(
    columns: Iterable[str], rows: Iterable[Iterable[Content]], *, numbers: frozenset[int] = frozenset()
) -> Markup:
    """A table; the columns counted in `numbers` are set to the right."""
    head = el("tr", [el("th", column, class_="n" if at in numbers else None) for at, column in enumerate(columns)])
    body = [el("tr", [el("td", c, class_="n" if at in numbers else None) for at, c in enumerate(r)]) for r in rows]
    return el("div", el("table", el("thead", head), el("tbody", body)), class_="wide")


def card(title: str, lead: str, rows: Iterable[tuple[str, object]]) -> str:
    """A small table for a notebook: it brings its own look, since it stands in another's page."""
    cell = "text-align:left;vertical-align:top;padding:2px 10px 2px 0;white-space:pre-wrap"
    body = [el("tr", el("td", el("b", name), style=cell), el("td", str(told), style=cell)) for name, told in rows]
    head = el("div", el("b", title), " ", lead)
    return el("div", head, el("table", el("tbody", body)), style="max-width:60em;overflow-x:auto")
