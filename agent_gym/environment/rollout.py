"""The one loop that plays an episode: an Episode and an Agent in, a frozen Rollout out."""

from dataclasses import dataclass

from agent_gym.environment.episode import Ending, Episode
from agent_gym.types import Agent, Json, Message, Score, ToolAnswer, ToolCall

__all__ = ["Rollout", "play"]


@dataclass(frozen=True, slots=True)
class Rollout:
    """A finished episode, with all that is needed to score it again.

    `failure` names what stopped it from outside (a model that did not answer); such a rollout has no score.
    """

    conversation_id: str
    seed: int
    messages: tuple[Message, ...]
    answers: tuple[tuple[ToolCall, ToolAnswer], ...]
    ending: Ending
    score: Score | None
    flags: tuple[str, ...] = ()
    failure: str | None = None

    def to_dict(self) -> dict[str, Json]:
        return {
            "conversation_id": self.conversation_id,
            "seed": self.seed,
            "messages": [message.to_dict() | {"trainable": message.trainable} for message in self.messages],
            "answers": [
                {
                    "call": call.to_dict(),
                    "result": answer.result,
                    "is_error": answer.is_error,
                    "source": answer.source,
                    "confidence": answer.confidence,
                    "evidence": list(answer.evidence),
                }
                for call, answer in self.answers
            ],
            "ending": self.ending,
            "score": self.score.to_dict() if self.score is not None else None,
            "flags": list(self.flags),
            "failure": self.failure,
        }


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
    )
