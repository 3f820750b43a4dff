"""CONTRIBUTING.md says how to add a rule: its example, read from there, is learned, asked and put into words."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from agent_gym.corpus import Corpus
from agent_gym.tool_mocker import ToolMocker, mine, rules, stored, validation
from agent_gym.tool_mocker.evidence import Evidence, find_evidence
from agent_gym.tool_mocker.log import recorded_calls
from agent_gym.tool_mocker.precision import Precision
from agent_gym.types import Trace
from tests.tool_mocker.builders import conversation

PAGE = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"
PRIORS = {**rules.RULES, "capitals": 0.9}


@pytest.fixture
def example(monkeypatch) -> ModuleType:
    """The module that the page shows."""
    section = PAGE.read_text("utf-8").partition("\n## Add a rule\n")[2].partition("\n## ")[0]
    module = ModuleType("capitals")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(section.partition("```python\n")[2].partition("```\n")[0], module.__dict__)
    return module


def talks(count: int) -> list[Trace]:
    return [conversation(f"t{n}", [("clean_code", {"code": f"ab-{n}x"}, f"AB-{n}X")]) for n in range(count)]


def evidence_of(traces: list[Trace]) -> Evidence:
    return find_evidence([recorded_calls(t) for t in traces], {}, {t.conversation_id: n for n, t in enumerate(traces)})


def test_the_rule_of_the_page_is_learned_answers_and_says_itself(example):
    learned = example.learn_capitals(evidence_of(talks(4)))
    world = ToolMocker.fit(Corpus(talks(4))).world
    tool = replace(world.tools["clean_code"], rules={"capitals": learned["clean_code"]})
    world = replace(world, tools={"clean_code": tool}, precision=Precision.of({}, PRIORS))
    tools = ToolMocker(world, Corpus(talks(4)))
    answer = tools.session().call("clean_code", {"code": "zz-7y"})
    assert (answer.result, answer.confidence, answer.source) == ("ZZ-7Y", 0.9, "neighbour")  # no label is earned yet
    assert "function: answers argument.code in capital letters (4 examples)" in str(tools.explain("clean_code"))


def test_the_rule_of_the_page_is_not_learned_where_answers_do_not_follow_it(example):
    assert example.learn_capitals(evidence_of(talks(2))) == {}
    odd = conversation("odd", [("clean_code", {"code": "a"}, "b")])
    assert example.learn_capitals(evidence_of([*talks(4), odd])) == {}


def test_once_it_is_named_where_the_page_says_the_log_gives_it_its_label(example, monkeypatch):
    def learn_rules(evidence: Evidence, mentioned: Mapping[str, int | None]) -> dict[str, Mapping[str, object]]:
        more = example.learn_capitals(evidence)
        known = rules.learn_rules(evidence, mentioned)
        return {tool: {**({"capitals": more[tool]} if tool in more else {}), **some} for tool, some in known.items()}

    for module in (mine, validation):
        monkeypatch.setattr(module, "RULES", PRIORS)
    monkeypatch.setattr(mine, "learn_rules", learn_rules)
    answer = ToolMocker.fit(Corpus(talks(40))).session().call("clean_code", {"code": "zz-7y"})
    assert (answer.result, answer.source) == ("ZZ-7Y", "function")
    assert answer.confidence > 0.95


def test_the_places_that_the_page_names_are_there():
    assert {"RULES", "learn_rules", "KEPT"} <= set(rules.__all__)
    assert set(rules.KEPT) <= set(stored.WORLD_TYPES)
