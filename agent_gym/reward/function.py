"""Corpus and tools in, the reward function out: replies by their text, conversations by what was done."""

from collections.abc import Sequence
from functools import cached_property
from typing import Self

from agent_gym.corpus import Corpus
from agent_gym.errors import UnscorableError
from agent_gym.goals import Goal
from agent_gym.reward.combine import Fitted, best, conversation_score, is_own_case, progress, reply_score
from agent_gym.reward.conversation import Conversation, look_at, spoken_in
from agent_gym.reward.learning import fit_other_case, fit_own_case
from agent_gym.reward.likeness import likeness, overlap
from agent_gym.reward.references import References
from agent_gym.reward.reply import context_messages, reply_of
from agent_gym.reward.said import said
from agent_gym.reward.satisfaction import Satisfaction, fit_satisfaction, rated
from agent_gym.text import tokens
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Message, MessageLike, Score, Trace, TraceLike, WorldView

__all__ = ["RewardFunction"]

_SAME_WORDS = 0.7  # shared by two tellings of one request; few of a customer's different requests share as many


class RewardFunction:
    """Scores in [0, 1] with their reasons. Never looks at the outcome of what it scores."""

    def __init__(self, corpus: Corpus, mocker: ToolMocker) -> None:
        self._corpus = corpus
        self._mocker = mocker
        self._references = References(corpus, mocker)

    @classmethod
    def fit(cls, corpus: Corpus, mocker: ToolMocker) -> Self:
        """Learned from the train conversations, each regime when it is first asked for."""
        return cls(corpus, mocker)

    @cached_property
    def own_case(self) -> Fitted:
        """What decides where a success of the very case is known."""
        return fit_own_case(self._corpus, self._mocker)._replace(satisfaction=self.satisfaction)

    @cached_property
    def other_case(self) -> Fitted:
        """What decides where only other customers' successes are known."""
        return fit_other_case(self._corpus, self._references)._replace(satisfaction=self.satisfaction)

    @cached_property
    def satisfaction(self) -> Satisfaction | None:
        """What customers would say of it; None where too few said anything."""
        return fit_satisfaction(rated(self._corpus, self._mocker))

    def __call__(
        self,
        response: str,
        ground_truth: str | None = None,
        context: Sequence[MessageLike] | str | None = None,
    ) -> Score:
        """How good a reply is, by its words alone (flag `no_tool_evidence`).

        `success`: every value of the ground truth is there and no other, nothing it says is denied, and the
        wording is near enough to be about the same thing. Without a ground truth the replies of the most
        similar successes stand in, the score is capped, and nothing is called a success.
        """
        before = context_messages(context)
        wanted = ground_truth if ground_truth is not None else self._likely_reply(response, before)
        return reply_score(reply_of(response, wanted, ground_truth is not None, before))

    def score(
        self,
        messages: Sequence[MessageLike],
        reference: TraceLike | str | None = None,
        world: WorldView | None = None,
    ) -> Score:
        """How good a whole conversation is, held against a success.

        `success`: the goal of the success holds here too, and no gate fired. `world` is the session's end
        state where there is one; without it the tool results in the messages say what was written. Where no
        success of the case is known, nothing is called a success, and the float is the chance of one by the
        signs in the conversation itself.
        """
        talk = [Message.of(message) for message in messages]
        if reference is None:
            return self._score_by_likeness(talk, world)
        return self._best_own(self._references.held_against(talk, reference, world))

    def _score_by_likeness(self, talk: Sequence[Message], world: WorldView | None) -> Score:
        """Held against the successes most like it.

        A success of the same customer may be of another case: where the labels have taught what to look for
        instead, only the same deeds, asked for in much the same words, show that it is not.
        """
        others: list[Conversation] = []
        if self.other_case.model is not None:
            others = self._references.elsewhere(talk, lambda trace: _same_words(trace.messages, talk))
        try:
            beside = self._references.held_against(talk, None, world)
        except UnscorableError:
            if not others:
                raise
            beside = []
        own = [one for one in beside if is_own_case(one) and (not others or _is_the_same_case(one))]
        return self._best_own(own) if own else conversation_score(best(others or beside), self.other_case)

    def _best_own(self, own: Sequence[Conversation]) -> Score:
        return max(conversation_score(one, self.own_case) for one in own)

    def potential(self, messages: Sequence[Message], goal: Goal, world: WorldView | None = None) -> float:
        """How far a conversation under way has come, for shaping; 0 at its start."""
        return progress(look_at(messages, goal, Trace(goal.conversation_id, ()), world))

    def _likely_reply(self, response: str, before: Sequence[Message]) -> str | None:
        asked = " ".join(message.text for message in before if message.role == "user")
        near = self._references.nearest(asked) if asked else []
        replies = [text for trace in near for text in spoken_in(trace.messages)]
        return max(replies, key=lambda text: likeness(said(response).words, said(text).words), default=None)


def _is_the_same_case(talk: Conversation) -> bool:
    if not talk.goal.writes or not talk.goal.reached(talk.deeds):
        return False
    return overlap(_customer_words(talk.messages), _customer_words(talk.reference.messages)) >= _SAME_WORDS


def _customer_words(messages: Sequence[Message]) -> list[str]:
    return [word for message in messages if message.role == "user" for word in tokens(message.text)]


def _same_words(one: Sequence[Message], other: Sequence[Message]) -> bool:
    return [(message.role, message.text) for message in one] == [(message.role, message.text) for message in other]
