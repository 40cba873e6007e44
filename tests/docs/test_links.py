"""Links of the pages lead somewhere, with the anchors that GitHub makes; generated text is current."""

import re
from pathlib import Path

import pytest

import doc_pages
from lm_eval_codemind.data.catalogue import read_yaml

ROOT = Path(__file__).parents[2]
REPOSITORY = read_yaml(ROOT / "mkdocs.yml")["repo_url"] + "/blob/main/"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "tasks").rglob("*.md"))]
_CODE = re.compile(r"^( *)(`{3,}).*?^\1\2$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^( *)(`{3,}).*?^\1\2$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def links(page: Path) -> list[str]:
    """Return the targets of a page's links into this repository, relative to the page."""
    targets = _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8")))
    up = "../" * len(page.relative_to(ROOT).parents[:-1])
    local = (re.sub(f"^{REPOSITORY.replace('/blob/', '/(?:blob|tree)/')}", up or "./", target) for target in targets)
    return [target for target in local if not re.match(r"https?:|mailto:", target)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: GitHub's, made from its headings, and those that it names."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    names: list[str] = []
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        names.append(f"{name}-{names.count(name)}" if name in names else name)
    return {*names, *re.findall(r'<a id="([^"]+)"></a>', text)}


def broken(page: Path, target: str) -> bool:
    """Whether a link of a page leads nowhere."""
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    return not file.exists() or bool(anchor and file.suffix == ".md" and anchor not in anchors(file))


def test_there_are_links():
    assert len(links(ROOT / "README.md")) > 15 and sum(len(links(page)) for page in PAGES) > 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    assert [target for target in links(page) if broken(page, target)] == []


def test_a_missing_anchor_is_broken():
    page = ROOT / "docs" / "code.md"
    assert not broken(page, "#sr") and broken(page, "#no-such-heading") and broken(page, "missing.md")
    assert not broken(page, "data.md#errata") and broken(page, "data.md#sr")


@pytest.mark.parametrize("page", doc_pages.PAGES, ids=lambda page: page.name)
def test_what_is_generated_is_current(page):
    text = page.read_text(encoding="utf-8")
    assert doc_pages.filled(text) == text, "run utils/release/doc_pages.py"


def test_pages_have_what_the_readmes_say():
    text = "".join(page.read_text(encoding="utf-8") for page in doc_pages.PAGES)
    for name in ("ier", "sr", "der", "cruxeval", "runtime"):
        title, _, body = (ROOT / "tasks" / name / "README.md").read_text(encoding="utf-8").partition("\n")
        assert title.lstrip("# ") in text and body.strip().partition("\n")[0] in text, name
