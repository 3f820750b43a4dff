"""A recorded conversation in; an agent that acts as its agent did, or the whole of it lived through again, out."""

from collections.abc import Iterator, Mapping, Sequence

from agent_gym.environment.environment import Environment
from agent_gym.environment.prefix import opened_at
from agent_gym.environment.rollout import Rollout, rolled_out
from agent_gym.text import same
from agent_gym.types import Json, Message, ToolCall, Trace

__all__ = ["ReplayAgent", "misanswered", "relived"]


class ReplayAgent:
    """Says and calls what the recorded agent did, in its order; at the end it repeats its last words."""

    def __init__(self, trace: Trace) -> None:
        start = opened_at(trace.messages)
        self.turns = [m for m in trace.messages[start:] if m.role == "assistant" and (m.tool_calls or m.text.strip())]
        spoken = [m for m in self.turns if not m.tool_calls]
        self._last = spoken[-1] if spoken else Message("assistant", "Goodbye.")

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message:
        del tools
        start = opened_at(messages)
        turn = sum(message.role == "assistant" for message in messages[start:])
        return self.turns[turn] if turn < len(self.turns) else self._last


def relived(environment: Environment, conversation_id: str) -> Rollout:
    """The conversation as it was recorded, its agent's and its customer's words alike, with the score it earns.

    One that broke off before either side left is scored as far as it came.
    """
    turns = ReplayAgent(environment.corpus[conversation_id]).turns
    episode = environment.episode(conversation_id, user="replay", max_turns=len(turns) + 1)
    for turn in turns:
        if not episode.over:
            episode.step(turn)
    if episode.score is None:
        episode.score = episode.score_now()
    return rolled_out(episode)


def misanswered(environment: Environment, conversation_id: str) -> Iterator[ToolCall]:
    """The conversation's own calls that a session anchored to it answers otherwise than they were: none should be."""
    session = environment.tool_mocker.session(conversation_id)
    for call, told in environment.corpus[conversation_id].calls():
        if told is not None:
            recorded = told.result if told.result is not None else told.content
            if not same(session(call.name, call.arguments), recorded):
                yield call
