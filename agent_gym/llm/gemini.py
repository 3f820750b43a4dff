"""Gemini through Google's SDK: a ChatRequest in, a ChatReply out, every failure one of our own errors."""

import os
import sys
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from agent_gym.errors import LlmBadReply, LlmError, LlmTimeout, LlmUnavailable
from agent_gym.llm.chat import ChatReply, ChatRequest
from agent_gym.llm.guard import announce, check_online, failure, misreading, public
from agent_gym.llm.key import Key, read_key
from agent_gym.llm.signatures import Signatures
from agent_gym.llm.turns import ToolNames

if TYPE_CHECKING:
    from google.genai import Client

__all__ = ["DEFAULT_MODEL", "GeminiModel", "gemini_key"]

DEFAULT_MODEL = "gemini-flash-latest"
_ADDRESS = "https://generativelanguage.googleapis.com"
_LOGGERS = ("google_genai._api_client", "google_genai.models", "httpx", "httpx2")


def gemini_key() -> Key | None:
    return read_key("GOOGLE_API_KEY", "GEMINI_API_KEY")


def _address() -> str:
    return os.environ.get("GOOGLE_GEMINI_BASE_URL") or _ADDRESS


@dataclass(frozen=True)  # without slots: the connection is opened when first needed, and kept
class GeminiModel:
    """A Gemini model. `timeout` and `first_delay` are seconds; each attempt has the whole timeout."""

    model: str = DEFAULT_MODEL
    address: str = field(default_factory=_address)
    timeout: float = 60.0
    attempts: int = 5
    first_delay: float = 1.0
    _signatures: Signatures = field(default_factory=Signatures, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        return f"gemini:{self.model}"

    def key(self) -> Key:
        key = gemini_key()
        if key is None:
            raise LlmUnavailable(f"{self.name} needs a key: set GOOGLE_API_KEY or GEMINI_API_KEY")
        return key

    def complete(self, request: ChatRequest) -> ChatReply:
        check_online()
        key, client = self._line
        announce(self.address)
        answer = self._ask(request, key, client)
        if isinstance(answer, LlmError):
            # Raised here, not where the SDK's error was caught: that one quotes the service's words
            # unscrubbed, and would otherwise hang on ours as its context.
            raise answer
        return answer

    def close(self) -> None:
        """Closes the connection; the next request opens a new one."""
        line = self.__dict__.pop("_line", None)
        if line is not None:
            line[1].close()

    def _ask(self, request: ChatRequest, key: Key, client: "Client") -> ChatReply | LlmError:
        from google.genai import errors  # noqa: PLC0415  the SDK takes a second to import: only when used

        from agent_gym.llm import gemini_wire as wire  # noqa: PLC0415  it imports the SDK

        names = ToolNames.of(request)
        contents = wire.contents_of(request, names, self._signatures)
        config = wire.config_of(request, names)
        timeouts, misread, network = _transport_errors()
        with key.kept_from(_LOGGERS):
            try:
                response = client.models.generate_content(model=self.model, contents=contents, config=config)
            except errors.APIError as error:
                return failure(self.name, error.code, key.quoted(str(error.message or error.details)))
            except timeouts:
                return LlmTimeout(f"{self.name} did not answer within {self.timeout:g} s")
            except misread as error:
                return LlmBadReply(f"{self.name} sent no Gemini answer: {key.quoted(misreading(error))}")
            except network as error:
                reason = key.quoted(str(error))
                return LlmUnavailable(f"{self.name} at {public(self.address)} cannot be reached: {reason}")
        try:
            return wire.reply_of(response, request, self.name, self._signatures)
        except LlmBadReply as error:
            return LlmBadReply(key.quoted(str(error)))  # the reason may be in the service's words

    @cached_property
    def _line(self) -> "tuple[Key, Client]":
        """The open connection, and the key it was opened with."""
        try:
            from google.genai import Client, types  # noqa: PLC0415  only when used, as above
        except ImportError:
            raise LlmUnavailable("the Gemini SDK is missing: pip install google-genai") from None
        retries = types.HttpRetryOptions(
            attempts=self.attempts, initial_delay=self.first_delay, jitter=self.first_delay, max_delay=30.0
        )
        options = types.HttpOptions(
            base_url=self.address,
            api_version="v1beta",  # the `-latest` names exist there only
            timeout=max(1, round(self.timeout * 1000)),
            retry_options=retries,
            client_args={"follow_redirects": False},  # the key's header would follow to any host
        )
        key = self.key()
        return key, Client(api_key=key.value, vertexai=False, http_options=options)


def _transport_errors() -> tuple[tuple[type[Exception], ...], ...]:
    """What the SDK lets through, by meaning: no answer in time, an answer it cannot read, no connection.

    Its HTTP library is one of two; on a body of another shape it raises whatever its converters trip over.
    """
    loaded = [sys.modules[name] for name in ("httpx", "httpx2") if name in sys.modules]
    converters = (ValueError, TypeError, AttributeError, KeyError, RecursionError)
    return (
        tuple(library.TimeoutException for library in loaded),
        (*converters, *(library.DecodingError for library in loaded)),
        tuple(kind for library in loaded for kind in (library.RequestError, library.InvalidURL)),
    )
