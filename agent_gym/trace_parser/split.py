"""The bytes of a JSON document in, where its records lie out: each can then be read, or refused, by itself."""

import re
from collections.abc import Generator, Iterator

__all__ = ["is_complete", "record_spans"]

_WRAPPERS = (b'"data"', b'"traces"', b'"conversations"')
_STRING = rb'"(?:[^"\\]++|\\.)*+"'  # matched whole, so that the brackets inside it do not count
_TOKEN = re.compile(_STRING + rb'|["\[\]{}]', re.DOTALL)
# Everything up to the next bracket; a quote that is never closed, or the end, stands for there being none.
_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb')*+([\[\]{}"]|\Z)', re.DOTALL)
_SCALAR = re.compile(_STRING + rb"|[^,\]\s]+", re.DOTALL)
_BETWEEN = re.compile(rb"[\s,]*")
_OPENS_LIST = re.compile(rb"\s*:\s*\[(?=\s*[{\]])")


def is_complete(document: bytes, start: int) -> bool:
    """Whether the object or array that opens at `start` is closed again."""
    return _closed(document, start) is not None


def record_spans(document: bytes) -> Iterator[tuple[int, int]]:
    """(start, end) of every record: the items of an array or of a wrapper's array, or the objects themselves.

    Text that is no record comes out as a span of its own, so that nothing is passed over in silence.
    """
    at = _skip(document, 0)
    while at < len(document):
        end: int | None
        opening = _array_of_records(document, at)
        if opening is None:
            end = _closed(document, at) if document[at : at + 1] == b"{" else None
            yield at, len(document) if end is None else end
        else:
            end = yield from _items(document, opening + 1)
            if opening != at and end is not None:
                end = _closed(document, end, depth=1)
        at = len(document) if end is None else _skip(document, end)


def _skip(document: bytes, at: int) -> int:
    match = _BETWEEN.match(document, at)
    return match.end() if match else at


def _closed(document: bytes, start: int, depth: int = 0) -> int | None:
    """Where the bracket that opens at `start`, or did so `depth` levels above it, has been closed."""
    for match in _BRACKET.finditer(document, start):
        bracket = match[1]
        if bracket in (b"{", b"["):
            depth += 1
        elif bracket in (b"}", b"]"):
            depth -= 1
            if depth <= 0:
                return match.end()
        else:
            break
    return None


def _array_of_records(document: bytes, start: int) -> int | None:
    """Where the array opens: right here, or behind a wrapper's key that has no messages beside it."""
    if document[start : start + 1] == b"[":
        return start
    depth = 0
    for match in _TOKEN.finditer(document, start):
        token = match.group()
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif depth == 1 and token == b'"messages"':
            return None
        elif depth == 1 and token in _WRAPPERS:
            opens = _OPENS_LIST.match(document, match.end())
            if opens and _holds_records(document, opens.end() - 1):
                return opens.end() - 1
        if depth == 0:
            return None
    return None


def _holds_records(document: bytes, opening: int) -> bool:
    """An empty list may; a list of bare turns is one conversation of another format."""
    closing = _closed(document, opening) or len(document)
    return b'"messages"' in document[opening:closing] or not document[opening + 1 : closing - 1].strip()


def _items(document: bytes, at: int) -> Generator[tuple[int, int], None, int | None]:
    """The items up to the closing bracket; returns where that is, None if the document ends before it."""
    while (at := _skip(document, at)) < len(document):
        if document[at : at + 1] == b"]":
            return at + 1
        if document[at : at + 1] in (b"{", b"["):
            end = _closed(document, at)
        else:
            scalar = _SCALAR.match(document, at)
            end = scalar.end() if scalar else None
        yield at, len(document) if end is None else end
        at = len(document) if end is None else end
    return None
