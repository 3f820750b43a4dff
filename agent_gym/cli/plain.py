"""Text of a log in, text that a terminal only shows out. Light: every command needs it."""

from rich.markup import escape

__all__ = ["plain"]


def plain(text: str) -> str:
    """Safe to print: no control characters, no markup."""
    return escape("".join(c if c.isprintable() or c == "\n" else " " for c in text))
