"""Scores of a program on its published input and on fresh ones."""

from collections.abc import Sequence


def r_fresh(fresh: Sequence[float]) -> float:
    """Return the share of a problem's fresh inputs whose output is predicted right.

    Args:
        fresh: ``S_IER`` on each fresh input of one problem, between 0 and 1; at least one.
    """
    return sum(fresh) / len(fresh)


def memory_gap(original: float, fresh: Sequence[float]) -> float:
    """Return a model's loss from the published input of a problem to its fresh inputs.

    With K fresh inputs of a problem p,

        gap(p) = S_IER(p, original) - 1/K Σ_k S_IER(p, fresh_k)

    and ``memory_gap`` is its mean over the problems. Its standard error is that of this mean: questions about the same
    program are one observation.

    Args:
        original: ``S_IER`` on the published input, between 0 and 1.
        fresh: As for :func:`r_fresh`.

    Returns:
        Between -1 and 1; 0 in expectation where only skill counts and the inputs are equally hard.
    """
    return original - r_fresh(fresh)
