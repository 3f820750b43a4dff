"""What keeps a large log small: equal parts kept once, rules from a sample, anchors read when they are needed."""

import gc
from collections.abc import Sequence

from agent_gym.text import digest
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.evidence import MOST_EXAMPLES, Evidence, find_evidence, spread
from agent_gym.tool_mocker.log import Recorded, Shared, recorded_calls
from agent_gym.tool_mocker.mine import mine
from agent_gym.tool_mocker.state import Anchor
from tests.tool_mocker.builders import cancelled, conversation, mocker, order


def read(number: int, *, refused: bool = False, tool: str = "get_order") -> Recorded:
    arguments = {"order_id": f"O{number}"}
    told = "Error: no such order" if refused else order(f"O{number}")
    return Recorded(f"t{number}", tool, arguments, digest(arguments), told, told, refused)


MANY = [[read(number)] for number in range(3 * MOST_EXAMPLES)]


def evidence(conversations: Sequence[Sequence[Recorded]]) -> Evidence:
    return find_evidence(conversations, {}, {})


def sampled(conversations: Sequence[Sequence[Recorded]]) -> list[list[Recorded]]:
    """The conversations that rules are learned from."""
    return [[moment.call for moment in moments] for moments in evidence(conversations).moments]


def test_equal_arguments_and_results_are_kept_once():
    (one,), (two,) = (Shared().calls([read(1)]), Shared().calls([read(1)]))
    assert one == two and one.raw is not two.raw
    first, again = Shared().calls([read(1), read(1)])
    assert first == again and first.raw is again.raw and first.arguments is again.arguments


def test_results_that_only_mean_the_same_stay_as_they_were_written():
    calls = [("now", {"n": n}, {"b": 1.0, "a": 2} if n else {"a": 2, "b": 1}) for n in range(2)]
    shared = Shared().calls(recorded_calls(conversation("t", calls)))
    assert [list(call.raw.items()) for call in shared] == [[("a", 2), ("b", 1)], [("b", 1.0), ("a", 2)]]


def test_a_small_log_is_learned_from_whole():
    few = MANY[:MOST_EXAMPLES]
    assert sampled(few) == few and spread(few) == few


def test_a_large_log_is_learned_from_in_part_and_in_its_order():
    chosen = sampled(MANY)
    numbers = [int(calls[0].conversation_id[1:]) for calls in chosen]
    assert len(chosen) == MOST_EXAMPLES and numbers == sorted(numbers) and numbers[-1] > 2 * MOST_EXAMPLES


def test_which_part_is_learned_from_does_not_depend_on_the_logs_order():
    there, back = sampled(MANY), sampled(MANY[::-1])
    assert back[::-1] == there


def test_what_happened_rarely_is_always_learned_from():
    rare = [[read(10_000, refused=True)], [read(10_001, tool="cancel_order")]]
    assert all(conversation in sampled([*rare, *MANY]) for conversation in rare)


def test_a_tool_lends_no_more_calls_than_needed_to_the_rules():
    sample = evidence(MANY).sample
    assert len(sample["get_order"]) == MOST_EXAMPLES and len(spread(MANY)) == MOST_EXAMPLES


def test_every_recorded_answer_is_known_though_rules_come_from_a_part():
    world = mine(MANY)
    assert len(world.records) == len(world.tools["get_order"].memory.answers) == len(MANY)


def test_a_corpus_that_is_not_in_memory_is_mined_like_one_that_is():
    class Elsewhere:
        @property
        def train(self):
            return (conversation(f"t{n}", cancelled(f"O{n}")) for n in range(3))

        @property
        def groups(self):
            return {trace.conversation_id: at for at, trace in enumerate(self.train)}

        def __getitem__(self, conversation_id):
            return next(trace for trace in self.train if trace.conversation_id == conversation_id)

    answer = ToolMocker.fit(Elsewhere()).session("t1").call(*cancelled("O1")[1][:2])
    assert answer == mocker(*(cancelled(f"O{n}") for n in range(3))).session("t1").call(*cancelled("O1")[1][:2])


def test_opening_a_session_reads_nothing_off_its_conversation_until_it_is_asked():
    tools = mocker(cancelled("O1"), cancelled("O2"))
    anchor = Anchor(conversation("t0", cancelled("O1")), tools.world)
    assert set(vars(anchor)) == {"trace", "world"}
    assert anchor.answers and "records" not in vars(anchor)


def test_sessions_of_one_conversation_share_its_anchor_while_any_is_open():
    tools = mocker(cancelled("O1"))
    one, two = tools.session("t0"), tools.session("t0")
    assert one.call("get_order", {"order_id": "O1"}) == two.call("get_order", {"order_id": "O1"})
    assert len(tools._anchors) == 1
    del one, two
    gc.collect()
    assert len(tools._anchors) == 0
