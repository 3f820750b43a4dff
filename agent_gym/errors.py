"""Every exception Agent Gym raises; the agent's own mistakes are never here, they come back as data.

AgentGymError
├── TraceError            a record that cannot be read: source, line, reason, what to do
├── MessageError          a message, call or action that is not of the trace schema
├── UnknownConversation   a conversation id that the corpus does not hold
├── OptionError           an option or a value that does not exist, with a did-you-mean
├── EpisodeOver           a step on an episode that has ended
├── ConformanceError      an environment that breaks a promise, by `testing.check_environment`
├── ConfigError           an agent-gym.toml that cannot be read or sets what does not exist: path, line, reason
├── RedactionError        personal values that could not be replaced, or were found in the output again
├── GymFileError          a gym file that cannot be written or read: path, reason, what to do
├── RunFileError          a file of an evaluation that is none, or is another run's
├── MissingExtra          an optional part that is not installed, or is of a version that was not tried
├── OffSupportError       a training run in which too many episodes asked the tools what the record cannot answer
├── PolicyFileError       a policy file that is none, is damaged, or is another gym's
├── UnscorableError       a conversation without a goal to score it against
├── JudgeRefused          a judge that failed a probe whose answer is known
├── BudgetSpent           a judge has been asked as often as it may
└── LlmError              a remote model did not answer; never scored as 0
    ├── LlmUnavailable    no key, no SDK, no connection, or offline by choice
    ├── LlmRefused        the service said no (4xx): a wrong key, model or request
    ├── LlmOverloaded     429 or 5xx after all retries
    ├── LlmTimeout        no answer in time
    └── LlmBadReply       an answer that is not of the wire format
"""

import difflib
from collections.abc import Iterable

__all__ = [
    "AgentGymError",
    "BudgetSpent",
    "ConfigError",
    "ConformanceError",
    "EpisodeOver",
    "GymFileError",
    "JudgeRefused",
    "LlmBadReply",
    "LlmError",
    "LlmOverloaded",
    "LlmRefused",
    "LlmTimeout",
    "LlmUnavailable",
    "MessageError",
    "MissingExtra",
    "OffSupportError",
    "OptionError",
    "PolicyFileError",
    "RedactionError",
    "RunFileError",
    "TraceError",
    "UnknownConversation",
    "UnscorableError",
]


class AgentGymError(Exception):
    """The root: catch this to catch everything the package raises on purpose."""


class TraceError(AgentGymError):
    """A record of a trace source that cannot be used."""

    def __init__(self, source: str, line: int | None, reason: str, hint: str = "") -> None:
        self.source, self.line, self.reason, self.hint = source, line, reason, hint
        where = source if line is None else f"{source}:{line}"
        super().__init__(f"{where}: {reason}" + (f" ({hint})" if hint else ""))


class MessageError(AgentGymError):
    """A message, tool call or action that does not follow the trace schema."""


class UnknownConversation(AgentGymError):
    """A conversation id that the corpus does not hold."""

    def __init__(self, conversation_id: str, near: Iterable[str] = ()) -> None:
        self.conversation_id, self.near = conversation_id, tuple(near)
        hint = f"; did you mean {' or '.join(repr(n) for n in self.near)}?" if self.near else ""
        super().__init__(f"no conversation {conversation_id!r} in this corpus{hint}")


class OptionError(AgentGymError):
    """An option, or a value of one, that does not exist, or not in this setting: `why` says what is wrong."""

    def __init__(self, option: str, value: object, known: Iterable[str], why: str = "is not known") -> None:
        self.option, self.value, self.known, self.why = option, value, tuple(known), why
        near = difflib.get_close_matches(str(value), self.known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(f"{option}={value!r} {why}; choose one of {', '.join(self.known)}{hint}")


class EpisodeOver(AgentGymError):
    """A step on an episode that has ended."""

    def __init__(self, conversation_id: str) -> None:
        self.conversation_id = conversation_id
        super().__init__(f"the episode of {conversation_id!r} is over; start a new one: env.episode(...), or reset()")


class ConformanceError(AgentGymError):
    """An environment that does not keep what every environment promises."""

    def __init__(self, broken: Iterable[str]) -> None:
        self.broken = tuple(broken)
        super().__init__(f"{len(self.broken)} promises are broken: {'; '.join(self.broken)}")


class ConfigError(AgentGymError):
    """A configuration file that cannot be read, or that sets what does not exist."""

    def __init__(self, path: object, line: int | None, reason: str, hint: str = "") -> None:
        self.path, self.line, self.reason, self.hint = str(path), line, reason, hint
        place = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{place}: {reason}" + (f"; {hint}" if hint else ""))


class RedactionError(AgentGymError):
    """Personal values could not be replaced, or were found again in what was to be written. Nothing is written."""


class _FileError(AgentGymError):
    def __init__(self, path: object, reason: str, hint: str = "") -> None:
        self.path, self.reason, self.hint = str(path), reason, hint
        super().__init__(f"{path}: {reason}" + (f" ({hint})" if hint else ""))


class GymFileError(_FileError):
    """A gym file that cannot be written, or is not one, or is damaged."""


class RunFileError(_FileError):
    """The file of an evaluation run that is not one, is damaged, or holds another run."""


class MissingExtra(AgentGymError):
    """An optional dependency is not there, or is not one that is supported."""

    def __init__(self, extra: str, reason: str) -> None:
        super().__init__(f"{reason}: pip install 'agent-gym[{extra}]'")


class OffSupportError(AgentGymError):
    """Training goes on where the record ends: its rewards would be guesses."""


class PolicyFileError(_FileError):
    """The file of a trained policy that is not one, is damaged, or was trained on another gym."""


class UnscorableError(AgentGymError):
    """There is nothing to score a conversation against: no reference and no goal."""


class JudgeRefused(AgentGymError):
    """A judge gave the wrong answer to a probe, so nothing it says is believed."""

    def __init__(self, judge: str, probe: str, answer: str, reason: str) -> None:
        self.judge, self.probe, self.answer, self.reason = judge, probe, answer, reason
        because = f", because {reason!r}" if reason else ""
        super().__init__(f"{judge} is refused as a judge: of {probe} it says {answer!r}{because}; choose another model")


class BudgetSpent(AgentGymError):
    """A judge has been asked as often, or with as many tokens, as its options allow."""


class LlmError(AgentGymError):
    """A remote model did not give a usable answer. A failure of its own class, never a reward of 0."""


class LlmUnavailable(LlmError):
    """No key, no SDK installed, no connection, or AGENT_GYM_OFFLINE=1."""


class LlmRefused(LlmError):
    """The service refused the request: a wrong key, an unknown model, a request it does not accept."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class LlmOverloaded(LlmError):
    """429 or 5xx, and still so after all retries."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class LlmTimeout(LlmError):
    """No answer within the time given."""


class LlmBadReply(LlmError):
    """The service answered with something that is not of its wire format, or with nothing."""
