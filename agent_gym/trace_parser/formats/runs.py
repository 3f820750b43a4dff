"""Results of agent runs and evaluations: ATIF, inspect_ai, SWE-agent, verifiers, tau-bench and tau2-bench."""

from collections.abc import Iterator, Mapping, Sequence

from agent_gym.trace_parser.dialects import Notes, messages_of
from agent_gym.trace_parser.dialects.calls import arguments_of, definitions_of, first_text, unwrapped
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.dialects.parts import pieces_of
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.formats.outcomes import reward_outcome
from agent_gym.trace_parser.values import objects
from agent_gym.types import Json, Message, ToolCall

__all__ = ["ATIF", "ATOF", "SWE_AGENT", "TAU2_BENCH", "TAU_BENCH", "VERIFIERS"]


def _is_atif(record: dict[str, Json]) -> bool:
    version = record.get("schema_version")
    return isinstance(record.get("steps"), list) and isinstance(version, str) and version.startswith("ATIF")


def _read_atif(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict):
            yield from _trajectory(record, None)


def _trajectory(record: dict[str, Json], parent: Json) -> Iterator[Draft]:
    notes = Notes()
    steps = objects(record.get("steps"))
    messages = [message for step in steps for message in _step(step, notes)]
    agent = record.get("agent")
    kept: dict[str, Json] = {}
    if isinstance(agent, dict):
        notes.tools = definitions_of(agent.get("tool_definitions"))
        kept["agent"] = {key: agent[key] for key in ("name", "version", "model_name") if key in agent}
    name = record.get("session_id") or record.get("trajectory_id")
    if parent is not None:
        kept["parent_conversation_id"] = parent
    yield draft_of(messages, notes, name, metadata=kept)
    for inner in objects(record.get("subagent_trajectories")):
        if _is_atif({"schema_version": record.get("schema_version"), **inner}):
            yield from _trajectory(inner, name)


def _step(step: dict[str, Json], notes: Notes) -> list[Message]:
    text = pieces_of(step.get("message"), notes).text if step.get("message") else None
    source = step.get("source")
    if step.get("is_copied_context"):
        return []
    if source in ("user", "system"):
        return [Message("user" if source == "user" else "system", text or "")]
    calls = objects(step.get("tool_calls"))
    made = tuple(
        ToolCall(
            first_text(c, ("function_name", "name")) or "unnamed",
            arguments_of(c.get("arguments"), notes),
            first_text(c, ("tool_call_id",)),
        )
        for c in calls
    )
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    answers = [_answer(result) for result in objects(results)] if made else []
    said = [Message("assistant", text, made)] if made or text is not None else []
    return [*said, *answers]


def _answer(result: dict[str, Json]) -> Message:
    return Message(
        "tool", None, (), None, first_text(result, ("source_call_id",)) or None, unwrapped(result.get("content"))
    )


def _nothing(_: Group) -> Iterator[Draft]:
    """Events whose payloads are whatever the program wrote: no message can be read out of them."""
    return iter(())


def _is_swe(record: dict[str, Json]) -> bool:
    history, messages, info = record.get("history"), record.get("messages"), record.get("info")
    if isinstance(history, list) and history and isinstance(history[0], dict) and "role" in history[0]:
        return "agent" in history[0] or "trajectory" in record
    return isinstance(messages, list) and isinstance(info, dict) and ("exit_status" in info or "submission" in info)


def _read_swe(group: Group) -> Iterator[Draft]:
    """The history; the trajectory repeats the same steps."""
    for record in group.values:
        if not isinstance(record, dict):
            continue
        notes = Notes()
        history = objects(record.get("history")) or objects(record.get("messages"))
        history = [message for message in history if not message.get("is_demo")]
        info = record.get("info")
        status = info.get("exit_status") if isinstance(info, dict) else None
        kept = {"exit_status": status} if isinstance(status, str) else {}
        yield draft_of(messages_of(history, notes), notes, record.get("instance_id"), metadata=kept)


def _is_verifiers(record: dict[str, Json]) -> bool:
    return "completion" in record and "prompt" in record and "reward" in record


def _read_verifiers(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        notes = Notes()
        messages = [*given_messages(record.get("prompt"), notes), *said_messages(record.get("completion"), notes)]
        notes.tools = notes.tools or definitions_of(record.get("tool_defs"))
        kept = {
            key: record[key]
            for key in ("example_id", "task", "answer", "metrics", "reward", "stop_condition")
            if record.get(key) is not None
        }
        yield draft_of(messages, notes, None, outcome=reward_outcome(record.get("reward")), metadata=kept)


def _is_tau(record: dict[str, Json]) -> bool:
    return isinstance(record.get("traj"), list) and "task_id" in record


def _read_tau(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict) and isinstance(record.get("traj"), list):
            notes = Notes()
            kept = {key: record[key] for key in ("task_id", "trial", "reward") if record.get(key) is not None}
            name = f"task-{record.get('task_id')}-trial-{record.get('trial', 0)}"
            yield draft_of(
                messages_of(record["traj"], notes),
                notes,
                name,
                outcome=reward_outcome(record.get("reward")),
                metadata=kept,
            )


def _is_tau2(record: dict[str, Json]) -> bool:
    simulations = record.get("simulations")
    return isinstance(simulations, list) and any(isinstance(s, dict) and "messages" in s for s in simulations)


def _read_tau2(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        policy = _policy(record)
        for simulation in objects(record.get("simulations")):
            yield _simulation(simulation, policy)


def _policy(record: Mapping[str, Json]) -> str | None:
    info = record.get("info")
    environment = info.get("environment_info") if isinstance(info, dict) else None
    policy = environment.get("policy") if isinstance(environment, dict) else None
    return policy if isinstance(policy, str) else None


def _simulation(simulation: dict[str, Json], policy: str | None) -> Draft:
    notes = Notes()
    messages = messages_of(simulation.get("messages") or [], notes)
    if policy and not any(message.role == "system" for message in messages):
        messages.insert(0, Message("system", policy))
    info = simulation.get("reward_info")
    reward = info.get("reward") if isinstance(info, dict) else None
    kept = {
        key: simulation[key] for key in ("task_id", "trial", "termination_reason") if simulation.get(key) is not None
    }
    if reward is not None:
        kept["reward"] = reward
    return draft_of(messages, notes, simulation.get("id"), outcome=reward_outcome(reward), metadata=kept)


def _detect_swe(records: Sequence[Json]) -> float:
    return 0.93 * share(records, _is_swe)


ATIF = Format("atif", "ATIF trajectories", lambda records: 0.97 * share(records, _is_atif), _read_atif)
ATOF = Format(
    "atof", "ATOF event streams (recognised, never holds messages)",
    lambda records: 0.97 * share(records, lambda record: "atof_version" in record), _nothing, lambda _: (),
)  # fmt: skip
SWE_AGENT = Format("swe_agent", "SWE-agent and mini-SWE-agent trajectories", _detect_swe, _read_swe)
VERIFIERS = Format(
    "verifiers",
    "verifiers results",
    lambda records: 0.9 * share(records, _is_verifiers),
    _read_verifiers,
    experimental=True,
)
TAU_BENCH = Format(
    "tau_bench", "tau-bench results", lambda records: 0.95 * share(records, _is_tau), _read_tau, experimental=True
)
TAU2_BENCH = Format(
    "tau2_bench", "tau2-bench results", lambda records: 0.97 * share(records, _is_tau2), _read_tau2, experimental=True
)
