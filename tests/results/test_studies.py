"""The page of recorded responses: names of files, order of models, failures, and the tables in docs/replication."""

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import recorded as studies
from lm_eval_codemind.data.manifest import DATA_VARIABLE
from lm_eval_codemind.families import family_named
from lm_eval_codemind.family import Family
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.rewards import rewards
from lm_eval_codemind.samples import Sample
from recorded import Study, model_of, orders, read_manifest
from tests.cli import refused, said
from tests.docs.replication import LIST, tables, undocumented
from tests.run_files import read_rows


def page_of(recordings: Path, out: Path) -> str:
    """Return what the script prints, which must succeed."""
    result = CliRunner().invoke(studies.main, [str(recordings), "-o", str(out)])
    assert result.exit_code == 0, result.output
    return result.output


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


@pytest.mark.parametrize(("name", "pattern", "model"), [
    ("ier_gpt-4.jsonl.gz", "ier_{model}.jsonl.gz", "gpt-4"), ("v1_ier_gpt-4.jsonl.gz", "ier_{model}.jsonl.gz", None),
    ("re2_loop_prediction_a_b.jsonl.gz", "re2_{}_prediction_{model}.jsonl.gz", "a_b"),
    ("re2_a_b_prediction_c.jsonl.gz", "re2_{}_prediction_{model}.jsonl.gz", None),
    ("ier_gpt-4xjsonl.gz", "ier_{model}.jsonl.gz", None),
])  # fmt: skip
def test_names_of_files(name, pattern, model):
    assert model_of(name, pattern) == model


def test_every_recording_has_a_place(shared_data):
    known, others = read_manifest()
    for path in (shared_data / "recorded").glob("*.jsonl.gz"):
        patterns = [*(study.files for study in known), *others]
        assert any(model_of(path.name, pattern) is not None for pattern in patterns), path.name


def result(model: str, *scores: float | None) -> studies.Result:
    headings = (studies.RECORDED, studies.KEPT, "here")
    return studies.Result("S", model, "b", 9, 0, dict(zip(headings, scores, strict=True)), {})


def test_the_order_of_models():
    lines = list(orders([result("a", 0.5, 0.5, 0.6), result("b", 0.4, 0.5, 0.7), result("c", 0.1, 0.1, 0.1)]))
    assert lines[2:] == [
        "| b | published | a > b > c |  |",
        "| b | published, without excluded | a = b > c | a and b |",
        "| b | here | b > a > c | a and b |",
    ]
    assert list(orders([result("a", None, None, 0.5)])) == []
    assert list(orders([result("a", None, None, 0.5), result("b", None, None, 0.4)]))[2:] == ["| b | here | a > b |  |"]


def test_repeated_and_excluded_rows():
    study = Study("S", "f", "b", {"problem_id": "P_{n}"}, {})
    documents = [{"benchmark": "b", "problem_id": f"P_{n}"} for n in "112"]
    rows = [{"n": n} for n in "1112344"]
    keys = [key and key.problem_id for key, _ in studies._asked(study, rows, documents)]
    assert keys == ["P_1", "P_1", "P_2", None, None]


def test_recorded_verdicts():
    study = Study("S", "f", "b", {}, {}, recorded="said.output")
    assert study.verdict({"said": {"output": 1}}) is True and study.verdict({"said": {"output": None}}) is None
    assert Study("S", "f", "b", {}, {}).verdict({}) is None


@pytest.fixture
def recorded(built: Path, tmp_path: Path) -> Path:
    """An empty directory for recordings; tasks are loaded from the built data."""
    (tmp_path / "recorded").mkdir()
    return tmp_path / "recorded"


def test_the_page_of_cut_recordings(shared_data, recorded, tmp_path, monkeypatch):
    out = tmp_path / "out"
    rows = read_rows(shared_data / "recorded" / "ces_localisation_gpt-4-turbo.jsonl.gz")[:20]
    write(recorded / "ces_localisation_kept-back.jsonl.gz", rows)
    write(recorded / "ces_localisation_silent.jsonl.gz", [{**row, "published_prediction": ""} for row in rows])
    write(recorded / "ces_detection_without-fields.jsonl.gz", [{"problem_id": "HumanEval_0"}])
    write(recorded / "another_study.jsonl.gz", rows)
    (recorded / "ces_repair_damaged.jsonl.gz").write_bytes(b"\x1f\x8bdamaged")
    shutil.copy(shared_data / "recorded" / "published_ier.json", recorded)
    assert "5 files, 4 of them not scored" in page_of(recorded, out)
    page = (out / "results.md").read_text(encoding="utf-8")
    published = 100 * sum(row["published_verdict"] for row in rows) / 20
    (row,) = re.findall(r"^\| kept-back .*", page, re.MULTILINE)
    # One of the problems is not asked about.
    assert row.startswith(f"| kept-back | HumanEvalFix | 20 | {published:.2f} | 1 | {100 * 17 / 19:.2f} |")
    assert re.search(r"^- `ces_localisation_silent.jsonl.gz`: .*none of the 1. responses", page, re.MULTILINE)
    assert "CES: bug detection: UserError: a row lacks the field 'part'; it has problem_id" in page
    for name in ("another_study", "ces_detection_without-fields", "ces_repair_damaged"):
        assert f"- `{name}.jsonl.gz`: " in page
    assert "Traceback" not in page

    # What is scored is kept, and so is a run that the report reads.
    (recorded / "ces_localisation_silent.jsonl.gz").unlink()
    monkeypatch.setattr(studies, "_run", lambda *arguments: pytest.fail("scored again"))
    page_of(recorded, out)
    remaining = [line for line in page.splitlines(keepends=True) if "silent" not in line]
    assert (out / "results.md").read_text(encoding="utf-8") == "".join(remaining)
    said("show", out / "ces_localisation_kept-back")


def test_a_simulation_is_scored_verified_and_reported(shared_data, recorded, tmp_path):
    out = tmp_path / "out"
    rows = read_rows(shared_data / "recorded" / "ces_simulation_gpt-4-turbo.jsonl.gz")[:30]
    write(recorded / "ces_simulation_kept-back.jsonl.gz", rows)
    page_of(recorded, out)
    page = (out / "results.md").read_text(encoding="utf-8")
    verdicts = [row["published_verdict"] for row in rows]
    coherent, output = (100 * sum(one[name] for one in verdicts) / 30 for name in ("reasoning", "output"))
    assert f"| kept-back | HumanEval | 30 | {coherent:.2f} | 0 | {coherent:.2f} | {output:.2f} (" in page
    said("verify", out)
    said("report", out, "-o", tmp_path / "report.html")
    options = ("--model", "org/kept-back", "--dataset", "org/data", "-o", tmp_path, "--recorded")
    assert "published" in refused("submit", out, *options)


def test_an_empty_directory(tmp_path):
    result = CliRunner().invoke(studies.main, [str(tmp_path), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1 and "no recordings" in result.output


@pytest.fixture(scope="module")
def scored(shared_data: Path, built_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the script writes for all recordings but those of programs.

    Those take minutes; ``tests/test_replication.py`` scores them.
    """
    folder, out = tmp_path_factory.mktemp("recorded"), tmp_path_factory.mktemp("scored")
    for path in sorted((shared_data / "recorded").glob("*.jsonl.gz")):
        if not path.name.startswith(("v1_sr_", "v1_translation_", "ces_repair_")):
            (folder / path.name).symlink_to(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(built_data))
        page_of(folder, out)
    return out


def test_the_tables_are_those_of_the_documentation(scored):
    page = (scored / "results.md").read_text(encoding="utf-8")
    assert len(tables(page)) >= 15
    assert [table for table in undocumented(page) if table[0] != LIST] == []


def test_the_reward_of_a_recorded_response_is_its_score(scored, built, tmp_path):
    exported: dict[str, dict[Key, dict[str, Any]]] = {}
    compared: dict[str, int] = {}
    for task in (task for run in read_runs([scored]) for task in run.tasks):
        if task.task not in exported:
            file = tmp_path / "rows.jsonl"
            said("export", "--tasks", task.task, "--evaluation", "--idle", "-o", file)
            exported[task.task] = {Key.of(row): row for row in map(json.loads, file.read_text().splitlines())}
        name = str(task.suite["family"])
        family = family_named(name)
        assert family is not None
        samples = [sample for sample in task.read_samples() if sample.filter == task.main_filter]
        responses = [sample.responses[0][0] for sample in samples]
        rows = [exported[task.task][sample.key] for sample in samples]
        values = rewards(rows, responses)
        assert values == [verdict(sample, family) for sample in samples], task.task
        compared[name] = compared.get(name, 0) + len(samples)
    least = {"ier": 6_000, "re2_output": 1_000, "re2_input": 400, "re2_loop": 400, "re2_branch": 400}
    assert {name: number for name, number in least.items() if compared.get(name, 0) < number} == {}, compared


def verdict(sample: Sample, family: Family) -> float:
    """Return 1 where the first response of a sample is right, else 0; of a pair, its half has a record."""
    value: Any = sample.scores.get(family.verdict, sample.scores.get(family.metric))
    return float(value["passed"] if isinstance(value, dict) else value)
