"""Runtime behaviour: are a model's answers about one line of a running program right, and do they agree?

An item is a line and a variable of a program on an input. With r = (coverage, state, path, output) of its four answers,
each 1 if right, incremental consistency (Chen et al., ICSE 2025) is

``IC(r) = 1, 1/2, 1/4, 1/8 for 1111, 1110, 1100, 1000, and 0 for every other pattern``.

Answers that never change do well on metrics over all items: many lines are not executed. What cannot be had for nothing
is ``coverage_balanced``, ``state_executed`` and ``path_executed``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan

from lm_eval_codemind.scores.clusters import clustered_stderr_of

_IC = {(1, 1, 1, 1): 1.0, (1, 1, 1, 0): 0.5, (1, 1, 0, 0): 0.25, (1, 0, 0, 0): 0.125}


@dataclass(frozen=True)
class Item:
    """The results of one item.

    Attributes:
        program: Name of its program, by which standard errors are clustered.
        executed: Whether the line is executed.
        goes_on: Whether it is executed and another line of the program after it.
        said_executed: The answer about coverage; None if there is none, which is never right.
        state: Whether the answer about the variable is right.
        path: Whether the answer about the next line is right.
        output: Whether the output of the item's input is predicted.
    """

    program: str
    executed: bool
    goes_on: bool
    said_executed: bool | None
    state: bool
    path: bool
    output: bool

    @property
    def coverage(self) -> bool:
        """Whether the answer about coverage is right."""
        return self.said_executed is self.executed


def ic(coverage: bool, state: bool, path: bool, output: bool) -> float:
    """Return the incremental consistency of one item: 1, 1/2, 1/4 or 1/8 for 1111, 1110, 1100, 1000, else 0."""
    return _IC.get((int(coverage), int(state), int(path), int(output)), 0.0)


def ic_score(items: Sequence[Item]) -> float:
    """Return the mean of :func:`ic` over items, in [0, 1]; REval prints 100 times it."""
    return _mean([ic(item.coverage, item.state, item.path, item.output) for item in items])


def coverage(items: Sequence[Item]) -> float:
    """Return the share of items whose answer about coverage is right."""
    return _mean([item.coverage for item in items])


def coverage_f1(items: Sequence[Item]) -> float:
    """Return F1 of the class "executed": ``2 TP / (2 TP + FP + FN)``; 0 where that is 0 / 0, as no positive is found.

    An item without an answer counts as "not executed", as in REval.
    """
    found, all_ = _f1_terms(items)
    return sum(found) / sum(all_) if sum(all_) else 0.0


def coverage_balanced(items: Sequence[Item]) -> float:
    """Return the mean of two shares: right answers among executed lines and among those that are not.

    ``(TPR + TNR) / 2``: 1/2 for an answer that never changes. Not a number where there are lines of one class only.
    """
    return (
        _mean([item.coverage for item in items if item.executed])
        + _mean([item.coverage for item in items if not item.executed])
    ) / 2


def state(items: Sequence[Item]) -> float:
    """Return the share of items whose answer about the variable is right."""
    return _mean([item.state for item in items])


def state_executed(items: Sequence[Item]) -> float:
    """Return the share of right answers about the variable among executed lines: "not executed" earns nothing."""
    return _mean([item.state for item in items if item.executed])


def path(items: Sequence[Item]) -> float:
    """Return the share of items whose answer about the next line is right."""
    return _mean([item.path for item in items])


def path_executed(items: Sequence[Item]) -> float:
    """Return the share of right answers about the next line among executed lines that are followed by one.

    Neither "not executed" nor "the end" earns anything: lines after which the program ends are left out as well.
    """
    return _mean([item.path for item in items if item.goes_on])


def output(items: Sequence[Item]) -> float:
    """Return the share of right outputs. To be given one item an input: the items of an input share its output."""
    return _mean([item.output for item in items])


def clustered_stderr(metric: str, items: Sequence[Item]) -> float:
    """Return the standard error of a metric, with the items of a program as one cluster.

    The equation is that of :func:`~lm_eval_codemind.scores.clusters.clustered_stderr_of`, with psi_i the influence of
    item i on the metric. For a mean over n items psi_i = (x_i - mean) / n; for ``coverage_balanced`` it is half of that
    within each class; for ``coverage_f1`` = A / B, with A and B sums over items, psi_i = (a_i - F1 * b_i) / B (delta
    method).

    Args:
        metric: A key of :data:`METRICS`.
        items: The items the metric is computed of.

    Returns:
        Not a number where the metric is none, or for fewer than two programs.
    """
    return clustered_stderr_of(_influences(metric, items), [item.program for item in items])


METRICS: dict[str, Callable[[Sequence[Item]], float]] = {
    "coverage": coverage,
    "coverage_f1": coverage_f1,
    "coverage_balanced": coverage_balanced,
    "state": state,
    "state_executed": state_executed,
    "path": path,
    "path_executed": path_executed,
    "output": output,
    "ic": ic_score,
}

# Metric -> what it is the mean of, None for items that it leaves out.
_TERMS: dict[str, Callable[[Item], float | None]] = {
    "coverage": lambda item: item.coverage,
    "state": lambda item: item.state,
    "state_executed": lambda item: item.state if item.executed else None,
    "path": lambda item: item.path,
    "path_executed": lambda item: item.path if item.goes_on else None,
    "output": lambda item: item.output,
    "ic": lambda item: ic(item.coverage, item.state, item.path, item.output),
}


def averaged_over(metric: str, items: Sequence[Item]) -> int:
    """Return over how many items a metric is averaged: those that it does not leave out."""
    terms = _TERMS.get(metric)
    return len(items) if terms is None else sum(terms(item) is not None for item in items)


def _influences(metric: str, items: Sequence[Item]) -> list[float]:
    if metric == "coverage_f1":
        found, all_ = _f1_terms(items)
        score = coverage_f1(items)
        return [(a - score * b) / sum(all_) if sum(all_) else nan for a, b in zip(found, all_, strict=True)]
    if metric == "coverage_balanced":
        classes = [
            _mean_influences([item.coverage if item.executed is executed else None for item in items])
            for executed in (True, False)
        ]
        return [(a + b) / 2 for a, b in zip(*classes, strict=True)]
    return _mean_influences([_TERMS[metric](item) for item in items])


def _mean_influences(terms: Sequence[float | None]) -> list[float]:
    kept = [term for term in terms if term is not None]
    if not kept:
        return [nan] * len(terms)
    mean = _mean(kept)
    return [0.0 if term is None else (term - mean) / len(kept) for term in terms]


def _f1_terms(items: Sequence[Item]) -> tuple[list[int], list[int]]:
    """Return, item by item, what adds up to 2 TP and to 2 TP + FP + FN."""
    found = [2 if item.executed and item.said_executed else 0 for item in items]
    return found, [int(item.executed) + int(bool(item.said_executed)) for item in items]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else nan
