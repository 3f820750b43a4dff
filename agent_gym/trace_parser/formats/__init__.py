"""The formats that are read, most specific first; other packages add theirs by the entry point `agent_gym.formats`."""

from agent_gym.trace_parser.formats.format import Draft, Format, Item, Warned

__all__ = ["FORMATS", "Draft", "Format", "Item", "Warned", "format_names"]

FORMATS: tuple[Format, ...] = ()


def format_names() -> tuple[str, ...]:
    """Every name that `format=` takes."""
    return tuple(form.name for form in FORMATS)
