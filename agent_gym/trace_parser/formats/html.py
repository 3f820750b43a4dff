"""HTML as help desks store it in, the text a person saw out."""

from html import unescape
from html.parser import HTMLParser

__all__ = ["text_from_html"]

_BREAKS = ("p", "br", "div", "li", "tr", "h1", "h2", "h3", "ul", "ol")


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # the base class's signature
        self._hidden += tag in ("script", "style")
        if tag in _BREAKS:
            self.parts.append("\n")
        if tag == "img":
            self.parts.append("[image]")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style") and self._hidden > 0
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def text_from_html(value: str) -> str:
    if "<" not in value:
        return unescape(value).strip()
    parser = _Text()
    parser.feed(value)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).splitlines())
    return "\n".join(line for line in lines if line)
