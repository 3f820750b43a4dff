"""A gym and its fidelity in, the customers out: how like the real ones, and three of them to read."""

from collections.abc import Mapping

from agent_gym.environment import Environment
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.environment.rollout import play
from agent_gym.markup import Content, el, table
from agent_gym.report.talk import conversation
from agent_gym.types import Json

__all__ = ["customers"]

_SHOWN = 3


def customers(environment: Environment, measured: Mapping[str, Json]) -> Content:
    return [
        _measured(measured),
        el("h3", "Simulated beside real"),
        *(_pair(environment, c) for c in _some(environment)),
    ]


def _measured(found: Mapping[str, Json]) -> Content:
    free = found.get("free_running") or {}
    rows: list[tuple[str, str]] = []
    if found.get("turns"):
        rows += [
            (label, f"{found[name]:.1%}")
            for name, label in (
                ("fact_f1", "the values they tell, F1"),
                ("stops", "stay or leave as the real one did"),
                ("acts", "do the same next"),
                ("leaks", "say what they cannot know"),
            )
            if isinstance(found.get(name), float)
        ]
    for name, label in (("turns", "turns"), ("words", "words a turn"), ("short", "short replies")):
        if isinstance(free.get(name), list | tuple):
            real, simulated = free[name]
            rows.append((f"{label}, real and simulated", f"{real:.2f}, {simulated:.2f}"))
    if not rows:
        return el("p", "Not measured: no case has two conversations to hold against each other.", class_="soft")
    return table(("beside the real customers", ""), rows, numbers=frozenset({1}))


def _some(environment: Environment) -> list[str]:
    """Cases from all over the log whose conversations are neither trivial nor endless."""
    fit = [
        s.conversation_id
        for s in environment.scenarios(outcome="succeeded")
        if 4 <= len(environment.corpus[s.conversation_id].messages) <= 40
    ]
    return [fit[at * len(fit) // _SHOWN] for at in range(min(_SHOWN, len(fit)))]


def _pair(environment: Environment, conversation_id: str) -> Content:
    trace = environment.corpus[conversation_id]
    rollout = play(environment.episode(conversation_id), ReplayAgent(trace))
    return el(
        "details",
        el("summary", conversation_id, el("span", f" · ended: {rollout.ending.replace('_', ' ')}", class_="soft")),
        el(
            "div",
            el("div", el("h3", "real"), conversation(trace.messages)),
            el(
                "div",
                el("h3", "simulated, with the same agent's words"),
                conversation(rollout.messages, rollout.answers),
            ),
            class_="pair",
        ),
    )
