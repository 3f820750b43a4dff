"""The page about logs lists the formats that are read, and says which of them no real file has gone through."""

import re
from pathlib import Path

from agent_gym.trace_parser import FORMATS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "your_logs.md"


def test_the_page_lists_every_format_as_it_is():
    rows = re.findall(r"(?m)^\| `(\w+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"))
    assert rows == [(form.name, form.title + " (experimental)" * form.experimental) for form in FORMATS]
