"""What never breaks: self-replay, determinism, provenance, isolation, no network, no leak."""

import hashlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import orjson
import pytest

from agent_gym import create_environment
from agent_gym.agent.demonstrations import demonstrations
from agent_gym.corpus import opener
from agent_gym.environment import Environment, play
from agent_gym.errors import UnscorableError
from agent_gym.text import canonical, same
from agent_gym.types import SOURCES, Json, Message, ToolAnswer, ToolCall, Trace
from tests.environment import clinic
from tests.environment.clinic import ACT, call, calls

CHECKOUT = Path(__file__).resolve().parent.parent


def test_a_session_anchored_to_a_conversation_answers_as_it_was_answered(gym, log):
    for trace in log:
        session = gym.tool_mocker.session(trace.conversation_id)
        for made, answer in trace.calls():
            assert answer is not None
            assert same(session(made.name, made.arguments), answer.result)


PLAYED = """
import hashlib, orjson
from agent_gym.environment import create_environment, play
from agent_gym.trace_parser import read_traces
env = create_environment(read_traces("data/processed/conversations.jsonl")[:50], agent="embedded", test_fraction=0.2)
rollouts = [play(env.episode(seed=seed), env.agent).to_dict() for seed in range(4)]
asked = [env.tool_mocker.session().call(c.name, c.arguments) for t in env.corpus.test[:5] for c, _ in t.calls()]
print(hashlib.sha256(orjson.dumps([rollouts, env.tool_mocker.tools, asked])).hexdigest())
"""


def test_the_same_seed_gives_the_same_bytes_in_another_process():
    digests = [
        subprocess.run(
            [sys.executable, "-c", PLAYED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=CHECKOUT,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "12345")
    ]
    assert digests[0] == digests[1]
    assert len(digests[0].strip()) == 64


def test_the_same_seed_gives_the_same_bytes_in_this_process(gym):
    twice = [orjson.dumps(play(gym.episode(seed=6), gym.agent).to_dict()) for _ in range(2)]
    assert hashlib.sha256(twice[0]).digest() == hashlib.sha256(twice[1]).digest()


def asked(env: Environment, traces: list[Trace]) -> Iterator[tuple[ToolCall, ToolAnswer]]:
    """Every call of the traces, asked of a free session and of one that is anchored elsewhere."""
    other = env.corpus.train[0].conversation_id
    for trace in traces:
        for anchor in (None, other):
            session = env.tool_mocker.session(anchor)
            for made, _ in trace.calls():
                yield made, session.call(made.name, made.arguments)


def test_every_answer_says_where_it_came_from(gym, log):
    answers = [answer for _, answer in asked(gym, log)]
    sources = {answer.source for answer in answers}
    assert sources <= set(SOURCES)
    assert {"recorded", "neighbour"} <= sources
    assert all(answer.evidence for answer in answers if answer.source in ("recorded", "neighbour", "effect"))
    assert {name for answer in answers for name in answer.evidence} <= {t.conversation_id for t in gym.corpus.train}


def test_what_is_called_recorded_is_on_the_record(gym, log):
    record = {
        (trace.conversation_id, made.name, canonical(made.arguments), canonical(answer.result))
        for trace in gym.corpus.train
        for made, answer in trace.calls()
        if answer is not None
    }
    claimed = [(made, answer) for made, answer in asked(gym, log) if answer.source == "recorded"]
    assert claimed
    for made, answer in claimed:
        assert (answer.evidence[0], made.name, canonical(made.arguments), canonical(answer.result)) in record


def test_sessions_side_by_side_do_not_see_each_other(desk):
    one, other, anchored = (desk.tool_mocker.session(c) for c in (None, None, "c1"))
    one("cancel_visit", {"visit_id": clinic.key(1)})
    look = [session("get_visit", {"visit_id": clinic.key(1)})["status"] for session in (one, other, anchored)]
    assert look == ["cancelled", "booked", "booked"]
    assert len(other.world.writes) == 0


def test_episodes_side_by_side_go_as_they_would_alone(gym):
    ids = [s.conversation_id for s in gym.scenarios("train") if s.scorable][:3]
    alone = [[m.to_dict() for m in play(gym.episode(c, seed=1), gym.agent).messages] for c in ids]
    together = [gym.episode(c, seed=1) for c in (*ids, *ids)]
    while not all(episode.over for episode in together):
        for episode in together:
            if not episode.over:
                episode.step(gym.agent.act(episode.messages, episode.tools))
    said = [[m.to_dict() for m in episode.messages] for episode in together]
    assert said[:3] == said[3:]
    assert said[:3] == alone


def test_changing_a_result_in_hand_changes_nothing_else():
    env = create_environment(clinic.traces(), agent="embedded")
    for session in (env.tool_mocker.session(), env.tool_mocker.session("c1")):
        session("get_visit", {"visit_id": clinic.key(1)})["status"] = "scribbled over"
    assert env.tool_mocker("get_visit", {"visit_id": clinic.key(1)}) == clinic.visit(1)
    assert env.corpus["c1"].messages[2].result == clinic.visit(1)


def test_without_a_key_nothing_is_sent(monkeypatch):
    def refuse(*args: object) -> None:
        raise AssertionError("a socket was opened")

    for key in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    for way in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, way, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    env = create_environment(clinic.traces())
    assert play(env.episode("c1"), env.agent).score is not None
    assert env.query_agent(f"Cancel my visit {clinic.key(2)}")


def marked(trace: Trace, number: int) -> Trace:
    """The trace with marks of its own in its id, words, arguments, results, tools and metadata.

    Every conversation is marked, because marks move conversations between the splits; only those of the test split
    must not be found from train.
    """

    def mark(kind: str) -> str:
        return f"{kind}{number:03d}mark"

    def message(m: Message) -> Json:
        out = m.to_dict()
        if m.role in ("user", "assistant") and m.text:
            out["content"] = f"{m.text} {mark(m.role)}"
        for made in out.get("tool_calls", ()):
            made["arguments"] = {**made["arguments"], "note": mark("argument")}
        if isinstance(m.result, Mapping):
            out["result"] = {**m.result, "mark": mark("result")}
        return out

    tool = {"type": "function", "function": {"name": "list_plans", "description": mark("tool")}}
    metadata = {**trace.metadata, "remark": mark("metadata")}
    messages = [message(m) for m in trace.messages]
    return Trace.of(
        trace.to_dict() | {"conversation_id": mark("id"), "messages": messages, "tools": [tool], "metadata": metadata}
    )


@pytest.fixture(scope="module")
def marked_env(log):
    traces = [marked(trace, number) for number, trace in enumerate(log[:60])]
    return create_environment(traces, agent="embedded", test_fraction=0.3)


def marks(env: Environment) -> list[str]:
    """What stands in every mark of a test conversation and in no other."""
    return [t.conversation_id.removeprefix("id") for t in env.corpus.test]


def leaked(env: Environment, found: str) -> list[str]:
    return [mark for mark in marks(env) if mark in found]


def texts(thing: object, seen: set[int]) -> Iterator[str]:
    """Every text that can be reached from an object by its fields."""
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, bytes):
        yield thing.decode("utf-8", "replace")
    elif id(thing) not in seen and not isinstance(thing, type | int | float | None):
        seen.add(id(thing))
        inner: list[object] = []
        if isinstance(thing, Mapping):
            inner = [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset):
            inner = list(thing)
        else:
            slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
            inner = [*getattr(thing, "__dict__", {}).values(), *(getattr(thing, name, None) for name in slots)]
        for part in inner:
            yield from texts(part, seen)


def test_the_walk_finds_what_is_there(marked_env):
    found = " ".join(texts(marked_env.tool_mocker.world, set()))
    train = [t.conversation_id.removeprefix("id") for t in marked_env.corpus.train]
    assert sum(mark in found for mark in train) > len(train) / 2
    assert len(marks(marked_env)) == 18


def test_the_fitted_world_and_agent_hold_nothing_of_the_test_split(marked_env):
    seen: set[int] = set()
    found = [*texts(marked_env.tool_mocker.world, seen), *texts(marked_env.agent, seen)]
    assert leaked(marked_env, " ".join(found)) == []
    assert leaked(marked_env, str(marked_env.tool_mocker.tools)) == []


def test_train_episodes_show_nothing_of_the_test_split(marked_env):
    rollouts = [play(marked_env.episode(seed=seed), marked_env.agent).to_dict() for seed in range(12)]
    assert leaked(marked_env, str(rollouts)) == []


def test_train_sessions_tell_nothing_of_the_test_split(marked_env):
    anchor = marked_env.corpus.train[0].conversation_id
    for trace in marked_env.corpus.test:
        for session in (marked_env.tool_mocker.session(), marked_env.tool_mocker.session(anchor)):
            told = [session.call(made.name, made.arguments) for made, _ in trace.calls()]
            # A tool may repeat the arguments it is asked with; it may not know the rest.
            others = [f"{kind}{mark}" for mark in marks(marked_env) for kind in ("id", "result", "user", "assistant")]
            assert [other for other in others if other in str(told)] == []


def test_the_agent_and_its_examples_know_nothing_of_the_test_split(marked_env):
    for trace in marked_env.corpus.test:
        said = opener(trace).rsplit(" ", 1)[0]
        assert leaked(marked_env, str(marked_env.query_agent.conversation(said))) == []
        assert leaked(marked_env, demonstrations(marked_env.corpus, said, 4)) == []
        assert leaked(marked_env, str(marked_env.corpus.similar(said, 5))) == []


def test_the_reward_compares_with_train_only(marked_env):
    scores = []
    for trace in marked_env.corpus.test:
        said = [Message(m.role, m.text.rsplit(" ", 1)[0]) for m in trace.messages if m.role in ("user", "assistant")]
        with suppress(UnscorableError):  # no success is like it
            scores.append(marked_env.reward_fn.score(said).to_dict())
    assert scores
    assert leaked(marked_env, str(scores)) == []


def test_a_test_episode_adds_its_own_facts_only(marked_env):
    for trace in marked_env.corpus.test[:6]:
        rollout = play(marked_env.episode(trace.conversation_id), marked_env.agent).to_dict()
        assert set(leaked(marked_env, str(rollout))) <= {trace.conversation_id.removeprefix("id")}


def test_what_the_customer_wants_does_not_reach_the_agent(marked_env):
    """Before anything is asked, an agent sees the prompt, the opener and the tools, and nothing that came later."""
    for scenario in marked_env.scenarios("train")[:20]:
        episode = marked_env.episode(scenario.conversation_id)
        shown = [m.to_dict() for m in episode.messages]
        assert [m["content"] for m in shown if m["role"] == "user"] == [episode.observation] == [scenario.opening]
        assert "result" not in str(shown)
        assert "argument" not in str(shown)
        assert str(scenario.goal) not in str(shown)


def test_no_step_tells_the_goal(desk):
    episode = desk.episode("c1")
    infos = [episode.step(action).info for action in (calls(call("get_visit", 1)), *ACT[1:])]
    assert all("goal" not in info for info in infos)
    assert all("Goal(" not in str({k: v for k, v in info.items() if k != "score"}) for info in infos)
