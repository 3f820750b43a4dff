"""Retrieval: the nearest texts, in an order that nothing but the texts decides."""

import os
import subprocess
import sys

import pytest

from agent_gym.text import TextIndex, tokens

TEXTS = [
    "I want to cancel my subscription",
    "my internet is down again",
    "please cancel the order I made yesterday",
    "what does the large plan cost",
]


def test_the_nearest_text_comes_first():
    found = TextIndex(TEXTS).nearest("the internet is down", k=4)
    assert found[0][0] == 1
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_a_text_is_nearest_to_itself():
    index = TextIndex(TEXTS)
    places, scores = zip(*(index.nearest(text)[0] for text in TEXTS), strict=True)
    assert places == tuple(range(len(TEXTS)))
    assert scores == pytest.approx([1.0] * len(TEXTS))


def test_ties_go_to_the_earlier_text():
    assert [at for at, _ in TextIndex(["same words"] * 5).nearest("same words", k=3)] == [0, 1, 2]


def test_of_many_texts_those_come_that_sorting_all_of_them_would_give():
    index = TextIndex(f"order {n % 7} of customer {n % 5}" for n in range(200))
    scores = index.similarities("the order 3 of customer 4").tolist()
    order = sorted(range(200), key=lambda at: (-scores[at], at))
    assert [at for at, _ in index.nearest("the order 3 of customer 4", k=40)] == order[:40]


def test_among_limits_who_may_answer():
    index = TextIndex(TEXTS)
    assert [at for at, _ in index.nearest("cancel", k=4)] == [0, 2]
    assert [at for at, _ in index.nearest("cancel", k=4, among=[1, 2])] == [2]
    assert index.nearest("cancel", k=4, among=[]) == []


def test_nothing_in_common_finds_nothing():
    assert TextIndex(TEXTS).nearest("zebra", k=4) == []
    assert TextIndex(TEXTS).nearest("", k=4) == []


def test_an_empty_index_answers():
    assert (len(TextIndex([])), TextIndex([]).nearest("anything"), TextIndex([]).nearest("x", among=[])) == (0, [], [])
    assert TextIndex(["", "?!"]).nearest("anything") == []


def test_unseen_words_make_a_text_less_alike():
    index = TextIndex(TEXTS)
    near, far = (index.nearest(text)[0][1] for text in ("internet is down", "internet is down zebra giraffe"))
    assert far < near


def test_words_are_found_in_any_script():
    assert tokens("Don't CANCEL my_order, naïve Übung 42!") == [
        "don't",
        "cancel",
        "my",
        "order",
        "naïve",
        "übung",
        "42",
    ]


def test_the_order_is_the_same_under_any_hash_seed():
    code = f"from agent_gym.text import TextIndex; print(TextIndex({TEXTS * 3!r}).nearest('cancel the large plan', 9))"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] != b""
