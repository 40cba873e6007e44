"""docs/replication.md says what the script prints."""

import gzip
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.benchmarks import Upstream
from lm_eval_codemind.data.build import DATA_VARIABLE

ROOT = Path(__file__).parents[1]


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "utils" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, script)
    spec.loader.exec_module(script)
    return script


@pytest.mark.upstream
def test_the_page_is_up_to_date(shared_data: Path, built_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    script = loaded("compare_published", monkeypatch)
    page = (ROOT / "docs" / "replication.md").read_text(encoding="utf-8")
    lines = list(script.report(sorted((shared_data / "recorded").glob("ier_*.jsonl.gz")), listing=False))
    assert "\n".join(lines).strip() in page


@pytest.mark.upstream
def test_the_first_studys_own_programs(shared_data: Path, built_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    script = loaded("compare_der", monkeypatch)
    with gzip.open(shared_data / "recorded" / "v1_der_gpt-4.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    page = (ROOT / "docs" / "replication.md").read_text(encoding="utf-8")
    tables = "\n".join(script.report(rows, listing=False)).split("\n\n")
    assert len(tables) == 2
    for table in tables:
        assert table in page


def test_the_table_of_the_first_study_is_up_to_date(shared_data: Path, upstream: Upstream) -> None:
    spec = importlib.util.spec_from_file_location("compare_v1", ROOT / "utils" / "compare_v1.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = (ROOT / "docs" / "replication.md").read_text(encoding="utf-8")
    lines = list(script.report(sorted((shared_data / "recorded").glob("v1_ier_*.jsonl.gz")), upstream))
    assert len(lines) == 2 + 14 and "\n".join(lines) in page
