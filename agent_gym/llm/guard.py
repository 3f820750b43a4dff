"""Before anything is sent: is it allowed, and has it been announced? After it failed: which error is it?"""

import functools
import logging
import os
import re

from pydantic import ValidationError

from agent_gym.errors import LlmBadReply, LlmError, LlmOverloaded, LlmRefused, LlmTimeout, LlmUnavailable

__all__ = ["announce", "check_online", "failure", "misreading", "offline", "public"]

_LOGGER = logging.getLogger("agent_gym.llm")


def offline() -> bool:
    """Whether AGENT_GYM_OFFLINE forbids remote models."""
    return os.environ.get("AGENT_GYM_OFFLINE", "").strip().lower() not in ("", "0", "false", "no")


def check_online() -> None:
    if offline():
        raise LlmUnavailable("AGENT_GYM_OFFLINE is set: nothing is sent to a remote model; unset it to allow that")


@functools.cache  # "once in a process" is the process's own state, and this cache is the one place it is kept
def announce(address: str) -> None:
    """Says, the first time in this process, that conversations leave the machine for this service.

    A warning of the logger `agent_gym.llm`: without any logging set up, Python writes it to stderr.
    """
    _LOGGER.warning(
        "sending conversations, tool results and tool descriptions to %s; set AGENT_GYM_OFFLINE=1 to forbid it",
        public(address),
    )


def public(address: str) -> str:
    """The address without a user and password."""
    return re.sub(r"//[^/@]*@", "//", address)


def failure(model: str, status: int, said: str) -> LlmError:
    """The error an HTTP status stands for; `said` is the service's own words, already without the key."""
    told = f"{model} answered {status}: {said}"
    if status == 429 or status >= 500:
        return LlmOverloaded(f"{told}; still so after all retries, try again later", status)
    if status == 408:
        return LlmTimeout(told)
    if status < 400:
        return LlmBadReply(f"{told}; that is not an answer to a chat request, check the address")
    hints = {401: "check the key", 403: "check the key", 404: "check the model's name"}
    return LlmRefused(f"{told}; {hints.get(status, 'the request was not accepted')}", status)


def misreading(error: Exception) -> str:
    """Why an answer could not be read. Pydantic's own text quotes the input cut in two, a key with it."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}".removeprefix(": ")
