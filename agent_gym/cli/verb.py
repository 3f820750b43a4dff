"""A command's function in, the function that typer runs out: with `--config` and `--debug`, and a word on Ctrl-C."""

import inspect
import shlex
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, get_args

import typer

from agent_gym.cli.config import NAME, Config, by_option, found_upwards, read_config
from agent_gym.cli.output import progress_console
from agent_gym.types import Json

__all__ = ["BAD_INPUT", "EXIT_CODES", "INTERRUPTED", "PROBLEM", "as_command"]

PROBLEM, BAD_INPUT, INTERRUPTED = 1, 3, 130
EXIT_CODES = "Exit codes: 0 done, 1 a problem was found, 2 wrong usage, 3 bad input, 130 interrupted."
_PANEL = "In every command"

Command = Callable[..., None]
Names = Callable[[], set[str]]


def as_command(name: str, function: Command, commands: frozenset[str], known: Names) -> Command:
    """`commands` are all there are; `known` gives the options of all of them."""

    def configured(context: typer.Context, given: Path | None) -> Path | None:
        path = given or found_upwards(Path.cwd())
        if path is not None and not context.resilient_parsing:
            config = read_config(path, commands)
            context.default_map = _options_of(config, name, function, context, known)
        return path

    added = (
        inspect.Parameter(
            "config",
            inspect.Parameter.KEYWORD_ONLY,
            annotation=Path | None,
            default=typer.Option(
                None, "--config", callback=configured, is_eager=True, exists=True, dir_okay=False,
                help=f"Options from this file, else from the nearest {NAME}, here or above.", rich_help_panel=_PANEL,
            ),
        ),
        inspect.Parameter(
            "debug",
            inspect.Parameter.KEYWORD_ONLY,
            annotation=bool,
            default=typer.Option(
                False, "--debug", help="Where it fails, show the traceback too.", rich_help_panel=_PANEL
            ),
        ),
    )  # fmt: skip

    @wraps(function)
    def command(**options: Any) -> None:
        options = {key: value for key, value in options.items() if key not in ("config", "debug")}
        try:
            function(**options)
        except KeyboardInterrupt as stopped:
            kept = f": {stopped}; to go on" if str(stopped) else "; nothing was written; to start again"
            progress_console().print(f"stopped{kept}: {_repeated()}", markup=False, soft_wrap=True)
            raise typer.Exit(INTERRUPTED) from None

    taken = inspect.signature(function)
    command.__signature__ = taken.replace(parameters=[*taken.parameters.values(), *added])  # type: ignore[attr-defined]  # read by inspect
    command.__annotations__ = {each.name: each.annotation for each in (*taken.parameters.values(), *added)}
    command.__doc__ = _with_exit_codes(function.__doc__ or "")
    return command


def _options_of(config: Config, name: str, function: Command, context: typer.Context, known: Names) -> dict[str, Json]:
    """What the file sets for a command, each value tried as if it stood on the command line."""
    found = config.options(name, context.command.params, known)
    by_name = {str(parameter.name): parameter for parameter in context.command.params}
    annotations = {each.name: each.annotation for each in inspect.signature(function).parameters.values()}
    for parameter, value in found.items():
        annotation = annotations.get(parameter)
        if annotation == list[Path]:
            found[parameter] = [str(config.path.parent / str(one)) for one in value]
        elif Path in (annotation, *get_args(annotation)):
            found[parameter] = str(config.path.parent / str(value))
        try:
            by_name[parameter].process_value(context, found[parameter])
        except typer.BadParameter as error:
            key = next(key for key, each in by_option(context.command.params).items() if each.name == parameter)
            section = name if key in config.sections.get(name, {}) else None
            raise config.error(key, section, f"{key} = {value!r}: {error.message}") from None
    return found


def _repeated() -> str:
    """The command that is running, to be pasted into a shell."""
    return shlex.join(["agent-gym", *sys.argv[1:]])


def _with_exit_codes(told: str) -> str:
    """The codes in the help of commands that do not tell their own."""
    return told if "Exit codes:" in told else f"{inspect.cleandoc(told)}\n\n{EXIT_CODES}"
