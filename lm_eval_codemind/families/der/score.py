"""Dependent execution reasoning: does a model understand the code that it wrote itself?

From the specification S the model L writes a program C. If C passes all of its tests T, L is asked for the output of C
on an input I (first versions of arXiv 2402.09664):

``S_DER(L, C, T, I) = Pass(C, T) * [L(C, I) = C(I)]``

``R_DER(L, B) = mean of [L(C, I) = C(I)] over the programs that pass``, so that the denominator differs from model to
model, and it is not defined (not a number) where no program passes.

``mean S_DER(L, B) = mean of S_DER over all programs of the benchmark``: what a model both writes and understands.

``R'_DER = mean of [L(C, I) = C(I)] over the problems that every one of the compared models solves``.

A program that passes and whose output cannot be proven is in none of these means, for nothing can be asked about it.
"""

from collections.abc import Hashable, Mapping, Sequence
from math import nan, sqrt


def r_der(predicted: Sequence[float]) -> float:
    """Return R_DER: the mean over the programs that pass; not a number where there are none."""
    return sum(predicted) / len(predicted) if predicted else nan


def mean_s_der(predicted: Sequence[float], failed: float) -> float:
    """Return the mean of S_DER over all programs: ``sum(predicted) / (n + failed)``.

    Args:
        predicted: For each of the n programs that pass, whether the model predicted its output.
        failed: The number of programs that fail. Their S_DER is 0.

    Returns:
        Not a number where there are no programs.
    """
    n = len(predicted) + failed
    return sum(predicted) / n if n else nan


def mean_s_der_stderr(predicted: Sequence[float], failed: float) -> float:
    """Return the standard error of :func:`mean_s_der`; not a number for fewer than two programs.

    With N programs, S_DER being 0 of those that fail, and m their mean:
    ``sqrt((sum of squares / N - m**2) / (N - 1))``.
    """
    n = len(predicted) + failed
    if n < 2:
        return nan
    mean = sum(predicted) / n
    return sqrt(max(sum(value * value for value in predicted) / n - mean * mean, 0.0) / (n - 1))


def r_der_common(models: Mapping[str, Mapping[Hashable, float]]) -> tuple[dict[str, list[float]], int]:
    """Return what R'_DER is the mean of, model by model, and the number of problems that all models solve.

    Args:
        models: Model -> problem -> the mean of [L(C, I) = C(I)] over its programs that pass; problems without such a
            program are left out.
    """
    problems = [set(solved) for solved in models.values()]
    common = set.intersection(*problems) if problems else set()
    order = [problem for problem in next(iter(models.values()), {}) if problem in common]
    return {model: [solved[problem] for problem in order] for model, solved in models.items()}, len(common)
