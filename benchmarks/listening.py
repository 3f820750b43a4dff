"""An agent's plain words in, the move behind them out, as a customer of the sample business would take them.

The generator's customers hear moves: what is asked for, proposed or refused, and which wishes are settled. Its own
agents say what they mean; of any other agent it is read here from the words, the calls made since, and the end state.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent_gym.sample import Backend, Case, Request
from agent_gym.sample.backend import Answer
from agent_gym.sample.case import mentioned
from agent_gym.sample.customers import Customer
from agent_gym.sample.tables import catalog
from agent_gym.sample.talk import Act, Said, Say
from agent_gym.types import Json, ToolCall

__all__ = ["Done", "Listener"]

Done = Sequence[tuple[ToolCall, Answer]]  # the calls since the customer last heard anything
_SLOTS = {
    "new_email": r"new e-?mail|your email, please.*contact",
    "new_phone": r"new (?:phone|number)|your phone, please",
    "street": r"new address|your street|your (?:city|zip), please.*address",
    "month": r"(?:which|what) (?:month|bill)",
    "zip": r"(?:which|what) zip|your zip, please.*outage",
    "plan_id": r"which (?:one|plan|would suit)|what would you like to take|your plan",
    "code": r"(?:the|your) code",
    "passphrase": r"passphrase",
    "date_of_birth": r"date of birth|birthday",
    "account": r"account (?:number|id)|e-?mail|full name|your name|your zip|find you",
}
_REQUESTS = re.compile(r"\?|please|\bneed\b|could you|may i|can i", re.IGNORECASE)
_FOR_A_YES = re.compile(
    r"shall i|go ahead|is (?:that|it) (?:right|ok|what)|ok(?:ay)?\?|correct\?|right\?|yes\?|do you (?:agree|want)"
    r"|would you (?:still )?like|anyway\?|would that be|save (?:it|that)\?|want me to",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"unfortunately|\bsorry\b(?! for)|can'?t|cannot|only (?:do this with )?the account holder|no refund|already"
    r"|no longer|don'?t serve|nothing i can do|rule applies|within 60 days|only one charge|won'?t let me",
    re.IGNORECASE,
)
_ONLY_MORE = re.compile(r"^\W*(?:[^.!?]*\b(?:anything|something) else\b[^.!?]*[.!?]\W*)+$", re.IGNORECASE)
_GOES_ON = re.compile(r"other question|the other thing|second (?:point|request)", re.IGNORECASE)
_MONEY = re.compile(r"\$ ?([\d,]+(?:\.\d+)?)|\b(\d+\.\d\d)\b")
_NEWS = 7  # words; what is shorter promises to look, or leaves things as they are
_KEPT = re.compile(r"left everything|nothing has been changed|leave it like|won'?t change|as it is", re.IGNORECASE)
_TOPICS = {
    "cancel": r"cancel",
    "upgrade": r"move|switch|change|instead|plan|you're on",
    "downgrade": r"move|switch|change|instead|plan|you're on",
    "coupon": r"coupon|code|add",
    "renewal": r"renew|switched it off",
    "term_question": r"term|bound to",
    "refund": r"refund|invoice|charge",
    "bill_question": r"bill|plan there|the difference is",
    "balance_question": r"balance|owe|open bill|paid",
    "fault": r"restart|outage|online|router|replace|technician",
    "lost_device": r"new|replace|lost",
    "move": r"address|serve",
    "contact": r"save|e-?mail|phone|account now|change it|confirm: \S+\.",
    "outage_question": r"outage",
    "plan_question": r"plan|(?:a|per) month",
    "ticket_question": r"ticket|technician|visit|scheduled",
    "visit": r"install|ticket",
    "handover": r"colleague|specialist",
}
_CHANGES = ("cancel", "upgrade", "coupon", "renewal", "refund", "fault", "move", "visit")
_PASSED_ON = re.compile(_TOPICS["handover"], re.IGNORECASE)  # whatever the wish was
_VALUES = {"street": r"\b\d+ [A-Z]\w+", "new_email": r"\S+@\S+", "new_phone": r"\d{3}-\d{3}-\d{4}"}


@dataclass
class Listener:
    """A customer who reads. `raised` are the wishes told so far, `settled` those that are."""

    case: Case
    backend: Backend
    customer: Customer
    raised: list[int] = field(init=False)
    settled: set[int] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.raised = list(range(self.case.raised))
        self._ends = [
            [set(self.case.after(steps).database.changes()) for steps in (request.steps, request.or_steps) if steps]
            for request in self.case.requests
        ]

    def hear(self, text: str, done: Done, *, late: bool) -> Said:
        """What the customer says to these words; `late`: there is no more time."""
        say = self.read(text, done)
        self.settled |= set(say.settled)
        if not late and say.wish is not None and self._turned_down(say, text):
            return self.customer.turn_down(say.wish)
        said = self.customer.run_out_of_time(say) if late else self.customer.hear(say)
        self.raised += [index for index in said.raised if index not in self.raised]
        self.settled -= set(said.raised)
        return said

    def read(self, text: str, done: Done) -> Say:
        """The move behind the words."""
        slots, wish = _asked(text), self._about(text)
        act: Act = "ask" if slots else "confirm" if "?" in text and _FOR_A_YES.search(text) else "inform"
        if act == "inform" and _REFUSES.search(text):
            act = "refuse"
        settled = self._settled(text, act, wish)
        worked = [(call, answer) for call, answer in done if not answer.is_error]
        restarted = any(call.name == "restart_device" for call, _ in worked) and "restart" in text.lower()
        fault = self.case.requests[wish].kind == "fault"
        return Say(
            text,
            act,
            slots,
            wish,
            self._proposed(self.case.requests[wish], text),
            settled=settled,
            refused=(wish,) if act == "refuse" else (),
            news={wish: dict(self._news(worked))} if wish in settled else {},
            restarted=(wish,) if restarted and fault and act == "inform" else (),
            more=bool(_GOES_ON.search(text)),
        )

    def _open(self) -> list[int]:
        return [index for index in self.raised if index not in self.settled] or self.raised[-1:]

    def _about(self, text: str) -> int:
        """The open wish the words are about; of equals, the one raised first."""
        return max(self._open(), key=lambda index: (_fit(self.case.requests[index], text), -index))

    def _turned_down(self, say: Say, text: str) -> bool:
        """Whether the customer says that this is not what they came for."""
        assert say.wish is not None
        if say.act == "confirm":
            return self._beside_the_point(say.wish, text)
        return say.act == "inform" and not say.settled and self._is_news(text)

    def _is_news(self, text: str) -> bool:
        told = len(re.findall(r"\w+", text)) >= _NEWS or _KEPT.search(text)
        return bool(told) and not _ONLY_MORE.match(text)

    def _beside_the_point(self, wish: int, text: str) -> bool:
        """Whether a proposal is about a change, and not the one wished for."""
        request = self.case.requests[wish]
        other = any(re.search(_TOPICS[kind], text, re.IGNORECASE) for kind in _CHANGES)
        # Who asks how long a contract runs wants no change of it, even if the contract is named.
        wants_none = request.kind.endswith("_question")
        return other and (wants_none or not _fit(request, text))

    def _settled(self, text: str, act: Act, wish: int) -> tuple[int, ...]:
        """What the words settle: the wish they are about if they are news, and any whose ending is told and done."""
        found = {index for index in self._open() if self._reached(index, text)}
        if act in ("ask", "confirm"):
            return tuple(sorted(found - {wish}))
        # What is about something else settles nothing.
        to_the_point = bool(_KEPT.search(text) or _PASSED_ON.search(text)) or _fit(self.case.requests[wish], text) > 0
        if act == "refuse" or (self._is_news(text) and to_the_point):
            found.add(wish)
        return tuple(sorted(found))

    def _reached(self, index: int, text: str) -> bool:
        """Whether the facts of a wish are told, or, where it has none, its changes made."""
        facts = self.case.requests[index].facts
        if facts:
            return all(any(mentioned(form, text.lower()) for form in fact) for fact in facts)
        reached = set(self.backend.database.changes())
        return any(_without_numbers(end) <= _without_numbers(reached) for end in self._ends[index])

    def _proposed(self, request: Request, text: str) -> dict[str, Json]:
        """The values of the words, under the names of the wish's details."""
        found: dict[str, Json] = {}
        low = text.lower()
        plans = [p for p in catalog()["plans"] if mentioned(p["name"], low) or mentioned(p["plan_id"], low)]
        fresh = [p for p in plans if p["name"] != request.spoken.get("current")]
        if "plan_id" in request.details and fresh:
            found["plan_id"] = fresh[0]["plan_id"]
        elif plans and "service" in request.details:
            found["service"] = plans[0]["kind"]
        if codes := [c["code"] for c in catalog()["coupons"] if c["code"].lower() in low]:
            found["code"] = codes[0]
        amounts = [float((signed or plain).replace(",", "")) for signed, plain in _MONEY.findall(text)]
        if request.kind == "refund" and amounts:
            wanted = request.details.get("amount")
            found["amount"] = wanted if wanted in amounts else amounts[0]
        elif fees := [amount for amount in amounts if amount in catalog()["fees"].values()]:
            found["fee"] = fees[0]
        for slot, form in _VALUES.items():
            value = str(request.details.get(slot, ""))
            if value and value.lower() not in low and re.search(form, text):
                found[slot] = "another"
        return found

    def _news(self, worked: Done) -> Iterator[tuple[str, Json]]:
        """What was done, as a customer sees it on the next bill."""
        for call, answer in worked:
            if call.name == "cancel_subscription":
                row = self.case.database.get("subscriptions", str(call.arguments.get("subscription_id")))
                if row is not None:
                    yield "service", row["kind"]
            elif call.name == "change_plan":
                yield "plan_id", call.arguments.get("plan_id")
            elif call.name == "issue_refund":
                yield "amount", call.arguments.get("amount")
            if isinstance(answer.result, Mapping) and answer.result.get("fee"):
                yield "fee", answer.result["fee"]


def _fit(request: Request, text: str) -> int:
    """How much the words are about the wish: its topic, and its values."""
    topic = 2 * bool(re.search(_TOPICS[request.kind], text, re.IGNORECASE))
    return topic + sum(str(value).lower() in text.lower() for value in request.spoken.values())


def _without_numbers(changed: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Changed records by table and key; of a ticket the number does not matter."""
    return {(table, "" if table == "tickets" else key) for table, key in changed if table != "customers"}


def _asked(text: str) -> tuple[str, ...]:
    """What the words ask for."""
    found: list[str] = []
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        if _REQUESTS.search(sentence):
            slots = [slot for slot, words in _SLOTS.items() if re.search(words, sentence, re.IGNORECASE)]
            if {"new_email", "zip", "street"} & set(slots) and "account" in slots:
                slots.remove("account")
            if {"passphrase", "date_of_birth"} <= set(slots):
                slots.remove("passphrase")
            found += slots
    return tuple(dict.fromkeys(found))
