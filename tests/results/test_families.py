"""Families from a run of the harness to the report: analyses, the texts of a sample."""

import dataclasses
import json
from collections import Counter
from pathlib import Path

import pytest
from scipy import stats

from lm_eval_codemind.families.sr.score import r_sr
from lm_eval_codemind.families.views import view_of, views
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.results.analysis import analyses, summary
from lm_eval_codemind.results.associations import overlap
from lm_eval_codemind.results.observations import ALL, Observation, observe
from lm_eval_codemind.results.runs import Run, read_runs
from lm_eval_codemind.samples import TaskRun
from lm_eval_codemind.workshop.benchmarks import sample
from tests.cli import said
from tests.results.harness import evaluate
from tests.run_files import read_rows, write_rows

TASKS = ["codemind_ier_sample", "codemind_sr_sample", "codemind_dsr_sample", "codemind_sr_misleading_sample"]
# Solved with the test only, in specification reasoning; the others as the oracle does.
HELPED = "Sample_edit_distance"
WRONG = "Sample_run_length"


def answer(doc: dict) -> str:
    if doc["problem_id"] == WRONG:
        return "I do not know."
    if doc["problem_id"] == HELPED and doc.get("setting") == "no_test":
        return "```python\ndef edit_distance(*arguments):\n    return 0\n```"
    if doc["kind"] == "method" and "transformed" in doc:
        return ""  # The other methods of such a class import large packages, which takes seconds.
    return str(doc["target"])


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("families")
    evaluate(folder, "org/all", answer, TASKS, confirm_run_unsafe_code=True)
    return folder


@pytest.fixture(scope="module")
def run(directory: Path) -> Run:
    (one_run,) = read_runs([directory])
    return one_run


@pytest.fixture(scope="module")
def observations(run: Run) -> list[Observation]:
    return observe([run])


def task_run(task: str, **suite: str) -> TaskRun:
    return TaskRun(task, {"metadata": {"suite": suite}}, (), 1, 1, None, lambda file: ())


def of(observations: list[Observation], family: str) -> dict[str, Observation]:
    return {o.problem_id: o for o in observations if o.view.title == family}


def test_views_have_distinct_names_and_titles():
    assert all(name == view.name for name, view in views().items())
    assert len({view.title for view in views().values()}) == len(views())


def test_a_task_belongs_to_the_family_that_its_results_record():
    assert view_of(task_run("codemind_ier_cruxeval", family="sr")).title == "SR"
    assert view_of(task_run("mine", family="ier_direct")).title == "IER direct"
    assert view_of(task_run("codemind_ier_cruxeval", family="of another package")) is None
    assert view_of(task_run("codemind_ier_cruxeval")) is None


def test_specification_reasoning_pairs_the_settings(run, observations):
    by_problem = of(observations, "SR")
    documents = run.task("codemind_sr_sample").read_samples()
    assert len(by_problem) == len(documents) / 2
    assert by_problem[HELPED].scores == {"S_SR": 1, "pass without test": 0, "pass with test": 1}
    assert by_problem[HELPED].view.outcome(by_problem[HELPED].unit) == "only with test"
    assert by_problem[WRONG].scores == {"S_SR": 0, "pass without test": 0, "pass with test": 0}
    pairs = [(o.scores["pass without test"], o.scores["pass with test"]) for o in by_problem.values()]
    reported = run.task("codemind_sr_sample").main_metrics["r_sr"].value
    assert reported == pytest.approx(r_sr(pairs))
    estimate = by_problem[HELPED].view.estimate(documents, "r_sr")
    assert estimate.value == pytest.approx(reported)
    assert estimate.low < reported < estimate.high
    assert estimate.n == len(by_problem)


def test_shares_have_an_interval_and_numbers_are_not_shown_as_shares(run):
    rows = summary([run]).rows
    recorded = {(task.task, name) for task, _ in run.known_tasks for name in task.main_metrics}
    numbers = {(task, "unproven_passes") for task, _ in recorded if task != "codemind_ier_sample"}
    assert {(row["task"], row["metric"]) for row in rows} == recorded - numbers and numbers < recorded
    # No suite of the sample asks for more than its specification says.
    defined = [row for row in rows if row["metric"] != "s_sr_unstated"]
    assert all(row["n"] and row["low"] <= row["value"] <= row["high"] for row in defined)


@pytest.mark.parametrize("pairs", [0, 2])
def test_the_interval_is_of_all_samples_that_the_score_is_of(directory, tmp_path, pairs):
    """Recorded are all programs written without the test, and those written with it for so many problems."""
    (results,) = directory.rglob("results_*.json")
    (samples,) = directory.rglob("samples_codemind_sr_sample_*.jsonl")
    raw, rows = json.loads(results.read_text()), read_rows(samples)
    for part in ("results", "configs"):
        raw[part] = {"codemind_sr_sample": raw[part]["codemind_sr_sample"]}
    (tmp_path / results.name).write_text(json.dumps(raw))
    of_setting = {name: [row for row in rows if row["doc"]["setting"] == name] for name in ("no_test", "with_test")}
    write_rows(tmp_path / samples.name, [*of_setting["no_test"], *of_setting["with_test"][:pairs]])
    (row,) = (row for row in summary(read_runs([tmp_path])).rows if row["metric"] == "pass@1_no_test")
    passed = sum(row["pass@1_no_test"] for row in of_setting["no_test"])
    expected = stats.binomtest(int(passed), len(of_setting["no_test"])).proportion_ci(method="wilson")
    assert row["value"] == passed / row["n"] and row["n"] == len(of_setting["no_test"])
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
    assert "No samples were logged" not in said("show", tmp_path)


def test_the_report_shows_what_differs_in_specification_reasoning(observations):
    helped = of(observations, "SR")[HELPED]
    parts = {part.title: part for part in helped.view.parts(helped.unit)}
    assert "+    return 0" not in parts["What differs"].text
    assert "-    return 0" in parts["What differs"].text
    assert parts["Code without test"].aside
    assert parts["Code with test"].aside
    assert "status: failed" in parts["Outcome without test"].text
    assert "status: passed" in parts["Outcome with test"].text
    assert parts["Test t"].text


def test_semantics_reasoning_shows_three_programs(observations):
    by_problem = of(observations, "DSR")
    parts = {part.title: part for part in by_problem[HELPED].view.parts(by_problem[HELPED].unit)}
    problems = {problem.problem_id: problem for problem in sample.read()}
    assert parts["C"].text == problems[HELPED].code
    assert parts["C+"].text == by_problem[HELPED].unit[0].doc["transformed"]
    assert parts["Answer"].note == parts["C"].note
    assert [part.aside for part in parts.values()][:3] == [True] * 3
    assert by_problem[HELPED].solved
    assert by_problem[WRONG].view.outcome(by_problem[WRONG].unit) == "no code"
    assert by_problem[HELPED].programs["C+"].loc > by_problem[HELPED].programs["C"].loc


def test_the_type_of_an_answer_is_read_as_the_score_reads_its_value(observations):
    known = next(o for o in of(observations, "IER").values() if o.unit[0].doc["kind"] == "function")
    first = known.unit[0]
    # What the score refuses to parse for its length has no type; two million lists would take gigabytes.
    too_long = ("[" * 6_000_000, "[" + "[]," * 2_000_000 + "]")
    for answer, expected in (("[nan]", "List"), ("(1, nan)", "Tuple"), *((text, None) for text in too_long)):
        changed = dataclasses.replace(first, answers=(Answer(answer),), doc={**first.doc, "output": "[nan]"})
        assert known.view.type_match((changed,)) == ("List", expected, known.solved)


def test_overlap_counts_each_problem_once(observations):
    records = [record for record in overlap(observations).records() if record["benchmark"] == ALL]
    common = set(of(observations, "IER")) & set(of(observations, "SR")) & set(of(observations, "DSR"))
    assert sum(record["problems"] for record in records) == len(common)
    solved = Counter(
        " + ".join(name for name in ("IER", "SR", "DSR") if of(observations, name)[problem].solved) or "none"
        for problem in common
    )
    assert {r["solved_under"]: r["problems"] for r in records if r["problems"]} == dict(solved)
    (none,) = [record for record in records if record["solved_under"] == "none"]
    assert none["examples"] == WRONG


def test_every_score_and_program_has_its_correlations(run, observations):
    tables = {table.name: table for table in analyses([run], observations)}
    rows = [row for row in tables["correlations"].records() if row["benchmark"] == ALL]
    known = [view for _, view in run.known_tasks]
    assert {(row["family"], row["score_name"], row["program"]) for row in rows} == {
        (view.title, score, program) for view in known for score in view.scores for program in view.programs
    }


def test_all_families_open_in_the_browser(browser, directory, tmp_path):
    page = tmp_path / "report.html"
    said("report", directory, "-o", page)
    browser.open(page)
    for task in TASKS:
        browser.choose("f-task", task)
        browser.wait(lambda task=task: f"· {task}" in browser.text("#list"))
        browser.click(".row")
        browser.wait(lambda task=task: f"· {task} ·" in browser.text("#detail"))
    assert browser.errors() == []
