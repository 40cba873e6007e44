"""pass@k, the chance that at least one of k responses is right, and trust in the verdicts behind it."""

from collections.abc import Iterable
from math import comb

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
