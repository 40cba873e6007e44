from __future__ import annotations

import base64
import gzip
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lm_eval_codemind.cli import main
from lm_eval_codemind.results.figures import Figure, Mark
from lm_eval_codemind.results.observations import Observation, observe
from lm_eval_codemind.results.runs import read_runs
from tests.results.browser import Browser, start_browser
from tests.results.conftest import TASK
from tests.results.harness import evaluate

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "\x1b[31mred\x1b[0m \x00\x07 \u202eevil\u202c \u200b <b>bold</b> &amp; {{ 7 * 7 }} ]]> <!-- \r\n"
)
HOSTILE_MODEL = "org/<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with start_browser() as started:
        yield started


@pytest.fixture(scope="module")
def page(output: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the two models, with its tables and figures next to it."""
    folder = tmp_path_factory.mktemp("report")
    arguments = ["report", str(output), "-o", str(folder / "report.html")]
    arguments += ["--tables", str(folder / "tables"), "--figures", str(folder / "figures")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return folder / "report.html"


@pytest.fixture(scope="module")
def observations(output: Path) -> list[Observation]:
    return observe(read_runs([output]))


def unpacked(page: Path, chunk: str) -> Any:
    (data,) = re.findall(rf'<script type="text/plain" id="{chunk}">([^<]*)</script>', page.read_text())
    return json.loads(gzip.decompress(base64.b64decode(data)))


def count(browser: Browser) -> int:
    return int(browser.text("#count").split()[0].replace(",", ""))


def test_opens_without_errors_and_loads_nothing(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.errors() == []
    assert browser.text("#count") == "48 of 48 samples"
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert "100.0%" in browser.text("#scores")


def test_filters_and_search(browser: Browser, page: Path, observations: list[Observation]) -> None:
    browser.open(page)
    browser.choose("f-model", "org/scripts")
    browser.wait(lambda: count(browser) == 24)
    browser.choose("f-verdict", "failed")
    wrong = [o for o in observations if o.model == "org/scripts" and not o.solved]
    browser.wait(lambda: count(browser) == len(wrong))
    browser.choose("f-construct", "while")
    loops = [o for o in wrong if o.complexity and "while" in o.complexity.constructs]
    browser.wait(lambda: count(browser) == len(loops))
    browser.click("#filters [type=reset]")
    browser.wait(lambda: count(browser) == 48)
    name = observations[0].problem_id
    browser.press("/")
    browser.press(name)
    browser.wait(lambda: count(browser) == 2)
    browser.click("#filters [type=reset]")
    browser.wait(lambda: count(browser) == 48)
    browser.click("#deep")
    browser.driver.find_element("id", "search").send_keys("'NEITHER'")
    browser.wait(lambda: "with" in browser.text("#count"))
    assert count(browser) == len(wrong)
    assert browser.errors() == []


def test_a_sample_opens_by_keyboard_and_shows_its_texts(
    browser: Browser, page: Path, observations: list[Observation]
) -> None:
    browser.open(page)
    browser.run("document.getElementById('list').focus()")
    browser.press("\ue015", "\ue015", "\ue007")  # arrow down twice, Enter
    wanted = observations[1]
    browser.wait(lambda: browser.text("#detail").find(wanted.problem_id) >= 0)
    texts = browser.run(
        "return [...document.querySelectorAll('#detail .text pre:not(.lines)')].map(e => e.textContent)"
    )
    for expected in (wanted.unit[0].doc["code"], wanted.unit[0].doc["input"]):
        assert expected.removesuffix("\n") in texts
    assert wanted.unit[0].prompts[0] in texts
    assert wanted.unit[0].responses[0][0] in texts
    lines = browser.run("return document.querySelector('#detail pre.lines').textContent.split('\\n').length")
    assert lines == len(wanted.unit[0].doc["code"].splitlines())
    browser.press("n")
    browser.wait(lambda: observations[2].problem_id in browser.text("#detail"))
    # The address names the sample, so that it can be passed on.
    fragment = browser.run("return location.hash")
    browser.open(page, fragment=fragment)
    browser.wait(lambda: observations[2].problem_id in browser.text("#detail"))
    assert browser.errors() == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1400])
def test_the_top_shows_scores_and_nothing_overflows(browser: Browser, page: Path, width: int, dark: bool) -> None:
    browser.open(page, width=width, height=900, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    marks = browser.run(
        "return [...document.querySelectorAll('#overall g[data-series] title')].map(e => e.textContent)"
    )
    assert [mark.partition(" [")[0] for mark in marks] == [
        f"org/right, {TASK}, r_ier: 100.0%",
        f"org/scripts, {TASK}, r_ier: {browser.text('#overall tbody tr:nth-child(2) td').partition('%')[0]}%",
    ]
    assert "baseline 4.2%" in marks[0] and "4.2%" in browser.text("#overall .baseline")
    assert re.search(r"2 runs, \d{4}-\d\d-\d\d \d\d:\d\d.*lm-eval-codemind .*lm-eval ", browser.text("p.facts"))
    colours = browser.run("return [...document.querySelectorAll('#overall .mark')].map(e => getComputedStyle(e).fill)")
    assert len(set(colours)) == 2
    # The models compared are visible without a click, and each figure has its legend.
    assert browser.run("return document.querySelector('#compared td').checkVisibility()")
    figures = browser.run(
        "return [...document.querySelectorAll('figure')].map(f => f.querySelectorAll('.legend li').length)"
    )
    assert set(figures) == {2}
    headings = browser.run("return [...document.querySelectorAll('#runs th')].map(e => e.textContent)")
    assert {"Model", "Date", "lm-eval", "Task", "Version", "Documents", "Responses", "Characters"} <= set(headings)
    assert browser.errors() == []


@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone_nothing_is_cut_off(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page, width=360, height=740, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= 360
    red = browser.run("return getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")
    assert (int(red) < 64) is dark
    browser.run("document.getElementById('samples').scrollIntoView()")
    browser.click(".row")
    browser.wait(lambda: browser.run("return document.getElementById('detail').classList.contains('open')"))
    box = browser.run("const b = document.getElementById('detail').getBoundingClientRect(); return [b.left, b.width]")
    assert box == [0, 360]
    browser.click("#back")
    assert not browser.run("return document.getElementById('detail').classList.contains('open')")
    assert browser.errors() == []


def test_the_button_switches_between_light_and_dark(browser: Browser, page: Path) -> None:
    browser.open(page)
    before = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.click("#theme")
    assert browser.run("return getComputedStyle(document.body).backgroundColor") != before


@pytest.mark.parametrize(
    ("task", "keyword", "plain"), [(TASK, "elif", "String"), ("codemind_ier_sample_java", "static", "def")]
)
def test_code_is_coloured_by_its_language(
    browser: Browser, tmp_path: Path, task: str, keyword: str, plain: str
) -> None:
    evaluate(tmp_path, "org/coloured", lambda doc: "", [task])
    page = tmp_path / "report.html"
    assert CliRunner().invoke(main, ["report", str(tmp_path), "-o", str(page)]).exit_code == 0
    browser.open(page)
    browser.run("document.getElementById('list').focus()")
    browser.press("\ue015", "\ue007")
    browser.wait(lambda: browser.run("return document.querySelectorAll('#detail .c-keyword').length") > 0)
    words = browser.run("return [...document.querySelectorAll('#detail .c-keyword')].map(x => x.textContent)")
    assert keyword in words and plain not in words
    texts = browser.run("return [...document.querySelectorAll('#detail pre:not(.lines)')].map(x => x.textContent)")
    programs = [row["doc"]["code"].rstrip() for file in tmp_path.rglob("samples_*.jsonl") for row in rows_of(file)]
    assert any(text.rstrip() in programs for text in texts), "colours change what a listing says"


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.slow
def test_hostile_content_shows_as_text(browser: Browser, tmp_path: Path) -> None:
    long = HOSTILE + "x" * 5_000_000
    evaluate(tmp_path, HOSTILE_MODEL, lambda doc: long if doc["kind"] == "script" else HOSTILE, [TASK])
    (samples,) = tmp_path.rglob("samples_*.jsonl")
    lines = samples.read_text().splitlines()
    row = json.loads(lines[0])
    row["doc"]["problem_id"] = "<img src=x onerror=alert(2)>"
    row["resps"] = [[f"\ud800 lone {HOSTILE}"]]
    samples.write_text("\n".join([json.dumps(row), *lines[1:]]) + "\n")
    page = tmp_path / "report.html"
    result = CliRunner().invoke(main, ["report", str(tmp_path), "-o", str(page), "--title", "<i>T</i>"])
    assert result.exit_code == 0, result.output
    assert page.stat().st_size < 1_000_000

    browser.open(page)
    assert browser.driver.title == "<i>T</i>"
    assert browser.text("#f-model option:last-child") == HOSTILE_MODEL
    browser.run("document.getElementById('list').focus()")
    browser.press("\ue015", "\ue007")
    browser.wait(lambda: "<img src=x onerror=alert(2)>" in browser.text("#detail h3"))
    shown = browser.text("#detail > section:last-child pre")
    assert "\ufffd lone </script><script>" in shown
    assert "\u241b[31mred" in shown
    assert "\u2400\u2407" in shown
    assert "⟦U+202E⟧evil" in shown
    assert "{{ 7 * 7 }}" in shown
    # The next sample by a script has the long response: its start shows at once, the rest on demand.
    browser.click("#deep")
    browser.driver.find_element("id", "search").send_keys("xxxxxxxxxx")
    browser.wait(lambda: "with" in browser.text("#count"))
    assert count(browser) > 0
    browser.click(".row")
    browser.wait(lambda: "Show all 5,000," in browser.text("#detail"))
    browser.click("#detail section button")
    browser.wait(lambda: len(browser.text("#detail > section:last-child pre")) > 5_000_000)
    assert browser.run("return document.querySelectorAll('img, b, i').length") == 0
    assert browser.driver.title == "<i>T</i>"
    assert browser.errors() == []


@pytest.mark.slow
def test_a_large_report_draws_only_the_rows_that_are_seen(browser: Browser, output: Path, tmp_path: Path) -> None:
    """Models with 1,450 problems each: only the rows that are seen are in the page."""
    (results,) = output.glob("org__right/results_*.json")
    (samples,) = output.glob("org__right/samples_*.jsonl")
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    rows = [row for row in rows if row["filter"] == "strict-match"]
    raw = json.loads(results.read_text())
    raw["n-samples"][TASK] = {"original": 1450, "effective": 1450}
    for number in range(5):
        folder = tmp_path / f"model{number:02}"
        folder.mkdir()
        raw["model_name"] = f"model{number:02}"
        (folder / results.name).write_text(json.dumps(raw))
        with (folder / samples.name).open("w") as file:
            for i in range(1450):
                row = dict(rows[i % len(rows)], doc_id=i)
                row["doc"] = dict(row["doc"], problem_id=f"Problem_{i}")
                row["resps"] = [[f"{number} {i} {row['resps'][0][0]}"]]
                row["r_ier"] = float((i * 7 + number) % 3 == 0)
                file.write(json.dumps(row) + "\n")
    page = tmp_path / "report.html"
    result = CliRunner().invoke(main, ["report", str(tmp_path), "-o", str(page)])
    assert result.exit_code == 0, result.output
    assert page.stat().st_size < 5 * 3_000_000

    browser.open(page)
    assert count(browser) == 5 * 1450
    assert browser.run("return document.querySelectorAll('.row').length") < 60
    browser.run("document.getElementById('list').scrollTop = 48 * 4500")
    browser.wait(lambda: "model03" in browser.text("#list"))
    assert browser.run("return document.querySelectorAll('.row').length") < 60
    assert browser.errors() == []


def test_the_page_holds_the_tables_that_files_hold(page: Path) -> None:
    inside = unpacked(page, "tables")
    files = {file.stem: file.read_text() for file in (page.parent / "tables").glob("*.csv")}
    assert inside == files
    assert {file.stem for file in (page.parent / "tables").glob("*.json")} == set(files)


def test_the_page_holds_every_sample(page: Path, observations: list[Observation]) -> None:
    index = unpacked(page, "index")
    texts = [text for number in range(len(index["texts"])) for text in unpacked(page, f"texts-{number}")]
    parts = unpacked(page, "samples-0")
    assert len(parts) == len(observations)
    for of_sample, o in zip(parts, observations, strict=True):
        texts_by_title = {title: texts[place] for title, _, place, *_ in of_sample}
        assert texts_by_title["Response"] == o.unit[0].responses[0][0]
        assert texts_by_title["Program C"] == o.unit[0].doc["code"]
        languages = {title: language for title, kind, *_, language in of_sample if kind == "code"}
        assert set(languages.values()) == {o.unit[0].doc["language"]} == {"python"}
    assert max(Counter(texts).values()) == 1


def test_figures_are_well_formed_and_place_marks_by_value(page: Path) -> None:
    files = list((page.parent / "figures").glob("*.svg"))
    assert files
    for file in files:
        ET.parse(file)
    figure = Figure("f", "T <&> \x00", "x", (Mark("r", "a", 0.5, 0.25, 0.75), Mark("r", "b", 2.0)))
    root = ET.fromstring(figure.svg(["a", "b"], standalone=True))
    space = "{http://www.w3.org/2000/svg}"
    whisker = next(line for line in root.iter(f"{space}line") if line.get("class") == "w s0")
    middle = (float(whisker.get("x1")[:-1]) + float(whisker.get("x2")[:-1])) / 2
    dots = [float(dot.get("x")[:-1]) for dot in root.iter(f"{space}svg") if "." in (dot.get("x") or "")]
    assert dots[-2] == pytest.approx(middle)
    assert dots[-1] <= 100


def test_show_prints_scores_and_the_hardest_problems(output: Path) -> None:
    result = CliRunner().invoke(main, ["show", str(output), "-n", "2"])
    assert result.exit_code == 0, result.output
    assert re.search(r"codemind_ier_sample\s+org/right\s+r_ier\s+100.0%", result.output)
    assert "Hardest problems of IER" in result.output
    assert result.output.count("Sample_") == 2


@pytest.mark.parametrize("command", ["show", "report"])
def test_errors_name_the_path(command: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [command, str(tmp_path / "none")])
    assert result.exit_code == 1
    assert str(tmp_path / "none") in result.output
