"""Microsoft Presidio as a finder of names in prose, where it is installed: a text in, the names in it out."""

from collections.abc import Iterator
from importlib import import_module

from agent_gym.errors import OptionError
from agent_gym.trace_parser.redact.gather import NameFinder

__all__ = ["presidio_names"]

_SURE = 0.6  # of 1; guesses below it would take common words for names


def presidio_names(language: str = "en") -> NameFinder:
    """Raises `OptionError` where Presidio, or its model of the language, is not installed."""
    try:
        analyzer = import_module("presidio_analyzer").AnalyzerEngine(supported_languages=[language])
    except ImportError:
        why = "is not installed; run: pip install presidio-analyzer && python -m spacy download en_core_web_lg"
        raise OptionError("--redact-names", "presidio", ("own",), why=why) from None

    def names(text: str) -> Iterator[str]:
        for found in analyzer.analyze(text=text, language=language, entities=["PERSON"], score_threshold=_SURE):
            yield text[found.start : found.end]

    return names
