"""Bug repair: does a model mend a program, and does a test that reveals the bug help it to?

B is a buggy program, C the correct one, T the tests of C, t one of them that B fails, and P what a model gives in place
of B: P_S from the specification and B alone, P_{S+t} with t as well::

    pass@1             = mean of Pass(P_{S+t}, T)
    repaired_by_test   = mean of (1 - Pass(P_S, T)) * Pass(P_{S+t}, T)
    unchanged          = mean of [P = B], layout and documentation aside

The product of ``repaired_by_test`` is that of S_SR (:mod:`lm_eval_codemind.scores.sr`), with two programs written from
a bug instead of two written anew; with several responses each factor is a share, and the product an unbiased estimate,
because the responses under the two settings are drawn independently. How similar two programs are is defined in
:func:`lm_eval_codemind.scores.dsr.similarity`.
"""

from __future__ import annotations


def repaired_by_test(without_test: float, with_test: float) -> float:
    """Return the chance that a problem is repaired with the test and not without it.

    Args:
        without_test: Pass(P_S, T), in [0, 1].
        with_test: Pass(P_{S+t}, T), in [0, 1].
    """
    return (1.0 - without_test) * with_test


def unchanged(answer: str, bug: str) -> bool:
    """Tell whether an answer gives the bug back.

    Args:
        answer: The answer in a form that leaves out layout and documentation.
        bug: The buggy program in the same form.
    """
    return answer == bug
