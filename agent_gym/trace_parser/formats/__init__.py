"""The formats that are read; other packages add theirs by the entry point `agent_gym.formats`."""

from functools import cache
from importlib.metadata import entry_points

from agent_gym.trace_parser.formats.chatgpt_export import CHATGPT_EXPORT
from agent_gym.trace_parser.formats.claude_code import CLAUDE_AGENT_SDK, CLAUDE_CODE, QWEN_CODE
from agent_gym.trace_parser.formats.contact_centres import CONTACT_LENS, GENESYS, SALESFORCE, TWILIO, VCON
from agent_gym.trace_parser.formats.exchanges import ANTHROPIC, BEDROCK, GEMINI, OPENAI_BATCH, OPENAI_CHAT
from agent_gym.trace_parser.formats.format import Draft, Format, Group, Item
from agent_gym.trace_parser.formats.gateways import HELICONE, LITELLM, WEAVE
from agent_gym.trace_parser.formats.google_sessions import ADK_SESSION, GEMINI_INTERACTION
from agent_gym.trace_parser.formats.helpdesks import INTERCOM, ZENDESK, ZENDESK_CHAT
from agent_gym.trace_parser.formats.inspect_ai import INSPECT_AI
from agent_gym.trace_parser.formats.langfuse import LANGFUSE
from agent_gym.trace_parser.formats.langsmith import LANGSMITH
from agent_gym.trace_parser.formats.logged_calls import REQUEST_RESPONSE
from agent_gym.trace_parser.formats.message_lists import (
    MESSAGE_LIST,
    MESSAGE_RECORDS,
    MESSAGE_ROWS,
    RAW_PROMPT,
    VERCEL_STREAM,
)
from agent_gym.trace_parser.formats.monitors import AGENTS_RUN_STATE, AGENTS_TRACE, BRAINTRUST, MLFLOW
from agent_gym.trace_parser.formats.opik import OPIK
from agent_gym.trace_parser.formats.otel import OPENINFERENCE, OTEL
from agent_gym.trace_parser.formats.research import ABCD, MULTIWOZ_21, SGD
from agent_gym.trace_parser.formats.responses import NEMO_GYM, OPENAI_RESPONSES, OPENAI_STREAM
from agent_gym.trace_parser.formats.runs import ATIF, ATOF, SWE_AGENT, TAU2_BENCH, TAU_BENCH, VERIFIERS
from agent_gym.trace_parser.formats.sessions import CODEX, MANAGED_AGENTS, SHARED_SESSION
from agent_gym.trace_parser.formats.sharegpt import ALPACA, LLAMA_FACTORY, PREFERENCES, PROMPT_COMPLETION, SHAREGPT
from agent_gym.trace_parser.formats.text_files import PLAIN_TEXT, TABLE, TURN_RECORDS
from agent_gym.trace_parser.formats.trace_schema import TRACE_SCHEMA

__all__ = ["FORMATS", "TRACE_SCHEMA", "Draft", "Format", "Group", "Item", "all_formats", "format_names"]

FORMATS: tuple[Format, ...] = (
    TRACE_SCHEMA,
    # message lists
    OPENAI_CHAT, OPENAI_BATCH, OPENAI_RESPONSES, OPENAI_STREAM, AGENTS_RUN_STATE, AGENTS_TRACE,
    ANTHROPIC, BEDROCK, GEMINI, GEMINI_INTERACTION, SHAREGPT, LLAMA_FACTORY, PROMPT_COMPLETION, PREFERENCES, ALPACA,
    MESSAGE_LIST, MESSAGE_ROWS, MESSAGE_RECORDS, RAW_PROMPT, VERCEL_STREAM, REQUEST_RESPONSE,
    # span and run logs
    OTEL, OPENINFERENCE, LANGFUSE, LANGSMITH, MLFLOW, BRAINTRUST, LITELLM, WEAVE, HELICONE, OPIK,
    # agents and evaluations
    CLAUDE_CODE, CLAUDE_AGENT_SDK, CODEX, QWEN_CODE, MANAGED_AGENTS, SHARED_SESSION, ADK_SESSION, CHATGPT_EXPORT,
    ATIF, ATOF, INSPECT_AI,
    SWE_AGENT, VERIFIERS, NEMO_GYM, TAU_BENCH, TAU2_BENCH,
    # support exports
    ZENDESK, ZENDESK_CHAT, INTERCOM, CONTACT_LENS, TWILIO, SALESFORCE, GENESYS, VCON, TABLE, TURN_RECORDS,
    PLAIN_TEXT,
    # research sets
    SGD, MULTIWOZ_21, ABCD,
)  # fmt: skip


@cache
def all_formats() -> tuple[Format, ...]:
    """`FORMATS` and those of other installed packages, each an entry point that names a `Format`."""
    found = (entry.load() for entry in sorted(entry_points(group="agent_gym.formats"), key=lambda entry: entry.name))
    return (*FORMATS, *(form for form in found if isinstance(form, Format)))


def format_names() -> tuple[str, ...]:
    """Every name that `format=` takes."""
    return tuple(form.name for form in all_formats())
