"""The tables in docs/replication are what the scripts print."""

import gzip
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.manifest import DATA_VARIABLE
from lm_eval_codemind.sandbox import CaseOutcome, Outcome, Status
from table_csv import tables
from tests.docs.replication import undocumented, undocumented_rows

ROOT = Path(__file__).parents[1]


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "utils" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, script)
    spec.loader.exec_module(script)
    return script


def _apart(lines: list[str]) -> str:
    """Return the lines of several tables with an empty line in front of each table."""
    return "\n".join(
        f"\n{line}" if follows.startswith("|---") else line
        for line, follows in zip(lines, [*lines[1:], ""], strict=True)
    )


@pytest.mark.upstream
def test_the_page_is_up_to_date(shared_data: Path, built_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    script = loaded("compare_published", monkeypatch)
    for pattern in ("ier_*.jsonl.gz", "v1_ier_*.jsonl.gz"):
        text = "\n".join(script.report(sorted((shared_data / "recorded").glob(pattern)), listing=False))
        assert tables(text) and undocumented(text) == []


@pytest.mark.upstream
@pytest.mark.slow
def test_specifications_of_the_first_study(
    shared_data: Path, built_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    script = loaded("compare_specifications", monkeypatch)
    paths = sorted((shared_data / "recorded").glob("v1_sr_*.jsonl.gz"))
    rows = [row for path in paths for row in script.read(path) if row["benchmark"] == "humaneval"]
    lines = [line for line in script.report(script.judge(rows)) if line]
    assert len(lines) == 2 * (2 + 5) and undocumented_rows(_apart(lines)) == []


@pytest.mark.upstream
@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_translations_of_the_first_study(
    shared_data: Path, upstream: Upstream, built_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    script = loaded("compare_translations", monkeypatch)
    rows = script.read(shared_data / "recorded" / "v1_translation_gpt-4.jsonl.gz")
    validation = script.Validation(upstream)
    into_python = [row for row in rows if (row["benchmark"], row["target_language"]) == ("avatar", "python")]
    lines = [line for line in script.report(validation.judge(into_python)) if line]
    assert len(lines) == 3 * (2 + 1) and undocumented_rows(_apart(lines)) == []
    # Of those into Java, which take minutes, some.
    into_java = [row for row in rows if row["target_language"] == "java"][::20]
    assert validation.study(into_java) == [row["published_verdict"] for row in into_java]


@pytest.mark.parametrize(
    ("status", "kind", "stdout", "stderr", "verdict"),
    [
        (Status.PASSED, "", " 7 \n\n", "", "correct"),
        (Status.ERROR, "ValueError", "7\n", "", "correct"),
        (Status.PASSED, "", "8\n", "", "test_failed"),
        (Status.PASSED, "", "8\n", "warning", "runtime_error"),
        (Status.ERROR, "ValueError", "8\n", "", "runtime_error"),
        (Status.ERROR, "SystemExit", "", "", "test_failed"),
        (Status.ERROR, "SyntaxError", "", "", "compilation_error"),
        (Status.ERROR, "compile error", "", "", "compilation_error"),
        (Status.TIMEOUT, "", "7\n", "", "timeout"),
    ],
)
def test_the_first_studys_verdicts(
    status: Status, kind: str, stdout: str, stderr: str, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = loaded("compare_translations", monkeypatch)
    observed = CaseOutcome(stdout=stdout, status=status)
    outcome = Outcome(status, exception_type=kind, stderr=stderr, observations=(observed,))
    assert script.study_verdict(outcome, "7") == verdict


def test_a_changed_verdict_has_the_last_step_that_turned_it_as_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    script = loaded("compare_translations", monkeypatch)
    row = {"benchmark": "avatar", "source_language": "java", "target_language": "python", "problem_id": "p"}
    row["published_verdict"] = "test_failed"
    turned = script.Judged(row, "test_failed", (False, False, False, True, False, True, True), "passed")
    assert turned.cause == script.LABEL
    assert script.Judged(row, "test_failed", (False, False, False, True, True, True, False), "failed").cause == ""
    assert script.Judged(row, "test_failed", excluded="fails").cause == ""


@pytest.mark.slow
@pytest.mark.upstream
def test_the_first_studys_own_programs(shared_data: Path, built_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    script = loaded("compare_der", monkeypatch)
    with gzip.open(shared_data / "recorded" / "v1_der_gpt-4.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    text = "\n".join(script.report(rows, listing=False))
    assert len(tables(text)) == 2 and undocumented(text) == []


def test_the_table_of_the_first_study_is_up_to_date(shared_data: Path, upstream: Upstream) -> None:
    spec = importlib.util.spec_from_file_location("compare_v1", ROOT / "utils" / "compare_v1.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    lines = list(script.report(sorted((shared_data / "recorded").glob("v1_ier_*.jsonl.gz")), upstream))
    assert len(lines) == 2 + 14 and undocumented("\n".join(lines)) == []
