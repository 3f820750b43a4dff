"""A trace in, the same trace out with a stand-in for every personal value: the second pass, and the scan after it."""

import hashlib
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence

from agent_gym.trace_parser.redact.dates import date_in, dates_in
from agent_gym.trace_parser.redact.forms import forms, is_wide
from agent_gym.trace_parser.redact.kinds import Kind, Token, fold, token_texts, tokens, words
from agent_gym.trace_parser.redact.known import Change, Known, Own, kind_of
from agent_gym.trace_parser.redact.lexicon import Lexicon, relaid
from agent_gym.trace_parser.redact.patterns import pattern_hits
from agent_gym.trace_parser.redact.people import name_words
from agent_gym.trace_parser.redact.prose import values_said
from agent_gym.trace_parser.redact.walk import Leaf, walked, walked_trace
from agent_gym.types import Json, Trace

__all__ = ["Redactor"]

_SHORT, _REMEMBERED = 80, 50_000  # characters, and how many such texts
_ONLY_IN_PROSE = ("postcode", "birth_date", "card_part")  # alone in a field, such a number may be anything


class Redactor:
    """Made once from all that is known of a log; counts what it replaces."""

    def __init__(self, known: Known, key: bytes | None = None) -> None:
        """Without a key one is drawn, and gone with this object: nobody can redact alike again."""
        self._known = known
        self._lexicon = Lexicon(known, key or secrets.token_bytes(32))
        self._heads = frozenset({*known.words, *known.joined, *known.entries.lengths})
        self._memory: dict[tuple[str, bool], Sequence[Change]] = {}
        self._said: dict[str, frozenset[str]] = {}
        self._left: dict[str, list[Kind]] = {}
        self.times: Counter[Kind] = Counter()
        self.values: dict[Kind, set[bytes]] = {}  # digests of what was replaced

    def drained(self) -> tuple[Counter[Kind], dict[Kind, set[bytes]]]:
        """`times` and `values` since the last call."""
        counted = self.times, self.values
        self.times, self.values = Counter(), {}
        return counted

    def trace(self, trace: Trace) -> Trace:
        own = self._own(trace)
        return walked_trace(trace, lambda leaf: self._leaf(leaf, own))

    def json(self, value: Json, trace: Trace, tool: str = "") -> Json:
        """A value that belongs to a trace, such as what a tool answers in its case, redacted as the trace is."""
        own = self._own(trace)
        return walked(value, lambda leaf: self._leaf(leaf, own), tool)

    def text(self, text: str, own: Own | None = None, prose: bool = True) -> str:
        out, at = [], 0
        for change in self._changes(text, own or Own(), prose):
            out += [text[at : change.start], change.new]
            at = change.end
            self._count(change.kind, text[change.start : change.end])
        return "".join([*out, text[at:]]) if out else text

    def left_in(self, text: str) -> list[Kind]:
        """The kinds of personal values that a text which was redacted still holds: none, or something is wrong."""
        if (known := self._left.get(text)) is not None:
            return known
        changes = self._changes(text, Own(), prose=" " in text.strip())
        left = [c.kind for c in changes if not self._lexicon.made(c.kind, text[c.start : c.end])]
        if len(text) <= _SHORT:
            if len(self._left) > _REMEMBERED:
                self._left.clear()
            self._left[text] = left
        return left

    def _own(self, trace: Trace) -> Own:
        own = Own()

        def note(kind: Kind, value: str) -> None:
            for found in forms(kind, value):
                # A password may be any word; where it is somebody's, it is one.
                everyday = kind in ("secret", "username") and found[0] in self._known.vocabulary
                if (everyday or not is_wide(kind, found)) and len("".join(found)) > 2:
                    own.entries.add(found, kind)

        def visit(leaf: Leaf) -> Json:
            kind = kind_of(leaf, self._known.people) if leaf.keys else None
            if kind == "name":
                own.words.update(name_words(str(leaf.value)))
            elif kind is not None:
                note(kind, str(leaf.value))
            return leaf.value

        walked_trace(trace, visit)
        for kind, value in values_said(trace.messages):
            note(kind, value)
        return own

    def _leaf(self, leaf: Leaf, own: Own) -> Json:
        text = str(leaf.value)
        kind = kind_of(leaf, self._known.people) if leaf.keys else None
        if kind is None or (kind == "city" and fold(text) not in self._known.cities):
            prose = not leaf.keys or " " in text.strip()
            return self.text(text, own, prose) if isinstance(leaf.value, str) else leaf.value
        new = self._field(kind, text, own)
        return new if isinstance(leaf.value, str) else type(leaf.value)(new)

    def _field(self, kind: Kind, text: str, own: Own) -> str:
        """A whole value of a known kind."""
        text = text.strip()
        if kind == "birth_date" and (written := date_in(text)):
            self._count(kind, text[: written.end])
            return written.rewritten(text, self._lexicon.day(written.day)) + text[written.end :]
        if pattern_hits(text):
            return self.text(text, own)
        self._count(kind, text)
        found = tokens(text)
        return relaid(text, found, self._lexicon.words(kind, [token.text for token in found]))

    def _count(self, kind: Kind, text: str) -> None:
        self.times[kind] += 1
        digest = hashlib.blake2b(fold(text).encode(errors="replace"), digest_size=8).digest()
        self.values.setdefault(kind, set()).add(digest)

    def _changes(self, text: str, own: Own, prose: bool) -> Sequence[Change]:
        """What to replace, in order of place."""
        if len(text) > _SHORT:
            return self._found(text, frozenset(token_texts(text)), own, prose)
        known = own.changes.get((text, prose))
        if known is None:
            known = own.changes[text, prose] = self._remembered(text, own, prose)
        return known

    def _remembered(self, text: str, own: Own, prose: bool) -> Sequence[Change]:
        """The same for keys, ids and enumerated values, which come thousands of times in many conversations."""
        said = self._said.get(text) or frozenset(token_texts(text))
        private = not (own.words.isdisjoint(said) and own.entries.lengths.keys().isdisjoint(said))
        if private:
            return self._found(text, said, own, prose)
        known = self._memory.get((text, prose))
        if known is None:
            if len(self._memory) > _REMEMBERED:
                self._memory.clear()
                self._said.clear()
            known = self._memory[text, prose] = self._found(text, said, own, prose)
            self._said[text] = said
        return known

    def _found(self, text: str, said: frozenset[str], own: Own, prose: bool) -> Sequence[Change]:
        """What its form gives away first, then birthdays, then the dictionary."""
        changes: list[Change] = []
        for hit in pattern_hits(text):
            new = self._lexicon.by_form(hit.kind, text[hit.start : hit.end], hit.norm)
            changes.append(Change(hit.start, hit.end, new, hit.kind))
        more = [*self._births(text)] if prose and self._known.births else []
        if not all(heads.isdisjoint(said) for heads in (self._heads, own.words, own.entries.lengths.keys())):
            more += self._by_dictionary(text, own, prose)
        for change in more:
            if all(change.end <= other.start or change.start >= other.end for other in changes):
                changes.append(change)
        return sorted(changes, key=lambda change: change.start)

    def _births(self, text: str) -> Iterator[Change]:
        for written in dates_in(text):
            if written.day in self._known.births:
                new = written.rewritten(text, self._lexicon.day(written.day))
                yield Change(written.start, written.end, new, "birth_date")

    def _by_dictionary(self, text: str, own: Own, prose: bool) -> Iterator[Change]:
        found = tokens(text)
        for dictionary in (self._known.entries, own.entries):
            for match in dictionary.matches(text, found):
                if prose or match.kind not in _ONLY_IN_PROSE:
                    yield self._change(text, match.tokens, match.kind)
        before = ""
        for token in found:
            # In "San Jose" nobody is called Jose.
            if before not in words().towns and (kind := self._word_kind(token, text, own, prose)):
                yield self._change(text, [token], kind)
            before = token.text

    def _change(self, text: str, found: Sequence[Token], kind: Kind) -> Change:
        start, end = found[0].start, found[-1].end
        moved = [Token(token.text, token.start - start, token.end - start) for token in found]
        new = relaid(text[start:end], moved, self._lexicon.words(kind, [token.text for token in found]))
        return Change(start, end, new, kind)

    def _word_kind(self, token: Token, text: str, own: Own, prose: bool) -> Kind | None:
        if token.text in self._known.joined:
            return "name"
        if token.text in own.words and prose and text[token.start].isupper() and len(token.text) > 1:
            return "name"
        return self._known.words.get(token.text)
