"""A customer during one conversation: hears what an agent says and answers as this person would."""

import random
from collections.abc import Mapping
from dataclasses import replace

from agent_gym.sample.case import Case, Request
from agent_gym.sample.customers.opening import raise_request
from agent_gym.sample.customers.persona import styled
from agent_gym.sample.grammar import Phrases, joined, tidy
from agent_gym.sample.situations.wording import money
from agent_gym.sample.tables import table
from agent_gym.sample.talk import Leaving, Said, Say
from agent_gym.types import Json

__all__ = ["Customer"]

_ARGUES = {"angry": 0.85, "terse": 0.4, "chatty": 0.45, "plain": 0.45, "typos": 0.4, "polite": 0.25}
_IN_A_HURRY = 0.02  # the chance at each question that the customer has to leave
_GOOD_REFUSALS = ("already", "refunded")  # nothing is done because it has been done: nobody argues with that
_SLOT_OF_WORD = {"plan": "plan_id", "second_plan": "second_plan_id"}
_ALWAYS_UNDERSTOOD = ("service", "cause", "wish", "field")
_ACCOUNT_SLOTS = ("account_id", "email", "name", "home_zip")


class Customer:
    """Mood and memory of one caller. `patience` runs out; `told` is what they remember having said."""

    def __init__(self, case: Case, rng: random.Random) -> None:
        self._case, self._rng = case, rng
        self._phrases = Phrases(table("replies"))
        self._told = {slot for slot in case.told if ":" not in slot}
        self._details: dict[int, set[str]] = {}
        self._raised = list(range(case.raised))
        self._open = list(range(len(case.requests)))
        self._patience = case.patience
        self._switched: set[int] = set()
        self._argued: set[int] = set()
        self._asked_human = 0
        self.irritation = 0.0

    @property
    def insisted(self) -> bool:
        """Whether a human was asked for twice."""
        return self._asked_human >= 2

    def open(self) -> Said:
        told = {slot: self._case.knows[slot] for slot in sorted(self._told)}
        details: dict[int, dict[str, Json]] = {}
        for index in self._raised:
            words = {w.partition(":")[2] for w in self._case.told if w.startswith(f"{index}:")}
            details[index] = self._understood(index, words)
        return Said(self._case.opener, told, details, tuple(self._raised))

    def hear(self, say: Say) -> Said:
        """The reply to an agent's message."""
        self._bother(0.2)
        for index in say.settled:
            if index in self._open:
                self._open.remove(index)
        if self._patience <= 0:
            return self._leave("gave_up", "give_up")
        if say.act not in ("inform", "handover") and self._rng.random() < _IN_A_HURRY:
            return self._leave("rushed", "rush")
        if say.act == "ask":
            return self._answer(say)
        if say.act == "confirm":
            return self._decide(say)
        if say.act == "refuse":
            return self._take_refusal(say)
        if say.act == "handover":
            return Said(self._words("accept" if self._rng.random() < 0.3 else "thanks"), leaving="content")
        return self._go_on(say)

    def turn_down(self, index: int) -> Said:
        """The reply to what nobody asked for, proposed or told: no, and the request once more, while patience lasts."""
        self._bother(0.8)
        if self._patience <= 0:
            return self._leave("gave_up", "give_up")
        core, words = raise_request(self._case.requests[index], self._case.persona, self._rng)
        text = joined(self._plain("not_asked"), core)
        return Said(self._typed(text), details={index: self._understood(index, set(words))}, answer=False)

    def run_out_of_time(self, say: Say | None) -> Said:
        """The last words of somebody who has been here too long, after an agent's words or while waiting."""
        if say is None:
            return self._leave("rushed", "rush")
        self._open = [index for index in self._open if index not in say.settled]
        if say.act in ("inform", "refuse", "handover") and not self._open:
            return Said(self._words("accept" if say.refused else "thanks"), leaving="content")
        return self._leave("rushed", "rush")

    def _bother(self, amount: float) -> None:
        self._patience -= amount
        self.irritation += amount

    def _leave(self, how: Leaving, rule: str) -> Said:
        return Said(self._words(rule), leaving=how)

    def _words(self, rule: str, **slots: str) -> str:
        return self._typed(tidy(self._plain(rule, **slots)))

    def _typed(self, text: str) -> str:
        return styled(text, self._case.persona, self._rng)

    def _plain(self, rule: str, **slots: str) -> str:
        found = self._phrases.first_of(f"{rule}/{self._case.persona}", rule)
        return self._phrases.draw(found, self._rng, slots)[0]

    def _understood(self, index: int, words: set[str]) -> dict[str, Json]:
        """What a listener knows of a request after these words."""
        request = self._case.requests[index]
        slots = {_SLOT_OF_WORD.get(word, word) for word in words} | set(_ALWAYS_UNDERSTOOD)
        self._details.setdefault(index, set()).update(slots)
        return {slot: request.details[slot] for slot in sorted(slots) if slot in request.details}

    def _answer(self, say: Say) -> Said:
        parts: list[str] = []
        told: dict[str, str] = {}
        details: dict[int, dict[str, Json]] = {}
        repeated = False
        for slot in say.slots:
            if slot == "account" or slot in self._case.knows or slot in ("date_of_birth", "passphrase"):
                repeated |= self._tell_identity(slot, parts, told)
            elif say.wish is not None:
                repeated |= self._tell_detail(slot, say.wish, parts, details)
        start = self._plain("again") if repeated else self._plain("sure")
        if repeated:
            self._bother(1.2)
        told_parts = ", ".join([*(part.rstrip(".") for part in parts[:-1]), *parts[-1:]])
        text = tidy(f"{start} {told_parts}")
        if self._case.persona == "chatty" and self._rng.random() < 0.3:
            text = joined(text, self._plain("small_talk"))
        if not text.endswith((".", "?", "!")) and self._rng.random() < 0.4:
            text += "."
        secrets = ("date_of_birth", "passphrase")
        lacks = frozenset(s for s in say.slots if s in secrets and s not in self._case.knows)
        return Said(self._typed(text), told, details, lacks=lacks)

    def _tell_identity(self, slot: str, parts: list[str], told: dict[str, str]) -> bool:
        """Add the words for one identity slot; whether they had been said before."""
        if slot == "account":
            slots = self._account_slots(parts)
        elif slot in self._case.knows:
            slots = [slot]
        elif slot == "passphrase":
            parts.append(self._plain("unknown.passphrase"))
            return False
        else:
            first = "other_birth" not in self._told
            self._told.add("other_birth")
            parts.append(self._plain("unknown.other_birth" if first else "unknown.other_again"))
            return False
        repeated = bool(slots) and all(s in self._told for s in slots)
        other = "other" in self._case.spoken
        for each in slots:
            rule = f"give.{each}"
            if other and f"{rule}/other" in self._phrases:
                rule = f"{rule}/other"
            parts.append(self._plain(rule, **{each: self._case.spoken[each]}))
            told[each] = self._case.knows[each]
            self._told.add(each)
        return repeated

    def _account_slots(self, parts: list[str]) -> list[str]:
        """What to give when asked for the account: its number if known, else another way to find it."""
        knows = self._case.knows
        fresh: list[str] = [s for s in ("account_id", "email") if s in knows and s not in self._told]
        if fresh:
            return fresh[:1]
        if "account_id" not in knows and not self._told & {"email", "home_zip"} and self._rng.random() < 0.6:
            parts.append(self._plain("unknown.account_id"))
        if "home_zip" not in self._told:
            return ["name", "home_zip"]
        return [s for s in _ACCOUNT_SLOTS if s in self._told][:1]

    def _tell_detail(self, slot: str, wish: int, parts: list[str], details: dict[int, dict[str, Json]]) -> bool:
        request = self._case.requests[wish]
        if slot not in request.details:
            parts.append(self._plain("unknown"))
            return False
        repeated = slot in self._details.get(wish, ())
        spoken = self._spoken(request)
        rule = "give.wish_plan" if slot == "plan_id" and "plan" not in request.spoken else f"give.{slot}"
        words, used = self._phrases.draw(
            self._phrases.first_of(f"{rule}/{self._case.persona}", rule), self._rng, spoken
        )
        parts.append(words)
        details.setdefault(wish, {}).update(self._understood(wish, set(used) | {slot}))
        return repeated

    def _spoken(self, request: Request) -> dict[str, str]:
        names = {p["plan_id"]: p["name"] for p in table("catalog")["plans"]}
        spoken = dict(request.spoken)
        if "plan_id" in request.details:
            spoken["plan"] = names[request.details["plan_id"]]
        return spoken

    def _decide(self, say: Say) -> Said:
        assert say.wish is not None
        request = self._case.requests[say.wish]
        wrong = self._mismatch(say.wish, say.proposal)
        if wrong:
            return self._correct(say.wish, wrong)
        if request.mind == "switch" and say.wish not in self._switched:
            return self._switch(say.wish, "switch")
        if request.mind == "drop":
            return Said(self._words("drop"), answer=False)
        fee = say.proposal.get("fee")
        if fee and request.mind == "no_fee":
            return Said(self._words("no_fee", fee=money(fee)), answer=False)
        if fee:
            return Said(self._words("yes_fee", fee=money(fee)), answer=True)
        return Said(self._words("yes"), answer=True)

    def _mismatch(self, wish: int, values: Mapping[str, Json]) -> str | None:
        """The first value that is not what the customer wants."""
        wanted = dict(self._case.requests[wish].details)
        if wish in self._switched:
            wanted["plan_id"] = wanted["second_plan_id"]
        return next((slot for slot, value in values.items() if slot in wanted and wanted[slot] != value), None)

    def _correct(self, wish: int, slot: str) -> Said:
        self._bother(0.8)
        request = self._case.requests[wish]
        # Who reports a fault or a lost device has named the device alone.
        spoken = {"service": str(request.details.get("service")), **self._spoken(request)}
        if wish in self._switched:
            spoken["plan"] = spoken["second_plan"]
        right, used = self._phrases.draw(f"right.{slot}", self._rng, spoken)
        details = self._understood(wish, set(used))
        if wish in self._switched:
            details["plan_id"] = request.details["second_plan_id"]
        return Said(self._words("wrong", right=right), details={wish: details}, answer=False)

    def _switch(self, wish: int, rule: str) -> Said:
        request = self._case.requests[wish]
        self._switched.add(wish)
        text = self._words(rule, second_plan=request.spoken["second_plan"])
        return Said(text, details={wish: {"plan_id": request.details["second_plan_id"]}}, answer=False)

    def _take_refusal(self, say: Say) -> Said:
        index = say.refused[0] if say.refused else 0
        request = self._case.requests[index]
        self._bother(0.3 if request.refused else 0.9)
        eager = _ARGUES.get(self._case.persona, 0.2) + (0.0 if request.refused else 0.3)
        if request.variant in _GOOD_REFUSALS:
            return self._go_on(say)
        if index not in self._argued and self._rng.random() < eager:
            self._argued.add(index)
            return Said(self._words("argue"), argues=True)
        if index in self._argued and self._rng.random() < (0.5 if self._case.persona == "angry" else 0.2):
            self._asked_human += 1
            return Said(self._words("human" if self._asked_human == 1 else "human_again"), wants_human=True)
        return self._go_on(say, accepts=True)

    def _go_on(self, say: Say, *, accepts: bool = False) -> Said:
        """Object to the news, or thank for it; then the next request, a reminder, or good-bye."""
        objection = None if accepts else self._objection(say)
        if objection:
            return objection
        given_up = any(self._case.requests[index].mind in ("no_fee", "drop") for index in say.settled)
        mood = "accept" if accepts or say.refused or given_up else "works_now" if say.restarted else "thanks"
        start = self._plain(mood)
        if not self._open:
            rest = "" if self._rng.random() < 0.45 else self._plain("bye")
            return Said(self._typed(joined(start, rest)), leaving="content")
        index = self._open[0]
        if index in self._raised:
            if say.more:
                return Said(self._typed(tidy(start)))
            if self._rng.random() < 0.2:  # some never notice that half of it was forgotten
                return Said(self._typed(tidy(start)), leaving="content")
            self._bother(0.7)
        else:
            self._raised.append(index)
        core, words = raise_request(self._case.requests[index], self._case.persona, self._rng)
        text = joined(start, f"{self._plain('next')} {core}")
        return Said(self._typed(text), details={index: self._understood(index, set(words))}, raised=(index,))

    def _objection(self, say: Say) -> Said | None:
        """What the customer has to say against the news, if anything; it opens the request again."""
        for index in say.restarted:
            if self._case.requests[index].variant != "restart":
                self._bother(0.6)
                return self._reopen(index, Said(self._words("still_broken")))
        for index, done in say.news.items():
            if done.get("fee") and self._case.requests[index].mind == "no_fee":
                self._bother(2.0)
                return Said(self._words("fee_late", fee=money(done["fee"])), leaving="gave_up")
            wrong = self._mismatch(index, done)
            if wrong and self._rng.random() < 0.6:  # some do not read so closely
                return self._reopen(index, self._correct(index, wrong))
        for index in say.settled:
            late = self._case.requests[index].mind == "switch" and index not in self._switched
            if late and self._rng.random() < 0.7:
                return self._reopen(index, self._switch(index, "switch_late"))
        return None

    def _reopen(self, index: int, said: Said) -> Said:
        if index not in self._open:
            self._open.insert(0, index)
        return replace(said, raised=(index,))
