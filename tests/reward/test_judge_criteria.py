"""Criteria as users write them, and the rules that a policy holds."""

import pytest

from agent_gym.errors import OptionError
from agent_gym.reward.judge import Criterion, policy_criteria, read_criteria

POLICY = """# Clinic desk

You are the desk of a clinic. Never give medical advice. The clinic opens at 8.

## Changes

- You must ask for the date of birth before changing a visit, e.g. moving it. Patients like a kind word.
- A visit can only be cancelled if it is not over.
1) Ensure that the patient agrees.
"""


def test_a_criterion_is_written_as_an_object_a_dict_or_a_line():
    lines = ["# ours", "", "must: A.", "nice-to-have 0.2: B.", "Pitfall reply: C.", "The agent: listens."]
    assert read_criteria(lines) == (
        Criterion("A."),
        Criterion("B.", "nice", 0.2),
        Criterion("C.", "pitfall", reply=True),
        Criterion("The agent: listens."),
    )
    given = {"text": "A.", "kind": "must-have", "id": "a"}
    assert read_criteria([given, Criterion("B.")]) == (Criterion("A.", id="a"), Criterion("B."))


def test_kinds_have_weights_of_their_own():
    assert [Criterion("A.", kind).pull for kind in ("must", "nice", "pitfall")] == [1.0, 0.0, 1.0]
    assert Criterion("A.", "pitfall", 0.0).pull == 0.0


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["pitfal: The agent lies."], "did you mean 'pitfall'"),
        ([{"text": "A.", "knid": "must"}], "did you mean 'kind'"),
        ([{"text": "A.", "kind": "should"}], "is not known"),
        ([{"kind": "must"}], "a statement"),
        ([{"text": "A.", "weight": 2.0}], "a number from 0 to 1"),
        ([{"text": "A.", "weight": float("nan")}], "a number from 0 to 1"),
        (["A.", "must: A."], "occurs twice"),
    ],
)
def test_a_mistake_in_a_criterion_is_told(given, reason):
    with pytest.raises(OptionError, match=reason):
        read_criteria(given)


def test_names_are_stable_and_tell_texts_apart():
    assert Criterion("The agent is kind!").name.startswith("the-agent-is-kind-")
    assert Criterion("会话").name != Criterion("对话").name
    assert Criterion("Kind.").name == Criterion("Kind.", "pitfall").name


def test_the_rules_of_a_policy_are_pitfalls_with_their_section():
    rules = policy_criteria(POLICY)
    assert {rule.kind for rule in rules} == {"pitfall"}
    assert [rule.text.split(": ", 1)[1] for rule in rules] == [
        "Never give medical advice.",
        "You must ask for the date of birth before changing a visit, e.g. moving it.",
        "A visit can only be cancelled if it is not over.",
        "Ensure that the patient agrees.",
    ]
    assert "## Changes" in rules[1].context
    assert rules[0].name.startswith("never-give-medical-advice-")


def test_of_too_many_rules_the_plainest_are_asked_in_their_own_order():
    rules = policy_criteria(POLICY, most=2)
    assert ["Never" in rules[0].text, "must ask" in rules[1].text, len(rules)] == [True, True, 2]


def test_a_policy_without_such_words_is_read_by_its_list():
    rules = policy_criteria(
        "Sie sind der Empfang.\n\n- Kundennummer immer zuerst prüfen.\n- Keine Rabatte versprechen."
    )
    assert [rule.text.split(": ", 1)[1] for rule in rules] == [
        "Kundennummer immer zuerst prüfen.",
        "Keine Rabatte versprechen.",
    ]


@pytest.mark.parametrize("policy", ["", "You are a helpful assistant.", "# Heading\n\n## Another"])
def test_a_policy_without_rules_gives_none(policy: str):
    assert policy_criteria(policy) == ()


def test_a_rule_may_run_over_lines():
    [rule] = policy_criteria("- Never tell a patient\n  what another patient has.\nThe end")
    assert rule.text.endswith("Never tell a patient what another patient has.")


def test_a_rule_said_twice_is_asked_once():
    assert len(policy_criteria("Never shout at them.\n\nWell. Never shout at them.")) == 1
