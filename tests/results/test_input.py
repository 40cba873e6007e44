"""Input prediction from a run of the harness to the report, verification and submission."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lm_eval_codemind.cli import main
from lm_eval_codemind.data.benchmarks import sample
from lm_eval_codemind.results.associations import associations
from lm_eval_codemind.results.observations import Observation, observe
from lm_eval_codemind.results.runs import read_runs
from tests.results.harness import evaluate

TASKS = ["codemind_ier_sample", "codemind_input_sample"]
FUNCTIONS = [problem.problem_id for problem in sample.read() if problem.kind == "function"]
SCRIPTS = [problem.problem_id for problem in sample.read() if problem.kind == "script"]


def answer(doc: dict[str, Any]) -> str:
    forwards = "answer" not in doc
    if doc["problem_id"] in (FUNCTIONS[0], *([] if forwards else SCRIPTS)):
        return f"<input>\n{doc['entry_point']}(lambda: 1)\n</input>"
    return str(doc["target"])


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("input")
    evaluate(folder, "org/both", answer, TASKS)
    return folder


@pytest.fixture(scope="module")
def observations(directory: Path) -> list[Observation]:
    return observe(read_runs([directory]))


def test_pairs_set_every_two_families_beside_each_other(observations: list[Observation]) -> None:
    rows = {(r["first"], r["second"]): r for r in associations(observations).records()}
    assert set(rows) == {("IER", "Input"), ("Input", "IER")}
    row = rows["IER", "Input"]
    counts = [row[name] for name in ("both", "first_only", "second_only", "neither", "n")]
    assert counts == [23 - len(SCRIPTS), len(SCRIPTS), 0, 1, 24]
    assert row["given_right"] == pytest.approx((23 - len(SCRIPTS)) / 23) and row["given_wrong"] == 0
    other = rows["Input", "IER"]
    assert (other["first_only"], other["second_only"], other["given_right"]) == (0, len(SCRIPTS), 1)


def test_outcomes_say_what_became_of_an_input(observations: list[Observation]) -> None:
    outcomes = {o.problem_id: o.view.outcome(o.unit) for o in observations if o.view.name == "input"}
    assert outcomes[FUNCTIONS[0]] == "no input of values"
    assert outcomes[SCRIPTS[0]] == "incorrect input"
    assert set(outcomes.values()) == {"no input of values", "incorrect input", "recorded input"}
    shown = next(o for o in observations if o.view.name == "input" and o.problem_id == SCRIPTS[0])
    parts = {part.title: part.text for part in shown.view.parts(shown.unit)}
    assert parts["Recorded input I"] == shown.unit[0].doc["input"] and "lambda" in parts["Answer"]
    assert "status: " in parts["Outcome"]


def test_report_verify_and_submit(directory: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    page = tmp_path / "report.html"
    result = run(main, ["report", str(directory), "-o", str(page), "--tables", str(tmp_path / "tables")])
    assert result.exit_code == 0, result.output
    assert page.stat().st_size > 0
    with (tmp_path / "tables" / "associations.csv").open() as file:
        assert any("Input" in row.values() for row in csv.DictReader(file))

    result = run(main, ["verify", str(directory)])
    assert result.exit_code == 0 and result.stdout.startswith("org/both: equal (2 tasks, "), result.output

    bundle = tmp_path / "bundle"
    arguments = ["submit", str(directory / "org__both"), "--model", "org/both", "--dataset", "org/codemind"]
    result = run(main, [*arguments, "-o", str(bundle)])
    assert result.exit_code == 0, result.output
    assert any("codemind_input_sample" in path.read_text() for path in bundle.rglob("*") if path.is_file())


def test_an_altered_answer_is_named(directory: Path, tmp_path: Path) -> None:
    for path in directory.rglob("*.json*"):
        text = path.read_text()
        if path.name.startswith("samples_codemind_input"):
            lines = [json.loads(line) for line in text.splitlines()]
            for row in lines:
                if row["doc"]["problem_id"] == SCRIPTS[0]:
                    row["resps"] = [[row["doc"]["target"]]]
            text = "".join(json.dumps(row) + "\n" for row in lines)
        (tmp_path / path.name).write_text(text)
    result = CliRunner().invoke(main, ["verify", str(tmp_path)])
    assert result.exit_code == 1
    assert any(SCRIPTS[0] in line for line in result.stdout.splitlines())
