"""Prints what redaction leaves, what it breaks and what it costs.

    python -m benchmarks.redaction [--traces DIR] [--conversations 300]

Left: the values of fields that plainly hold a person's name, address, number or birthday, looked for in the redacted
conversation by a plain search that knows nothing of the redactor's dictionary. Broken: the calls of every conversation
are put to a gym of the redacted log; its answer should be the redacted answer of the gym of the log itself. Cost: the
megabytes of a second of processor time over both passes and the scan.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import orjson

from agent_gym.corpus import Corpus
from agent_gym.sample import generate
from agent_gym.text import parsed, same
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.log import recorded_calls
from agent_gym.trace_parser.redact import Gathering, Redactor, left_over
from agent_gym.types import Json, Trace
from benchmarks.sources import arguments, load, traces_folder

# Read off the three logs by eye, not taken from the redactor's lists.
FIELDS = frozenset(
    "email phone first_name last_name address1 street zip date_of_birth last_four CustomerName FullName PatientName "
    "RenterName GuestName HostName DateOfBirth AccountNumber PIN SecurityAnswer1 SecurityAnswer2".split()
)


def main() -> None:
    parser = arguments("What does redaction leave, break and cost?")
    parser.add_argument("--conversations", type=int, default=300, help="of each log, at most")
    options = parser.parse_args()
    folder = traces_folder(options.traces)
    measure("sample business", [conversation.trace for conversation in generate()][: options.conversations])
    if folder is not None:
        for name in ("retail_c", "star"):
            measure(name, load(folder, name)[: options.conversations])


def measure(name: str, traces: Sequence[Trace]) -> None:
    size = sum(len(orjson.dumps(trace.to_dict())) for trace in traces) / 1e6
    started = time.process_time()
    gathering = Gathering()
    for trace in traces:
        gathering.add(trace)
    redactor = Redactor(gathering.known(), b"benchmark")
    redacted = [redactor.trace(trace) for trace in traces]
    found_again = sum((left_over(redactor, trace.to_dict()) for trace in redacted), Counter[str]())
    seconds = time.process_time() - started
    print(f"\n{name}: {len(traces)} conversations, {size:.1f} MB, {size / seconds:.2f} MB a second")
    kinds = ", ".join(f"{kind} {len(redactor.values[kind])}/{n}" for kind, n in redactor.times.most_common())
    print(f"  replaced (different values/times): {kinds}")
    print(f"  found by its own scan: {found_again.total()}")
    left = Counter(value for before, after in zip(traces, redacted, strict=True) for value in _left(before, after))
    looked_for = sum(len(set(_values(trace.to_dict()))) for trace in traces)
    print(f"  left, of {looked_for} values looked for: {left.total()} {dict(left.most_common(12))}")
    for anchored in (True, False):
        right, calls = _replayed(traces, redacted, redactor, anchored)
        kind = "anchored" if anchored else "free"
        print(
            f"  calls answered alike by the gym of the redacted log, {kind}: {right} of {calls} ({right / calls:.2%})"
        )


def _left(before: Trace, after: Trace) -> Iterator[str]:
    text = orjson.dumps(after.to_dict()).decode().lower()
    for value in sorted(set(_values(before.to_dict()))):
        if re.search(rf"(?<![a-z0-9]){re.escape(value.lower())}(?![a-z0-9])", text):
            yield value


def _values(value: Json, key: str = "") -> Iterator[str]:
    value = parsed(value)
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _values(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _values(item, key)
    elif key in FIELDS and isinstance(value, str | int) and len(str(value)) > 2:
        yield str(value)


def _replayed(
    traces: Sequence[Trace], redacted: Sequence[Trace], redactor: Redactor, anchored: bool
) -> tuple[int, int]:
    plain, veiled = ToolMocker.fit(Corpus(traces)), ToolMocker.fit(Corpus(redacted))
    right = calls = 0
    for before, after in zip(traces, redacted, strict=True):
        ours = plain.session(before.conversation_id if anchored else None)
        theirs = veiled.session(after.conversation_id if anchored else None)
        for one, other in zip(recorded_calls(before), recorded_calls(after), strict=True):
            answer = redactor.json(ours.call(one.name, one.arguments).result, before, one.name)
            right += same(answer, theirs.call(other.name, other.arguments).result)
            calls += 1
    return right, max(1, calls)


if __name__ == "__main__":
    main()
