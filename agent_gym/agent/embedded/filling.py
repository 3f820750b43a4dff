"""A recorded reply said again: its template and this conversation in, the text with this conversation's values out.

A sentence is said only if each value in it can be taken from the same place of this conversation, or stands in
this conversation anyway; other sentences are left out, and a reply of which nothing is left is no reply.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent_gym.agent.embedded.leaves import Leaf, arguments_of, norm_of
from agent_gym.agent.embedded.manner import offers_more
from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.agent.embedded.replies import LIST_MARK, Origin, Reply, ReplyBook, Sentence, Slot, held, roles_of
from agent_gym.agent.embedded.shape import form_of
from agent_gym.agent.embedded.sources import described, fitting, preferred
from agent_gym.agent.embedded.talk import State, is_over
from agent_gym.text import Value
from agent_gym.types import Json

__all__ = ["Filled", "fill", "known_in"]

_HAS_VALUE = re.compile(r"\d.* | .*\d")


@dataclass(frozen=True, slots=True)
class Filled:
    """A reply for this conversation: the share of the record's that is kept, the share of its values that are
    the same, the share of its topics of which nobody here has spoken, and whether a plain word of a tool's answer is
    another here: what was said of a device that is online is seldom right of one that is offline."""

    text: str
    kept: float = 1.0
    same: float = 1.0
    foreign: float = 0.0
    turned: bool = False


def known_in(state: State) -> frozenset[str]:
    """The values and words that stand in the conversation: the customer's and the tools'.

    The agent's own earlier words are not among them: a mistake must not vouch for itself."""
    texts = [text for _, text in state.turns]
    texts += [leaf.value for leaf in state.leaves if isinstance(leaf.value, str) and _HAS_VALUE.search(leaf.value)]
    known = {leaf.norm for leaf in state.leaves}
    known |= held(state)
    return frozenset(known | {value.norm for text in texts for value in values_in(text)})


def _grounded(text: str, known: frozenset[str], policy: str) -> bool:
    return all(
        _stands(value, known, policy) for line in text.split("\n") for value in values_in(LIST_MARK.sub("", line))
    )


def _stands(value: Value, known: frozenset[str], policy: str) -> bool:
    if value.norm in known or value.text in policy or (value.kind == "amount" and value.norm in _sums_in(policy)):
        return True
    if value.kind == "name":  # two values side by side read as one name
        return all(word in known for word in tokens(value.text))
    return False


@lru_cache(maxsize=16)
def _sums_in(policy: str) -> frozenset[str]:
    """The sums that a policy names, with or without a sign: `costs 45.00`."""
    return frozenset(v.norm for v in values_in(policy) if v.kind == "amount" or "." in v.text)


def fill(
    reply: Reply,
    state: State,
    known: frozenset[str],
    bound: Mapping[str, Mapping[str, Json]],
    book: ReplyBook,
) -> Filled | None:
    """The reply with this conversation's values. `known` are the norms and words that stand in it; `bound` are
    arguments, by tool, of calls the reply prepares; `book` knows how recorded agents speak."""
    policy = "\n".join(m.text for m in state.talk.messages[: state.at] if m.role == "system")
    here = _Here(state, known, policy, bound, book)
    said = [here.say(sentence) for sentence in reply.sentences]
    # A lead-in whose list could not be said leads nowhere.
    for i in reversed(range(len(said))):
        if reply.sentences[i].text.rstrip().endswith(":") and not any(said[i + 1 : i + 2]):
            said[i] = None
    kept = [text + (s.end or " ") for text, s in zip(said, reply.sentences, strict=True) if text]
    text = "".join(kept).strip()
    if len(tokens(text)) < 2 or (_is_hollow(reply, said) and offers_more(text)):
        return None
    size = sum(len(sentence.text) for sentence in reply.sentences)
    whole = sum(len(s.text) for t, s in zip(said, reply.sentences, strict=True) if t)
    foreign = len(reply.topics - known) / max(3, len(reply.topics))
    return Filled(text, whole / size, here.same_share(), foreign, here.turned)


def _is_hollow(reply: Reply, said: Sequence[str | None]) -> bool:
    """Whether the record told values and nothing of that can be said here."""
    telling = [bool(text) for text, sentence in zip(said, reply.sentences, strict=True) if sentence.slots]
    return bool(telling) and not any(telling)


class _Here:
    """The present conversation as the source of a reply's values; the same recorded value is the same here."""

    def __init__(
        self,
        state: State,
        known: frozenset[str],
        policy: str,
        bound: Mapping[str, Mapping[str, Json]],
        book: ReplyBook,
    ) -> None:
        self._state, self._known, self._policy, self._bound, self._book = state, known, policy, bound, book
        self._standing: dict[str, str] = {}  # recorded norm → present norm
        self._same: list[bool] = []
        self.turned = False
        self._rows: list[Json] = []  # the records told of so far: what else is said of one of several is said of these

    def say(self, sentence: Sentence) -> str | None:
        """The sentence with present values, or None if one of them is not to be had."""
        text = sentence.text
        for slot in reversed(sentence.slots):
            value = self._value(slot)
            if value is None:
                return None
            said = _styled(value, slot.text)
            self._same.append(norm_of(said) == norm_of(slot.text))
            # What was said of a day to come is seldom right of one that is over.
            self.turned |= slot.over is not None and slot.over != is_over(norm_of(said), self._state.talk.today)
            if not self._same[-1] and slot.text.isalpha() and slot.text.islower():
                if not self._book.can_stand(text[: slot.start], said, text[slot.end :]):
                    return None
                self.turned = True
            text = text[: slot.start] + said + text[slot.end :]
        return text if not sentence.slots or _grounded(text, self._known, self._policy) else None

    def same_share(self) -> float:
        return sum(self._same) / len(self._same) if self._same else 1.0

    def _value(self, slot: Slot) -> Json:
        recorded = norm_of(slot.text)
        for origin in slot.origins:
            values = self._values(origin, form_of(slot.text))
            if len(values) == 1 or (values and origin.listed and len(values) == origin.among):
                value = values[0] if len(values) == 1 else values[origin.place]
                # Two things of the record must not become one thing here.
                others = {norm for old, norm in self._standing.items() if old != recorded}
                if norm_of(value) in others:
                    continue
                self._standing[recorded] = norm_of(value)
                return value
        if slot.origins:
            return None
        stands = recorded in self._known or slot.text in self._policy
        return slot.text if stands or any(_stands(v, self._known, self._policy) for v in values_in(slot.text)) else None

    def _values(self, origin: Origin, form: str) -> list[Json]:
        """What stands at the origin's place here: one value, all of a list, or nothing."""
        source = origin.source
        if source.kind == "argument" and source.path in self._bound.get(source.tool, {}):
            value = self._bound[source.tool][source.path]
            return value if isinstance(value, list) else [value]
        if source.kind == "said":
            said = [s.value for s in self._state.said if s.value.kind == source.path and form_of(s.value.text) == form]
            said = [value for value in said if self._same_kind(value.norm, origin)]
            return list({value.norm: value.text for value in said}.values())
        leaves = self._state.at_place(source.tool, source.path, source.kind == "found")
        leaves = [leaf for leaf in leaves if leaf.call == leaves[-1].call]
        if len({leaf.norm for leaf in leaves}) > 1 and not origin.listed:
            leaves = self._singled_out(leaves)
            self._rows += [leaf.holder for leaf in leaves]
        return list({leaf.norm: leaf.value for leaf in leaves}.values())

    def _singled_out(self, leaves: Sequence[Leaf]) -> Sequence[Leaf]:
        """The one the last call was about, else the one the customer described."""
        about = {norm_of(value) for value in arguments_of(self._state.calls[-1].call).values()}
        meant = [leaf for leaf in leaves if any(leaf.holder is row for row in self._rows)]
        meant = meant or [leaf for leaf in leaves if about & {norm_of(value) for value in _fields(leaf.holder)}]
        if len({leaf.norm for leaf in meant}) == 1:
            return meant
        pointed = described(leaves, self._state, several=False)
        if pointed or len(leaves) < 2:
            return pointed
        distinct = list({leaf.norm: leaf for leaf in leaves}.values())
        among = fitting(distinct, self._state) or distinct
        best = preferred(distinct, self._book.prefers.get((leaves[0].tool, leaves[0].path), {}), among)
        return [best] if best else []

    def _same_kind(self, norm: str, origin: Origin) -> bool:
        """Whether both or neither are what a thing is called, and the tools know the value in a field in which they
        knew the recorded one, if they know both."""
        if (norm in self._book.things) != origin.thing:
            return False
        roles = roles_of(norm, self._state)
        return not roles or not origin.roles or bool(roles & origin.roles)


def _fields(holder: Json) -> list[str]:
    items = list(holder.values()) if isinstance(holder, Mapping) else []
    return [item for item in items if isinstance(item, str)]


def _styled(value: Json, like: str) -> str:
    """The value written as the record wrote its own: money with its sign and cents, words with their case."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        cents = bool(re.search(r"\.\d\d\b", like)) or not float(value).is_integer()
        number = f"{abs(value):,.2f}" if cents else f"{abs(int(value))}"
        sign = next((c for c in like if c in "$€£"), "")
        return ("-" if value < 0 else "") + (sign + number if like.lstrip("-")[:1] == sign else number)
    text = str(value)
    if like[:1].isupper() and text.islower() and " " not in like and text.isalpha():
        return text.capitalize()
    return text
