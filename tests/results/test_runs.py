import json
import shutil

import pytest

from lm_eval_codemind.harness.contract import _complete
from lm_eval_codemind.harness.result_files import read_samples
from lm_eval_codemind.results.runs import read_runs
from tests.cli import refused, said
from tests.results.conftest import TASK
from tests.run_files import read_rows, write_rows

OLD = "results_2020-01-01T00-00-00.000001.json"


def test_reads_what_the_harness_wrote(output):
    runs = read_runs([output])
    assert [run.model for run in runs] == ["org/right", "org/scripts"]
    for run in runs:
        (task,) = run.tasks
        raw = run.raw["results"][TASK]
        assert task.task == TASK
        assert {(metric.name, metric.filter): metric.value for metric in task.metrics} == {
            tuple(key.split(",")): value
            for key, value in raw.items()
            if "," in key and not key.split(",")[0].endswith("_stderr")
        }
        assert (task.effective, task.original) == (24, 24)
        assert task.main_filter == "strict-match"
        assert len(task.read_samples()) == 24 * len(task.config["filter_list"])
    right = runs[0].tasks[0]
    assert right.main_metrics["r_ier"].value == 1
    sample = right.read_samples()[0]
    assert sample.responses == ((sample.doc["target"],),)
    assert sample.prompts[0].endswith(sample.doc["prompt"])


def test_two_runs_of_a_model_are_told_apart_by_date(output, tmp_path):
    (file,) = output.glob("org__right/results_*.json")
    shutil.copy(file, tmp_path / OLD)
    labels = [run.label for run in read_runs([file, tmp_path])]
    assert labels == [f"org/right @ {file.stem.removeprefix('results_')}", "org/right @ 2020-01-01T00-00-00.000001"]
    assert [run.label for run in read_runs([file, file.parent])] == ["org/right"]


def test_a_copy_of_a_run_is_read_once_with_its_samples(output, tmp_path):
    (file,) = output.glob("org__right/results_*.json")
    shutil.copy(file, tmp_path)
    shutil.copytree(output / "org__right", tmp_path / "copy")
    (run,) = read_runs([tmp_path, output / "org__right"])
    assert run.label == "org/right"
    assert run.path == (tmp_path / "copy" / file.name).resolve()


@pytest.mark.parametrize(("name", "content", "message"), [
    (OLD, "{", "not a result file of the harness"), (OLD, '{"results": {}}', "no results and configs"),
    (OLD, '{"results": {"arc": {}}, "configs": {"arc": {}}}', "no task of"), ("other.json", "{}", "no result file"),
])  # fmt: skip
def test_bad_files_are_named(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_runs([tmp_path])
    assert str(tmp_path) in str(caught.value)
    with pytest.raises(ValueError, match=r"nowhere.*no such file"):
        read_runs([tmp_path / "nowhere"])


def test_a_damaged_sample_is_named_with_its_line(output, tmp_path):
    shutil.copytree(output / "org__right", tmp_path / "copy")
    (samples,) = (tmp_path / "copy").glob("samples_*.jsonl")
    lines = samples.read_text().splitlines()
    broken = json.loads(lines[4])
    del broken["resps"]
    lines[4] = json.dumps(broken)
    samples.write_text("\n".join(lines) + "\n")
    (run,) = read_runs([tmp_path])
    with pytest.raises(ValueError, match=r"samples_.*line 5.*resps"):
        run.tasks[0].read_samples()


def test_a_run_without_samples_still_has_its_metrics(output, tmp_path):
    (file,) = output.glob("org__right/results_*.json")
    shutil.copy(file, tmp_path)
    (run,) = read_runs([tmp_path])
    assert run.tasks[0].read_samples() == ()
    assert run.tasks[0].main_metrics["r_ier"].value == 1


def test_lines_of_another_filter_are_known_by_their_key_and_not_by_a_text(tmp_path):
    text = '"filter": "strict-match", "metrics": ['
    rows = [{"resps": [[text]], "filter": name, "metrics": []} for name in ("strict-match", "flexible-extract")]
    file = tmp_path / "samples.jsonl"
    write_rows(file, rows)
    assert list(read_samples(file, dict, ["strict-match"])) == [rows[1]]
    # Written in another way, a line is read.
    file.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    assert list(read_samples(file, dict, ["strict-match"])) == rows


@pytest.mark.parametrize("length", [10, 70_000, 300_000])
def test_a_long_sample_file_is_complete_if_its_last_line_is(length, tmp_path):
    row = json.dumps({"resps": "x" * length}) + "\n"
    file = tmp_path / "samples.jsonl"
    file.write_text(row * 3)
    assert _complete(file)
    for cut in (row * 3 + row[:-3], row * 3 + row[:-1], row[:-3], ""):
        file.write_text(cut)
        assert not _complete(file)


def test_an_empty_file_of_samples_is_named(run, tmp_path):
    (samples,) = run.rglob("samples_*.jsonl")
    samples.write_text("")
    for command in (("show",), ("cite",), ("verify",), ("report", "-o", tmp_path / "page.html")):
        assert f"{samples} is empty; take it from a backup" in refused(*command, run)


def test_a_run_without_scores_is_named_and_its_digests_are_verified(tmp_path):
    run = tmp_path / "run"
    options = ("--limit", 2, "--predict_only", "--log_samples", "--output_path", run)
    said("run", "--model", "codemind-oracle", "--tasks", TASK, *options)
    (file,) = run.rglob("results_*.json")
    for command in (("show",), ("cite",), ("report", "-o", tmp_path / "page.html"), ("compare", run)):
        assert f"{file}: no score to report, because of --predict_only" in refused(*command, run)
    verified = said("verify", run)
    assert "equal (1 task, 0 metrics, 4 samples)" in verified and "only the digests were compared" in verified
    (samples,) = run.rglob("samples_*.jsonl")
    rows = read_rows(samples)
    rows[0]["resps"][0][0] += "x"
    write_rows(samples, rows)
    assert "the response is changed since the run" in refused("verify", run)
