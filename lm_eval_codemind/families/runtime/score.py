"""Runtime behaviour: are a model's answers about one line of a running program right, and do they agree?

An item is a line and a variable of a program on an input. With r = (coverage, state, path, output) of its four answers,
each 1 if right, incremental consistency (Chen et al., ICSE 2025) is

``IC(r) = 1, 1/2, 1/4, 1/8 for 1111, 1110, 1100, 1000, and 0 for every other pattern``.

Answers that never change do well on metrics over all items: many lines are not executed. What cannot be had for nothing
is ``coverage_balanced``, ``state_executed`` and ``path_executed``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan

from lm_eval_codemind.statistics import clustered_stderr_of, systematic_stderr_of

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
        drawn: In a short form the place in the order of the draw, and the share that was drawn.
    """

    program: str
    executed: bool
    goes_on: bool
    said_executed: bool | None
    state: bool
    path: bool
    output: bool
    drawn: Sequence[float] | None = None

    @property
    def coverage(self) -> bool:
        """Whether the answer about coverage is right."""
        return self.said_executed is self.executed


def ic(coverage: bool, state: bool, path: bool, output: bool) -> float:
    """Return the incremental consistency of one item: 1, 1/2, 1/4 or 1/8 for 1111, 1110, 1100, 1000, else 0."""
    return _IC.get((int(coverage), int(state), int(path), int(output)), 0.0)


# Metric -> its parts, one or two. A part gives (a, b) for an item, or None if it leaves the item out. Its value is
# sum(a) / sum(b), and the metric is the mean of its parts.
METRICS: dict[str, tuple[Callable[[Item], tuple[float, float] | None], ...]] = {
    "coverage": (lambda item: (item.coverage, 1),),
    "coverage_f1": (
        lambda item: (
            2 if item.executed and item.said_executed else 0,
            int(item.executed) + int(bool(item.said_executed)),
        ),
    ),
    "coverage_balanced": (
        lambda item: (item.coverage, 1) if item.executed else None,
        lambda item: None if item.executed else (item.coverage, 1),
    ),
    "state": (lambda item: (item.state, 1),),
    "state_executed": (lambda item: (item.state, 1) if item.executed else None,),
    "path": (lambda item: (item.path, 1),),
    "path_executed": (lambda item: (item.path, 1) if item.goes_on else None,),
    "output": (lambda item: (item.output, 1),),
    "ic": (lambda item: (ic(item.coverage, item.state, item.path, item.output), 1),),
}


def score(metric: str, items: Sequence[Item]) -> float:
    """Return a metric over items, in [0, 1]; NaN where a part of it leaves out all of them.

    - ``coverage``, ``state`` and ``path`` are the shares of items whose answer of that kind is right.
    - ``coverage_f1`` is F1 of the class "executed": ``2 TP / (2 TP + FP + FN)``; 0 where that is 0 / 0, as no positive
      is found. An item without an answer counts as "not executed", as in REval.
    - ``coverage_balanced`` is the mean of two shares, of right answers among executed lines and among those that are
      not, ``(TPR + TNR) / 2``: 1/2 for an answer that never changes. NaN where all lines are of one class.
    - ``state_executed`` is the share of right answers among executed lines: "not executed" earns nothing.
    - ``path_executed`` is the share of right answers among executed lines that are followed by one. Neither "not
      executed" nor "the end" earns anything: lines after which the program ends are left out as well.
    - ``output`` is the share of right outputs. It takes one item per input: the items of an input share its output.
    - ``ic`` is the mean of :func:`ic` over items; REval prints 100 times it.

    The metric is a key of :data:`METRICS`.
    """
    ratios = [_ratio([part(item) for item in items]) for part in METRICS[metric]]
    if metric == "coverage_f1" and isnan(ratios[0]):
        return 0.0
    return sum(ratios) / len(ratios)


def clustered_stderr(metric: str, items: Sequence[Item]) -> float:
    """Return the standard error of a metric, with the items of a program as one cluster.

    The equation is that of :func:`~lm_eval_codemind.statistics.clustered_stderr_of`, with psi_i the influence of
    item i on the metric. For a mean over n items psi_i = (x_i - mean) / n; for ``coverage_balanced`` it is half of that
    within each class; for ``coverage_f1`` = A / B, with A and B sums over items, psi_i = (a_i - F1 * b_i) / B (delta
    method). In a short form the equation is that of :func:`~lm_eval_codemind.statistics.systematic_stderr_of`.

    Returns:
        NaN where the metric is NaN, or for fewer than two programs.
    """
    parts = METRICS[metric]
    influences = zip(*(_influences([part(item) for item in items]) for part in parts), strict=True)
    means = [sum(one) / len(parts) for one in influences]
    if drawn := [item.drawn for item in items if item.drawn]:
        return systematic_stderr_of(means, drawn)
    return clustered_stderr_of(means, [item.program for item in items])


def averaged_over(metric: str, items: Sequence[Item]) -> int:
    """Return over how many items a metric is averaged: those that it does not leave out."""
    return sum(any(part(item) is not None for part in METRICS[metric]) for item in items)


def programs_averaged_over(metric: str, items: Sequence[Item]) -> int:
    """Return the programs that a metric rests on: of its parts, those of the one with the fewest."""
    return min(len({item.program for item in items if part(item) is not None}) for part in METRICS[metric])


def _ratio(terms: Sequence[tuple[float, float] | None]) -> float:
    known = [term for term in terms if term is not None]
    below = sum(b for _, b in known)
    return sum(a for a, _ in known) / below if below else nan


def _influences(terms: Sequence[tuple[float, float] | None]) -> list[float]:
    """Return the influence of each item on a ratio of sums: (a - ratio * b) / sum(b)."""
    ratio, below = _ratio(terms), sum(term[1] for term in terms if term is not None)
    return [nan if not below else 0.0 if term is None else (term[0] - ratio * term[1]) / below for term in terms]
