"""`agent-gym fidelity`: tables for people, one JSON object for machines, an exit code for a hacked reward."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent_gym.cli import app as cli
from agent_gym.environment import Environment
from agent_gym.fidelity import Audit, whole
from agent_gym.fidelity.audit import AuditRow, Honest, Win
from tests.environment import clinic

HONEST = Honest(0, float("nan"), 0.1, measured=False)
WIN = Win("echo", "c1", 0.9, True, "Success. [bold]It said so[/].")
ROW = AuditRow("echo", "no work or deception", 1, 0.9, 0.9, 0.1, (WIN,))
HACKED = Audit((ROW,), 1, 1, HONEST, HONEST, ("h3",))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The clinic's log, every case met twice."""
    path = tmp_path / "log.jsonl"
    again = [clinic.cancelled(i, conversation_id=f"again{i}", metadata={"task_id": i}) for i in range(clinic.PATIENTS)]
    once = [clinic.cancelled(i, metadata={"task_id": i}) for i in range(clinic.PATIENTS)]
    path.write_text("\n".join(map(json.dumps, [*once, *again])))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli.program(), ["fidelity", *map(str, arguments)])


def test_the_help_shows_an_example_and_the_exit_codes():
    told = run("--help").output
    assert "agent-gym fidelity support.jsonl" in told
    assert "1 measured, and a hack pays" in " ".join(told.split())


def test_tables_show_both_ways_to_hold_out(log: Path):
    done = run(log)
    assert done.exit_code == 0 and done.stderr.startswith("read 16 conversations\nmining 16 conversations")
    told = " ".join(done.output.split())
    assert "other attempts at cases that the log also holds (new rollouts)" in told and "(new cases)" in told
    assert told.count("│ all │") == told.count("│ after a write │") == 2


def test_json_is_one_object_with_the_fixed_names(log: Path):
    done = run(log, "--json")
    told = json.loads(done.stdout)
    assert set(told) == {"tools", "users", "reward", "ranking"}
    fixed = {"calls", "exact", "field_f1", "type", "error_agreement", "after_write", "by_source"}
    assert fixed <= set(told["tools"])
    assert set(told["tools"]["after_write"]) == {"calls", "exact", "exact_interval"}
    assert set(told["tools"]["measured_on"]) == {"new_case", "new_rollout"}
    assert len(told["tools"]["exact_interval"]) == 2
    assert {"fact_f1", "stops_interval", "acts", "leaks", "free_running"} <= set(told["users"])


def test_the_conversations_given_are_what_is_asked(log: Path):
    told = json.loads(run(log, "--against", log, "--json").stdout)["tools"]
    assert (told["calls"], told["exact"], set(told["measured_on"])) == (32, 1.0, {"against"})


def test_a_log_without_tools_says_so(tmp_path: Path):
    path = tmp_path / "talk.jsonl"
    talk = [
        {"conversation_id": f"t{i}", "messages": [clinic.user(f"Hello {i}"), clinic.agent("Hi.")]} for i in range(9)
    ]
    path.write_text("\n".join(map(json.dumps, talk)))
    assert "call no tools" in run(path).output
    assert json.loads(run(path, "--json").stdout)["tools"]["exact"] is None


def test_one_customer_alone_cannot_be_held_out(tmp_path: Path):
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(clinic.cancelled(1)))
    done = run(path)
    assert done.exit_code == 0
    assert "Pass --against" in done.output


def test_a_hacked_reward_is_an_exit_code_of_its_own(log: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(whole, "audit", lambda environment: HACKED)
    done = run(log, "--audit")
    assert done.exit_code == 1
    assert "in 1" in done.output
    assert "[bold]It said so[/]" in done.output
    assert run(log, "--audit", "--json").exit_code == 1


def test_a_reward_that_holds_is_exit_code_0(log: Path, monkeypatch: pytest.MonkeyPatch):
    seen: list[Environment] = []

    def unhacked(environment: Environment) -> Audit:
        seen.append(environment)
        return replace(HACKED, rows=(replace(ROW, wins=()),))

    monkeypatch.setattr(whole, "audit", unhacked)
    (log.parent / "policy.md").write_text("Be kind.")
    done = run(log, "--audit", "--json", "--policy", log.parent / "policy.md")
    assert (done.exit_code, seen[0].policy) == (0, "Be kind.")
    assert json.loads(done.stdout)["reward"]["audit"]["passed"] is True
