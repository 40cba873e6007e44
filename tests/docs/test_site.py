"""The site: pages of a readable length, every task and metric on them, and what users search for is found."""

import importlib
import inspect
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from lm_eval_codemind.cli import main
from lm_eval_codemind.data.catalogue import benchmarks
from tests.docs.replication import read
from tests.results.browser import start_browser

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Page -> what somebody searches for and should find there.
QUERIES = {
    "running/": (
        "install; extras classeval; vllm; openai api key; cost; tokens per second; one GPU-hour; resume "
        "interrupted; use_cache; offline; proxy; windows; macos; reasoning models; few-shot; "
        "own prompts templates; confirm_run_unsafe_code; JDK; does not find the tasks; existing responses"
    ),
    "tasks/": "first impression; searched; baseline; filter",
    "results/": "cite; colleague number; compare models; verify; leaderboard",
    "sandbox/": "bubblewrap; third party",
    "cluster/": "slurm; ray cluster; requeued",
    "reference/": "CODEMIND_DATA; CODEMIND_SANDBOX",
    "data/": "licence ClassEval; excluded labels; fair suites",
    "code/": "misleading test; repair",
    "prediction/": "contamination; CRUXEval-O; LiveCodeBench",
    "execution/": "RE2-Bench; coverage",
    "metrics/": "right_for_the_right_reason; standard error; best constant",
    "replication/": "published results",
    "training/": "GRPO; verl; own programs",
    "extending/": "benchmark; family; language; runtime",
}


def options() -> dict[str, object]:
    """Return the configuration of the site."""
    return dict(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8")))


def pages(nav: object) -> Iterator[str]:
    """Yield the files of a navigation."""
    for entry in nav if isinstance(nav, list) else []:
        for value in entry.values():
            yield from [value] if isinstance(value, str) else pages(value)


PAGES = list(pages(options()["nav"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    for package in ("mkdocs", "latex2mathml"):
        pytest.importorskip(package, reason="needs `pip install --group docs`")
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-d", folder], check=True, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def sections(site: Path) -> list[tuple[str, str]]:
    """The sections that the search knows: the page and the text of each."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    texts = ((entry["location"], f"{entry['title']} {entry['text']}") for entry in index["docs"])
    return [(place.split("#")[0], re.sub("<[^>]+>", " ", text)) for place, text in texts]


def test_the_navigation_has_each_page_once():
    assert len(PAGES) == len(set(PAGES)) <= 16
    assert all((DOCS / name).is_file() for name in PAGES)


@pytest.mark.proof
def test_lengths(sections):
    words: Counter[str] = Counter()
    for page, text in sections:
        words[page] += len(text.split())
    assert len(words) == len(PAGES)
    assert words[""] <= 900
    assert {page: number for page, number in words.items() if number > 3500} == {}
    assert words.total() <= 24_000


def parts(text: str) -> list[str]:
    """Return the words of a text or a query, as the search separates them."""
    (search,) = (plugin["search"] for plugin in options()["plugins"] if isinstance(plugin, dict) and "search" in plugin)
    return [word for word in re.split(search["separator"], text.lower()) if word]


@pytest.mark.proof
@pytest.mark.parametrize("page", QUERIES)
def test_queries_find_their_page(page, sections):
    """A section of the page has all words of the query, or words that begin with them."""
    there = [parts(text) for place, text in sections if place == page]

    def has(words: list[str], query: str) -> bool:
        return all(any(word.startswith(each) for word in words) for each in parts(query))

    queries = QUERIES[page].split("; ")
    assert [query for query in queries if not any(has(words, query) for words in there)] == []


@pytest.mark.proof
def test_every_task_and_group_is_named(sections):
    text = " ".join(text for _, text in sections)
    named = set(re.findall(r"codemind_\w+", text))
    files = [path.read_text(encoding="utf-8") for path in (ROOT / "tasks").rglob("*.yaml")]
    names = {name for file in files for name in re.findall(r"^(?:task|group): (\w+)$", file, re.MULTILINE)}
    tags = {tag for file in files for tag in re.findall(r"^  - (codemind_\w+)$", file, re.MULTILINE)}
    assert len(names) > 170 and names | tags <= named, sorted((names | tags) - named)


def test_every_metric_is_defined():
    files = [path.read_text(encoding="utf-8") for path in (ROOT / "tasks").rglob("*.yaml")]
    metrics = {metric for file in files for metric in re.findall(r"metric: (\S+)$", file, re.MULTILINE)}
    page = (DOCS / "metrics.md").read_text(encoding="utf-8").split("\n## Baselines")[0]
    cells = " ".join(re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE))
    defined = set(re.findall(r"`([^`]+)`", cells))
    assert len(metrics) >= 61 and metrics <= defined, sorted(metrics - defined)


@pytest.mark.proof
def test_what_a_page_offers(site):
    page = (site / "metrics" / "index.html").read_text(encoding="utf-8")
    assert page.count("<math") >= 13 and "$$" not in page
    for text in ('class="headerlink"', "edit/main/docs/metrics.md", 'rel="prev"', 'rel="next"'):
        assert text in page
    assert 'class="language-bash highlight"' in (site / "running" / "index.html").read_text(encoding="utf-8")
    for file in site.rglob("index.html"):
        loaded = re.findall(r'<(?:script|img)[^>]* src="(https?://[^"]+)"', file.read_text(encoding="utf-8"))
        assert loaded == [], file


@pytest.mark.proof
@pytest.mark.parametrize("width", [390, 1400])
def test_no_column_is_cut_and_no_name_breaks(site, width):
    """Names in tables break on no page, nothing is wider than its place but equations and printed tables on a phone."""
    script = """
        const visible = [...document.querySelectorAll(".md-content .md-typeset__scrollwrap, .md-content pre > code")];
        const cut = visible.filter((node) => node.scrollWidth > node.clientWidth + 1);
        const names = [...document.querySelectorAll(".md-content td code[data-name]")];
        const broken = names.filter((node) => node.getClientRects().length > 1);
        const printed = (node) => arguments[0] < 600 && node.closest("pre[data-printed]");
        return [...cut.filter((node) => !printed(node)), ...broken].map((node) => node.textContent.slice(0, 60));
    """
    with start_browser() as browser:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        for page in PAGES:
            browser.driver.get((site / page.removesuffix(".md").replace("index", "") / "index.html").as_uri())
            browser.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
            assert browser.run("return document.documentElement.scrollWidth") <= width, page
            assert browser.run(script, width) == [], page


def test_commands_can_be_copied():
    """Blocks of commands have a language, and no prompt in front of a command."""
    pages = [DOCS / name for name in PAGES if name != "sandbox.md"]  # that one is rewritten on its own
    for page in (*pages, *(ROOT / "tasks").glob("*/README.md")):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"^(?: {4})?\$ ", text, re.MULTILINE), page
        assert not re.search(r"^ {4}(?:codemind|lm_eval|pip|python) ", text, re.MULTILINE), page


def test_the_reference_has_every_command_and_variable():
    page = (DOCS / "reference.md").read_text(encoding="utf-8")
    context = click.Context(main)
    commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    for name, command in commands.items():
        assert command is not None and f"| `codemind {name}` | {command.get_short_help_str(limit=200)} |" in page
    # Of a capture for its recorder, and of a test.
    internal = {"CODEMIND_CAPTURE_PACKAGE", "CODEMIND_CAPTURE_FOLDER", "CODEMIND_SECRET"}
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "lm_eval_codemind").rglob("*.py")]
    variables = {name for source in sources for name in re.findall(r"\bCODEMIND_[A-Z_]+\b", source)} - internal
    assert len(variables) >= 7 and variables == set(re.findall(r"^\| `(CODEMIND_\w+)`", page, re.MULTILINE))


def test_functions_of_the_reference_exist():
    page = (DOCS / "reference.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(lm_eval_codemind\.\S+)` \| (.*) \|$", page, re.MULTILINE)
    functions = [(module, *found) for module, cell in rows for found in re.findall(r"`(\w+)\(([^)]*)\)`", cell)]
    assert len(rows) >= 12 and len(functions) >= 11
    for module, name, parameters in functions:
        signature = inspect.signature(getattr(importlib.import_module(module), name))
        required = [p.name for p in signature.parameters.values() if p.default is p.empty]
        assert required == parameters.split(", "), (module, name)
    for module, _ in rows:
        importlib.import_module(module)


def test_archives_are_those_of_the_catalogue():
    page = (DOCS / "data.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^curl -L -o upstream/(\S+)\.tar\.gz (\S+)$", page, re.MULTILINE))
    archives = {archive for benchmark in benchmarks().values() for archive in benchmark.archives}
    assert documented == {(each.name, each.url) for each in archives if each.name != "execution-v2"}


def test_the_summary_of_replication_counts_the_rows():
    page = (DOCS / "replication.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?) \| .* \| (\d+) \|$", page.split("## Summary")[1], re.MULTILINE)
    tables = {
        ("CodeMind", "output"): "ier_scores",
        ("CodeMind, first study", "output"): "v1_scores",
        ("CodeMind, first study", "specification"): "specification_rules",
        ("CodeMind, first study", "translation"): "translation",
        ("CES", "bug location"): "location_scores",
        ("CES", "whole execution"): "ces_scores",
        ("CES", "repair"): "repair_scores",
        ("RE2-Bench", "output, input, loop, branch"): "re2_scores",
    }
    changed = {(study, question): int(number) for study, question, number in rows}
    for key, name in tables.items():
        head, *body = read(name)
        places = [head.index(column) for column in ("to correct", "to incorrect")]
        assert changed[key] == sum(int(row[place] or 0) for row in body for place in places), key


WALKS = (DOCS / "walks.md").read_text(encoding="utf-8")
_TITLED = re.compile(r'^```\w+ title="(?P<file>[^"]+)"\n(?P<code>.*?)^```$', re.MULTILINE | re.DOTALL)


def test_what_the_walks_define_is_in_the_files():
    for block in _TITLED.finditer(WALKS):
        folder = ROOT if block["file"].startswith("tasks/") else ROOT / "lm_eval_codemind"
        text = (folder / block["file"]).read_text(encoding="utf-8")
        for line in re.findall(r"^ *(?:def|class) \w+", block["code"], re.MULTILINE):
            assert line in text, block["file"]


def test_files_that_the_walks_name_exist():
    names = re.findall(r"`((?:tasks|families|answers|languages|data)/[\w./]+)`", WALKS)
    assert len(names) >= 8
    for name in names:
        assert (ROOT / name).exists() or (ROOT / "lm_eval_codemind" / name).exists(), name
