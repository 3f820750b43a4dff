"""A gym and a person at a terminal in, the conversation they have, with its reward, out."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Self

import orjson
import typer
from rich.console import Console

from agent_gym.cli.output import data_console, print_json, progress_console, read_policy
from agent_gym.cli.plain import plain
from agent_gym.cli.show import show_message, show_score
from agent_gym.cli.sources import opened
from agent_gym.environment import Environment, Episode
from agent_gym.environment.rollout import rolled_out
from agent_gym.types import Json, Message, MessageLike, ToolCall, WorldView

__all__ = ["be_the_agent", "be_the_customer", "run_play"]

_HELP = """what you type goes to the customer; a line that begins with / is a command:
  /tools           the tools and what they take
  /NAME {…}        call a tool, its arguments as JSON or as name=value: /get_order order_id=17
  /undo            take the last step back
  /score           end here, and see the reward with its reasons
  /quit            leave"""
Ask = Callable[[str], str]


def run_play(
    sources: list[Path],
    conversation: str | None,
    role: Literal["agent", "customer"],
    agent: str | None,
    policy: Path | None,
    *,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    aside = progress_console(quiet)
    environment = opened(sources, aside, agent=agent or "embedded", policy=read_policy(policy), seed=seed)
    console, ask = (progress_console(), _asked_aside) if as_json else (data_console(), input)
    if role == "customer":
        episode = be_the_customer(environment, conversation, seed, console, ask)
    else:
        episode = environment.episode(conversation, seed=seed)
        with _completion([f"/{tool['function']['name']}" for tool in episode.tools]):
            episode = be_the_agent(episode, console, ask)
    if as_json:
        print_json(rolled_out(episode).to_dict())


def _asked_aside(prompt: str) -> str:
    """A line typed; the prompt stays out of the data."""
    typer.echo(prompt, err=True, nl=False)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def be_the_agent(episode: Episode, console: Console, ask: Ask) -> Episode:
    """The person's lines as actions, until the episode ends or they leave."""
    console.print(f"You are the agent in the case of {plain(episode.scenario.conversation_id)}.\n{plain(_HELP)}")
    past: list[Episode] = []
    _show_since(console, episode, 0)
    while not episode.over:
        try:
            line = ask("you> ").strip()
        except (EOFError, KeyboardInterrupt):
            break
        if line in ("/quit", "/score"):
            break
        if line == "/undo":
            episode = past.pop() if past else episode
            _show_since(console, episode, max(0, len(episode.messages) - 1))
        elif line in ("/help", "/tools"):
            console.print(plain(_HELP if line == "/help" else _tools(episode)))
        elif line:
            action = _action(line)
            if isinstance(action, str) and action.startswith("/"):
                console.print(f"[red]{plain(action)}[/]")
                continue
            past.append(episode.fork())
            seen = len(episode.messages)
            episode.step(action)
            _show_since(console, episode, seen + 1)
    score = episode.score or episode.score_now()
    if score is not None:
        show_score(console, score)
    return episode


def be_the_customer(
    environment: Environment, conversation: str | None, seed: int, console: Console, ask: Ask
) -> Episode:
    """The environment's agent answers a person; an empty line or /quit ends the conversation."""
    console.print("You are the customer. Type what you want; /quit ends the conversation.")
    person = _Person(ask)
    episode = environment.episode(conversation, seed=seed, user=person)
    while not episode.over and not person.left:
        seen = len(episode.messages)
        episode.step(environment.agent.act(episode.messages, episode.tools))
        _show_since(console, episode, seen, hide_customer=True)
    return episode


class _Person:
    """A `User` whose words are typed."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.left = False

    def open(self) -> Message:
        return Message("user", self._line() or "Hello.")

    def reply(self, messages: Sequence[MessageLike], world: WorldView | None = None) -> Message | None:
        del world
        last = Message.of(messages[-1])
        typer.echo(f"agent     {last.text}")
        words = self._line()
        return Message("user", words) if words else None

    def fork(self) -> Self:
        return self

    def _line(self) -> str:
        try:
            words = self._ask("you> ").strip()
        except (EOFError, KeyboardInterrupt):
            words = ""
        self.left = words in ("", "/quit")
        return "" if self.left else words


def _show_since(console: Console, episode: Episode, start: int, hide_customer: bool = False) -> None:
    answers = {id(told): answer for told, (_, answer) in zip(_told(episode.messages), episode.answers, strict=False)}
    for message in episode.messages[start:]:
        if message.role != "system" and not (hide_customer and message.role != "tool" and not message.tool_calls):
            show_message(console, message, answers.get(id(message)))


def _told(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.role == "tool" and message.tool_call_id is not None]


def _tools(episode: Episode) -> str:
    rows = []
    for tool in episode.tools:
        function: Mapping[str, Json] = tool["function"]
        wanted = function.get("parameters", {}).get("properties", {})
        rows.append(f"  /{function['name']} {' '.join(wanted)}   {function.get('description', '')}".rstrip())
    return "\n".join(rows)


def _action(line: str) -> Message | str:
    """Text for the customer, a call for a tool, or, with its slash, what is wrong with a call."""
    if not line.startswith("/"):
        return line
    name, _, given = line[1:].partition(" ")
    if given.strip().startswith("{"):
        try:
            arguments = orjson.loads(given)
        except orjson.JSONDecodeError as error:
            return f"/{name}: the arguments are no JSON: {error}"
    else:
        pairs = [pair.partition("=") for pair in given.split()]
        if any(not sign for _, sign, _ in pairs):
            return f"/{name}: write the arguments as name=value, or as JSON"
        arguments = {key: _value(text) for key, _, text in pairs}
    return Message("assistant", tool_calls=(ToolCall(name, arguments),))


def _value(text: str) -> Json:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


@contextlib.contextmanager
def _completion(words: Sequence[str]) -> Iterator[None]:
    """Tab completes commands and tools, where the terminal can."""
    try:
        import readline  # noqa: PLC0415  not on every platform
    except ImportError:
        yield
        return
    known = sorted([*words, "/tools", "/undo", "/score", "/quit", "/help"])
    readline.set_completer(lambda text, n: next(iter([w for w in known if w.startswith(text)][n:]), None))
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)
