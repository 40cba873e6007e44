"""Hooks of MkDocs: READMEs of families become sections, equations become MathML, links lead to the repository.

In a page, ``<!-- family: NAME -->`` stands for the README of ``tasks/NAME`` up to its heading *Details*, and for the
names of all its tasks; ``<!-- example: NAME -->`` for its heading *Example*; ``<!-- README: HEADING -->`` for the text
below a heading of the README.
"""

import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = "https://github.com/lm-eval-codemind/lm-eval-codemind/blob/main/"
_FAMILY = re.compile(r"^<!-- family: (\w+) -->$", re.MULTILINE)
_EXAMPLE = re.compile(r"^<!-- example: (\w+) -->$", re.MULTILINE)
_README = re.compile(r"^<!-- README: (.+) -->$", re.MULTILINE)
_EQUATION = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.MULTILINE | re.DOTALL)
# A block of code, or the beginning of a heading outside of one.
_FENCED = re.compile(r"^(`{3,}).*?^\1$|^#", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"^(?:task|group): (\w+)$", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return a page's text with sections, equations and links replaced."""
    markdown = _FAMILY.sub(lambda match: section(match[1]), markdown)
    markdown = _EXAMPLE.sub(lambda match: part(match[1], "Example"), markdown)
    markdown = _README.sub(lambda match: of_readme(match[1]), markdown)
    markdown = _EQUATION.sub(lambda match: convert(match[1], display="block"), markdown)
    up = "../" * (page.file.src_uri.count("/") + 1)
    return re.sub(rf"\]\({re.escape(up)}(?!\.\./)", f"]({REPOSITORY}", markdown)


def part(name: str, heading: str = "") -> str:
    """Return what a family's README has above its first heading, or below a heading, with links as on the site."""
    text = (ROOT / "tasks" / name / "README.md").read_text(encoding="utf-8")
    text = text.partition(f"\n## {heading}\n")[2] if heading else text.partition("\n")[2]
    text = re.split(r"^## (?:Details|Example)$", text, maxsplit=1, flags=re.MULTILINE)[0]
    text = text.replace("](../../docs/", "](").replace("](../../", "](../")
    text = re.sub(r"\]\(\.\./(\w+)/README\.md\)", lambda match: f"]({pages()[match[1]]}#{match[1]})", text)
    return re.sub(_FENCED, lambda match: match[0] if match[1] else f"#{match[0]}", text)


def of_readme(heading: str) -> str:
    """Return what the README has below a heading, with links as on the site."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    text = text.replace(f"]({REPOSITORY}docs/", "](").replace("](docs/", "](")
    return re.sub(r"\]\((?=(?:tasks|CITATION|CHANGELOG)\b)", f"]({REPOSITORY}", text)


def section(name: str) -> str:
    """Return the section of a family."""
    title = (ROOT / "tasks" / name / "README.md").read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
    listed = ", ".join(f"`{task}`" for task in names(name))
    return f'## {title} {{ #{name} }}\n{part(name)}\n??? note "All tasks and groups"\n\n    {listed}\n'


def names(family: str) -> list[str]:
    """Return the names of the tasks and groups of a family."""
    files = sorted((ROOT / "tasks" / family).glob("*.yaml"))
    return [task for file in files for task in _NAME.findall(file.read_text(encoding="utf-8"))]


def pages() -> dict[str, str]:
    """Return the page with the section of each family."""
    files = sorted((ROOT / "docs").glob("*.md"))
    return {name: file.name for file in files for name in _FAMILY.findall(file.read_text(encoding="utf-8"))}
