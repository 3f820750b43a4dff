"""`agent-gym.toml` in, the options it sets for a command out; what it says wrongly is told with file and line.

    seed = 7                 # for every command that has the option
    [eval]
    agent = "embedded"
    k = 8

An option is named as on the command line, without its dashes; what the command line says wins. A path is
relative to the file.
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from agent_gym.errors import ConfigError
from agent_gym.types import Json

__all__ = ["NAME", "Config", "Parameter", "by_option", "found_upwards", "read_config"]

NAME = "agent-gym.toml"
_NOT_SET_HERE = frozenset({"help", "config", "debug"})


class Parameter(Protocol):
    """What is needed of an option of the command line."""

    @property
    def name(self) -> str | None: ...
    @property
    def opts(self) -> list[str]: ...
    @property
    def param_type_name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Config:
    """The file as read. `shared` stands above the first section, `sections` is by command."""

    path: Path
    shared: Mapping[str, Json]
    sections: Mapping[str, Mapping[str, Json]]

    def options(self, command: str, parameters: Iterable[Parameter], known: Callable[[], set[str]]) -> dict[str, Json]:
        """Parameter → value for one command; `known` gives the options of all commands."""
        mine = by_option(parameters)
        own = self.sections.get(command, {})
        for key in own:
            if key not in mine:
                raise self.error(key, command, f"agent-gym {command} has no option {key!r}", mine)
        strange = [key for key in self.shared if key not in mine]
        everywhere = known() if strange else set()
        for key in strange:
            if key not in everywhere:
                raise self.error(key, None, f"no command has an option {key!r}", everywhere)
        for section, options in ((command, own), (None, self.shared)):
            for key, value in options.items():
                if key in mine and isinstance(value, list) and not getattr(mine[key], "multiple", False):
                    raise self.error(key, section, f"{key} takes one value, and a list is given")
        wanted = {key: value for key, value in self.shared.items() if key in mine} | dict(own)
        return {str(mine[key].name): value for key, value in wanted.items()}

    def error(self, key: str, section: str | None, reason: str, known: Iterable[str] = ()) -> ConfigError:
        near = difflib.get_close_matches(key, sorted(known), n=1)
        return ConfigError(self.path, self.line(key, section), reason, f"did you mean {near[0]!r}?" if near else "")

    def line(self, key: str, section: str | None) -> int | None:
        """Where the key stands: the TOML reader does not tell."""
        at: str | None = None
        for number, text in enumerate(self.path.read_text("utf-8").splitlines(), start=1):
            if head := re.match(r"\s*\[\s*\"?([^\]\"]+?)\"?\s*\]", text):
                at = head.group(1)
                if section is None and at == key:
                    return number
            elif at == section and re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", text):
                return number
        return None


def by_option(parameters: Iterable[Parameter]) -> dict[str, Parameter]:
    """An option's names without their dashes → the option; arguments are not set in a file."""
    named = {
        name.lstrip("-"): parameter
        for parameter in parameters
        if parameter.param_type_name == "option"
        for name in parameter.opts
    }
    return {name: parameter for name, parameter in named.items() if name not in _NOT_SET_HERE}


def found_upwards(folder: Path) -> Path | None:
    """The nearest file of this name, here or in a folder above."""
    places = (above / NAME for above in (folder, *folder.parents))
    return next((place for place in places if place.is_file()), None)


def read_config(path: Path, commands: Iterable[str]) -> Config:
    try:
        written: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        raise ConfigError(path, int(place.group(1)) if place else None, f"it is no TOML: {error}") from None
    except OSError as error:
        raise ConfigError(path, None, f"it cannot be read: {error.strerror}") from None
    sections = {name: value for name, value in written.items() if isinstance(value, dict)}
    config = Config(path, {n: v for n, v in written.items() if n not in sections}, sections)
    for name in sections:
        if name not in commands:
            raise config.error(name, None, f"there is no command {name!r}", commands)
    for section, options in ((None, config.shared), *sections.items()):
        for key, value in options.items():
            listed = value if isinstance(value, list) else [value]
            if not all(isinstance(one, str | int | float | bool) for one in listed):
                raise config.error(key, section, f"{key} is no text, number, true or false, nor a list of such")
    return config
