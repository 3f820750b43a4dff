"""`play`: a person's lines are actions, can be taken back, and are scored."""

import io
from collections.abc import Callable

from rich.console import Console

from agent_gym.cli.playing import be_the_agent, be_the_customer
from agent_gym.environment import Environment


def lines(*typed: str) -> Callable[[str], str]:
    left = iter(typed)

    def ask(_: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return ask


def screen() -> Console:
    return Console(file=io.StringIO(), width=160, emoji=False)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_persons_lines_become_calls_and_replies(desk: Environment):
    console = screen()
    episode = be_the_agent(desk.episode("c0"), console, lines("/get_visit visit_id=V-7000", "Hello there.", "/score"))
    assert [call.name for call, _ in episode.answers] == ["get_visit"]
    assert "recorded" in printed(console) and "Reward" in printed(console)
    assert any(message.text == "Hello there." for message in episode.messages)


def test_json_arguments_and_numbers_are_read_as_such(desk: Environment):
    episode = be_the_agent(desk.episode("c0"), screen(), lines('/get_visit {"visit_id": "V-7000"}', "/get_visit n=3"))
    assert [dict(call.arguments) for call, _ in episode.answers] == [{"visit_id": "V-7000"}, {"n": 3}]


def test_undo_takes_a_step_back_with_all_that_it_did(desk: Environment):
    episode = be_the_agent(desk.episode("c0"), screen(), lines("/get_visit visit_id=V-7000", "/undo", "/undo", "/quit"))
    assert episode.answers == () and episode.turns == 0


def test_a_call_that_cannot_be_read_costs_nothing(desk: Environment):
    console = screen()
    episode = be_the_agent(desk.episode("c0"), console, lines("/get_visit V-7000", "/get_visit {", "/tools"))
    assert episode.turns == 0
    assert (
        "name=value" in printed(console) and "no JSON" in printed(console) and "/get_visit visit_id" in printed(console)
    )


def test_a_person_can_be_the_customer(desk: Environment, capsys):
    episode = be_the_customer(desk, "c0", 0, screen(), lines("Please cancel my visit V-7000.", "Yes.", "/quit"))
    assert next(m.text for m in episode.messages if m.role == "user") == "Please cancel my visit V-7000."
    assert episode.over and "agent" in capsys.readouterr().out
