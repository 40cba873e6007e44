import base64
import gzip
import json
import math
import re
import shutil
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.families.table import Table, in_words
from lm_eval_codemind.families.view import answer_of
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.results.figures import Figure, Mark
from lm_eval_codemind.results.report import longest_text, nothing_in, shortened_text
from tests.cli import refused, said
from tests.results.browser import Browser
from tests.results.conftest import TASK
from tests.results.harness import TASKS, evaluate
from tests.run_files import read_rows

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "\x1b[31mred\x1b[0m \x00\x07 \u202eevil\u202c \u200b <b>bold</b> &amp; {{ 7 * 7 }} ]]> <!-- \r\n"
)
HOSTILE_MODEL = "org/<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def page(output: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the two models, with its tables and figures next to it."""
    folder = tmp_path_factory.mktemp("report")
    places = ("-o", folder / "report.html", "--tables", folder / "tables", "--figures", folder / "figures")
    said("report", output, *places)
    return folder / "report.html"


def unpacked(page: Path, chunk: str) -> Any:
    (data,) = re.findall(rf'<script type="text/plain" id="{chunk}">([^<]*)</script>', page.read_text())
    return json.loads(gzip.decompress(base64.b64decode(data)))


def reported(folder: Path, *options: str) -> Path:
    """Return the report of the runs in a directory."""
    said("report", folder, "-o", folder / "report.html", *options)
    return folder / "report.html"


def texts(browser: Browser, selector: str) -> list[str]:
    """Return the text content of all elements that a selector finds."""
    return list(browser.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector))


def count(browser: Browser) -> int:
    return int(browser.text("#count").split()[0].replace(",", ""))


def test_the_page_is_complete_when_it_opens_and_loads_nothing(browser, page):
    browser.open(page)
    assert browser.errors() == []
    assert browser.text("#count") == "48 of 48 samples"
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert "100.0%" in browser.text("#scores")
    # A second number of a model has its reason.
    notes = texts(browser, "#compared td small")
    assert notes[:2] == ["on 24 of its 24 problems"] * 2 and len(notes) == 3
    # Analyses that tell nothing come last and folded.
    parts = "[...document.querySelectorAll('#analyses > h3, #analyses > .nothing')]"
    folded = browser.run(f"return {parts}.map(e => e.className !== '')")
    assert folded == sorted(folded)
    assert browser.run("return [...document.querySelectorAll('.nothing')].every(d => !d.open)")


def test_filters_and_search(browser, page, observations):
    browser.open(page)
    browser.choose("f-model", "org/scripts")
    browser.wait(lambda: count(browser) == 24)
    browser.choose("f-outcome", "incorrect")
    wrong = [o for o in observations if o.model == "org/scripts" and not o.solved]
    browser.wait(lambda: count(browser) == len(wrong))
    browser.choose("f-property", "while")
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


def test_a_sample_opens_by_keyboard_and_shows_its_texts(browser, page, observations):
    browser.open(page)
    browser.run("document.getElementById('list').focus()")
    browser.press("\ue015", "\ue015", "\ue007")  # arrow down twice, Enter
    wanted = observations[1]
    browser.wait(lambda: browser.text("#detail").find(wanted.problem_id) >= 0)
    shown, (sample,) = texts(browser, "#detail .text pre:not(.lines)"), wanted.unit
    assert {sample.prompts[0], sample.responses[0][0]} <= set(shown)
    assert {sample.doc["code"].removesuffix("\n"), sample.doc["input"].removesuffix("\n")} <= set(shown)
    lines = browser.run("return document.querySelector('#detail pre.lines').textContent.split('\\n').length")
    assert lines == len(sample.doc["code"].splitlines())
    browser.press("n")
    browser.wait(lambda: observations[2].problem_id in browser.text("#detail"))
    # The address names the sample, so that it can be passed on.
    fragment = browser.run("return location.hash")
    browser.open(page, fragment=fragment)
    browser.wait(lambda: observations[2].problem_id in browser.text("#detail"))
    assert browser.errors() == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1400])
def test_the_top_shows_scores_and_nothing_overflows(browser, page, width, dark):
    browser.open(page, width=width, height=900, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    marks = texts(browser, "#overall g[data-series] title")
    score = f"{TASK}, output predicted correctly (r_ier)"
    assert [mark.partition(" [")[0] for mark in marks] == [
        f"org/right, {score}: 100.0%",
        f"org/scripts, {score}: {browser.text('#overall tbody tr:nth-child(2) td').partition('%')[0]}%",
    ]
    assert "baseline 4.2%" in marks[0] and "4.2%" in browser.text("#overall .baseline")
    assert re.search(r"2 runs, \d{4}-\d\d-\d\d \d\d:\d\d.*lm-eval-codemind .*lm-eval ", browser.text("p.facts"))
    colours = browser.run("return [...document.querySelectorAll('#overall .mark')].map(e => getComputedStyle(e).fill)")
    assert len(set(colours)) == 2
    # The models compared are visible without a click, and each figure of models has its legend.
    assert browser.run("return document.querySelector('#compared td').checkVisibility()")
    figures = "[...document.querySelectorAll('figure')]"
    legends = f"{figures}.map(f => [f.firstChild.textContent, f.querySelectorAll('.legend li').length])"
    counts = browser.run(f"return {legends}")
    of_programs = [number for title, number in counts if title.endswith("of the programs, by benchmark")]
    assert of_programs and set(of_programs) == {0}
    assert {number for title, number in counts if not title.endswith("of the programs, by benchmark")} == {2}
    headings = {"Model", "Date", "lm-eval", "Task", "Version", "Documents", "Responses", "Characters"}
    assert headings <= set(texts(browser, "#runs th"))
    assert browser.errors() == []


@pytest.mark.parametrize("width", [390, 1400])
def test_an_incorrect_answer_is_two_clicks_away(browser, page, observations, width):
    browser.open(page, width=width, height=900)
    link = "#overall tbody tr:nth-child(2) small a"
    assert browser.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", link) < 900
    browser.click(link)
    wrong = [o for o in observations if o.model == "org/scripts" and not o.solved]
    browser.wait(lambda: count(browser) == len(wrong))
    browser.click(".row")
    browser.wait(lambda: "✗ incorrect output" in browser.text("#detail"))
    assert wrong[0].problem_id in browser.text("#detail h3")
    assert browser.errors() == []


def test_numbers_lead_to_their_samples(browser, page):
    """The links of the scores by construct, loop length and output type give as many samples as the rows have."""
    browser.open(page)
    links = browser.run(
        "return [...document.querySelectorAll('#analyses tbody tr')].filter(r => r.querySelector('a'))"
        ".map(r => [r.querySelector('a').getAttribute('href'), r.cells[r.cells.length - 1].textContent])"
    )
    counted = [(link, number) for link, number in links if "property=" in link]
    assert {link.partition("property=")[2].partition("%")[0] for link, _ in counted} >= {"loop+iterations", "while"}
    for link, number in [*counted, (f"#model=org%2Fright&task={TASK}", "24"), ("#task=IER", "48")]:
        browser.run("location.hash = arguments[0]", link)
        browser.wait(lambda number=number: count(browser) == int(number))
    # A click on the link that the address already has clears what was chosen since.
    link = "#overall tbody td a"
    browser.click(link)
    browser.wait(lambda: count(browser) == 24)
    browser.choose("f-property", "while")
    browser.wait(lambda: count(browser) < 24)
    browser.click(link)
    browser.wait(lambda: count(browser) == 24)
    assert browser.errors() == []


def test_logged_outputs_have_a_badge_and_runs_say_their_costs(browser, output, tmp_path):
    for number, name in enumerate(("org__right", "org__scripts")):
        (file,) = (output / name).glob("results_*.json")
        raw = json.loads(file.read_text())
        suite = raw["configs"][TASK]["metadata"]["suite"]
        suite["response_lengths"] = {"responses": 24, "characters": 900, "longest": 90, "tokens": 1234}
        raw["total_evaluation_time_seconds"] = "5400.1"
        raw["config"]["model_num_parameters"] = 7_000_000_000
        if number:
            raw["config"]["model"] = "codemind-replay"
        folder = tmp_path / name
        shutil.copytree(output / name, folder)
        (folder / file.name).write_text(json.dumps(raw))
    browser.open(reported(tmp_path))
    script = "[...document.querySelectorAll('#overall tbody tr')].map(r => [...r.cells].map(c => c.textContent.trim()))"
    rows = browser.run(f"return {script}")
    assert [rows[0][0], *rows[0][2:]] == ["org/right", "24", "1,234", "1.50", "7.0"]
    assert [rows[1][0], *rows[1][2:]] == ["org/scripts logged outputs", "24", "1,234", "", "7.0"]
    assert browser.text("#overall .badge") == "logged outputs"
    assert texts(browser, "#overall thead th")[2:] == ["Requests", "Output tokens", "Hours", "Billion parameters"]


def test_many_scores_are_rows_and_fit(browser, tmp_path):
    tasks = ["codemind_ier_sample", "codemind_ier_fresh_sample", "codemind_verdict_sample", "codemind_locate_sample"]
    evaluate(tmp_path, "org/many", lambda doc: "", tasks, confirm_run_unsafe_code=True)
    browser.open(reported(tmp_path), width=1400)
    table = "document.querySelector('#overall table')"
    headings = browser.run(f"return [...{table}.tHead.rows[0].cells].map(c => c.textContent)")
    assert headings == ["Score", "org/many", "baseline"]
    rows = browser.run(f"return [...{table}.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))")
    assert rows[0][0] == f"{TASK}output predicted correctly (r_ier)"
    assert rows[0][1].startswith("0.0%") and rows[0][1].endswith("24 incorrect") and rows[0][2] == "4.2%"
    assert len(rows) > 8 and rows[-2][0] == "Requests"
    assert not browser.run("return document.querySelector('#overall .wide')")


@pytest.mark.parametrize(("rows", "nothing"), [
    ([{"n": 19}, {"n": 3}], "fewer than 20 problems"), ([{"n": 19}, {"n": 20}], ""),
    ([{"n": 90, "p_corrected": 0.2}], "no association that chance does not explain"),
    ([{"n": 90, "p_corrected": math.nan}], ""),
    ([{"n": 90, "p_corrected": 0.2}, {"n": 90, "p_corrected": 0.01}], ""),
    ([{"n": 90, "p_corrected": 0.01, "rho": -0.05}], "no association that chance does not explain"),
    ([{"n": 90, "p_corrected": 0.01, "rho": -0.3}], ""),
    ([{"n": 90, "p_corrected": 0.01, "benchmark": "one"}, {"n": 90, "p_corrected": 0.2, "benchmark": "all"}], "no"),
    ([{"problem_id": "a"}], ""),
])  # fmt: skip
def test_an_analysis_without_a_finding_says_why(rows, nothing):
    reason = nothing_in(Table("associations", "", "", rows))
    assert reason.startswith(nothing) and bool(reason) is bool(nothing)


def test_every_metric_has_words():
    files = TASKS.rglob("*.y*ml")
    metrics = {name for file in files for name in re.findall(r"^ *- metric: ['\"]?([\w@]+)", file.read_text(), re.M)}
    assert len(metrics) > 50
    assert [name for name in sorted(metrics) if in_words(name) == name] == ["accuracy"]
    assert in_words("S_IER") == "output predicted correctly (S_IER)"
    assert in_words("mine") == "mine"


def test_an_answer_has_no_empty_lines_around_it(observations):
    sample = observations[0].unit[0]
    for text, shown in (("\n  'a'\n\nb\n", "  'a'\n\nb"), ("\n\n", "(empty)"), (None, "(none)")):
        assert answer_of(replace(sample, answers=(Answer(text),))).text == shown


def cut_tables(browser: Browser) -> list[str]:
    """Return the names of the tables that are wider than their place."""
    script = (
        "return [...document.querySelectorAll('.scroll:has(table)')].filter((box) => box.scrollWidth > box.clientWidth)"
        ".map((box) => box.ariaLabel)"
    )
    return list(browser.run(script))


@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone_nothing_is_cut_off(browser, page, dark):
    browser.open(page, width=360, height=740, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= 360
    browser.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    browser.wait(lambda: not cut_tables(browser))
    # Where a row is a block, each cell says its column.
    cells = browser.run("return [...document.querySelectorAll('.stacked tbody td')].map((cell) => cell.dataset.title)")
    assert "Requests" in cells and all(cells)
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


@pytest.mark.proof
def test_hostile_content_shows_as_text(browser, tmp_path):
    long = HOSTILE + "x" * 5_000_000
    evaluate(tmp_path, HOSTILE_MODEL, lambda doc: long if doc["kind"] == "script" else HOSTILE, [TASK])
    (samples,) = tmp_path.rglob("samples_*.jsonl")
    lines = samples.read_text().splitlines()
    row = json.loads(lines[0])
    row["doc"]["problem_id"] = "<img src=x onerror=alert(2)>"
    row["resps"] = [[f"\ud800 lone {HOSTILE}"]]
    samples.write_text("\n".join([json.dumps(row), *lines[1:]]) + "\n")
    page = reported(tmp_path, "--title", "<i>T</i>")
    assert page.stat().st_size < 1_000_000

    browser.open(page)
    assert browser.driver.title == "<i>T</i>"
    assert browser.text("#f-model option:last-child") == HOSTILE_MODEL
    browser.run("document.getElementById('list').focus()")
    browser.press("\ue015", "\ue007")
    browser.wait(lambda: "<img src=x onerror=alert(2)>" in browser.text("#detail h3"))
    shown = browser.text("#detail > section:last-child pre")
    for text in ("\ufffd lone </script><script>", "\u241b[31mred", "\u2400\u2407", "⟦U+202E⟧evil", "{{ 7 * 7 }}"):
        assert text in shown
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


@pytest.mark.proof
def test_a_large_report_draws_only_the_rows_that_are_seen(browser, output, tmp_path):
    """Models with 1,450 problems each: only the rows that are seen are in the page."""
    (results,) = output.glob("org__right/results_*.json")
    (samples,) = output.glob("org__right/samples_*.jsonl")
    rows = [row for row in read_rows(samples) if row["filter"] == "strict-match"]
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
    page = reported(tmp_path)
    assert page.stat().st_size < 5 * 3_000_000

    browser.open(page)
    assert count(browser) == 5 * 1450
    assert browser.run("return document.querySelectorAll('.row').length") < 60
    browser.run("document.getElementById('list').scrollTop = 48 * 4500")
    browser.wait(lambda: "model03" in browser.text("#list"))
    assert browser.run("return document.querySelectorAll('.row').length") < 60
    assert browser.errors() == []


def test_the_page_holds_the_tables_that_files_hold(page):
    inside = unpacked(page, "tables")
    files = {file.stem: file.read_text() for file in (page.parent / "tables").glob("*.csv")}
    assert inside == files
    assert {file.stem for file in (page.parent / "tables").glob("*.json")} == set(files)


def test_the_page_holds_every_sample(page, observations):
    index = unpacked(page, "index")
    stored = [text for number in range(len(index["texts"])) for text in unpacked(page, f"texts-{number}")]
    parts = unpacked(page, "samples-0")
    assert len(parts) == len(observations)
    for of_sample, o in zip(parts, observations, strict=True):
        texts_by_title = {title: stored[place] for title, _, place, *_ in of_sample}
        assert texts_by_title["Response"] == o.unit[0].responses[0][0]
        assert texts_by_title["Program C"] == o.unit[0].doc["code"]
        languages = {title: language for title, kind, *_, language in of_sample if kind == "code"}
        assert set(languages.values()) == {o.unit[0].doc["language"]} == {"python"}
    assert max(Counter(stored).values()) == 1


def test_figures_are_well_formed_and_place_marks_by_value(page):
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


def test_show_prints_scores_and_the_hardest_problems(output):
    result = said("show", output, "-n", "2", "--all")
    assert re.search(r"codemind_ier_sample\s+org/right\s+r_ier\s+100.0%", result)
    assert "Hardest problems of IER" in result
    assert result.count("Sample_") == 2


def test_two_models_are_shown_on_a_screen(tmp_path):
    """What `codemind_first` asks, on the sample."""
    kinds = ("ier", "loops", "branches", "trace_lines", "verdict")
    for model in ("oracle", "null"):
        tasks = ",".join(f"codemind_{kind}_sample" for kind in kinds)
        said("run", "--model", f"codemind-{model}", "--tasks", tasks, "--log_samples", "--output_path", tmp_path)
    shown = said("show", tmp_path)
    assert len(shown.splitlines()) <= 40
    assert "Models compared" in shown and "100.0%" in shown and "--all prints" in shown
    # The model that says nothing, and not the other one.
    (readings,) = re.findall(r"^How responses were read.*?\n\n", shown, re.MULTILINE | re.DOTALL)
    assert readings.count("codemind-null") == len(kinds) and "codemind-oracle" not in readings
    everything = said("show", tmp_path, "--all")
    assert everything.startswith(shown.split("\n\n")[0]) and len(everything.splitlines()) > 100
    for title in ("Hardest problems of IER", "Lengths of responses", "Does solving a problem under one task"):
        assert title in everything and title not in shown


def test_a_run_without_a_defined_score_has_a_report(tmp_path):
    """One document of a problem that has two."""
    task = "codemind_verdict_sample"
    evaluate(tmp_path, "org/one", lambda doc: "<answer>yes</answer>", [task], limit=1)
    without = "No score to report is defined on so few documents."
    assert said("show", tmp_path).startswith(without) and without in reported(tmp_path).read_text()


@pytest.mark.parametrize("command", ["show", "report"])
def test_errors_name_the_path(command, tmp_path):
    assert str(tmp_path / "none") in refused(command, tmp_path / "none")


@pytest.mark.parametrize(("lengths", "samples", "longest"), [
    ([5_000_000, 1_000], 24, None),
    ([50_000] * 2_400, 2_400, 4_000),
    ([50_000] * 1_000 + [500] * 1_000, 1_000, 7_500),
    ([], 0, None),
], ids=["few", "many", "short texts leave more to the long ones", "none"])  # fmt: skip
def test_long_texts_are_cut_where_a_report_has_too_many(lengths, samples, longest):
    assert longest_text(lengths, samples) == longest
    assert longest is None or sum(min(length, longest) for length in lengths) <= max(8_000_000, 4_000 * samples)


def test_a_long_text_keeps_its_head_and_its_tail_and_says_what_is_left_out():
    text = "".join(f"{number:04}" for number in range(2_500))
    kept = shortened_text(text, 4_000)
    assert kept.startswith(text[:2_000] + "\n[6,000 of 10,000 characters") and kept.endswith("\n" + text[-2_000:])
    assert shortened_text(text, 10_000) == shortened_text(text, None) == text
