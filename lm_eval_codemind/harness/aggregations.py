"""The aggregation of a task's metrics: a value, its standard error, and over how much it is averaged.

The harness computes a standard error for its own ``mean`` only, as if all documents were independent, and weighs each
task in a group by its documents. :func:`lm_eval_codemind.harness.contract.use_own_statistics` has it ask the classes
of this module instead.
"""

from collections.abc import Callable, Sequence
from math import nan
from typing import Any, Self

from lm_eval_codemind.statistics import clustered_mean_stderr


class Value(float):
    """A metric of one document, which knows the problem that the document is about."""

    problem: str

    @classmethod
    def of(cls, value: float, problem: str) -> Self:
        """Return a value of a document about a problem."""
        metric = cls(value)
        metric.problem = problem
        return metric


class Mean(float):
    """A metric of a task, or its standard error. Its size is the number of items it is averaged over, 0 without any."""

    size: int

    @classmethod
    def of(cls, value: float, size: int) -> Self:
        """Return a metric that is averaged over so many items."""
        metric = cls(value)
        metric.size = size
        return metric


class Aggregation:
    """An aggregation with its standard error, for a YAML file to name.

    Args:
        items: Metrics of the documents -> what is averaged, such as the pairs that they form.
        value: Items -> metric of the task; not a number where there is nothing to average.
        error: Items -> standard error of that.
        size: Items -> over how many it is averaged.
        check: Gets the metrics of the documents once, and warns of documents that are left out.
    """

    def __init__(
        self,
        items: Callable[[Sequence[Any]], Any],
        value: Callable[[Any], float],
        error: Callable[[Any], float],
        size: Callable[[Any], int] = len,
        check: Callable[[Sequence[Any]], None] = lambda documents: None,
    ) -> None:
        self._items, self._value, self._error, self._size, self._check = items, value, error, size, check

    def __repr__(self) -> str:
        # The harness writes this into its results, where addresses in memory say nothing.
        return f"{self._value.__module__}.{self._value.__qualname__}"

    def __call__(self, documents: Sequence[Any]) -> Mean:
        """Return the metric of the task."""
        self._check(documents)
        items = self._items(documents)
        return Mean.of(self._value(items), self._size(items))

    def stderr(self, documents: Sequence[Any]) -> Mean:
        """Return the standard error of the metric."""
        items = self._items(documents)
        return Mean.of(self._error(items), self._size(items))


def mean_of(
    values: Callable[[Sequence[Any]], Sequence[float]], check: Callable[[Sequence[Any]], None] = lambda documents: None
) -> Aggregation:
    """Return the mean of independent values that are made from several documents each, such as one for each pair."""
    return Aggregation(values, _mean, lambda items: clustered_mean_stderr(items, range(len(items))), check=check)


def total(documents: Sequence[float]) -> float:
    """Aggregate what is counted in each document to its number over all of them."""
    return sum(documents)


def _known(documents: Sequence[float | None]) -> list[float]:
    return [value for value in documents if value is not None]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else nan


def mean_stderr(values: Sequence[float]) -> float:
    """Return the standard error of a mean, clustered by problem where values say which problem they are about."""
    return clustered_mean_stderr(values, [getattr(value, "problem", number) for number, value in enumerate(values)])


mean_of_known = Aggregation(_known, _mean, mean_stderr)
"""The mean over the documents that have the metric; it is None in the others."""
