"""docs/replication.md says what the script prints."""

import importlib.util
import sys
from pathlib import Path

import pytest

from lm_eval_codemind.benchmarks import Upstream
from lm_eval_codemind.data.build import DATA_VARIABLE

ROOT = Path(__file__).parents[1]


@pytest.mark.upstream
def test_the_page_is_up_to_date(shared_data: Path, built_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    spec = importlib.util.spec_from_file_location("compare_published", ROOT / "utils" / "compare_published.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, script)
    spec.loader.exec_module(script)
    page = (ROOT / "docs" / "replication.md").read_text(encoding="utf-8")
    lines = list(script.report(sorted((shared_data / "recorded").glob("ier_*.jsonl.gz")), listing=False))
    assert "\n".join(lines).strip() in page


@pytest.mark.upstream
def test_the_table_of_the_first_study_is_up_to_date(shared_data: Path, upstream: Upstream) -> None:
    spec = importlib.util.spec_from_file_location("compare_v1", ROOT / "utils" / "compare_v1.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = (ROOT / "docs" / "replication.md").read_text(encoding="utf-8")
    lines = list(script.report(sorted((shared_data / "recorded").glob("v1_ier_*.jsonl.gz")), upstream))
    assert len(lines) == 2 + 14 and "\n".join(lines) in page
