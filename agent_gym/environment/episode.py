"""Actions in, Steps out: one live conversation, with the tools and the customer it owns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

import orjson

from agent_gym.environment.action import Action, read_action
from agent_gym.environment.calls import answered
from agent_gym.environment.scenario import Scenario
from agent_gym.errors import EpisodeOver
from agent_gym.reward import RewardFunction
from agent_gym.tool_mocker import ToolSession
from agent_gym.types import Json, Message, Score, Step, ToolAnswer, ToolCall, User
from agent_gym.user_simulator import AgendaCustomer

__all__ = ["Ending", "Episode", "OffSupport", "TokenCounter", "about_tokens", "delivered", "malformed_at", "observed"]

Ending = Literal["customer_left", "handed_over", "too_many_turns", "too_many_tokens", "off_support", "live"]
OffSupport = Literal["ignore", "flag", "truncate"]
TokenCounter = Callable[[str], int]
DEFAULT_MAX_TURNS = 40
_LETTERS = 4  # bytes that a token of the usual tokenizers stands for, about
_MALFORMED = "malformed_action"
_OURSELVES = "environment"  # who answers a malformed action, under no call's id


@dataclass(slots=True)
class Episode:
    """A conversation as it goes. `step` is the only thing that changes it."""

    scenario: Scenario
    session: ToolSession
    user: User
    reward_fn: RewardFunction
    seed: int = 0
    max_turns: int = DEFAULT_MAX_TURNS
    max_tokens: int | None = None
    count_tokens: TokenCounter | None = None  # `about_tokens` where none is given
    off_support: OffSupport = "ignore"
    end_tools: frozenset[str] = frozenset()
    messages: tuple[Message, ...] = ()
    answers: tuple[tuple[ToolCall, ToolAnswer], ...] = ()
    turns: int = 0  # actions taken so far
    counted: tuple[int, int] = (0, 0)  # messages whose tokens are counted, and how many those are
    ending: Ending = "live"
    score: Score | None = None
    flags: tuple[str, ...] = field(default=())
    shaping: bool = False
    potential: float = 0.0  # what the steps so far have paid, if they are shaped
    start: float | None = None  # how far the conversation had come before the first step

    def __post_init__(self) -> None:
        if not self.messages:
            self.messages = (*self.scenario.prompt, self.user.open())
        if self.start is None:
            self.start = self._progress()

    @property
    def observation(self) -> str:
        """What the agent sees now: the customer's last words, or the tools' answers."""
        return observed(self.messages)

    @property
    def over(self) -> bool:
        return self.ending != "live"

    @property
    def tokens(self) -> int:
        """How long the conversation is for a model, prompt included; the tool schemas are not counted."""
        known, total = self.counted
        count = self.count_tokens or about_tokens
        total += sum(count(_for_a_model(message)) for message in self.messages[known:])
        self.counted = (len(self.messages), total)
        return total

    @property
    def delivered(self) -> tuple[Message, ...]:
        """What reached the customer or the tools."""
        return delivered(self.messages) if _MALFORMED in self.flags else self.messages

    @property
    def patience(self) -> int | None:
        """How many more repeats the customer puts up with; None for one that does not tell."""
        return self.user.patience_left if isinstance(self.user, AgendaCustomer) else None

    @property
    def tools(self) -> tuple[Mapping[str, Json], ...]:
        return self.scenario.tools

    def step(self, action: Action) -> Step:
        """Carry out one action: tool calls run against the session, text goes to the customer."""
        self._must_be_live()
        message = read_action(action)
        self.turns += 1
        if isinstance(message, str):
            self._say_back(action, message)
        elif message.tool_calls:
            self._run_tools(message)
        else:
            self._ask_customer(message)
        if self.ending == "live" and self.turns >= self.max_turns:
            self.ending = "too_many_turns"
        if self.ending == "live" and self.max_tokens is not None and self.tokens >= self.max_tokens:
            self.ending = "too_many_tokens"
        return self._stepped()

    def score_now(self) -> Score | None:
        """What the conversation would score if it ended here; None where the case has no goal."""
        goal = self.scenario.goal
        if goal is None:
            return None
        return self.reward_fn.score(self.delivered, goal.conversation_id, self.session.world)

    def _must_be_live(self) -> None:
        if self.over:
            raise EpisodeOver(self.scenario.conversation_id)

    def fork(self) -> Self:
        """An independent copy: its own tools, its own customer, the same past."""
        return replace(self, session=self.session.fork(), user=self.user.fork())

    def _say_back(self, action: Action, problem: str) -> None:
        """A malformed action is an observation to learn from; it counts as a turn."""
        text = action.encode("utf-8", "replace").decode() if isinstance(action, str) else ""
        told = Message("tool", name=_OURSELVES, result={"error": problem}, is_error=True)
        self.messages = (*self.messages, Message("assistant", text, trainable=True), told)
        self.flags = _with(self.flags, _MALFORMED)

    def _run_tools(self, message: Message) -> None:
        self.messages = (*self.messages, message)
        for call, answer, told in answered(message, self.session):
            self.answers = (*self.answers, (call, answer))
            self.messages = (*self.messages, told)
            if answer.off_support and self.off_support != "ignore":
                self.flags = _with(self.flags, "off_support")
                if self.off_support == "truncate":
                    self.ending = "off_support"
            if call.name in self.end_tools and not answer.is_error:
                self.ending = "handed_over"

    def _ask_customer(self, message: Message) -> None:
        self.messages = (*self.messages, message)
        reply = self.user.reply(self.delivered, self.session.world)
        if reply is not None:
            self.messages = (*self.messages, reply)
        if reply is None or reply.final:
            self.ending = "customer_left"

    def _stepped(self) -> Step:
        terminated = self.ending in ("customer_left", "handed_over")
        truncated = self.over and not terminated
        if self.over:
            self.score = self.score_now()
        return Step(self.observation, self._reward(), terminated, truncated, self._info())

    def _reward(self) -> float:
        """All at the end; with shaping also on the way, so that the steps add up to the same."""
        paid = self.potential
        if self.score is not None:
            return float(self.score) - paid
        if self.shaping and not self.over:
            self.potential = self._progress() - (self.start or 0.0)
        return self.potential - paid

    def _progress(self) -> float:
        goal = self.scenario.goal
        if not self.shaping or goal is None:
            return 0.0
        return self.reward_fn.potential(self.delivered, goal, self.session.world)

    def _info(self) -> dict[str, Json]:
        return {
            "conversation_id": self.scenario.conversation_id,
            "messages": self.messages,
            "tools": self.tools,
            "answers": self.answers,
            "patience": self.patience,
            "ending": self.ending,
            "flags": self.flags,
            "score": self.score,
            "scorable": self.scenario.scorable,
        }


def _with(flags: tuple[str, ...], flag: str) -> tuple[str, ...]:
    return flags if flag in flags else (*flags, flag)


def delivered(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """What reached the customer or the tools: all but malformed actions and our answers to them."""
    wrong = malformed_at(messages)
    return tuple(m for at, m in enumerate(messages) if at not in wrong and at - 1 not in wrong)


def malformed_at(messages: Sequence[Message]) -> frozenset[int]:
    """The places of malformed actions; our answer stands behind each."""
    ours = (at for at, m in enumerate(messages) if (m.role, m.name, m.tool_call_id) == ("tool", _OURSELVES, None))
    return frozenset(at - 1 for at in ours)


def observed(messages: Sequence[Message]) -> str:
    """What an agent sees after these: everything since it last spoke."""
    fresh: list[str] = []
    for message in reversed(messages):
        if message.role == "assistant" and (message.trainable or fresh):
            break
        if message.role == "tool":
            fresh.append(f"{message.name}: {_as_text(message.result)}")
        elif message.role in ("user", "assistant"):
            fresh.append(message.text)
    return "\n".join(reversed(fresh))


def about_tokens(text: str) -> int:
    """About how many tokens a text is, for whoever brings no tokenizer."""
    return -(-len(text.encode("utf-8", "replace")) // _LETTERS)


def _for_a_model(message: Message) -> str:
    """All of a message that a model has to read or write."""
    called = (f"{call.name}{_as_text(call.arguments)}" for call in message.tool_calls)
    told = [_as_text(message.result)] if message.role == "tool" else []
    return "\n".join([message.text, *called, *told])


def _as_text(result: Json) -> str:
    if isinstance(result, str):
        return result
    return orjson.dumps(result, default=str).decode()
