"""Prompts and a trainer in, whole conversations as token ids out: the model talks, the gym answers.

All conversations of a batch go on together, one turn of each at a time. What the model sampled is kept as it
is; what customer and tools say is put behind it and masked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent_gym.adapters.chat import chat_tools
from agent_gym.adapters.trl.cases import CASE, Cases
from agent_gym.adapters.trl.sampling import Sampled, sample
from agent_gym.adapters.trl.tokens import Tokens
from agent_gym.environment.episode import Episode
from agent_gym.types import Json

__all__ = ["Conversation", "roll_out"]


@dataclass(slots=True)
class Conversation:
    """One episode and the ids it has come to. `mask` is 1 where the model wrote, 0 where the gym did."""

    episode: Episode
    prompt: list[int]
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    out_of_room: bool = False

    @property
    def live(self) -> bool:
        return not self.episode.over and not self.out_of_room

    @property
    def context(self) -> list[int]:
        return self.prompt + self.ids

    def wrote(self, turn: Sampled) -> None:
        self.ids += turn.ids
        self.logprobs += turn.logprobs
        self.mask += [1] * len(turn.ids)

    def was_told(self, ids: Sequence[int], room: int) -> None:
        """The gym's part, if the model still has room to answer it."""
        if len(self.ids) + len(ids) >= room:
            self.out_of_room = True
            return
        self.ids += ids
        self.logprobs += [0.0] * len(ids)
        self.mask += [0] * len(ids)


def roll_out(
    cases: Cases, prompts: Sequence[Json], trainer: Any, *, turn_tokens: int, show_tools: bool = True
) -> tuple[list[Conversation], dict[str, Json]]:
    """A finished conversation for every prompt, and the fields that TRL asks of a `rollout_func`."""
    tokens = Tokens(trainer.processing_class, trainer.chat_template_kwargs or {})
    room: int = trainer.max_completion_length
    conversations = [_opened(cases, prompt, tokens, show_tools=show_tools) for prompt in prompts]
    while live := [conversation for conversation in conversations if conversation.live]:
        limits = [min(turn_tokens, room - len(conversation.ids)) for conversation in live]
        for conversation, turn in zip(live, sample(trainer, [c.context for c in live], limits), strict=True):
            _taken(conversation, turn, tokens, room)
    return conversations, {
        "prompt_ids": [c.prompt for c in conversations],
        "completion_ids": [c.ids for c in conversations],
        "logprobs": [c.logprobs for c in conversations],
        "env_mask": [c.mask for c in conversations],
    }


def _opened(cases: Cases, prompt: Json, tokens: Tokens, *, show_tools: bool) -> Conversation:
    case = cases.of_prompt(prompt)
    episode = cases.open(case)
    shown = [{key: value for key, value in message.items() if key != CASE} for message in prompt]
    return Conversation(episode, tokens.prompt(shown, chat_tools(episode.tools) if show_tools else ()))


def _taken(conversation: Conversation, turn: Sampled, tokens: Tokens, room: int) -> None:
    """The model's turn becomes an action, and what follows from it the next thing the model reads."""
    episode = conversation.episode
    action = tokens.action(turn.ids, conversation.context, chat_tools(episode.tools))
    conversation.wrote(turn)
    said = len(episode.messages) + 1  # the action itself becomes a message
    episode.step(action)
    if not episode.over:
        conversation.was_told(tokens.after(conversation.ids, episode.messages[said:]), room)
