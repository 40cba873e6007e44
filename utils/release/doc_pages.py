"""Write into docs/*.md what READMEs say: ``python utils/release/doc_pages.py``.

A block of a page begins with one of these comments and ends with ``<!-- end -->``; what lies between is written
here.

- ``<!-- family: NAME -->``: the README of ``tasks/NAME`` up to its headings *Example* and *Details*, and the
  names of all its tasks.
- ``<!-- example: NAME -->``: the heading *Example* of that README.
- ``<!-- README: HEADING -->``: the text below a heading of the repository's README.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
_BLOCK = re.compile(r"^(<!-- (family|example|README): ([^\n]+) -->\n).*?^(<!-- end -->)$", re.MULTILINE | re.DOTALL)
# A block of code, or the beginning of a heading outside of one.
_FENCED = re.compile(r"^(`{3,}).*?^\1$|^#", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"^(?:task|group): (\w+)$", re.MULTILINE)


def filled(page: str) -> str:
    """Return the text of a page with its blocks written anew."""
    writers = {"family": _section, "example": lambda name: _part(name, "Example"), "README": _of_readme}
    return _BLOCK.sub(lambda match: f"{match[1]}\n{writers[match[2]](match[3]).strip()}\n\n{match[4]}", page)


def _section(name: str) -> str:
    """Return the section of a family. Its anchor is the family's name, on GitHub and on the site."""
    title = _readme(name).partition("\n")[0].lstrip("# ")
    files = sorted((ROOT / "tasks" / name).glob("*.yaml"))
    names = ", ".join(f"`{task}`" for file in files for task in _NAME.findall(file.read_text(encoding="utf-8")))
    details = f"<details markdown>\n<summary>All tasks and groups</summary>\n\n{names}\n\n</details>"
    return f'<a id="{name}"></a>\n\n## {title}\n{_part(name)}\n{details}'


def _readme(name: str) -> str:
    return (ROOT / "tasks" / name / "README.md").read_text(encoding="utf-8")


def _part(name: str, heading: str = "") -> str:
    """Return what a family's README has above its first heading, or below a heading, with links as in ``docs``."""
    text = _readme(name)
    text = text.partition(f"\n## {heading}\n")[2] if heading else text.partition("\n")[2]
    text = re.split(r"^## (?:Details|Example)$", text, maxsplit=1, flags=re.MULTILINE)[0]
    text = text.replace("](../../docs/", "](").replace("](../../", "](../")
    text = re.sub(r"\]\(\.\./(\w+)/README\.md\)", lambda match: f"]({_pages()[match[1]]}#{match[1]})", text)
    return re.sub(_FENCED, lambda match: match[0] if match[1] else f"#{match[0]}", text)


def _of_readme(heading: str) -> str:
    """Return what the README has below a heading, with links as in ``docs``."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    text = text.replace("](docs/", "](")
    return re.sub(r"\]\((?=(?:tasks/|CITATION|CHANGELOG|CONTRIBUTING|RELEASING))", "](../", text)


def _pages() -> dict[str, str]:
    """Return the page with the section of each family."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in PAGES}
    return {block[3]: page for page, text in texts.items() for block in _BLOCK.finditer(text) if block[2] == "family"}


def main() -> None:
    """Write the blocks of all pages."""
    for file in PAGES:
        file.write_text(filled(file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
