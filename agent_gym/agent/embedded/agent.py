"""The agent that needs no key: fitted on successful conversations, it answers as they were answered."""

from collections.abc import Mapping, Sequence

from agent_gym.agent.embedded.choose import choose
from agent_gym.agent.embedded.propose import Candidate, propose
from agent_gym.agent.embedded.record import Record
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.corpus import Corpus
from agent_gym.types import Json, Message

__all__ = ["EmbeddedAgent"]


class EmbeddedAgent:
    """Frozen once fitted; each act depends on the messages alone."""

    __slots__ = ("_record",)

    def __init__(self, record: Record) -> None:
        self._record = record

    @classmethod
    def fit(cls, corpus: Corpus, write_tools: frozenset[str]) -> "EmbeddedAgent":
        """From the train conversations that ended well; from all of train where none is known to have."""
        return cls(Record(corpus.successes or corpus.train, write_tools))

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message:
        return choose(self.candidates(messages, tools)).message

    def candidates(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> list[Candidate]:
        """All it could do next, each with its features: to show, and to learn from."""
        talk = Talk(messages)
        return propose(State(talk, len(talk.messages)), tools, self._record)
