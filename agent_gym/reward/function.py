"""Corpus and tools in, the reward function out: replies by their text, conversations by what was done."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Self

from agent_gym.corpus import Corpus
from agent_gym.errors import OptionError, UnscorableError
from agent_gym.goals import Goal, Goals
from agent_gym.keeping import Keeper
from agent_gym.reward.combine import Fitted, best, conversation_score, progress, reply_score
from agent_gym.reward.conversation import Conversation, look_at
from agent_gym.reward.judge import CriterionLike, Judge, JudgeLike, judged, make_judge
from agent_gym.reward.learning import Witness, fit_own_case, fitted_to_others, witnesses
from agent_gym.reward.likeness import bag, likeness, overlap
from agent_gym.reward.parts import PARTS
from agent_gym.reward.ranking import Attempt, Ranking, ranked
from agent_gym.reward.references import References, in_general
from agent_gym.reward.reply import context_messages, reply_of
from agent_gym.reward.said import known_said, said
from agent_gym.reward.satisfaction import Satisfaction, fit_satisfaction, rated
from agent_gym.reward.stored import KeptReward, Learned, keep_reward
from agent_gym.reward.success import spoken_in
from agent_gym.text import tokens
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import ROLES, Message, MessageLike, Score, Trace, TraceLike, WorldView

__all__ = ["RewardFunction"]

_SAME_WORDS = 0.7  # shared by two tellings of one request; few of a customer's different requests share as many


class RewardFunction:
    """Scores in [0, 1] with their reasons. Never looks at the outcome of what it scores."""

    def __init__(
        self, corpus: Corpus, mocker: ToolMocker, judge: Judge | None = None, kept: KeptReward | None = None
    ) -> None:
        """`kept`: what was learned before; without it, all is learned from the corpus when it is first needed."""
        self._corpus = corpus
        self._mocker = mocker
        self._references = References(corpus, mocker, kept)
        self._judge = judge
        self._kept = kept

    @classmethod
    def fit(
        cls,
        corpus: Corpus,
        mocker: ToolMocker,
        *,
        judge: JudgeLike | None = None,
        criteria: Iterable[CriterionLike] | None = None,
        policy: str | None = None,
    ) -> Self:
        """Learned from the train conversations, each regime when it is first asked for.

        With a `judge`, its verdicts on the `criteria`, else on the rules of the policy, can lower a score.
        """
        made = make_judge(judge, criteria, policy)
        return cls(corpus, mocker, made and made.sworn_in(corpus, mocker))

    @property
    def goals(self) -> Goals:
        """The goals that conversations of the corpus are held against."""
        return self._references.goals

    @cached_property
    def own_case(self) -> Fitted:
        """What decides where a success of the very case is known."""
        if self._kept is not None:
            return self._kept.learned.own_case
        return fit_own_case(self._corpus, self._references)._replace(satisfaction=self.satisfaction)

    @cached_property
    def other_case(self) -> Fitted:
        """What decides where only other customers' successes are known."""
        if self._kept is not None:
            return self._kept.learned.other_case
        return self._fitted_to(self.witnesses(self._corpus.train))

    @cached_property
    def satisfaction(self) -> Satisfaction | None:
        """What customers would say of it; None where too few said anything."""
        if self._kept is not None:
            return self._kept.learned.own_case.satisfaction
        return fit_satisfaction(rated(self._corpus, self._mocker))

    def witnesses(self, traces: Iterable[Trace]) -> Iterator[Witness]:
        """What each of these train conversations teaches of those whose case has no known success."""
        return witnesses(self._corpus, self._references, traces)

    def _fitted_to(self, seen: Iterable[Witness]) -> Fitted:
        return fitted_to_others(seen)._replace(satisfaction=self.satisfaction)

    def keep(self, keeper: Keeper, seen: Iterable[Witness] | None = None) -> None:
        """Learn all there is to learn, and keep it.

        `seen`: the witnesses of the train conversations, in their order, from whoever has worked them out already.
        """
        references = self._references
        assumed = [] if self._corpus.labelled else [trace.conversation_id for trace in references.successes]
        other = self.other_case if seen is None else self._fitted_to(seen)
        learned = Learned(references.goals.required, tuple(assumed), references.customs, self.own_case, other)
        keep_reward(learned, references.index, keeper)

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
        score = reply_score(reply_of(response, wanted, ground_truth is not None, before))
        return score if self._judge is None else judged(score, self._judge.reply_verdicts(response, before))

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
        talk = _read(messages)
        score = self._unjudged(talk, reference, world)
        return score if self._judge is None else judged(score, self._judge.verdicts(talk, world))

    def beside(self, messages: Sequence[MessageLike], reference: TraceLike | str) -> Conversation:
        """A conversation held against a success, as the parts of a score see the two."""
        return self._references.held_against(_read(messages), reference, None)[0]

    def _unjudged(self, talk: Sequence[Message], reference: TraceLike | str | None, world: WorldView | None) -> Score:
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
        own = [one for one in beside if one.is_own_case and (not others or _is_the_same_case(one))]
        return self._best_own(own) if own else conversation_score(best(others or beside), self.other_case)

    def _best_own(self, own: Sequence[Conversation]) -> Score:
        """A success that did nothing that can be checked is no measure: then, too, the signs decide if they can.

        That nothing was to be done it does show: who says otherwise has said what is not so.
        """
        if not any(one.is_own_case for one in own):
            return conversation_score(best(own), self.other_case)
        unclear = not any(one.goal.checkable or _claims_falsely(one) for one in own)
        if unclear and self.other_case.model is not None:
            return conversation_score(in_general(own[0]), self.other_case)
        return max(conversation_score(one, self.own_case) for one in own)

    def score_many(
        self,
        conversations: Sequence[Sequence[MessageLike]],
        references: Sequence[TraceLike | str | None] | TraceLike | str | None = None,
    ) -> list[Score]:
        """`score` of each conversation, against a reference of its own or one for all.

        A reference given as a trace is looked into once, however many conversations it is for.
        """
        if references is None or isinstance(references, str | Trace | Mapping):
            references = [references] * len(conversations)
        return [self.score(talk, goal) for talk, goal in zip(conversations, references, strict=True)]

    def score_replies(
        self,
        responses: Sequence[str],
        ground_truths: Sequence[str | None] | str | None = None,
        contexts: Sequence[Sequence[MessageLike] | str | None] | None = None,
    ) -> list[Score]:
        """The score of each reply, as a call of this function gives it; one ground truth may stand for all."""
        if ground_truths is None or isinstance(ground_truths, str):
            ground_truths = [ground_truths] * len(responses)
        if contexts is None:
            contexts = [None] * len(responses)
        return [self(*reply) for reply in zip(responses, ground_truths, contexts, strict=True)]

    def group(
        self,
        attempts: Sequence[Attempt | Sequence[MessageLike]],
        reference: TraceLike | str | None = None,
        worlds: Sequence[WorldView | None] | None = None,
    ) -> Ranking:
        """Several attempts at one case, best first in `ranks`: rollouts, traces or lists of messages.

        All are held against the same reference; None means the case that rollouts name, and for lists of
        messages the nearest successes of each.
        """
        ends = worlds if worlds is not None else [None] * len(attempts)
        if len(ends) != len(attempts):
            raise OptionError("worlds", len(ends), (f"{len(attempts)}, one for each attempt",), "of them were given")
        scores = []
        for attempt, world in zip(attempts, ends, strict=True):
            if isinstance(attempt, Sequence):
                scores.append(self.score(attempt, reference, world))
            else:
                against = reference if reference is not None else attempt.conversation_id
                scores.append(self.score(attempt.messages, against, world))
        return ranked(scores)

    def potential(self, messages: Sequence[Message], goal: Goal, world: WorldView | None = None) -> float:
        """How far a conversation under way has come, for shaping; 0 at its start."""
        return progress(look_at(messages, goal, Trace(goal.conversation_id, ()), world))

    def _likely_reply(self, response: str, before: Sequence[Message]) -> str | None:
        asked = " ".join(message.text for message in before if message.role == "user")
        near = self._references.nearest(asked) if asked else []
        replies = [text for trace in near for text in spoken_in(trace.messages)]
        words = said(response).words
        return max(replies, key=lambda text: likeness(words, known_said(text).words), default=None)


def _read(messages: Sequence[MessageLike]) -> list[Message]:
    """The messages without those of roles that take no part in a conversation, as reading a log leaves them out."""
    known = (
        m for m in messages if isinstance(m, Message) or m.get("role") in ROLES or not isinstance(m.get("role"), str)
    )
    return [Message.of(message) for message in known]


def _claims_falsely(talk: Conversation) -> bool:
    claim = PARTS["claims"](talk)
    return claim is not None and claim.raw == 0.0


def _is_the_same_case(talk: Conversation) -> bool:
    if not talk.goal.writes or not talk.goal.reached(talk.deeds):
        return False
    mine, theirs = (bag(_customer_words(messages)) for messages in (talk.messages, talk.reference.messages))
    return overlap(mine, theirs) >= _SAME_WORDS


def _customer_words(messages: Sequence[Message]) -> list[str]:
    return [word for message in messages if message.role == "user" for word in tokens(message.text)]


def _same_words(one: Sequence[Message], other: Sequence[Message]) -> bool:
    return [(message.role, message.text) for message in one] == [(message.role, message.text) for message in other]
