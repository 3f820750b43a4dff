"""Provider messages in, `Message` out: the only place that knows how vendors write a message."""

from agent_gym.trace_parser.dialects.conversation import messages_of, one_message
from agent_gym.trace_parser.dialects.notes import Notes, Warned

__all__ = ["Notes", "Warned", "messages_of", "one_message"]
