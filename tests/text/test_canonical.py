"""Canonical JSON: equal values have equal bytes, and nothing that calls itself JSON breaks it."""

import pytest

from agent_gym.text import canonical, digest, parsed, same

DEEP = 5000


def nested(levels: int, core: object) -> object:
    for _ in range(levels):
        core = [core]
    return core


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}),
        ({"a": {"y": 1, "x": 2}}, {"a": {"x": 2, "y": 1}}),
        (17.860000000000014, 17.86),
        (3.0, 3),
        (-0.0, 0),
        ('{"b": 1, "a": 2}', {"a": 2, "b": 1}),
        ({"inner": "[1.0, 2]"}, {"inner": [1, 2.0]}),
        ((1, 2), [1, 2]),
        ({"b": 2**70, "a": 1}, {"a": 1, "b": 2**70}),
        ({"b": "\ud800", "a": 1}, {"a": 1, "b": "\ud800"}),
    ],
)
def test_values_that_mean_the_same_are_one(left, right):
    assert canonical(left) == canonical(right)
    assert digest(left) == digest(right)
    assert same(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, "1"),
        (1, True),
        ({"a": 1}, {"a": True}),
        ([2**70, 1], [2**70, True]),
        ([float("nan")], [None]),
        (None, "null"),
        ([], {}),
        ([1, 2], [2, 1]),
        (17.86, 17.87),
        (2**70, 2**70 + 1),
        ("a", "A"),
    ],
)
def test_values_that_differ_stay_apart(left, right):
    assert not same(left, right)
    assert digest(left) != digest(right)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [-float("inf")], 1e300, "\ud800", {"k\udfff": 1}, {1: 2}]
)
def test_what_json_writers_refuse_still_has_a_form(value):
    assert canonical(value) == canonical(value)
    assert isinstance(canonical(value), bytes)


@pytest.mark.parametrize("value", [nested(DEEP, 1), "[" * 900 + "]" * 900, "[" * DEEP])
def test_depth_does_not_exhaust_the_stack(value):
    assert len(digest(value)) == 16


def test_deep_values_are_compared_all_the_same():
    assert same(nested(DEEP, 1), nested(DEEP, 1))


def test_depth_is_told_apart_as_far_as_anybody_nests():
    assert not same(nested(60, 1), nested(60, 2))


def test_a_digest_is_sixteen_bytes_and_never_changes():
    assert digest({"id": "A-1", "n": 2}).hex() == "b6acde2947a923179dbe33e92e3fad41"


def test_only_objects_and_lists_are_parsed_out_of_text():
    assert parsed('{"a": 1}') == {"a": 1}
    assert [parsed(text) for text in ("5", "null", "{not json", "", "plain")] == ["5", "null", "{not json", "", "plain"]
