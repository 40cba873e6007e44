"""The aggregation of a task's metrics: a value, its standard error, and over how much it is averaged.

The harness computes a standard error for its own ``mean`` only, as if all documents were independent, and weighs each
task in a group by its documents. :func:`lm_eval_codemind.harness.contract.use_own_statistics` has it ask the classes
of this module instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import Any

from lm_eval_codemind.scores.clusters import clustered_mean_stderr


class Value(float):
    """A metric of one document, which knows its problem.

    Attributes:
        problem: The problem that the document is about.
    """

    problem: str

    @classmethod
    def of(cls, value: float, problem: str) -> Value:
        """Return a value of a document about a problem."""
        made = cls(value)
        made.problem = problem
        return made


class Mean(float):
    """A metric of a task, or its standard error, which knows what it rests on.

    Attributes:
        size: Over how many items it is averaged; 0 where there is nothing to average.
    """

    size: int

    @classmethod
    def of(cls, value: float, size: int) -> Mean:
        """Return a metric that is averaged over so many items."""
        made = cls(value)
        made.size = size
        return made


class Aggregation:
    """An aggregation with its standard error, for a YAML file to name.

    Args:
        value: Metrics of the documents -> metric of the task; not a number where there is nothing to average.
        error: Metrics of the documents -> standard error of that.
        size: Metrics of the documents -> over how many items it is averaged.
    """

    def __init__(
        self,
        value: Callable[[Sequence[Any]], float],
        error: Callable[[Sequence[Any]], float],
        size: Callable[[Sequence[Any]], int],
    ) -> None:
        self._value, self._error, self._size = value, error, size

    def __repr__(self) -> str:
        # The harness writes this into its results, where addresses in memory say nothing.
        return f"{self._value.__module__}.{self._value.__qualname__}"

    def __call__(self, documents: Sequence[Any]) -> Mean:
        """Return the metric of the task."""
        return Mean.of(self._value(documents), self._size(documents))

    def stderr(self, documents: Sequence[Any]) -> Mean:
        """Return the standard error of the metric."""
        return Mean.of(self._error(documents), self._size(documents))


def mean_of(
    values: Callable[[Sequence[Any]], Sequence[float]], check: Callable[[Sequence[Any]], None] | None = None
) -> Aggregation:
    """Return the mean of values that are made from several documents each, such as one for each pair.

    Args:
        values: Metrics of the documents -> independent values.
        check: Called once with the metrics of the documents, to warn of those that have no value.
    """

    def value(documents: Sequence[Any]) -> float:
        if check is not None:
            check(documents)
        return _mean(values(documents))

    return Aggregation(
        value,
        lambda documents: clustered_mean_stderr(values(documents), range(len(values(documents)))),
        lambda documents: len(values(documents)),
    )


def total(documents: Sequence[float]) -> float:
    """Aggregate what is counted in each document to its number over all of them."""
    return sum(documents)


def _known(documents: Sequence[float | None]) -> list[float]:
    return [value for value in documents if value is not None]


def _mean(documents: Sequence[float | None]) -> float:
    known = _known(documents)
    return sum(known) / len(known) if known else nan


def _mean_stderr(documents: Sequence[float | None]) -> float:
    known = _known(documents)
    return clustered_mean_stderr(known, [getattr(value, "problem", number) for number, value in enumerate(known)])


mean_of_known = Aggregation(_mean, _mean_stderr, lambda documents: len(_known(documents)))
"""The mean over the documents that have the metric; it is None in the others."""
