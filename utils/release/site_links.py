"""A hook of MkDocs: links to files outside of docs/ lead to the repository."""

import re
from typing import Any

REPOSITORY = "https://github.com/lm-eval-codemind/lm-eval-codemind/blob/main/"


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return a page's text with relative links that leave docs/ replaced."""
    up = "../" * (page.file.src_uri.count("/") + 1)
    return re.sub(rf"\]\({re.escape(up)}(?!\.\./)", f"]({REPOSITORY}", markdown)
