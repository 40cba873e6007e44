"""Hooks of MkDocs: equations become MathML, links lead to the repository, cells know their column."""

import re
from typing import Any

from latex2mathml.converter import convert

REPOSITORY = "https://github.com/lm-eval-codemind/lm-eval-codemind/blob/main/"
# From this many columns on, site.css shows the rows of a table as blocks on a phone.
_WIDE = 2
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
# A table that a command prints has a line of dashes. It scrolls; other text breaks.
_PRINTED = re.compile(r"<pre>(?=(?:(?!</pre>).)*?-{4}  -)", re.DOTALL)
_NAME = re.compile(r"<code>(?=[^<\s]{1,36}</code>)")
_TAG = re.compile("<[^>]+>")
_EQUATION = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return a page's text with equations and links replaced."""
    markdown = _EQUATION.sub(lambda match: convert(match[1], display="block"), markdown)
    up = "../" * (page.file.src_uri.count("/") + 1)
    return re.sub(rf"\]\({re.escape(up)}(?!\.\./)", f"]({REPOSITORY}", markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Return a page in which cells know the title of their column; printed tables and names are marked."""
    html = _NAME.sub("<code data-name>", _PRINTED.sub("<pre data-printed>", html))
    return _TABLE.sub(lambda match: _with_titles(match[0]), html)


def _with_titles(table: str) -> str:
    titles = [_TAG.sub("", title).strip() for title in re.findall(r"<th\b[^>]*>(.*?)</th>", table, re.DOTALL)]
    if len(titles) < _WIDE:
        return table
    head, *rows = table.replace("<table>", "<table data-wide>", 1).split("<tr>")
    for number, row in enumerate(rows):
        names = iter(titles)
        rows[number] = re.sub("<td", lambda _: f'<td data-title="{next(names)}"', row)  # noqa: B023
    return "<tr>".join([head, *rows])
