"""Names that Presidio sees in prose, and our own rules do not, are replaced like all others."""

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType, SimpleNamespace

import pytest

from agent_gym.trace_parser.redact import Gathering, Redactor, presidio_names
from agent_gym.types import Message, Trace

SAID = "it was qorvath zelin who took my parcel"


class FakeEngine:
    """Sees one name; asked as the real one is."""

    def __init__(self, supported_languages: Sequence[str]) -> None:
        assert list(supported_languages) == ["en"]

    def analyze(
        self, text: str, language: str, entities: Sequence[str], score_threshold: float
    ) -> Iterator[SimpleNamespace]:
        assert (language, list(entities)) == ("en", ["PERSON"]) and 0 < score_threshold < 1
        if (at := text.find("qorvath zelin")) >= 0:
            yield SimpleNamespace(start=at, end=at + len("qorvath zelin"))


@pytest.fixture
def presidio(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("presidio_analyzer")
    module.AnalyzerEngine = FakeEngine  # type: ignore[attr-defined]  # a module made by hand has no names
    monkeypatch.setitem(sys.modules, "presidio_analyzer", module)


def redacted(gathering: Gathering) -> str:
    trace = Trace("c1", (Message("user", SAID), Message("assistant", "I see.")))
    gathering.add(trace)
    return Redactor(gathering.known(), b"key").trace(trace).messages[0].text


@pytest.mark.usefixtures("presidio")
def test_a_name_that_only_presidio_sees_is_replaced():
    assert redacted(Gathering()) == SAID
    text = redacted(Gathering(presidio_names()))
    assert "qorvath" not in text and "zelin" not in text and text.endswith("who took my parcel")


@pytest.mark.usefixtures("presidio")
def test_the_finder_gives_the_names_as_they_are_written():
    assert list(presidio_names()(SAID)) == ["qorvath zelin"] and list(presidio_names()("nobody")) == []
