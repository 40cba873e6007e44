"""No document is longer than a model can read and answer, and docs/prompt_lengths.csv says how long they are."""

from pathlib import Path

import pytest

import tables

ROOT = Path(__file__).parents[2]
LONGEST = 16_000
# Functions of real projects are long.
LONGEST_RE2 = 24_000

pytestmark = pytest.mark.proof


def test_no_document_is_beyond_the_limit_and_the_documentation_has_the_lengths(built):
    tasks = tables.tasks()
    assert {task.family for task in tasks} >= {"ier", "ier_direct", "sr", "sr_misleading", "dsr"}
    assert {task.benchmark for task in tasks} >= {"humaneval", "cruxeval", "classeval", "avatar", "classeval_methods"}
    for task in tasks:
        assert task.documents, task.name
        # What was published is asked as it was published.
        if not task.published:
            for row in task.documents:
                # The full marks of a translation are a table of the whole suite's outputs, which nobody has to write.
                answer = "" if task.family.startswith("translation") else row["target"]
                limit = LONGEST_RE2 if task.benchmark == "re2" else LONGEST
                assert len(row["prompt"]) + len(answer) <= limit, (task.name, row["problem_id"])
    assert "".join(tables.lengths_table(tasks)) == (ROOT / "docs/prompt_lengths.csv").read_text(encoding="utf-8")
