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


ProgramScores = tuple[float, int, float]
"""The sum of a score over the programs of a problem, the number of these programs, and the number of such problems."""


def mean_s_der(rows: Sequence[ProgramScores]) -> float:
    """Return the mean of S_DER, or of Pass, over all programs: ``sum of a_p / sum of b_p``.

    Problem p has b_p programs with the sum of scores a_p. S_DER is 0 of a program that fails. Not a number where there
    are no programs.
    """
    programs = sum(size * problems for _, size, problems in rows)
    return sum(total * problems for total, _, problems in rows) / programs if programs else nan


def mean_s_der_stderr(rows: Sequence[ProgramScores]) -> float:
    """Return the standard error of :func:`mean_s_der`, clustered by problem; not a number for fewer than two problems.

    With G problems and m the mean over all programs (delta method):
    ``sqrt(G / (G - 1) * sum of (a_p - m b_p)**2) / sum of b_p``. Where all b_p are 1, this is
    ``sqrt((sum of a_p**2 / G - m**2) / (G - 1))``.
    """
    count, mean = sum(problems for *_, problems in rows), mean_s_der(rows)
    if count < 2:
        return nan
    # Results with one response keep all their digits.
    if all(size == 1 for _, size, _ in rows):
        square = sum(total * total * problems for total, _, problems in rows) / count
        return sqrt(max(square - mean * mean, 0.0) / (count - 1))
    squares = sum((total - mean * size) ** 2 * problems for total, size, problems in rows)
    return sqrt(count / (count - 1) * squares) / sum(size * problems for _, size, problems in rows)


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
