"""A text in, the code of its language out: by its script, or by frequent words from a data file."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

__all__ = ["language_of"]

# Japanese mixes Chinese characters in, so it comes before Chinese.
_SCRIPTS = {
    "ru": re.compile("[а-яё]"), "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"), "ar": re.compile("[\u0600-\u06ff]"), "he": re.compile("[\u0590-\u05ff]"),
    "hi": re.compile("[\u0900-\u097f]"), "th": re.compile("[\u0e00-\u0e7f]"), "el": re.compile("[α-ω]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 2  # different words of a language, to call a text one of it
_SHARE = 0.2  # of the letters, to call a text one of a script


def language_of(text: str) -> str:
    """Two letters, or "?" where nothing tells."""
    low = text.lower()
    letters = sum(map(str.isalpha, low))
    if not low.isascii():
        for code, script in _SCRIPTS.items():
            if len(script.findall(low)) > _SHARE * letters:
                return code
    said = set(_WORD.findall(low))
    scores = {code: len(said & known) for code, known in _tongues().items()}
    best = max(scores, key=lambda code: (scores[code], code == "en"))
    return best if scores[best] >= _ENOUGH else "?"


@cache
def _tongues() -> Mapping[str, frozenset[str]]:
    table = tomllib.loads((files(__package__) / "tongues.toml").read_text(encoding="utf-8"))
    return {code: frozenset(known.split()) for code, known in table.items()}
