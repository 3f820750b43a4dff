"""A service's key: read from the environment, given to its SDK, and kept out of every text we produce."""

import logging
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from urllib.parse import quote

from agent_gym.errors import LlmUnavailable

__all__ = ["Key", "read_key"]

_LONGEST = 300  # of a service's own words in an error of ours; an HTML page says no more in 3,000


@dataclass(frozen=True, slots=True)
class Key:
    """A secret that its repr does not tell."""

    value: str = field(repr=False)

    def scrubbed(self, text: str) -> str:
        """The text without the key. Whoever shortens it does so afterwards: half a key is a secret too."""
        for spelling in (self.value, quote(self.value, safe="")):
            text = text.replace(spelling, "[key]")
        return text

    def quoted(self, text: str) -> str:
        """A service's words, fit to be quoted in an error: one line, no key, not long."""
        line = " ".join(self.scrubbed(text).split())
        return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"

    @contextmanager
    def kept_from(self, loggers: Iterable[str]) -> Iterator[None]:
        """Scrubs what the SDK's loggers say meanwhile: retries are logged with the service's whole answer."""

        def scrub(record: logging.LogRecord) -> bool:
            told = record.getMessage()
            if self.scrubbed(told) != told:
                record.msg, record.args = self.scrubbed(told), None
            return True

        with ExitStack() as stack:
            for name in loggers:
                logger = logging.getLogger(name)
                logger.addFilter(scrub)
                stack.callback(logger.removeFilter, scrub)
            yield


def read_key(*variables: str) -> Key | None:
    """The key in the first of the environment variables that is set, or None."""
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if value and not re.fullmatch(r"[\x21-\x7e]+", value):
            # It could not be sent as a header, and the SDK's error would quote it.
            raise LlmUnavailable(f"{variable} holds characters that no key has; set it again")
        if value:
            return Key(value)
    return None
