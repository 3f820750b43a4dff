"""Any service that speaks OpenAI's chat completions: a ChatRequest in, a ChatReply out.

OpenAI itself, or a server of one's own behind OPENAI_BASE_URL (vLLM, Ollama, llama.cpp …).
"""

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from agent_gym.errors import LlmBadReply, LlmError, LlmTimeout, LlmUnavailable
from agent_gym.llm.chat import ChatReply, ChatRequest
from agent_gym.llm.guard import announce, check_online, failure, public
from agent_gym.llm.key import Key, read_key
from agent_gym.llm.openai_wire import body_of, reply_of

if TYPE_CHECKING:
    from openai import OpenAI

__all__ = ["OpenAiModel"]

_ADDRESS = "https://api.openai.com/v1"
_LOGGERS = ("openai", "openai._base_client", "openai._response", "httpx", "httpx2")


def _address() -> str:
    return os.environ.get("OPENAI_BASE_URL") or _ADDRESS


@dataclass(frozen=True)  # without slots: the connection is opened when first needed, and kept
class OpenAiModel:
    """A model behind chat completions. `timeout` is in seconds, for each attempt."""

    model: str
    address: str = field(default_factory=_address)
    timeout: float = 60.0
    attempts: int = 5

    @property
    def name(self) -> str:
        return f"openai:{self.model}"

    def key(self) -> Key:
        key = read_key("OPENAI_API_KEY")
        if key is None and self.address == _ADDRESS:
            raise LlmUnavailable(f"{self.name} needs a key: set OPENAI_API_KEY")
        return key or Key("no-key")  # one's own server seldom asks for one; the SDK insists on something

    def complete(self, request: ChatRequest) -> ChatReply:
        check_online()
        key, client = self._line
        announce(self.address)
        answer = self._ask(request, key, client)
        if isinstance(answer, LlmError):
            raise answer  # here, so that the SDK's error, with the service's unscrubbed words, is not its context
        return answer

    def close(self) -> None:
        """Closes the connection; the next request opens a new one."""
        line = self.__dict__.pop("_line", None)
        if line is not None:
            line[1].close()

    def _ask(self, request: ChatRequest, key: Key, client: "OpenAI") -> ChatReply | LlmError:
        import openai  # noqa: PLC0415  an optional extra, and slow to import: only when used

        body = body_of(request, self.model, official=self.address == _ADDRESS)
        with key.kept_from(_LOGGERS):
            try:
                answer = client.chat.completions.with_raw_response.create(**body)
                return reply_of(answer.text, request, self.name)
            except openai.APIStatusError as error:
                return failure(self.name, error.status_code, key.quoted(error.message))
            except openai.APITimeoutError:
                return LlmTimeout(f"{self.name} did not answer within {self.timeout:g} s")
            except openai.APIConnectionError as error:
                reason = key.quoted(str(error.__cause__ or error))
                return LlmUnavailable(f"{self.name} at {public(self.address)} cannot be reached: {reason}")
            except (openai.APIError, LlmBadReply) as error:
                return LlmBadReply(key.quoted(str(error)))

    @cached_property
    def _line(self) -> "tuple[Key, OpenAI]":
        """The open connection, and the key it was opened with."""
        try:
            from openai import OpenAI  # noqa: PLC0415  an optional extra
        except ImportError:
            raise LlmUnavailable("the OpenAI SDK is missing: pip install 'agent-gym[openai]'") from None
        key, retries = self.key(), self.attempts - 1
        return key, OpenAI(api_key=key.value, base_url=self.address, timeout=self.timeout, max_retries=retries)
