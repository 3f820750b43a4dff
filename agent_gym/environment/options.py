"""What may be asked of an episode: the options by name, and a did-you-mean for those that do not exist."""

from collections.abc import Iterable
from typing import TypedDict, cast, get_args

from agent_gym.environment.episode import OffSupport, TokenCounter
from agent_gym.errors import OptionError
from agent_gym.llm import ChatModel
from agent_gym.tool_mocker import Faults
from agent_gym.types import User
from agent_gym.user_simulator import Noise

__all__ = ["EpisodeOptions", "ToolOptions", "check_names", "check_options", "tool_options"]


class ToolOptions(TypedDict, total=False):
    """Those that the tool session of an episode takes."""

    faults: Faults | None
    max_rung: str
    model: ChatModel | str | None


class EpisodeOptions(ToolOptions, total=False):
    """`user` is a kind of customer, or a customer; `noise` makes a difficult one.

    An episode is truncated after `max_turns` actions, and when the conversation is `max_tokens` long for a model:
    `count_tokens` says how many tokens a text is, else its length does, about. `off_support` says what becomes of a
    valid call that the record cannot answer. With `shaping`, steps are paid for progress and still add up to the
    score. From `from_turn` messages of the recorded agent on, the conversation goes on as it was recorded.
    """

    from_turn: int
    user: str | User | None
    noise: Noise
    off_support: OffSupport
    max_turns: int | None
    max_tokens: int | None
    count_tokens: TokenCounter | None
    shaping: bool


def check_options(options: EpisodeOptions) -> None:
    """Refuse what does not exist, or does not go together."""
    check_names(options)
    if options.get("from_turn") and options.get("faults") is not None:
        raise OptionError(
            "from_turn", options["from_turn"], ("0",), "does not go with faults: what is recorded has happened"
        )
    if options.get("off_support", "ignore") not in get_args(OffSupport):
        raise OptionError("off_support", options["off_support"], get_args(OffSupport))
    for name in ("max_turns", "max_tokens"):
        most = options.get(name)
        if most is not None and (not isinstance(most, int) or most < 1):
            raise OptionError(name, most, ("1 or more",), "is no number of them")


def check_names(names: Iterable[str]) -> None:
    for name in names:
        if name not in EpisodeOptions.__annotations__:
            raise OptionError("option", name, EpisodeOptions.__annotations__)


def tool_options(options: EpisodeOptions) -> ToolOptions:
    chosen = {name: value for name, value in options.items() if name in ToolOptions.__annotations__}
    return cast("ToolOptions", chosen)
