"""DER through the harness: two stages, one loaded model, and the message for responses of another model."""

import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from math import isnan
from pathlib import Path
from statistics import fmean, stdev
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.families.der import task as der
from lm_eval_codemind.families.der.task import DER, dataset, with_input
from lm_eval_codemind.families.ier.task import IER
from lm_eval_codemind.families.sr.task import SR
from lm_eval_codemind.families.views import views
from lm_eval_codemind.harness.cli import run_harness
from lm_eval_codemind.harness.replay import ReplayLM
from lm_eval_codemind.harness.result_files import run_files
from lm_eval_codemind.harness.stages import first_stage_file
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.results.bundles import write_bundle
from lm_eval_codemind.results.leaderboard import Submitted, write_site
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import Run, read_runs
from lm_eval_codemind.results.submission import LEADERBOARD_COLUMNS, Submission, eval_results
from lm_eval_codemind.workshop.benchmarks import sample
from tests.cli import said
from tests.run_files import read_rows, write_rows

PROBLEMS = [problem for problem in sample.read() if kind_of(problem).specified]
# Documents of the first stage, two a problem.
LIMIT = 12
ASKED = PROBLEMS[: LIMIT // 2]
NOISY = ASKED[0].problem_id

Answer = Callable[[Any], str]

VIEW = views()["der"]


def right(problem: Any) -> str:
    code = kind_of(problem).own_answer(problem)
    # What a program prints meanwhile is not part of its output.
    noise = f"\n\n{problem.entry_point}  # mine\nprint('noise')" if problem.problem_id == NOISY else ""
    return f"```python\n{code}{noise}\n```"


def label(problem: Any) -> str:
    return f"<output>\n{problem.output}\n</output>"


WRONG = "```python\ndef nothing():\n    return None\n```"
MODELS: dict[str, tuple[Answer, Answer | None]] = {
    "knows": (right, label),
    "writes": (
        lambda problem: right(problem) if problem in ASKED[::2] else WRONG,
        lambda problem: label(problem) if problem is ASKED[0] else "I do not know.",
    ),
    "silent": (right, None),
    "fails": (lambda problem: WRONG, None),
}


def recorded(path: Path, model: str, write: Answer, predict: Answer | None) -> Path:
    rows = []
    for problem in PROBLEMS:
        row = {"model": model, "benchmark": "sample", "problem_id": problem.problem_id}
        rows += [{**row, "setting": setting, "response": write(problem)} for setting in ("no_test", "with_test")]
        if predict is not None:
            rows.append({**row, "setting": "own_program", "response": predict(problem)})
            rows.append({**row, "setting": "steps", "response": label(problem)})
    write_rows(path, rows)
    return path


def harness(responses: Path, model: str, output: Path, tasks: str, *more: str, limited: bool = True) -> None:
    arguments = {"responses": str(responses), "model": model, "missing": "empty"}
    limit = ["--limit", str(LIMIT)] if limited else []
    command = ["--model", "codemind-replay", "--model_args", json.dumps(arguments), "--tasks", tasks, *limit]
    run_harness([*command, "--output_path", str(output), "--log_samples", "--confirm_run_unsafe_code", *more])


def stages(output: Path) -> tuple[Run, Run]:
    first, second = sorted(read_runs([output]), key=lambda run: run.date)
    return first, second


def scores(run: Run) -> dict[str, tuple[float, float | None]]:
    (task,) = run.tasks
    return {one.name: (one.value, one.stderr) for one in task.metrics if one.filter == "strict-match"}


def assert_same(run: Run, other: Run) -> None:
    """Assert that documents, prompts, responses and scores of two second stages are the same, byte by byte."""
    logged = [
        each.path.with_name(f"samples_codemind_der_sample_{each.date}.jsonl").read_bytes() for each in (run, other)
    ]
    assert logged[0] == logged[1] and scores(run) == scores(other)


def table(file: Path) -> list[dict[str, Any]]:
    return list(json.loads(file.read_text())["rows"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of the models by one command each, which loads the model once, and what each printed."""
    folder = tmp_path_factory.mktemp("der")
    for name, (write, predict) in MODELS.items():
        responses = recorded(folder / f"{name}.jsonl", f"org/{name}", write, predict)
        tasks = "codemind_ier_sample,codemind_der_sample" if name == "knows" else "codemind_der_sample"
        load = patch.object(ReplayLM, "__init__", autospec=True, side_effect=ReplayLM.__init__)
        with (folder / f"{name}.txt").open("w") as printed, redirect_stdout(printed), load as loaded:
            harness(responses, f"org/{name}", folder / name, tasks)
        loaded.assert_called_once()
    return folder


def test_a_model_that_writes_and_understands(folder):
    first, second = stages(folder / "knows")
    assert {task.task for task in first.tasks} == {"codemind_ier_sample", "codemind_sr_sample"}
    (task,) = second.tasks
    assert scores(second) == dict.fromkeys(
        ("r_der", "s_der", "pass@1", "pass@1_suite", "r_ier_same", "answered"), (1.0, 0.0)
    )
    documents = [sample.doc for sample in task.read_samples() if sample.filter == "strict-match"]
    assert [document["problem_id"] for document in documents] == [problem.problem_id for problem in ASKED]
    for document, problem in zip(documents, ASKED, strict=True):
        kind = kind_of(problem)
        assert (document["input"], document["output"]) == (problem.input, problem.output)
        assert document["reference"] == problem.code
        # The prompt is IER's, on the model's program.
        assert document["code"].strip() in document["prompt"] and problem.input.strip() in document["prompt"]
        (asked,) = IER.questions(problem, "steps")
        fields = {**asked.fields, "code": document["code"]}
        assert IER.prompt(kind, fields, "steps") == DER.prompt(kind, document, document["setting"])
    recorded = task.suite["first_stage"]
    assert recorded["results"] == first.path.name and recorded["left_out"] == {}
    assert (recorded["responses"], recorded["passed"], recorded["asked"]) == (6, 6, 6)
    assert (recorded["questions"], recorded["of"]) == (6, len(PROBLEMS))
    # On the leaderboard of the authors of DER.
    row = VIEW.leaderboard(task)
    assert row == {"RDER": 1.0, "Pass1": 1.0} and set(row) <= set(LEADERBOARD_COLUMNS)
    assert VIEW.reasons_against(task) == ["the first stage is incomplete: 6 of 19 problems"]


def test_a_model_that_writes_half_and_understands_one(folder):
    _, second = stages(folder / "writes")
    metrics = scores(second)
    assert metrics["r_der"] == (pytest.approx(1 / 3), pytest.approx((2 / 9 / 2) ** 0.5))
    assert metrics["s_der"] == (pytest.approx(1 / 6), pytest.approx((5 / 36 / 5) ** 0.5))
    assert metrics["answered"][0] == pytest.approx(1 / 3)
    assert metrics["pass@1"] == (0.5, pytest.approx((0.25 / 5) ** 0.5)) and isnan(metrics["r_ier_same"][0])
    assert second.tasks[0].suite["first_stage"]["passed"] == len(second.tasks[0].read_samples()) / 2 == 3


def test_responses_that_agree_are_one_observation(folder, tmp_path):
    """The same responses four times: values, errors and intervals are those of once, over four times the programs."""
    rows = [{**row, "responses": [row.pop("response")] * 4} for row in read_rows(folder / "writes.jsonl")]
    own = [row for row in rows if row["setting"] == "own_program"]
    rows += [{**row, "item": f"response {number}"} for row in own for number in range(1, 5)]
    write_rows(tmp_path / "writes.jsonl", rows)
    harness(tmp_path / "writes.jsonl", "org/writes", tmp_path, "codemind_der_sample", "--profile", "reasoning")
    once, often = stages(folder / "writes")[1], stages(tmp_path)[1]
    assert scores(often) == {name: pytest.approx(both, nan_ok=True) for name, both in scores(once).items()}
    estimates = [
        {metric: VIEW.estimate(run.tasks[0].scored_samples, metric) for metric in VIEW.reported}
        for run in (once, often)
    ]
    assert estimates[1] == {metric: replace(estimate, n=4 * estimate.n) for metric, estimate in estimates[0].items()}
    seen = [[(o.key, o.scores, o.solved, o.types) for o in observe([run])] for run in (once, often)]
    assert seen[0] == seen[1] and len(seen[1]) == 3
    said("report", often.path, "-o", tmp_path / "report.html")
    said("verify", often.path)


def test_of_two_responses_to_a_problem_one_may_pass():
    """Three problems: of the two programs to each, two, one and none pass; of the first pair one is understood."""
    first = {"responses": 6, "passed": 3, "passed_suite": 3, "asked": 3}
    first["problems"] = [[2, 0, 0, 0, 1], [2, 1, 1, 1, 1], [2, 2, 2, 2, 1]]
    answers = (("a", 1.0, 0), ("a", 0.0, 0), ("b", 1.0, 1))
    records = [{"problem_id": name, "right": right, "failed": failed, **first} for name, right, failed in answers]
    for metric, shares in ((der.s_der, (0.5, 0.5, 0)), (der.first_pass, (1, 0.5, 0))):
        assert (metric(records), metric(records).size) == (pytest.approx(fmean(shares)), 6)
        assert metric.stderr(records) == pytest.approx(stdev(shares) / 3**0.5)


def shown(folder: Path, name: str) -> dict[str, list[str]]:
    """Return what the harness printed of two metrics, and what it wrote."""
    lines = [line.split("|") for line in (folder / f"{name}.txt").read_text().splitlines() if "strict-match" in line]
    table = {cells[5].strip(): cells[7].strip() for cells in lines}
    results = json.loads(stages(folder / name)[1].path.read_text())["results"]["codemind_der_sample"]
    return {metric: [table[metric], str(results[f"{metric},strict-match"])] for metric in ("r_der", "pass@1")}


def test_models_that_predict_nothing_or_write_wrong_programs_only(folder):
    _, second = stages(folder / "silent")
    metrics = scores(second)
    assert shown(folder, "silent") == {"r_der": ["0", "0.0"], "pass@1": ["1", "1.0"]}
    assert metrics["pass@1"] == (1.0, 0.0)
    assert metrics["r_der"] == metrics["s_der"] == metrics["answered"] == (0.0, 0.0)
    recorded = second.tasks[0].suite["first_stage"]
    assert (recorded["responses"], recorded["passed"], recorded["asked"]) == (6, 6, 6)
    _, second = stages(folder / "fails")
    metrics = scores(second)
    assert shown(folder, "fails") == {"r_der": ["NaN", "nan"], "pass@1": ["0", "0.0"]}
    # The task has one document, that asks nothing; the harness gives no standard error for a single document.
    assert metrics["pass@1"] == (0.0, None) and metrics["s_der"] == (0.0, None)
    assert isnan(metrics["r_der"][0]) and isnan(metrics["answered"][0])
    assert VIEW.units(second.tasks[0].read_samples()) == [] and VIEW.leaderboard(second.tasks[0]) == {"Pass1": 0.0}


def test_results_of_several_models(folder, tmp_path):
    paths = [str(stages(folder / name)[1].path) for name in MODELS]
    shown = said("show", *paths, "--all-metrics")
    assert "R'_DER" in shown
    lines = {name: line for line in shown.splitlines() if " r_der " in line for name in MODELS if f"org/{name}" in line}
    assert "–" in lines["fails"] and "0.0%" not in lines["fails"]  # noqa: RUF001
    # The dash is the baseline's, which nobody has measured.
    assert "  0.0%" in lines["silent"] and lines["silent"].count("–") == 1  # noqa: RUF001
    said("report", *paths, "-o", tmp_path / "r.html", "--tables", tmp_path)
    html = (tmp_path / "r.html").read_text()
    assert "org/fails" in html and ">nan" not in html.lower()
    third = pytest.approx(1 / 3)
    summed = {row["model"]: row["value"] for row in table(tmp_path / "summary.json") if row["metric"] == "r_der"}
    assert summed == {"org/knows": 1.0, "org/writes": third, "org/silent": 0.0, "org/fails": None}
    common = [(row["model"], row["value"], row["own"], row["n"]) for row in table(tmp_path / "r_der_common.json")]
    assert common == [("org/knows", 1.0, 1.0, 3), ("org/writes", third, third, 3), ("org/silent", 0.0, 0.0, 3)]
    assert {row["measure"] for row in table(tmp_path / "der_complexity.json")} == {"CC", "LoC", "DEP", "NC"}


@pytest.mark.proof
def test_verified_with_the_first_stage_beside_it_bundled_and_on_the_leaderboard(folder, tmp_path):
    _, second = stages(folder / "writes")
    moved = shutil.copytree(second.path.parent, tmp_path / "moved")
    said("verify", moved / second.path.name)
    first = first_stage_file(second.tasks[0].suite, moved / second.path.name)
    names = {path.name for path in run_files(first)}
    assert names < {path.name for path in moved.iterdir()} and len(names) == 2
    runs = {name: stages(folder / name)[1] for name in MODELS}
    bundle = tmp_path / "fails.codemind.tar.gz"
    write_bundle(bundle, runs["fails"], {"model": "org/fails", "results": runs["fails"].path.name})
    assert bundle.is_file()
    # Both stages are in the bundle and rescore to the same; a replayed run that names its model may be shown.
    said("leaderboard", bundle, "-o", tmp_path / "site")
    write_site([Submitted(run.model, "2026-01-01", run) for run in runs.values()], tmp_path / "all", "all")
    index = (tmp_path / "all" / "index.html").read_text()
    assert "R&#39;_DER" in index and "not defined" in index
    submission = Submission("org/fails", "org/data")
    assert eval_results(runs["fails"], submission) == []
    (entry,) = eval_results(runs["knows"], submission)
    assert entry["value"] == 1.0


@pytest.mark.proof
def test_a_complete_run_is_reported_and_submitted(tmp_path):
    def every_other(problem: Any) -> str:
        return label(problem) if problem in PROBLEMS[::2] else ""

    responses = recorded(tmp_path / "all.jsonl", "org/all", right, every_other)
    harness(responses, "org/all", tmp_path / "run", "codemind_der_sample", limited=False)
    _, second = stages(tmp_path / "run")
    said("report", second.path, "-o", tmp_path / "report.html")
    arguments = ["submit", str(second.path), "--model", "org/all", "--dataset", "org/codemind", "--recorded"]
    said(*arguments, "-o", tmp_path / "submission")
    (entry,) = yaml.safe_load((tmp_path / "submission" / ".eval_results" / "codemind.yaml").read_text())
    assert entry["dataset"]["task_id"] == "codemind_der_sample"
    assert entry["value"] == pytest.approx(len(PROBLEMS[::2]) / len(PROBLEMS))


def test_two_commands_give_the_same(folder, tmp_path):
    responses = folder / "knows.jsonl"
    harness(responses, "org/knows", tmp_path / "first", "codemind_sr_sample,codemind_ier_sample")
    metadata = json.dumps({"first_stage": str(tmp_path / "first")})
    harness(responses, "org/knows", tmp_path / "second", "codemind_der_sample", "--metadata", metadata)
    (alone,) = read_runs([tmp_path / "second"])
    _, second = stages(folder / "knows")
    assert_same(alone, second)


FIRST_STAGE: dict[str, Any] = {
    "benchmark": "sample", "first_stage_task": "codemind_sr_sample", "first_stage_setting": "no_test",
    "model": "org/writes",
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), [
    (lambda raw: raw["config"]["model_args"].update(model="org/other"), "another model: model=org/other, here"),
    ({"version": "0.0"}, "under other settings: release of this suite"),
    ({"data_sha256": "0"}, "under other settings: data"),
    ({"templates_sha256": "0"}, "under other settings: prompts"),
    ({"options": {"hint_seed": 3}}, "under other settings: options"),
    (lambda raw: raw["configs"].pop("codemind_sr_sample"), "no results of codemind_sr_sample there"),
])  # fmt: skip
def test_refused(folder, tmp_path, change, message):
    first, _ = stages(folder / "writes")
    raw = json.loads(first.path.read_text())
    if callable(change):
        change(raw)
    else:
        raw["configs"]["codemind_sr_sample"]["metadata"]["suite"].update(change)
    for file in first.path.parent.glob("samples_codemind_sr_*"):
        shutil.copy(file, tmp_path)
    (tmp_path / first.path.name).write_text(json.dumps(raw))
    with pytest.raises(ValueError, match=message):
        dataset(**FIRST_STAGE, first_stage=str(tmp_path))


def test_refused_without_samples_or_with_changed_ones(folder, tmp_path):
    def refused(message: str, place: Path | None = tmp_path) -> None:
        with pytest.raises(ValueError, match=message):
            dataset(**FIRST_STAGE, first_stage=place and str(place))

    first, _ = stages(folder / "writes")
    shutil.copy(first.path, tmp_path)
    refused(r"come without its samples; run codemind_sr_sample with --log_samples")
    (file,) = first.path.parent.glob(f"samples_codemind_sr_*_{first.date}.jsonl")
    (tmp_path / file.name).write_text(file.read_text().replace("def nothing", "def changed"))
    refused("was changed since the run")
    refused("no such file or directory", tmp_path / "absent")
    refused("use `codemind run`, which runs both stages", None)


def test_the_input_is_the_one_that_ier_asks_about(built):
    places = (("humaneval", "humaneval", 0), ("mbpp", "mbpp_labelled", 20), ("classeval_methods", "classeval", 38))
    for benchmark, asked_in, without in places:
        asked = {problem.problem_id: problem for problem in IER.problems(get_benchmark(asked_in), {})}
        problems = SR.problems(get_benchmark(benchmark), {})
        problems = [problem for problem in problems if list(SR.questions(problem, "no_test"))]
        for problem in problems:
            known = asked.get(problem.problem_id)
            assert with_input(problem).input == (known.input if known else ""), problem.problem_id
            # What is compared is the very program that IER asks about.
            assert known is None or known.code == problem.code
        assert sum(not with_input(problem).input for problem in problems) == without
