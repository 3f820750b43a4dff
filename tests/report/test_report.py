"""The report: one file, everything in it escaped, nothing in it that runs but its own script."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent_gym.cli.app import program
from agent_gym.environment import Environment, create_environment
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.environment.rollout import play
from agent_gym.evaluation import Attempt
from agent_gym.evaluation.agents import DoNothing
from agent_gym.fidelity import measure_held_out
from agent_gym.markup import el, text
from agent_gym.report import NamedHistory, NamedRun, write_report
from agent_gym.training import Round
from agent_gym.types import Json
from tests.environment import clinic

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "<!--<style>*{display:none}</style>-->",
    "\x1b[31m\u202eevil\x00",
)


class Elements(HTMLParser):
    """Every element and attribute that a browser would see."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def hostile() -> Environment:
    """The clinic, with something nasty in every field that a log can fill."""
    traces = clinic.traces()
    for at, trace in enumerate(traces):
        nasty = HOSTILE[at % len(HOSTILE)]
        trace["outcome"] = trace["outcome"] if at % 2 else f"resolved {nasty}"
        trace["messages"][0]["content"] = str(trace["messages"][0].get("content")) + nasty
        for message in trace["messages"]:
            if message["role"] == "tool":
                message["result"] = {"note": nasty, nasty: message["result"]}
        trace["conversation_id"] += nasty
    return create_environment(traces, agent="embedded", policy=HOSTILE[0])


def written(environment: Environment, path: Path, fidelity: Json = None) -> str:
    cases = [scenario.conversation_id for scenario in environment.scenarios() if scenario.scorable][:3]
    made = []
    for name, agent in (("good", None), ("idle", DoNothing())):
        rollouts = [
            play(environment.episode(case, max_turns=5), agent or ReplayAgent(environment.corpus[case]))
            for case in cases
        ]
        attempts = tuple(Attempt(0, rollout) for rollout in rollouts)
        made.append(NamedRun(f"{name}{HOSTILE[1]}", {"agent": HOSTILE[2]}, attempts))
    rounds = tuple(Round(n, 0.5, 0.4, 0.3, 0.6, None, None, 0.0, {HOSTILE[0]: 0.5}, 1, 1) for n in range(3))
    histories = [NamedHistory(HOSTILE[1], rounds)]
    write_report(environment, fidelity or {}, made, histories, path / "report.html", HOSTILE[0])
    return (path / "report.html").read_text("utf-8")


def test_no_text_of_a_log_becomes_an_element_or_an_attribute_that_runs(hostile, tmp_path):
    page = written(hostile, tmp_path)
    elements = Elements(page).found
    assert [tag for tag, _ in elements].count("script") == 1 and not any(tag == "img" for tag, _ in elements)
    assert not any(name.startswith("on") for _, attributes in elements for name in attributes)
    links = [attributes["href"] for _, attributes in elements if "href" in attributes]
    assert links and all(str(link).startswith("#") for link in links)
    assert not any(bad in page for bad in ("\x1b", "\x00", "\u202e"))


def test_only_its_own_style_and_script_may_run_and_nothing_is_fetched(desk, tmp_path):
    page = written(desk, tmp_path)
    policy = next(a["content"] for tag, a in Elements(page).found if a.get("http-equiv") == "Content-Security-Policy")
    assert str(policy).startswith("default-src 'none'; style-src 'sha256-") and "unsafe" not in str(policy)
    assert not re.search(r"(?:src|href)=.https?:", page)


def test_two_runs_are_held_side_by_side_and_their_parting_is_marked(desk, tmp_path):
    page = written(desk, tmp_path)
    assert "came out differently" in page and 'class="turn assistant parts"' in page


def test_every_answer_carries_where_it_came_from(desk, tmp_path):
    assert 'class="badge recorded"' in written(desk, tmp_path)


def test_it_says_where_episodes_fail_and_how_they_ended(desk, tmp_path):
    page = written(desk, tmp_path)
    assert "Where episodes fail" in page and "part without a point" in page and "How episodes ended" in page


def test_a_training_shows_its_curve_with_its_interval(desk, tmp_path):
    page = written(desk, tmp_path)
    assert 'class="band s0"' in page and "the clone" in page


def test_what_was_measured_of_each_tool_stands_beside_it(desk, tmp_path):
    log = list(desk.corpus)
    page = written(desk, tmp_path, {"tools": measure_held_out(log, log[:3]).to_dict()})
    assert "thin evidence: 100.0% [43.8%, 100.0%] of 3" in page
    assert "Exactly right on 3 unseen calls, by recorded calls mined" in page
    assert "beside simpler ways to answer" in page and "Stated confidence of the answers" in page
    assert "get_visit: 8 recorded calls; about 46 more would allow a verdict" in page


def test_agents_stand_as_they_rank_in_the_log_and_in_the_gym(desk, tmp_path):
    agents = {name: {"conversations": 8, "real": 0.5, "live": 0.4} for name in "abc"}
    told = {"key": "model", "agents": 3, "conversations": 24, "pairs": 2, "ordered": 1.0, "by_agent": agents}
    page = written(desk, tmp_path, {"ranking": {**told, "spearman": 0.9, "spearman_interval": [0.5, 1.0]}})
    assert "Rank correlation 0.90 [0.50, 1.00] over 3 agents" in page and "by the log 0.50, in the gym 0.40" in page


def test_what_was_not_measured_is_said_and_not_left_blank(desk, tmp_path):
    page = written(desk, tmp_path)
    assert page.count("Not measured") >= 2 and "The audit was not run" in page


def test_long_texts_are_cut_and_the_cut_is_counted():
    assert "996,000 characters more" in text("x" * 1_000_000)


def test_whatever_was_not_made_here_is_escaped():
    assert el("p", "<b>", el("i", "a & b"), title='"') == '<p title="&quot;">&lt;b&gt;<i>a &amp; b</i></p>'


def test_the_command_needs_a_gym_and_not_only_runs(tmp_path):
    run = tmp_path / "run.jsonl"
    run.write_text('{"run":{"agent":"x"}}\n', "utf-8")
    failed = CliRunner().invoke(program(), ["report", str(run), "-o", str(tmp_path / "r.html")])
    assert failed.exit_code != 0 and "a report is of a gym" in str(failed.exception)


def test_the_command_takes_what_fidelity_printed(tmp_path):
    log, told = tmp_path / "log.jsonl", tmp_path / "fidelity.json"
    log.write_text("".join(json.dumps(trace) + "\n" for trace in clinic.traces()), "utf-8")
    told.write_text('{"tools": {"verdict": {"safe": ["get_visit"]}}}', "utf-8")
    out = tmp_path / "r.html"
    assert CliRunner().invoke(program(), ["report", str(log), "--fidelity", str(told), "-o", str(out)]).exit_code == 0
    assert "safe to train on: get_visit" in out.read_text("utf-8")
