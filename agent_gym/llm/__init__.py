"""The only door to a model: a conversation goes in, the model's next message comes out."""

from agent_gym.llm.cache import CachedModel
from agent_gym.llm.chat import ChatModel, ChatReply, ChatRequest, Usage
from agent_gym.llm.gemini import GeminiModel
from agent_gym.llm.local import LocalModel
from agent_gym.llm.openai_compatible import OpenAiModel
from agent_gym.llm.opening import MODEL_SPECS, gemini_ready, is_model_spec, open_model

__all__ = [
    "MODEL_SPECS",
    "CachedModel",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "GeminiModel",
    "LocalModel",
    "OpenAiModel",
    "Usage",
    "gemini_ready",
    "is_model_spec",
    "open_model",
]
