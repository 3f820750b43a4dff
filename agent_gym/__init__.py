"""Agent Gym: recorded conversations in, a reinforcement-learning environment out.

The public names, loaded when first used, so that `import agent_gym` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_gym.environment import Environment, Episode, Scenario, create_environment, load
    from agent_gym.errors import AgentGymError, TraceError
    from agent_gym.trace_parser import read_traces
    from agent_gym.types import Message, Score, Step, ToolAnswer, ToolCall, Trace

__version__ = "0.1.0"

__all__ = [
    "AgentGymError",
    "Environment",
    "Episode",
    "Message",
    "Scenario",
    "Score",
    "Step",
    "ToolAnswer",
    "ToolCall",
    "Trace",
    "TraceError",
    "__version__",
    "create_environment",
    "load",
    "read_traces",
]

_HOME = {
    "AgentGymError": "errors",
    "TraceError": "errors",
    "Environment": "environment",
    "Episode": "environment",
    "Scenario": "environment",
    "create_environment": "environment",
    "load": "environment",
    "read_traces": "trace_parser",
    "Message": "types",
    "Score": "types",
    "Step": "types",
    "ToolAnswer": "types",
    "ToolCall": "types",
    "Trace": "types",
}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'agent_gym' has no attribute {name!r}")
    return getattr(import_module(f"agent_gym.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
