"""Customers and unseen conversations in, how often they would have said what the real customer said out.

A customer built from one attempt at a case is led through another attempt, turn by turn: it hears what the real
customer heard, says what it would say, and is told what the real one said before the next turn. So every turn
is judged where the real customer stood, and no slip carries over.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from agent_gym.environment import Environment
from agent_gym.stats import Rate, bootstrap, grouped_rate
from agent_gym.text import values_in
from agent_gym.types import Json, Message, Trace, User
from agent_gym.user_simulator.acts import read_turn
from agent_gym.user_simulator.replies import customer_act
from agent_gym.user_simulator.talk import Talk

__all__ = ["Foretold", "Reply", "UserFidelity", "foretell", "measure_users", "own_values", "real_turns", "summary"]

_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """A customer's turn: its words, maybe none, and whether it left with them."""

    text: str
    leaves: bool

    @classmethod
    def of(cls, message: Message | None) -> "Reply":
        return cls("", True) if message is None else cls(message.text, message.final)


@dataclass(frozen=True, slots=True)
class Foretold:
    """One turn of a held-out customer beside the simulated one's.

    `asked`: the agent had just asked for something. `known` are the values said so far, by whomever; `own` those
    that the simulated customer was the first to say in the conversation it is made of.
    """

    real: Reply
    simulated: Reply
    asked: bool
    known: frozenset[str]
    own: frozenset[str]

    @property
    def leaks(self) -> frozenset[str]:
        """What the simulated customer cannot have known: not its own, and nobody has said it here."""
        return values(self.simulated.text) - self.known - self.own

    def news(self, reply: Reply) -> frozenset[str]:
        return values(reply.text) - self.known


@dataclass(frozen=True, slots=True)
class UserFidelity:
    """Measures over held-out turns, their intervals drawing whole conversations.

    The two `volunteered`: of the values told first, how many nobody had asked for.
    """

    turns: int
    fact_f1: float
    interval: tuple[float, float]  # of the F1
    fact_precision: float
    precision_interval: tuple[float, float]
    fact_recall: float
    recall_interval: tuple[float, float]
    stops: Rate  # turns at which both stay or both leave
    acts: Rate  # turns that do the same
    leaks: Rate  # turns that say what the customer cannot have known
    volunteered: Rate
    volunteered_really: Rate

    def to_dict(self) -> dict[str, Json]:
        """Every measure with its interval."""
        told: dict[str, Json] = {"turns": self.turns, "fact_f1": self.fact_f1, "fact_f1_interval": list(self.interval)}
        told |= {"fact_precision": self.fact_precision, "fact_precision_interval": list(self.precision_interval)}
        told |= {"fact_recall": self.fact_recall, "fact_recall_interval": list(self.recall_interval)}
        for name in ("stops", "acts", "leaks", "volunteered", "volunteered_really"):
            found: Rate = getattr(self, name)
            told |= {name: found.value, f"{name}_interval": [found.low, found.high], f"{name}_n": found.n}
        return told


def measure_users(environment: Environment, attempts: Iterable[tuple[str, Trace]]) -> UserFidelity:
    """The environment's customers on unseen attempts, each with the conversation its customer is built from."""
    found = []
    for built, trace in attempts:
        found += foretell(environment, built, trace, [environment.user(built)])
    return summary(found)


def foretell(environment: Environment, built: str, held_out: Trace, users: Sequence[User]) -> list[list[Foretold]]:
    """Lead customers, all made from conversation `built`, through a held-out attempt at the same case."""
    own = own_values(environment.corpus[built])
    session = environment.tool_mocker.session(built)
    rows: list[list[Foretold]] = [[] for _ in users]
    known: set[str] = set()
    done = 0
    for at, real in real_turns(held_out):
        for message in held_out.messages[done:at]:
            for call in message.tool_calls:
                session.call(call.name, call.arguments)
            if message.role in ("user", "assistant"):
                known |= values(message.text)
        done, past = at, held_out.messages[:at]
        asked = "asks" in read_turn(Talk.of(past).heard).acts
        for user, told in zip(users, rows, strict=True):
            told.append(Foretold(real, Reply.of(user.reply(past, session.world)), asked, frozenset(known), own))
    return rows


def real_turns(trace: Trace) -> Iterator[tuple[int, Reply]]:
    """The customer's turns after its first: how many messages came before each, and what it did."""
    first = True
    turns: list[tuple[int, Reply]] = []
    for at, message in enumerate(trace.messages):
        if message.role == "user" and message.text.strip():
            if first or trace.messages[at - 1].role == "user":  # two messages in a row are one turn
                first = False
                continue
            turns.append((at, Reply(message.text, False)))
    talk = Talk.of(trace.messages)
    if talk.agent_moved and talk.heard:
        turns.append((len(trace.messages), Reply("", True)))
    elif turns and not talk.agent_moved:
        turns[-1] = (turns[-1][0], Reply(turns[-1][1].text, True))
    yield from turns


def own_values(trace: Trace) -> frozenset[str]:
    """The values that the customer said before the agent did."""
    heard: set[str] = set()
    own: set[str] = set()
    for message in trace.messages:
        if message.role == "user":
            own |= values(message.text) - heard
        elif message.role == "assistant":
            heard |= values(message.text)
    return frozenset(own)


def values(text: str) -> frozenset[str]:
    return frozenset(value.norm for value in values_in(text))


def summary(conversations: Sequence[Sequence[Foretold]]) -> UserFidelity:
    overlaps = [[_overlap(row) for row in conversation] for conversation in conversations]
    precision, recall, f1 = _scores([o for conversation in overlaps for o in conversation])
    precision_interval, recall_interval, interval = _intervals(overlaps)
    return UserFidelity(
        turns=sum(map(len, conversations)),
        fact_f1=f1,
        interval=interval,
        fact_precision=precision,
        precision_interval=precision_interval,
        fact_recall=recall,
        recall_interval=recall_interval,
        stops=_rate(conversations, lambda row: [row.real.leaves == row.simulated.leaves]),
        acts=_rate(conversations, lambda row: [_act(row.real) == _act(row.simulated)]),
        leaks=_rate(conversations, lambda row: [bool(row.leaks)]),
        volunteered=_rate(conversations, lambda row: [not row.asked for _ in row.news(row.simulated)]),
        volunteered_really=_rate(conversations, lambda row: [not row.asked for _ in row.news(row.real)]),
    )


_Overlap = tuple[int, int, int]  # values in both replies, in the simulated one, in the real one


def _overlap(row: Foretold) -> _Overlap:
    real, simulated = values(row.real.text), values(row.simulated.text)
    return len(real & simulated), len(simulated), len(real)


def _scores(overlaps: Iterable[_Overlap]) -> tuple[float, float, float]:
    both, simulated, real = (int(total) for total in np.sum([(0, 0, 0), *overlaps], axis=0))
    return both / max(1, simulated), both / max(1, real), 2 * both / max(1, simulated + real)


def _intervals(overlaps: Sequence[Sequence[_Overlap]]) -> list[tuple[float, float]]:
    """Of precision, recall and F1, as `_scores` gives them."""
    totals = [np.sum(conversation, axis=0) for conversation in overlaps if conversation]
    if not totals:
        return [(float("nan"), float("nan"))] * 3
    places = [[float(at)] for at in range(len(totals))]

    def drawn(score: int) -> tuple[float, float]:
        return bootstrap(places, lambda picked: _scores([totals[int(at)] for at in picked])[score], draws=_DRAWS)

    return [drawn(score) for score in range(3)]


def _act(reply: Reply) -> str:
    return customer_act(reply.text, reply.leaves)


def _rate(conversations: Sequence[Sequence[Foretold]], hits: Callable[[Foretold], list[bool]]) -> Rate:
    return grouped_rate([[hit for row in conversation for hit in hits(row)] for conversation in conversations])
