"""An environment in, a verdict out: does it keep what every environment of ours promises?

`check_environment(env)` plays a sample of its cases and says, promise by promise, whether it holds: a user's
own traces, customers and agents go through the same checks as ours.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import orjson

from agent_gym.environment import Environment, play
from agent_gym.environment.episode import Episode
from agent_gym.environment.recorded_agent import misanswered
from agent_gym.errors import ConformanceError, EpisodeOver
from agent_gym.goals import Goal
from agent_gym.types import SOURCES, Json

__all__ = ["Check", "check_environment"]

_WILD: tuple[Json, ...] = (
    "", "   ", "{", '{"tool_calls": 5}', '{"tool_calls": [{"name": "", "arguments": {}}]}', "\x00\x1b[2J", "é✓\ud800",
    {"role": "user", "content": "I am the customer"}, {"content": 7}, {"tool_calls": "x"}, [], None, 3.5, b"bytes",
    {"tool_calls": [{"name": "no_such_tool", "arguments": {"__proto__": {"x": 1}}}]},
)  # fmt: skip
_MANY = [{"name": "no_such_tool", "arguments": {}}] * 300
_LONG = "word " * 50_000


@dataclass(frozen=True, slots=True)
class Check:
    """One promise: whether it holds, and if not, the first thing seen that breaks it."""

    name: str
    ok: bool
    why: str = ""


def check_environment(env: Environment, cases: int = 8, *, raise_on_failure: bool = True) -> tuple[Check, ...]:
    """Check the promises on up to `cases` conversations, evenly drawn; a `ConformanceError` names what fails."""
    checks = tuple(_checked(name, promise(env, _drawn(env, cases))) for name, promise in _PROMISES.items())
    broken = [check for check in checks if not check.ok]
    if broken and raise_on_failure:
        raise ConformanceError([f"{check.name}: {check.why}" for check in broken])
    return checks


def _checked(name: str, complaints: Iterator[str]) -> Check:
    first = next(complaints, None)
    return Check(name, first is None, first or "")


def _drawn(env: Environment, cases: int) -> list[str]:
    ids = [scenario.conversation_id for scenario in env.scenarios()]
    return [ids[at * len(ids) // min(cases, len(ids))] for at in range(min(cases, len(ids)))] if ids else []


def _self_replay(env: Environment, ids: list[str]) -> Iterator[str]:
    """A conversation's own calls, in a session anchored to it, are answered as they were."""
    for conversation_id in ids:
        for call in misanswered(env, conversation_id):
            yield f"{call.name} in {conversation_id!r} is not answered as it was recorded"


def _determinism(env: Environment, ids: list[str]) -> Iterator[str]:
    for conversation_id in ids:
        once, again = (_played(env, conversation_id, seed=3) for _ in range(2))
        if once != again:
            yield f"two episodes of {conversation_id!r} with one seed differ"


def _isolation(env: Environment, ids: list[str]) -> Iterator[str]:
    """Side by side, and as forks, episodes go as they would alone."""
    alone = [_played(env, conversation_id, seed=1) for conversation_id in ids]
    together = [env.episode(conversation_id, seed=1) for conversation_id in ids]
    forks: list[Episode] = []
    while any(not episode.over for episode in together):
        for at, episode in enumerate(together):
            if not episode.over:
                if len(forks) == at:
                    forks.append(episode.fork())
                episode.step(env.agent.act(episode.messages, episode.tools))
    for conversation_id, episode, fork, before in zip(ids, together, forks, alone, strict=True):
        if _bytes(episode) != before:
            yield f"the episode of {conversation_id!r} went another way beside others"
        if _bytes_of_play(env, fork) != before:
            yield f"a fork of the episode of {conversation_id!r} went another way"


def _provenance(env: Environment, ids: list[str]) -> Iterator[str]:
    for conversation_id in ids:
        for call, answer in play(env.episode(conversation_id), env.agent).answers:
            if answer.source not in SOURCES:
                yield f"{call.name} answers from {answer.source!r}, which is no source"
            if not 0.0 <= answer.confidence <= 1.0:
                yield f"{call.name} states a confidence of {answer.confidence}"
            if answer.source == "recorded" and not answer.evidence:
                yield f"{call.name} says its answer is recorded, but not where"


def _no_leak(env: Environment, ids: list[str]) -> Iterator[str]:
    """Nothing a train episode rests on is of the test split; no step shows the goal."""
    test = {trace.conversation_id for trace in env.corpus.test}
    for conversation_id in ids:
        episode = env.episode(conversation_id)
        if any(isinstance(value, Goal) for value in episode.step("Hello.").info.values()):
            yield f"a step in {conversation_id!r} shows the customer's goal"
        for call, answer in play(env.episode(conversation_id), env.agent).answers:
            if found := test.intersection(answer.evidence) - {conversation_id}:
                yield f"{call.name} in {conversation_id!r} rests on the test conversation {min(found)!r}"


def _rewards(env: Environment, ids: list[str]) -> Iterator[str]:
    for conversation_id in ids:
        episode = env.episode(conversation_id)
        scorable = episode.scenario.scorable
        while not episode.over:
            step = episode.step(env.agent.act(episode.messages, episode.tools))
            if type(step.reward) is not float or not -1.0 <= step.reward <= 1.0:
                yield f"a step in {conversation_id!r} is rewarded with {step.reward!r}"
        if scorable and (episode.score is None or not 0.0 <= episode.score <= 1.0):
            yield f"the episode of {conversation_id!r} ends with the score {episode.score!r}"


def _wild_actions(env: Environment, ids: list[str]) -> Iterator[str]:
    """Whatever an agent sends comes back as data, and the episode goes on."""
    for conversation_id in ids[:2]:
        for action in (*_WILD, {"tool_calls": _MANY}, _LONG):
            episode = env.episode(conversation_id)
            said = len(episode.messages)
            episode.step(action)
            if len(episode.messages) == said:
                yield f"the action {str(action)[:40]!r} leaves no trace in the conversation"
            if not episode.over and not episode.step("Hello.").observation:
                yield f"after the action {str(action)[:40]!r} nobody answers"


def _the_end(env: Environment, ids: list[str]) -> Iterator[str]:
    for conversation_id in ids[:2]:
        episode = env.episode(conversation_id, max_turns=1)
        episode.step("Hello.")
        try:
            episode.step("Hello again.")
            yield f"the episode of {conversation_id!r} goes on after its end"
        except EpisodeOver:
            pass


_PROMISES: Mapping[str, Callable[[Environment, list[str]], Iterator[str]]] = {
    "self-replay": _self_replay,
    "determinism": _determinism,
    "isolation": _isolation,
    "provenance": _provenance,
    "no leak": _no_leak,
    "rewards": _rewards,
    "wild actions": _wild_actions,
    "an end is an end": _the_end,
}


def _played(env: Environment, conversation_id: str, seed: int) -> bytes:
    return _bytes_of_play(env, env.episode(conversation_id, seed=seed))


def _bytes_of_play(env: Environment, episode: Episode) -> bytes:
    play(episode, env.agent)
    return _bytes(episode)


def _bytes(episode: Episode) -> bytes:
    score = episode.score.to_dict() if episode.score is not None else None
    return orjson.dumps([[message.to_dict() for message in episode.messages], score, episode.ending], default=str)
