"""The report in a real browser: it opens without a word on the console, and no text of a log ever runs."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent_gym.environment import Environment, create_environment, play
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.evaluation import Attempt
from agent_gym.evaluation.agents import DoNothing
from agent_gym.fidelity import measure_fidelity
from agent_gym.report import NamedHistory, NamedRun, write_report
from agent_gym.training import Round
from agent_gym.types import Json, Score, Trace
from tests.environment import clinic
from tests.integrations.browser.payloads import MARK, PAYLOADS

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium on this machine: apt install chromium, or brew install --cask chromium"
)


def opened(page: Path, *options: str) -> tuple[str, str]:
    """The page as it stands once its scripts have run, and what was said on the console."""
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", *options]
    command += ["--virtual-time-budget=2000", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


def marked(page: str) -> bool:
    """Whether something ran: every payload would mark the page's root."""
    root = re.search(r"<html[^>]*>", page)
    assert root is not None
    return MARK in root.group()


def nasty(at: int) -> str:
    return PAYLOADS[at % len(PAYLOADS)]


def hostile(at: int) -> dict[str, Json]:
    """A conversation of the clinic with a payload in every field that a log can fill."""
    bad, i = nasty(at), at % clinic.PATIENTS
    trace = clinic.cancelled(i, conversation_id=f"{at} {bad}")
    trace["outcome"] = "resolved" if at % 3 else f"resolved {bad}"
    trace["metadata"] = {"task_id": i, "agent": f"agent {at % 4} {nasty(at % 4)}", bad: bad}
    trace["tools"] = [{**clinic.schema(f"get_visit{nasty(i)}"), "description": bad}]
    trace["messages"].insert(0, {"role": "system", "content": bad})
    for message in trace["messages"]:
        if message["role"] == "tool":
            message["name"] += nasty(i)
            message["result"] = {"note": bad, bad: [bad], "visit": message["result"]}
            message["is_error"] = at % 5 == 0
        elif message.get("tool_calls"):
            for call in message["tool_calls"]:
                call["name"] += nasty(i)
                call["arguments"] = {**call["arguments"], bad: bad, "why": bad}
        else:
            message["content"] = f"{message['content']} {bad}"
    return trace


@pytest.fixture(scope="module")
def environment() -> Environment:
    return create_environment([hostile(at) for at in range(len(PAYLOADS))], agent="embedded", policy=PAYLOADS[0])


def runs(environment: Environment) -> list[NamedRun]:
    cases = [scenario.conversation_id for scenario in environment.scenarios() if scenario.scorable][:12]
    found = []
    for name, agents in (
        ("good", [ReplayAgent(environment.corpus[case]) for case in cases]),
        ("idle", [DoNothing()] * len(cases)),
    ):
        played = [play(environment.episode(c, max_turns=4), a) for c, a in zip(cases, agents, strict=True)]
        attempts = tuple(Attempt(0, rollout) for rollout in played)
        found.append(NamedRun(f"{name}{PAYLOADS[9]}", {"agent": PAYLOADS[13]}, attempts))
    return found


@pytest.fixture(scope="module")
def report(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    rounds = (Round(0, 0.5, 0.4, 0.3, 0.6, None, None, 0.0, {PAYLOADS[0]: 0.5}, 1, 1),) * 2
    histories = [NamedHistory(PAYLOADS[1], rounds)]
    told = measure_fidelity(list(environment.corpus)).to_dict()
    write_report(environment, told, runs(environment), histories, path, PAYLOADS[2])
    return path


def test_fifty_payloads_and_more_are_tried():
    assert len(set(PAYLOADS)) >= 50


def test_a_page_that_is_not_escaped_is_caught(tmp_path: Path):
    (tmp_path / "naive.html").write_text(f"<!doctype html><html><body>{PAYLOADS[8]}</body></html>")
    assert marked(opened(tmp_path / "naive.html")[0])


@pytest.mark.parametrize("options", [[], ["--blink-settings=preferredColorScheme=0"], ["--window-size=390,800"]])
def test_the_report_opens_in_silence_and_nothing_in_it_runs(report: Path, options: Sequence[str]):
    page, console = opened(report, *options)
    assert console == "" and not marked(page)
    assert page.count("<section") == 8 and "onerror" in page


def test_no_payload_becomes_an_element(report: Path):
    page, _ = opened(report)
    found = set(re.findall(r"<([a-z0-9]+)", page))
    known = "a b body button circle details div figcaption figure h1 h2 h3 head header html input li line main meta nav"
    known += (
        " p polygon polyline pre rect script section span style summary svg table tbody td text th thead title tr ul"
    )
    assert found <= set(known.split())


def test_notebook_cards_are_only_text(environment: Environment, tmp_path: Path):
    """A notebook has no policy of its own: escaping is all there is."""
    rollout = play(environment.episode(max_turns=3), DoNothing())
    cards = [Trace.of(hostile(at))._repr_html_() for at in range(len(PAYLOADS))]
    cards += [rollout._repr_html_(), Score(0.5, explanation="".join(PAYLOADS))._repr_html_()]
    page = tmp_path / "notebook.html"
    page.write_text(f"<!doctype html><html><body>{''.join(cards)}</body></html>", "utf-8", "surrogatepass")
    shown, console = opened(page)
    assert console == "" and not marked(shown) and "onerror" in shown
