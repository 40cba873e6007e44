"""The aggregation of a task's metrics: a value, its standard error, and over how much it is averaged; and pass@k.

The harness computes a standard error for its own ``mean`` only, as if all documents were independent, and weighs each
task in a group by its documents. :func:`lm_eval_codemind.harness.contract.own_statistics` has it ask the classes
of this module instead.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import comb, nan
from typing import Any, Self


class Value(float):
    """A metric of one document, which knows the problem that the document is about.

    In a short form it also knows the document's place in the order of the draw, and the share that was drawn.
    """

    problem: str
    drawn: Sequence[float] | None

    @classmethod
    def of(cls, value: float, problem: str, drawn: Sequence[float] | None = None) -> Self:
        """Return a value of a document about a problem."""
        metric = cls(value)
        metric.problem, metric.drawn = problem, drawn
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
    return Aggregation(values, _mean, lambda items: _clustered(items, range(len(items))), check=check)


def _clustered(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    # The harness makes documents and scores them without NumPy.
    from lm_eval_codemind.statistics import clustered_mean_stderr

    return clustered_mean_stderr(values, clusters)


def total(documents: Sequence[float]) -> float:
    """Aggregate what is counted in each document to its number over all of them."""
    return sum(documents)


def _known(documents: Sequence[float | None]) -> list[float]:
    return [value for value in documents if value is not None]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else nan


def mean_stderr(values: Sequence[float]) -> float:
    """Return the standard error of a mean, clustered by problem where values say which problem they are about.

    That of a short form is the error of a systematic draw.
    """
    if is_drawn(values):
        from lm_eval_codemind.statistics import systematic_stderr

        return systematic_stderr(values, [drawn for value in values if (drawn := getattr(value, "drawn", None))])
    return _clustered(values, [getattr(value, "problem", number) for number, value in enumerate(values)])


def is_drawn(values: Sequence[Any]) -> bool:
    """Whether all values are of documents of a short form."""
    return bool(values) and all(getattr(value, "drawn", None) for value in values)


mean_of_known = Aggregation(_known, _mean, mean_stderr)
"""The mean over the documents that have the metric; it is None in the others."""


# The values of k that are reported, as far as there are so many responses.
REPORTED_K = (1, 2, 5, 10, 20, 50, 100)


def pass_at_k(total: int, right: int, k: int) -> float:
    """Return the unbiased estimate of pass@k for one problem (Chen et al., arXiv 2107.03374, equation 1).

    ``pass@k = 1 - C(n - c, k) / C(n, k)``: the probability that k responses drawn without replacement out of the n
    recorded ones hold at least one of the c right ones. The benchmark's pass@k is the mean over its problems.

    Args:
        total: n, the number of responses to the problem.
        right: c, the number of right ones among them.
        k: How many are drawn, from 1 to n.

    Raises:
        ValueError: If the numbers do not satisfy ``0 <= c <= n`` and ``1 <= k <= n``.
    """
    if not (0 <= right <= total and 1 <= k <= total):
        raise ValueError(f"pass@k is not defined for n={total}, c={right}, k={k}")
    return 1.0 - comb(total - right, k) / comb(total, k)


def pass_at_reported_k(verdicts: list[bool], largest: int | None = None) -> dict[str, float]:
    """Return ``pass@k`` for the reported values of k and the largest possible one; nothing if that is 1.

    Args:
        verdicts: The verdicts of the responses to one problem.
        largest: The largest k; None for the number of verdicts. With the fewest responses that any problem has, pass@k
            is a mean over all problems for every k.
    """
    largest = len(verdicts) if largest is None else min(largest, len(verdicts))
    return {f"pass@{k}": pass_at_k(len(verdicts), sum(verdicts), k) for k in reported_k(largest)}


def reported_k(largest: int) -> list[int]:
    """Return the values of k that are reported, with the largest possible one; none if that is 1."""
    return [] if largest < 2 else sorted({k for k in REPORTED_K if k <= largest} | {largest})


def unproven_passes(verdicts: Iterable[tuple[bool, bool]]) -> int:
    """Return the number of passes that the program could have manipulated.

    ``U = sum over responses of Pass(C, T) * (1 - tamper_proof(C, T))``, both 0 or 1: the passes of suites that were
    judged inside the program's process, that took helpers from it or compared its objects by its own rules (see
    docs/sandbox.md). Failures need no proof: a program gains nothing by them.

    Args:
        verdicts: For each response that was run, whether it passed and whether its verdict is tamper-proof: ``passed``
            and ``tamper_proof`` of its :class:`~lm_eval_codemind.sandbox.Outcome`.
    """
    return sum(passed and not tamper_proof for passed, tamper_proof in verdicts)
