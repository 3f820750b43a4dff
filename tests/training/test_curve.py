"""The learning curve, as a picture and as a line."""

import sys
from xml.etree import ElementTree as Xml

import pytest

from agent_gym.errors import MissingExtra
from agent_gym.training import Round, drawn, listed, pictured, sparkline
from agent_gym.training.curve import lines_of

HISTORY = [
    Round(0, 0.4, 0.3, 0.2, 0.4, None, None, 0.0, {}, 100, 100, {"echo": 0.0}),
    Round(
        1,
        0.5,
        0.4,
        0.3,
        0.5,
        0.45,
        0.35,
        0.0,
        {"work": 0.1},
        300,
        150,
        {"do nothing": 0.0, "echo": 0.2, "negation": 0.7},
    ),
]


def test_the_picture_is_well_formed_and_names_its_lines():
    texts = [each.text for each in Xml.fromstring(drawn(HISTORY, "Before <& after")).iter() if each.text]
    assert {"Before <& after", "success 0.40", "reward 0.50", "practice reward 0.45"} <= set(texts)


def test_a_clone_alone_has_a_picture_too():
    texts = [each.text for each in Xml.fromstring(drawn(HISTORY[:1], "t")).iter() if each.text]
    assert "reward 0.40" in texts and not any(text.startswith("practice") for text in texts)


def test_what_is_watched_and_what_is_held_against_it_are_drawn():
    texts = [each.text for each in Xml.fromstring(drawn(HISTORY, "t", {"backend": [0.3, 0.6]})).iter() if each.text]
    assert {"backend 0.60", "held against it 0.10"} <= set(texts)


def test_the_worst_hack_of_each_class_is_drawn_from_the_round_on_in_which_one_was_tried():
    texts = [each.text for each in Xml.fromstring(drawn(HISTORY, "t")).iter() if each.text]
    assert {"no work pays 0.20", "corrupted pays 0.70"} <= set(texts)
    assert lines_of(HISTORY)["corrupted pays"] == [(1, 0.7)]


def test_the_lines_that_warn_are_broken():
    assert drawn(HISTORY, "t").count("stroke-dasharray") == 3


def test_the_hacks_that_pay_are_listed_the_worst_first():
    assert (listed(HISTORY[1].paying), HISTORY[0].paying) == ("70% negation, 20% echo", {})


def test_bars_rise_with_the_values():
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"


def test_a_png_without_its_extra_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"agent-gym\[plot\]"):
        pictured(HISTORY, "t")


def test_the_png_is_a_picture():
    pytest.importorskip("matplotlib")
    assert pictured(HISTORY, "t", {"true success": [0.3, 0.6]}).startswith(b"\x89PNG")
