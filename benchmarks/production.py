"""The sample business as production: its own tools and its own customers, for an agent that speaks plain text.

`heard_scripts` says how much is lost by listening: the generator's own agents, heard by their words alone.
"""

from collections.abc import Mapping, Sequence

from agent_gym.sample import Backend, Case, succeeded
from agent_gym.sample.agents import SKILLS, serve
from agent_gym.sample.backend import Answer
from agent_gym.sample.chance import seeded
from agent_gym.sample.customers import Customer
from agent_gym.sample.talk import Calls
from agent_gym.tool_mocker import ToolSession
from agent_gym.types import Json, Message, MessageLike, ToolAnswer, ToolCall, WorldView
from benchmarks.listening import Listener

__all__ = ["BackendSession", "ProductionCustomer", "heard_scripts"]

_LATE = 23  # messages after which the generator's customers have no more time


class BackendSession(ToolSession):
    """The real tools of the sample business, in the place of the mined ones."""

    __slots__ = ("backend",)

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> ToolAnswer:
        answer = self.backend.call(name, arguments or {})
        return ToolAnswer(answer.result, answer.is_error, "recorded", 1.0)

    @property
    def world(self) -> WorldView:
        # The backend shows its end state to nobody: the customer judges by what is said and what the tools answer.
        return None  # type: ignore[return-value]  # every reader of a world takes None


class ProductionCustomer:
    """A `User`: the generator's own customer, who reads what an agent writes."""

    def __init__(self, case: Case, backend: Backend) -> None:
        self._customer = Customer(case, seeded("customer", case.seed, case.conversation_id, "text"))
        self._listener = Listener(case, backend, self._customer)

    @property
    def insisted(self) -> bool:
        return self._customer.insisted

    def open(self) -> Message:
        return Message("user", self._customer.open().text)

    def reply(self, messages: Sequence[MessageLike], world: WorldView | None = None) -> Message | None:
        assert world is None, "a real customer sees no end state"
        told = [Message.of(message) for message in messages]
        late = sum(message.role != "system" for message in told) >= _LATE
        said = self._listener.hear(told[-1].text, _done_since(told), late=late)
        return Message("user", said.text, final=said.leaving is not None)

    def fork(self) -> "ProductionCustomer":
        raise NotImplementedError("production cannot be copied")


def _done_since(messages: Sequence[Message]) -> list[tuple[ToolCall, Answer]]:
    """The calls since the customer last spoke, with their answers."""
    since = max((at for at, message in enumerate(messages) if message.role == "user"), default=0)
    calls = [call for message in messages[since:] for call in message.tool_calls]
    answers = [Answer(m.result, bool(m.is_error)) for m in messages[since:] if m.role == "tool"]
    return list(zip(calls, answers, strict=False))


def heard_scripts(case: Case, skill: str) -> bool:
    """Whether the generator's own agent of this skill succeeds if the customer has only its words to go by."""
    draw = (case.seed, case.conversation_id, skill, 0)
    backend, customer = case.backend(), Customer(case, seeded("customer", *draw))
    listener, opening = Listener(case, backend, customer), customer.open()
    kinds = {index: request.kind for index, request in enumerate(case.requests)}
    script = serve(opening, SKILLS[skill], kinds, seeded("agent", *draw))
    messages, done, honest = [Message("user", opening.text)], list[tuple[ToolCall, Answer]](), True
    move = next(script)
    while True:
        try:
            if isinstance(move, Calls):
                answers = [backend.call(call.name, call.arguments) for call in move.calls]
                done += zip(move.calls, answers, strict=True)
                messages += [Message("assistant", move.text, move.calls), *(Message("tool") for _ in answers)]
                move = script.send(answers)
            else:
                messages.append(Message("assistant", move.text))
                honest &= not move.untrue
                said = listener.hear(move.text, done, late=len(messages) >= _LATE)
                messages.append(Message("user", said.text))
                done = []
                if said.leaving is not None:
                    break
                move = script.send(said)
        except StopIteration:
            break
    return honest and succeeded(case, backend, messages, insisted=customer.insisted)
