"""A model's spec in, the model out: `gemini`, `gemini:MODEL`, `openai:MODEL`, `local` or `local:PATH`."""

import os

from agent_gym.errors import OptionError
from agent_gym.llm.chat import ChatModel
from agent_gym.llm.gemini import DEFAULT_MODEL, GeminiModel, gemini_key
from agent_gym.llm.guard import check_online, offline
from agent_gym.llm.local import LocalModel
from agent_gym.llm.openai_compatible import OpenAiModel

__all__ = ["MODEL_SPECS", "gemini_ready", "is_model_spec", "open_model"]

MODEL_SPECS = ("gemini", "gemini:MODEL", "openai:MODEL", "local", "local:PATH")


def is_model_spec(spec: str) -> bool:
    provider, _, name = spec.partition(":")
    return spec in ("gemini", "local") or (provider in ("gemini", "openai", "local") and name != "")


def open_model(spec: str) -> ChatModel:
    """The model named, ready to be asked: without a key, offline, or without its weights, this fails at once.

    `gemini` alone is the model of AGENT_GYM_MODEL, else the newest Flash.
    """
    if not is_model_spec(spec):
        raise OptionError("model", spec, MODEL_SPECS)
    provider, _, name = spec.partition(":")
    if provider == "local":
        local = LocalModel(name)
        local.check()
        return local
    model: GeminiModel | OpenAiModel
    if provider == "gemini":
        model = GeminiModel(name or os.environ.get("AGENT_GYM_MODEL") or DEFAULT_MODEL)
    else:
        model = OpenAiModel(name)
    check_online()
    model.key()
    return model


def gemini_ready() -> bool:
    """Whether Gemini may be asked: a key is set and AGENT_GYM_OFFLINE is not."""
    return not offline() and gemini_key() is not None
