"""The agent that needs no key: fitted on successful conversations, it answers as they were answered."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from agent_gym.agent.embedded.candidate import Candidate
from agent_gym.agent.embedded.choose import WEIGHTS, choose
from agent_gym.agent.embedded.propose import propose
from agent_gym.agent.embedded.record import Record
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.corpus import Corpus
from agent_gym.types import Json, Message

__all__ = ["EmbeddedAgent"]


class EmbeddedAgent:
    """Frozen once fitted; each act depends on the messages alone."""

    def __init__(self, fit: Callable[[], Record], weights: Mapping[str, float] = WEIGHTS) -> None:
        self._fit, self.weights = fit, weights

    @cached_property
    def record(self) -> Record:
        """Fitted when it is first asked for: many open a gym who bring an agent of their own."""
        return self._fit()

    @classmethod
    def fit(cls, corpus: Corpus, write_tools: frozenset[str], policy: str | None = None) -> "EmbeddedAgent":
        """From the train conversations that ended well; from all of train where none is known to have."""

        def record() -> Record:
            failures = [trace for trace in corpus.train if corpus.succeeded(trace) is False]
            won = corpus.successes
            return Record(won or corpus.train, write_tools, failures if won else (), policy or "")

        return cls(record)

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message:
        return choose(self.candidates(messages, tools), self.weights).message

    def candidates(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Json]],
        hidden: frozenset[str] = frozenset(),
    ) -> list[Candidate]:
        """All it could do next, each with its features: to show, and to learn from.

        `hidden` are recorded conversations it is not to look at: who learns in a recorded case must not know its end.
        """
        talk = Talk(messages, self.record.catalogue.names, self.record.policy)
        return self.proposed(State(talk, len(talk.messages)), tools, hidden)

    def proposed(
        self, state: State, tools: Sequence[Mapping[str, Json]], hidden: frozenset[str] = frozenset()
    ) -> list[Candidate]:
        """The candidates of a state that is known already."""
        return propose(state, tools, self.record, hidden)

    def with_weights(self, weights: Mapping[str, float]) -> "EmbeddedAgent":
        """The same record, chosen from in another way."""
        return EmbeddedAgent(lambda: self.record, weights)
