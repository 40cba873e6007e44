"""Hooks of MkDocs: equations become MathML, links to files outside of docs lead to the repository."""

import re
from typing import Any

from latex2mathml.converter import convert

REPOSITORY = "https://github.com/lm-eval-codemind/lm-eval-codemind/blob/main/"
_EQUATION = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return a page's text with equations and links replaced."""
    markdown = _EQUATION.sub(lambda match: convert(match[1], display="block"), markdown)
    up = "../" * (page.file.src_uri.count("/") + 1)
    return re.sub(rf"\]\({re.escape(up)}(?!\.\./)", f"]({REPOSITORY}", markdown)
