"""An agent at work: what it has understood so far, and the moves that all requests are handled with."""

import random
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Literal

from agent_gym.sample.agents.skill import Skill
from agent_gym.sample.agents.voice import Voice
from agent_gym.sample.backend import Answer
from agent_gym.sample.talk import Act, Calls, Feedback, Move, Said, Say
from agent_gym.types import Json, ToolCall

__all__ = ["Desk", "Verdict", "Wish", "code_of"]

_READS = ("find_", "lookup_", "get_", "list_", "check_", "verify_")
Verdict = Literal["yes", "no", "changed"]


@dataclass(slots=True)
class Wish:
    """A request as the agent has understood it."""

    index: int
    kind: str
    known: dict[str, Json]


class Desk:
    """The state of one agent in one conversation. Every method that speaks or calls is a generator of moves."""

    def __init__(self, skill: Skill, voice: Voice, rng: random.Random, kinds: Mapping[int, str]) -> None:
        self.skill, self.voice, self.rng = skill, voice, rng
        self._kinds = kinds
        self.told: dict[str, str] = {}
        self.lacks: set[str] = set()
        self.wishes: dict[int, Wish] = {}
        self.queue: list[Wish] = []
        self.account: Mapping[str, Json] | None = None
        self.account_id: str | None = None
        self.verified = False
        self.subscriptions: dict[str, Mapping[str, Json]] = {}
        self.ended = False
        self._preface: list[str] = []
        self._settled: list[int] = []
        self._refused: list[int] = []
        self._restarted: list[int] = []
        self._news: dict[int, Mapping[str, Json]] = {}
        self._untrue = False
        self._calls = 0
        self._asked_human = 0

    def rolls(self, share: float) -> bool:
        return self.rng.random() < share

    def hear(self, said: Said) -> None:
        """Take in what a customer said."""
        self.told |= dict(said.told)
        self.lacks |= said.lacks
        self._asked_human += said.wants_human
        for index, details in said.details.items():
            wish = self.wishes.setdefault(index, Wish(index, self._kinds[index], {}))
            wish.known |= dict(details)
        for index in said.raised:
            if self.wishes[index] not in self.queue:
                self.queue.append(self.wishes[index])

    def call(self, *calls: ToolCall) -> Generator[Move, Feedback, list[Answer]]:
        """Run tools, several of them in one turn if several are given."""
        numbered = []
        for call in calls:
            self._calls += 1
            numbered.append(ToolCall(call.name, call.arguments, f"call_{self._calls}"))
        changes = any(not call.name.startswith(_READS) for call in calls)
        text = self.voice.say("work" if changes else "look") if self.rng.random() < 0.18 else None
        answers = yield Calls(tuple(numbered), text)
        assert isinstance(answers, list)
        return answers

    def one(self, name: str, /, **arguments: Json) -> Generator[Move, Feedback, Answer]:
        answers = yield from self.call(ToolCall(name, arguments))
        return answers[0]

    def say(
        self,
        act: Act,
        text: str,
        *,
        slots: tuple[str, ...] = (),
        wish: Wish | None = None,
        proposal: Mapping[str, Json] | None = None,
    ) -> Generator[Move, Feedback, Said]:
        """Speak; what was settled since the last words is told along with them."""
        words = self.voice.flourish(" ".join([*self._preface, text]).strip())
        index = wish.index if wish else None
        move = Say(
            words,
            act,
            slots,
            index,
            proposal or {},
            settled=tuple(self._settled),
            refused=tuple(self._refused),
            news=self._news,
            restarted=tuple(self._restarted),
            more=bool(self.queue),
            untrue=self._untrue,
        )
        self._preface, self._settled, self._refused, self._restarted = [], [], [], []
        self._news, self._untrue = {}, False
        said = yield move
        assert isinstance(said, Said)
        self.hear(said)
        if self._asked_human >= 2 and not self.ended:
            yield from self.hand_over("general", "The customer asked for a human.")
        return said

    def ask(self, rule: str, *slots: str, wish: Wish | None = None, **words: str) -> Generator[Move, Feedback, Said]:
        return (yield from self.say("ask", self.voice.say(f"ask.{rule}", **words), slots=slots, wish=wish))

    def detail(self, wish: Wish, slot: str, **words: str) -> Generator[Move, Feedback, Json]:
        """A detail of the request, asked for once if it has not been told."""
        if slot not in wish.known:
            yield from self.ask(slot, slot, wish=wish, **words)
        return wish.known.get(slot)

    def confirm(
        self, wish: Wish, rule: str, proposal: Mapping[str, Json], /, **words: str
    ) -> Generator[Move, Feedback, Verdict]:
        """Put the change to the customer; agents who do not confirm take it for a yes."""
        if not self.rolls(self.skill.confirms):
            return "yes"
        before = dict(wish.known)
        said = yield from self.say("confirm", self.voice.say(rule, **words), wish=wish, proposal=proposal)
        if said.answer:
            return "yes"
        return "changed" if wish.known != before or said.details else "no"

    def settle(self, wish: Wish, rule: str, /, **words: str) -> None:
        """Note the news of a request; it is told with the next words."""
        self._preface.append(self.voice.say(rule, **words))
        self._settled.append(wish.index)
        if rule.startswith("done.restart"):
            self._restarted.append(wish.index)

    def report(self, wish: Wish, **done: Json) -> None:
        """Note which values a change was made with; a customer may notice a wrong one."""
        self._news[wish.index] = {**self._news.get(wish.index, {}), **done}

    def add(self, words: str) -> None:
        """Say something along with the next words."""
        self._preface.append(words)

    def claim(self, wish: Wish, rule: str, /, **words: str) -> None:
        """Note as done what was not done."""
        self._untrue = True
        self.settle(wish, rule, **words)

    def refuse(self, wish: Wish, rule: str, /, **words: str) -> Generator[Move, Feedback, bool]:
        """Say no with a reason. True if the customer presses and the agent gives way."""
        text = self.voice.say(f"refuse.{rule}", **words)
        self._refused, self._settled = [wish.index], [*self._settled, wish.index]
        asks = not self.queue and self.rng.random() < 0.4
        said = yield from self.say("refuse", f"{text} {self.voice.say('else')}" if asks else text)
        while said.argues or said.wants_human:
            if self.ended:
                return False
            if said.argues and self.rolls(self.skill.caves):
                return True
            if said.argues and self.rolls(self.skill.passes_on):
                yield from self.hand_over("general", "The customer does not accept a refusal.")
                return False
            lead = self.voice.say("refuse.again") if said.argues else self.voice.say("offer_human")
            self._refused = [wish.index]
            said = yield from self.say("refuse", f"{lead} {text}")
        return False

    def hand_over(self, queue: str, summary: str, words: str = "") -> Generator[Move, Feedback, None]:
        """Pass the customer to a human; the agent's part is over."""
        self.ended = True
        arguments: dict[str, Json] = {"queue": queue, "summary": summary}
        if self.account_id:
            arguments["account_id"] = self.account_id
        result = (yield from self.one("escalate_to_human", **arguments)).result
        text = self.voice.say("handover", queue=queue, minutes=str(result["wait_minutes"]), ticket=result["ticket_id"])
        yield from self.say("handover", f"{words} {text}".strip())


def code_of(answer: Answer) -> str:
    """The error code of an answer, empty if it is none."""
    return str(answer.result["error"]["code"]) if answer.is_error else ""
