"""Conversations in, verdicts out: one criterion a call, several conversations of one case together where asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from random import Random

from agent_gym.corpus import Corpus
from agent_gym.errors import BudgetSpent, JudgeRefused, OptionError
from agent_gym.llm import CachedModel, ChatModel, open_model
from agent_gym.reward.judge.answer import Answer, Checked, answers_in
from agent_gym.reward.judge.budget import Metered
from agent_gym.reward.judge.criteria import Criterion
from agent_gym.reward.judge.probes import probes_of
from agent_gym.reward.judge.question import question
from agent_gym.reward.judge.rules import policy_criteria
from agent_gym.reward.judge.transcript import Transcript, transcript_of
from agent_gym.reward.judge.verdict import QUOTED, Verdict
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Message, WorldView

__all__ = ["Judge", "JudgeOptions", "Rollouts"]

Rollouts = Sequence[tuple[Sequence[Message], WorldView | None]]
_TOGETHER = 8  # attempts in one call: more, and a model begins to mix them up


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Which model judges, and how much it may be asked.

    `cache` is a folder that keeps the replies. `max_rules` is how many rules of a policy are asked about where no
    criteria are given. Some models take no `temperature`: None leaves it to the service.
    """

    model: str | ChatModel
    max_calls: int = 1000
    max_tokens: int | None = None
    cache: str | PathLike[str] | None = None
    max_rules: int = 12
    temperature: float | None = 0.0
    seed: int = 0


class Judge:
    """A model that has criteria to go by. What it has spent and been told is its only state."""

    def __init__(self, options: JudgeOptions, criteria: Sequence[Criterion] | None = None, policy: str | None = None):
        model = open_model(options.model) if isinstance(options.model, str) else options.model
        self.options = options
        self._criteria = None if criteria is None else tuple(criteria)
        self._policy = policy
        self._meter = Metered(model, options.max_calls, options.max_tokens)
        self._told: dict[str, tuple[Answer, ...]] = {}

    @property
    def name(self) -> str:
        return self._meter.name

    @property
    def spent(self) -> tuple[int, int]:
        """Calls made and tokens used so far; what came out of a cache cost nothing."""
        return self._meter.calls, self._meter.tokens

    def criteria_for(self, messages: Sequence[Message]) -> tuple[Criterion, ...]:
        """The criteria given; else the rules of the conversation's own system prompt, or of the policy given."""
        if self._criteria is not None:
            return self._criteria
        policy = "\n\n".join(m.text for m in messages if m.role == "system") or self._policy or ""
        return policy_criteria(policy, self.options.max_rules)

    def verdicts(self, messages: Sequence[Message], world: WorldView | None = None) -> tuple[Verdict, ...]:
        """One verdict for each criterion. A model that fails raises an `LlmError`."""
        return self.group_verdicts([(messages, world)])[0]

    def reply_verdicts(self, response: str, before: Sequence[Message] = ()) -> tuple[Verdict, ...]:
        """The same for a single reply, by the criteria that can be asked of one."""
        talk = transcript_of([*before, Message("assistant", response)])
        return tuple(self._found(one, [talk])[talk] for one in self.criteria_for(before) if one.reply)

    def group_verdicts(self, rollouts: Rollouts) -> list[tuple[Verdict, ...]]:
        """For several conversations of one case: judged together, and those that are alike judged alike."""
        criteria = self.criteria_for(rollouts[0][0]) if rollouts else ()
        talks = [transcript_of(messages, world) for messages, world in rollouts]
        found = [self._found(criterion, talks) for criterion in criteria]
        return [tuple(verdicts[talk] for verdicts in found) for talk in talks]

    def sworn_in(self, corpus: Corpus, mocker: ToolMocker) -> "Judge":
        """This judge, once it has something to judge by and has answered every probe as it must."""
        if not any(self.criteria_for(trace.messages) for trace in corpus.train):
            hint = ("criteria=[...]", "a policy= with rules")
            raise OptionError("judge", self.name, hint, "has nothing to judge by")
        for probe in probes_of(corpus, mocker):
            talk = transcript_of(probe.messages)
            (answer,) = self._ask(probe.criterion, [talk])
            if answer.yes != probe.yes or (answer.yes and talk.speaker_of(answer.quote) is None):
                raise JudgeRefused(self.name, probe.name, "yes" if answer.yes else "no", answer.reason)
        return self

    def _found(self, criterion: Criterion, talks: Sequence[Transcript]) -> dict[Transcript, Verdict]:
        # An order that neither the caller nor the agents choose; transcripts that are equal are one.
        order = sorted(set(talks), key=lambda talk: talk.lines)
        Random(f"{self.options.seed} {criterion.name}").shuffle(order)  # noqa: S311  fairness, not secrecy
        batches = [order[at : at + _TOGETHER] for at in range(0, len(order), _TOGETHER)]
        try:
            answers = [answer for batch in batches for answer in self._ask(criterion, batch)]
        except BudgetSpent as spent:
            # All or none: attempts compared with each other are asked the same.
            return {
                talk: Verdict(criterion, None, f"not asked: {spent}", flags=("judge_budget_spent",)) for talk in order
            }
        return {talk: _verdict(criterion, talk, answer) for talk, answer in zip(order, answers, strict=True)}

    def _ask(self, criterion: Criterion, batch: Sequence[Transcript]) -> tuple[Answer, ...]:
        request = question(criterion, batch, self.options.seed, self.options.temperature)
        key = request.digest()
        if key not in self._told:
            model: ChatModel = Checked(self._meter, len(batch))
            if self.options.cache is not None:
                model = CachedModel(model, Path(self.options.cache))
            reply = model.complete(request)
            # Threads that ask the same agree on whichever reply came first.
            self._told.setdefault(key, answers_in(reply.message.text, len(batch), self.name))
        return self._told[key]


def _verdict(criterion: Criterion, talk: Transcript, answer: Answer) -> Verdict:
    flags = ["judge_saw_a_cut_transcript"] if talk.cut else []
    speaker = talk.speaker_of(answer.quote) if answer.yes else None
    if speaker is not None:
        quote = answer.quote if len(answer.quote) <= QUOTED else answer.quote[:QUOTED] + "…"
        why = f"{_statement(criterion)}: yes, {speaker} says {quote!r}"
        return Verdict(criterion, True, why, answer.quote, tuple(flags))
    if answer.yes:
        flags.append("judge_quote_not_found")
        why = f"{_statement(criterion)}: not shown, it quotes what nobody said"
    else:
        why = f"{_statement(criterion)}: no" + (f", {answer.reason}" if answer.reason else "")
    return Verdict(criterion, False, why.rstrip("."), flags=tuple(flags))


def _statement(criterion: Criterion) -> str:
    return f'{criterion.kind} "{criterion.text.strip().rstrip(".")}"'
