"""LiveCodeBench's code execution, on rows of our own in the schema of its data set."""

import datetime
from typing import Any

import pytest

from lm_eval_codemind.data.facts.imports import with_imports
from lm_eval_codemind.errors import UpstreamError
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.benchmarks.livecodebench import read
from tests.run_files import write_rows

PAIRS = "def pairs(nums: List[int]) -> int:\n    return sum(n // 2 for n in Counter(nums).values())"


def row(name: str, code: str, call: str, output: str) -> dict[str, Any]:
    return {
        "question_id": "1", "id": name, "function_name": call.partition("(")[0], "code": code, "input": call,
        "output": output, "numsteps": 3, "problem_id": "1", "contest_id": "c",
        "contest_date": datetime.datetime(2023, 5, 7).isoformat(), "difficulty": "easy",
    }  # fmt: skip


ROWS = [
    row("sample_0", PAIRS, "pairs(nums = [1, 1, 2])", "1"),
    row("sample_1", PAIRS, "pairs(nums = [1, 1, 2, 2])", "3"),
    row("sample_2", "def f(x):\n    return 1 // x", "f(x = 0)", "0"),
    row("sample_3", "def f(x):\n    return list(set(x))", "f(x = 'abcdef')", "['a']"),
]


def test_a_local_copy_is_read_and_its_labels_are_executed_and_without_one_the_message_says_how_to_get_it(tmp_path):
    with pytest.raises(UpstreamError, match="hf download livecodebench/execution-v2"):
        read(Upstream(tmp_path))
    folder = tmp_path / "execution-v2"
    folder.mkdir()
    write_rows(folder / "test.jsonl", ROWS)
    problems = {problem.problem_id: problem for problem in read(Upstream(tmp_path))}
    assert {name: problem.reason for name, problem in problems.items()} == {
        "sample_0": "", "sample_1": "other_output", "sample_2": "no_output", "sample_3": "identity",
    }  # fmt: skip
    first = problems["sample_0"]
    assert (first.entry_point, first.input, first.output) == ("pairs", "pairs(nums = [1, 1, 2])", "1")
    assert [problem.output for problem in list(problems.values())[1:]] == [None] * 3
    assert with_imports(PAIRS).startswith("from collections import Counter\nfrom typing import List\n\ndef pairs")
    for code in ("def f(x):\n    return x", "def f(count):\n    return count", "def f(:"):
        assert with_imports(code) == code
