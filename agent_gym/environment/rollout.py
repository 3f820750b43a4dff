"""The one loop that plays an episode: an Episode and an Agent in, a frozen Rollout out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from agent_gym.environment.episode import Ending, Episode, delivered
from agent_gym.markup import card
from agent_gym.types import Agent, Json, Message, Score, ToolAnswer, ToolCall, spoken
from agent_gym.user_simulator import AgendaCustomer

__all__ = ["Rollout", "parted_at", "play"]


@dataclass(frozen=True, slots=True)
class Rollout:
    """A finished episode, with all that is needed to score it again.

    `failure` names what stopped it from outside (a model that did not answer); such a rollout has no score.
    `user_errors` names the turns in which the simulated customer erred: a trainer may drop such a rollout.
    """

    conversation_id: str
    seed: int
    messages: tuple[Message, ...]
    answers: tuple[tuple[ToolCall, ToolAnswer], ...]
    ending: Ending
    score: Score | None
    flags: tuple[str, ...] = ()
    failure: str | None = None
    user_errors: tuple[str, ...] = ()

    @property
    def off_support(self) -> bool:
        """Whether a tool was asked what the record cannot answer."""
        return any(answer.off_support for _, answer in self.answers)

    @property
    def masked(self) -> bool:
        """Whether a trainer learns nothing from it: it left the record, or the simulated customer erred."""
        return self.off_support or bool(self.user_errors)

    def to_dict(self) -> dict[str, Json]:
        return {
            "conversation_id": self.conversation_id,
            "seed": self.seed,
            "messages": [
                message.to_dict() | {"trainable": message.trainable} | ({"final": True} if message.final else {})
                for message in self.messages
            ],
            "answers": [
                {
                    "call": call.to_dict(),
                    "result": answer.result,
                    "is_error": answer.is_error,
                    "source": answer.source,
                    "confidence": answer.confidence,
                    "evidence": list(answer.evidence),
                    "latency": answer.latency,
                }
                for call, answer in self.answers
            ],
            "ending": self.ending,
            "score": self.score.to_dict() if self.score is not None else None,
            "flags": list(self.flags),
            "failure": self.failure,
            "user_errors": list(self.user_errors),
        }

    def _repr_html_(self) -> str:
        ended = f"{self.ending.replace('_', ' ')}, {self.failure or repr(self.score)}"
        sources = Counter(answer.source for _, answer in self.answers)
        told = [("answers", ", ".join(f"{n} {source}" for source, n in sources.most_common()))] if sources else []
        return card(self.conversation_id, ended, [*told, *spoken(self.messages)])

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Self:
        """The rollout that `to_dict` wrote."""
        return cls(
            conversation_id=value["conversation_id"],
            seed=value["seed"],
            messages=tuple(Message.of(message) for message in value["messages"]),
            answers=tuple(_answer(row) for row in value["answers"]),
            ending=value["ending"],
            score=Score.from_dict(value["score"]) if value["score"] is not None else None,
            flags=tuple(value["flags"]),
            failure=value["failure"],
            user_errors=tuple(value.get("user_errors", ())),
        )


def _answer(row: Mapping[str, Json]) -> tuple[ToolCall, ToolAnswer]:
    given = {name: row[name] for name in ("result", "is_error", "source", "confidence")}
    answer = ToolAnswer(**given, evidence=tuple(row["evidence"]), latency=row.get("latency", 0.0))
    return ToolCall.of(row["call"]), answer


def play(episode: Episode, agent: Agent) -> Rollout:
    """Let the agent act until the episode is over."""
    while not episode.over:
        episode.step(agent.act(episode.messages, episode.tools))
    return rolled_out(episode)


def rolled_out(episode: Episode, failure: str | None = None) -> Rollout:
    return Rollout(
        conversation_id=episode.scenario.conversation_id,
        seed=episode.seed,
        messages=episode.messages,
        answers=episode.answers,
        ending=episode.ending,
        score=None if failure else episode.score,
        flags=episode.flags,
        failure=failure,
        user_errors=_user_errors(episode),
    )


def parted_at(left: Sequence[Message], right: Sequence[Message]) -> int:
    """The place of the first message in which two conversations differ; the length of the shorter where none does."""
    both = zip(left, right, strict=False)
    return next((at for at, (a, b) in enumerate(both) if a != b), min(len(left), len(right)))


def _user_errors(episode: Episode) -> tuple[str, ...]:
    """What a customer made from a profile did wrong; a recording, or a customer of the caller's own, is not judged."""
    user = episode.user
    if not isinstance(user, AgendaCustomer):
        return ()
    left = episode.ending == "customer_left"
    return user.errors(delivered(episode.messages), episode.session.world, left=left)
