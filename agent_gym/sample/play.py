"""Play a customer against an agent: a case and a skill in, the conversation and its true success out."""

import random
from collections.abc import Generator

from agent_gym.errors import OptionError
from agent_gym.sample.agents import SKILLS, Skill, serve
from agent_gym.sample.agents.voice import Voice
from agent_gym.sample.backend import Answer
from agent_gym.sample.case import Case, SampleConversation, succeeded
from agent_gym.sample.chance import seeded
from agent_gym.sample.customers import Customer
from agent_gym.sample.rating import contentment_of, outcome_of, satisfaction_of
from agent_gym.sample.tables import table
from agent_gym.sample.talk import Calls, Feedback, Leaving, Move, Said, Say
from agent_gym.types import Message, Trace

__all__ = ["play"]

_GREETS = 0.12
_SAYS_BYE = 0.5
_LABELLED = 0.92
_RATED = 0.65
_LONG = 23  # after so many messages a customer has no more time for questions
_TOO_LONG = 26  # nor to wait while the agent looks things up; two calls and good-bye still make 30


def play(case: Case, skill: str = "careful", seed: int = 0) -> SampleConversation:
    """One agent of the named skill in the case; the customer starts with the same words whatever the agent."""
    if skill not in SKILLS:
        raise OptionError("skill", skill, SKILLS)
    draw = (case.seed, case.conversation_id, skill, seed)
    chat = _Chat(case, SKILLS[skill], Customer(case, seeded("customer", *draw)), seeded("agent", *draw))
    chat.run()
    success = chat.honest and succeeded(case, chat.backend, chat.messages, insisted=chat.customer.insisted)
    outcome = outcome_of(success, chat.messages, chat.leaving)
    log = seeded("log", *draw)
    contentment = contentment_of(outcome, case, chat.customer.irritation, SKILLS[skill])
    score = satisfaction_of(contentment, log)
    trace = Trace(
        conversation_id=case.conversation_id,
        messages=tuple(chat.messages),
        outcome=outcome if log.random() < _LABELLED else None,
        satisfaction_score=score if log.random() < _RATED else None,
        metadata={"customer_id": case.account_id, "run": skill, "started_at": case.started_at},
    )
    return SampleConversation(trace, case, skill, success, contentment)


class _Chat:
    """A conversation while it is going on: carries moves to customer and tools, and answers back."""

    def __init__(self, case: Case, skill: Skill, customer: Customer, rng: random.Random) -> None:
        self.customer, self.backend = customer, case.backend()
        self.messages: list[Message] = []
        self.leaving: Leaving | None = None
        self.honest = True
        self._skill, self._rng = skill, rng
        self._voice = Voice(skill.name, rng)
        self._kinds = {index: request.kind for index, request in enumerate(case.requests)}

    def run(self) -> None:
        if self._rng.random() < _GREETS:
            agent = self._rng.choice(table("people")["agents"])
            self.messages.append(Message("assistant", self._voice.say("greet", agent=agent)))
        opening = self.customer.open()
        self.messages.append(Message("user", opening.text))
        self._carry(serve(opening, self._skill, self._kinds, self._rng))

    def _carry(self, script: Generator[Move, Feedback, None]) -> None:
        try:
            move = next(script)
            while self.leaving is None:
                move = script.send(self._call(move) if isinstance(move, Calls) else self._say(move))
        except StopIteration:
            return

    def _say(self, say: Say) -> Said:
        self.messages.append(Message("assistant", say.text))
        self.honest &= not say.untrue
        late = len(self.messages) >= _LONG
        said = self.customer.run_out_of_time(say) if late else self.customer.hear(say)
        self._hear(said)
        if said.leaving == "content" and say.act != "handover" and self._rng.random() < _SAYS_BYE:
            self.messages.append(Message("assistant", self._voice.say("bye")))
        return said

    def _call(self, move: Calls) -> list[Answer]:
        self.messages.append(Message("assistant", move.text, move.calls))
        answers = [self.backend.call(call.name, call.arguments) for call in move.calls]
        for call, answer in zip(move.calls, answers, strict=True):
            result = Message("tool", None, (), call.name, call.id, answer.result, answer.is_error)
            self.messages.append(result)
        if len(self.messages) > _TOO_LONG:
            self._hear(self.customer.run_out_of_time(None))
        return answers

    def _hear(self, said: Said) -> None:
        self.messages.append(Message("user", said.text))
        self.leaving = said.leaving
