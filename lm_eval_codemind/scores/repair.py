"""Bug repair: can a model fix a program, and does a test that reveals the bug help?

B is a buggy program, C the correct one, T the tests of C, and t one of the tests that B fails. P is the model's repair:
P_S from the specification and B, P_{S+t} from the specification, B and t::

    pass@1             = mean of Pass(P_{S+t}, T)
    repaired_by_test   = mean of (1 - Pass(P_S, T)) * Pass(P_{S+t}, T)
    unchanged          = mean of [P = B], ignoring layout and documentation

The equation of ``repaired_by_test`` is that of S_SR (:mod:`lm_eval_codemind.scores.sr`). With several responses to a
problem, each factor is a share. The product is then an unbiased estimate, because the responses under the two settings
are independent. :func:`lm_eval_codemind.scores.dsr.similarity` defines how similar two programs are.
"""

from __future__ import annotations


def repaired_by_test(without_test: float, with_test: float) -> float:
    """Return the probability that a problem is repaired with the test and not without it.

    Args:
        without_test: Pass(P_S, T), in [0, 1].
        with_test: Pass(P_{S+t}, T), in [0, 1].
    """
    return (1.0 - without_test) * with_test


def unchanged(answer: str, bug: str) -> bool:
    """Whether an answer repeats the buggy program.

    Args:
        answer: The answer, normalised so that layout and documentation do not matter.
        bug: The buggy program, normalised in the same way.
    """
    return answer == bug
