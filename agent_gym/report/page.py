"""Sections in, a whole page out: style and script stand in it, allowed by their hashes, and nothing else may run."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from agent_gym.markup import Content, Markup, el

__all__ = ["Section", "page"]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page that the navigation leads to."""

    name: str
    title: str
    content: Content


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    style, script = (_file(name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", title),
        Markup(f"<style>{style}</style>"),
    )
    links = [el("a", section.title, href=f"#{section.name}") for section in sections]
    shown = [el("section", el("h2", section.title), section.content, id=section.name) for section in sections]
    body = el(
        "body",
        el("header", el("h1", title), el("p", lead, class_="lead")),
        el("nav", el("div", links, el("button", "light / dark", id="theme", type="button"))),
        el("main", shown),
        Markup(f"<script>{script}</script>"),
    )
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def _file(name: str) -> str:
    return resources.files("agent_gym.report").joinpath(name).read_text("utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
