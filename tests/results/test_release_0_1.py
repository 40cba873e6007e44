"""Results, sample files and recordings that release 0.1 wrote are still read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lm_eval_codemind.cli import main
from lm_eval_codemind.data.benchmarks import sample
from lm_eval_codemind.harness.recordings import read_recordings
from lm_eval_codemind.harness.reply import SKIPPED
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Key
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.release_0_1 import answer_of_0_1
from lm_eval_codemind.results.runs import read_runs
from tests.run_files import read_run

DATE = "2026-01-31T12-00-00.000001"
CODE = "def f(x):\n    return '''\n[[[\"\\\\'''\n"
OUTCOME = {"status": "passed", "failed_test": "", "tests_run": 2, "cpu_seconds": 1e-05, "isolation": None}
FAILED = {**OUTCOME, "status": "failed", "failed_test": "assert f(2) == 4"}
IER, SR, DSR = "codemind_ier_sample", "codemind_sr_sample", "codemind_dsr_sample"
FILTERS = {IER: "strict-match", SR: "extract-code", DSR: "extract-code"}


def printed(code: str | None, outcome: dict[str, Any] | None, **more: Any) -> str:
    """Return what the harness made of an answer with code: the printed form of a dict."""
    return str({"code": code, "outcome": outcome, **more})


def line(number: int, doc: dict[str, Any], task: str, answer: str, scores: dict[str, Any]) -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": doc,
        "target": "unused",
        "arguments": {"gen_args_0": {"arg_0": "prompt", "arg_1": {}}},
        "resps": [[f"response {number}"]],
        "filtered_resps": [[answer]],
        "filter": FILTERS[task],
        "metrics": list(scores),
        **scores,
    }


def document(problem: Problem, setting: str | None) -> dict[str, Any]:
    """Return a document as 0.1 had it: without an item, and for DSR without a setting."""
    row = problem.to_row()
    columns = ("problem_id", "benchmark", "kind", "language", "code", "output", "complexity")
    return {**{column: row[column] for column in columns}, **({} if setting is None else {"setting": setting})}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A run of three tasks in the form of release 0.1."""
    one, two = [problem for problem in sample.read() if problem.kind == "function"][:2]
    paired = [
        line(
            2 * place + (setting == "with_test"),
            document(problem, setting),
            SR,
            printed(CODE, OUTCOME if setting == "with_test" else FAILED),
            {"r_sr": {"problem_id": problem.problem_id, "setting": setting, "passed": float(setting == "with_test")}},
        )
        for place, problem in enumerate((one, two))
        for setting in ("no_test", "with_test")
    ]
    samples = {
        IER: [
            line(0, document(one, "steps"), IER, "[1, 2]", {"r_ier": 1.0}),
            line(1, document(two, "steps"), IER, "[invalid]", {"r_ier": 0.0}),
        ],
        SR: paired,
        DSR: [
            line(0, document(one, None), DSR, printed(CODE, OUTCOME, loc=3), {"r_dsr": 0.5, "pass@1": 1.0}),
            line(1, document(two, None), DSR, printed(None, None), {"r_dsr": 0.0, "pass@1": 0.0}),
        ],
    }
    values = {IER: {"r_ier,strict-match": 0.5}, SR: {"r_sr,extract-code": 0.0}, DSR: {"r_dsr,extract-code": 0.25}}
    results = {
        "results": values,
        "configs": {
            task: {"filter_list": [{"name": name}], "metadata": {"version": 1.0, "suite": {"version": "0.1.0"}}}
            for task, name in FILTERS.items()
        },
        "n-samples": {task: {"original": 24, "effective": len(rows)} for task, rows in samples.items()},
        "model_name": "org/model",
    }
    (tmp_path / f"results_{DATE}.json").write_text(json.dumps(results))
    for task, rows in samples.items():
        (tmp_path / f"samples_{task}_{DATE}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_answers_are_read(written: Path) -> None:
    (run,) = read_runs([written])
    answers = {task.task: [one.answer for one in task.read_samples()] for task in run.tasks}
    assert answers[IER] == [Answer("[1, 2]"), Answer(None)]
    failed, passed = Answer(CODE, outcome=FAILED), Answer(CODE, outcome=OUTCOME)
    assert answers[SR] == [failed, passed] * 2
    assert answers[DSR] == [Answer(CODE, {"loc": 3}, outcome=OUTCOME), Answer(None)]


def test_problems_are_paired_and_shown(written: Path) -> None:
    observations = observe(read_runs([written]))
    assert [(o.view.name, o.score) for o in observations] == [
        *(("ier", 1.0), ("ier", 0.0)),
        *(("sr", 1.0), ("sr", 1.0)),
        *(("dsr", 0.5), ("dsr", 0.0)),
    ]
    assert [o.view.outcome(o.unit) for o in observations[1:]] == [
        *("no answer", "only with test", "only with test", "simplified", "no code"),
    ]
    shown = CliRunner().invoke(main, ["show", str(written)], catch_exceptions=False)
    assert shown.exit_code == 0, shown.output
    assert "50.0%" in shown.output


def test_sample_files_are_recordings(written: Path, tmp_path: Path) -> None:
    names = [problem.problem_id for problem in sample.read() if problem.kind == "function"][:2]
    for task, count in ((IER, 2), (SR, 4), (DSR, 2)):
        recordings = read_recordings([written / f"samples_{task}_{DATE}.jsonl"])
        assert sum(map(len, recordings.responses.values())) == count
    # A document of this release finds what was recorded of the same question.
    now = {"benchmark": "sample", "problem_id": names[1], "item": ""}
    recordings = read_recordings([written / f"samples_{SR}_{DATE}.jsonl"])
    assert recordings.find({**now, "setting": "with_test"}) == ["response 3"]
    assert set(recordings.responses) >= {Key("sample", names[0], "no_test")}
    recordings = read_recordings([written / f"samples_{DSR}_{DATE}.jsonl"])
    assert recordings.find({**now, "setting": ""}) == ["response 1"]

    out = tmp_path / "out"
    arguments = ["score", "--responses", str(written / f"samples_{IER}_{DATE}.jsonl"), "--tasks", IER]
    scored = CliRunner().invoke(main, [*arguments, "--output_path", str(out)], catch_exceptions=False)
    assert scored.exit_code == 0, scored.output
    _, by_task = read_run(out)
    rows = [row for row in by_task[IER] if row["filter"] == "strict-match"]
    assert [(row["doc"]["problem_id"], row["resps"]) for row in rows] == [
        (names[0], [["response 0"]]),
        (names[1], [["response 1"]]),
    ]


@pytest.mark.parametrize(
    ("logged", "answer"),
    [
        (SKIPPED, Answer(None, skipped=True)),
        ("{'code': " + "[" * 1_000_000, Answer("{'code': " + "[" * 1_000_000)),
        ("{'code': 1}", Answer("{'code': 1}")),
        ("42", Answer("42")),
    ],
    ids=["left out", "hostile brackets", "a dict that a model predicted", "a number"],
)
def test_one_answer(logged: str, answer: Answer) -> None:
    assert answer_of_0_1(logged) == answer


def test_a_predicted_dict_is_no_answer_object(written: Path) -> None:
    path = written / f"samples_{IER}_{DATE}.jsonl"
    rows = [json.loads(text) for text in path.read_text().splitlines()]
    rows[0]["filtered_resps"] = [['{"answer": 42}']]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (run,) = read_runs([written])
    assert run.task(IER).read_samples()[0].answer == Answer('{"answer": 42}')
