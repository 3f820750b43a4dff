"""Frozen values as JSON: what goes in comes out, of the types that were named and no others."""

from array import array
from dataclasses import dataclass
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_gym.keeping import Codec, read_json, written_json
from agent_gym.types import Json


@dataclass(frozen=True, slots=True)
class Fruit:
    name: str
    parts: Json


class Pair(NamedTuple):
    left: Json
    right: Json


CODEC = Codec((Fruit, Pair))
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
VALUES = st.recursive(
    JSONS | st.binary(),
    lambda inner: st.tuples(inner, inner) | st.builds(Pair, inner, inner) | st.builds(Fruit, st.text(), inner),
    max_leaves=8,
)


def through(value: object) -> object:
    return CODEC.decode(read_json(written_json(CODEC.encode(value))))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(VALUES)
def test_every_value_comes_back_as_it_was(value):
    again = through(value)
    assert again == value and type(again) is type(value)


@pytest.mark.parametrize(
    "value",
    [
        {("a", b"\x00"): frozenset({1, 2}), None: ()},
        [float("inf"), (-0.0,), 2**70, "\ud800"],
        array("Q", [0, 2**64 - 1]),
        {"j": ["t", ["b"]], "Fruit": {"@": 1}},
    ],
)
def test_what_json_cannot_say_comes_back_too(value):
    assert through(value) == value and repr(through(value)) == repr(value)


def test_a_set_is_written_alike_whatever_order_it_is_in():
    names = [f"name {at}" for at in range(50)]
    assert written_json(CODEC.encode(frozenset(names))) == written_json(CODEC.encode(frozenset(reversed(names))))


@pytest.mark.parametrize(
    "written",
    [["os.system", "ls"], ["Fruit", "apple"], ["Fruit"], {"a": 1}, [], ["b", 7], ["m", 3], ["t", {"a": 1}], [["j"]]],
)
def test_what_was_never_written_is_not_read(written):
    with pytest.raises(ValueError, match=r"\w"):
        CODEC.decode(written)


def test_a_type_that_was_not_named_cannot_be_kept():
    with pytest.raises(TypeError, match="object is none of the types"):
        CODEC.encode((object(),))


def test_the_shape_tells_what_the_types_look_like():
    assert CODEC.shape == [["Fruit", "name", "parts"], ["Pair", "left", "right"]]
