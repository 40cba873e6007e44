"""The record as a schema of the ``datasets`` library."""

from collections.abc import Iterable
from dataclasses import fields

from datasets import Dataset, Features, List, Value

from lm_eval_codemind.problems.record import Complexity, Problem

_TEXT = Value("string")
_NUMBER = Value("int64")
_COMPLEXITY = {field.name: _NUMBER for field in fields(Complexity)} | {"constructs": List(_TEXT)}
# Columns other than text.
_NESTED = {
    "cases": List({"input": _TEXT, "output": _TEXT}),
    "transformations": List(_TEXT),
    "complexity": _COMPLEXITY,
    "transformed_complexity": _COMPLEXITY,
}

FEATURES = Features({field.name: _NESTED.get(field.name, _TEXT) for field in fields(Problem)})


def to_dataset(problems: Iterable[Problem]) -> Dataset:
    """Return the problems as a ``datasets.Dataset`` with the columns of :data:`FEATURES`, in their order."""
    return Dataset.from_list([problem.to_row() for problem in problems], features=FEATURES)
