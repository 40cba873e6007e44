"""The record as a schema of the ``datasets`` library."""

from __future__ import annotations

from collections.abc import Iterable

from datasets import Dataset, Features, List, Value

from lm_eval_codemind.problems.record import Problem

_TEXT = Value("string")
_NUMBER = Value("int64")
_COMPLEXITY = {
    "cc": _NUMBER,
    "loc": _NUMBER,
    "dep": _NUMBER,
    "nc": _NUMBER,
    "ll": _NUMBER,
    "constructs": List(_TEXT),
}

FEATURES = Features(
    {
        "problem_id": _TEXT,
        "benchmark": _TEXT,
        "kind": _TEXT,
        "language": _TEXT,
        "code": _TEXT,
        "entry_point": _TEXT,
        "input": _TEXT,
        "output": _TEXT,
        "specification": _TEXT,
        "context": _TEXT,
        "tests": _TEXT,
        "cases": List({"input": _TEXT, "output": _TEXT}),
        "hint_test": _TEXT,
        "misleading_test": _TEXT,
        "transformed": _TEXT,
        "transformations": List(_TEXT),
        "complexity": _COMPLEXITY,
        "transformed_complexity": _COMPLEXITY,
        "output_type": _TEXT,
        "category": _TEXT,
        "reason": _TEXT,
        "published_output": _TEXT,
        "provenance": _TEXT,
        "upstream_questions": _TEXT,
    }
)


def to_dataset(problems: Iterable[Problem]) -> Dataset:
    """Return the problems as a ``datasets.Dataset`` with the columns of :data:`FEATURES`, in their order."""
    return Dataset.from_list([problem.to_row() for problem in problems], features=FEATURES)
