"""One conversation's moments in, examples of writes out: the call, its record before, and what the record became."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.context import Context
from agent_gym.types import Json

__all__ = ["WriteExample", "write_examples"]


@dataclass(frozen=True, slots=True)
class WriteExample:
    """A recorded write. The context's record is the one it is about, before it."""

    call: Recorded
    table: str
    key: str
    context: Context
    after: Mapping[str, Json]
    shows_record: bool  # `after` is the record itself, not an answer about it


def write_examples(moments: Iterable[Moment], kinds: Mapping[str, Kind]) -> Iterator[WriteExample]:
    """The conversation's successful writes, each with the record that it is about."""
    for moment in moments:
        call, kind = moment.call, kinds[moment.call.name]
        # A read that is told more than a name may answer with what it was told, as a write does.
        if not call.is_error and (kind.writes or kind.ends or len(call.arguments) > 1):
            example = _on_shown(moment) or _on_subject(moment)
            if example is not None:
                yield example


def _on_shown(moment: Moment) -> WriteExample | None:
    """The answer is the record that an argument names, and it was known before."""
    for shown in moment.shown:
        before = moment.context.named(*shown.name)
        if shown.path == "" and before and shown.key in map(str, moment.call.arguments.values()):
            context = replace(moment.context, record=before)
            return WriteExample(moment.call, *shown.name, context, shown.fields, shows_record=True)
    return None


def _on_subject(moment: Moment) -> WriteExample | None:
    """The answer tells something else about the record that the call names."""
    if moment.about is None or not isinstance(moment.call.result, Mapping):
        return None
    return WriteExample(moment.call, *moment.about, moment.context, moment.call.result, shows_record=False)
