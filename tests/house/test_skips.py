"""A skip must not hide that upstream's data is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import lacks_data

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("reason", "missing"), [
    ("no upstream data at ../shared/data", True), ("the copy of CRUXEval in ../shared/data has no prompts.py", True),
    *(("no /data/attacks/none*.jsonl", True), ("uv is not installed", False), ("no JDK", False)),
])  # fmt: skip
def test_reasons(reason, missing):
    assert lacks_data(f"Skipped: {reason}") == missing


def test_a_test_that_is_skipped_for_missing_data_fails_where_the_data_is(shared_data, tmp_path):
    script = tmp_path / "test_made.py"
    script.write_text('import pytest\n\n\ndef test_it():\n    pytest.skip("no upstream data")\n')
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.conftest", script]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 1 and f"{shared_data} is there: Skipped: no upstream data" in done.stdout
