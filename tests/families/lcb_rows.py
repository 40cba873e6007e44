"""Rows like those of LiveCodeBench's data set, which no checkout has, and data that is built from them."""

import shutil
from pathlib import Path
from typing import Any

from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.build import build
from tests.run_files import write_rows

# The labels of these are not proven: another output, an exception, and the order of a set.
UNPROVEN = {
    "sample_1": {"output": "'another'"},
    "sample_5": {"code": "def made_5(x):\n    return x[0]"},
    "sample_7": {"code": "def made_7(x):\n    return str(set('abc'))", "output": "\"{'a', 'b', 'c'}\""},
}


def made_row(number: int) -> dict[str, Any]:
    code = f"def made_{number}(x):\n    # {{braces}} '{{code}}' \\n\n    return [x, \"{{}}\\n\", {number} % 7]"
    row = {"id": f"sample_{number}", "function_name": f"made_{number}", "code": code, "problem_id": "1"}
    output = f"[{number}, '{{}}\\n', {number % 7}]"
    return {**row, "input": f"made_{number}(x = {number})", "output": output, "question_id": "1", "numsteps": 3}


ROWS = [row | UNPROVEN.get(row["id"], {}) for row in map(made_row, range(479))]


def built_lcb(shared_data: Path, folder: Path) -> Path:
    """Return a directory with built data, from upstream's prompts and a local copy of a data set with our rows."""
    upstream = folder / "upstream"
    (upstream / "execution-v2").mkdir(parents=True)
    shutil.copy(shared_data / "upstream" / "LiveCodeBench.tar.xz", upstream)
    write_rows(upstream / "execution-v2" / "test.jsonl", ROWS)
    entries = build(["lcb_execution", "lcb_prompts"], Upstream(upstream), folder / "data")
    assert entries["lcb_execution"].categories == {"confirmed": 476, "excluded": 3}
    assert entries["lcb_prompts"].digests.keys() == {"lcb_prompts", "lcb_prompts.questions"}
    return folder / "data"
