import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lm_eval_codemind.cli import main
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.results.verification import sealed_responses
from tests.results.conftest import TASK


@pytest.fixture
def run(output: Path, tmp_path: Path) -> Path:
    """A copy of the run of the model that is right on scripts only."""
    shutil.copytree(output / "org__scripts", tmp_path / "run")
    return tmp_path / "run"


def verify(path: Path) -> Result:
    return CliRunner().invoke(main, ["verify", str(path)])


def change_sample(run: Path, line: int, change: Callable[[dict[str, Any]], None]) -> str:
    (file,) = run.glob("samples_*.jsonl")
    lines = file.read_text().splitlines()
    row = json.loads(lines[line])
    change(row)
    lines[line] = json.dumps(row, ensure_ascii=False)
    file.write_text("\n".join(lines) + "\n")
    return str(row["doc"]["problem_id"])


def change_results(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    (file,) = run.glob("results_*.json")
    raw = json.loads(file.read_text())
    change(raw)
    file.write_text(json.dumps(raw))


def test_a_fresh_run_is_equal(output: Path) -> None:
    result = verify(output)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "org/right: equal (1 task, 6 metrics, 48 samples)",
        "org/scripts: equal (1 task, 6 metrics, 48 samples)",
    ]


def test_every_response_is_sealed(output: Path) -> None:
    for run in read_runs([output]):
        assert len(sealed_responses(run.tasks[0])) == 24


def add_a_character(row: dict[str, Any]) -> None:
    row["resps"][0][0] += " "


def change_the_label(row: dict[str, Any]) -> None:
    row["doc"]["output"] = row["doc"]["output"][:-1] + "9"


def change_the_program(row: dict[str, Any]) -> None:
    row["doc"]["code"] = row["doc"]["code"].replace(" ", "  ", 1)


def change_the_prompt(row: dict[str, Any]) -> None:
    row["arguments"]["gen_args_0"]["arg_0"] += "x"


def change_the_score(row: dict[str, Any]) -> None:
    row["r_ier"] = 1.0 - row["r_ier"]


def change_the_answer(row: dict[str, Any]) -> None:
    row["filtered_resps"] = [[Answer("42").to_json()]]


def change_the_target(row: dict[str, Any]) -> None:
    row["target"] += "x"


@pytest.mark.parametrize("line", [0, 23, 47])
@pytest.mark.parametrize(
    ("change", "what"),
    [
        (add_a_character, "the response is changed since the run"),
        (change_the_label, "output is"),
        (change_the_program, "code is"),
        (change_the_prompt, "the prompt is changed since the run"),
        (change_the_score, "r_ier is"),
        (change_the_answer, "the answer is"),
        (change_the_target, "the target is"),
    ],
)
def test_one_altered_value_of_a_sample_is_named(
    run: Path, line: int, change: Callable[[dict[str, Any]], None], what: str
) -> None:
    problem = change_sample(run, line, change)
    result = verify(run)
    assert result.exit_code == 1, result.output
    assert any(problem in text and what in text for text in result.output.splitlines()), result.output


def test_one_altered_digit_of_a_metric_is_named(run: Path) -> None:
    def change(raw: dict[str, Any]) -> None:
        raw["results"][TASK]["r_ier,strict-match"] += 1e-12

    change_results(run, change)
    result = verify(run)
    assert result.exit_code == 1
    assert f"{TASK}: r_ier,strict-match is 0.2083" in result.output


def test_a_sample_left_out_is_noticed(run: Path) -> None:
    (file,) = run.glob("samples_*.jsonl")
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    result = verify(run)
    assert result.exit_code == 1
    assert "the list of samples is changed" in result.output


def test_reasons_are_given_where_the_circumstances_differ(run: Path) -> None:
    def change(raw: dict[str, Any]) -> None:
        raw["configs"][TASK]["metadata"]["suite"]["data_sha256"] = "0123"
        raw["lm_eval_version"] = "0.4.12"
        raw["results"][TASK]["r_ier,strict-match"] = 0.5

    change_results(run, change)
    result = verify(run)
    assert "data_sha256: 0123, " in result.output
    assert "lm-eval: 0.4.12, " in result.output


def test_a_run_without_digests_of_its_responses_is_noted(run: Path) -> None:
    def change(raw: dict[str, Any]) -> None:
        del raw["configs"][TASK]["metadata"]["suite"]["responses"]

    change_results(run, change)
    result = verify(run)
    assert result.exit_code == 0
    assert "recorded no digest for 24 responses" in result.output


def test_a_run_without_samples_cannot_be_verified(run: Path) -> None:
    (file,) = run.glob("samples_*.jsonl")
    file.unlink()
    result = verify(run)
    assert result.exit_code == 1
    assert "--log_samples" in result.output
