"""Measures of trust in the verdicts behind a score."""

from collections.abc import Iterable


def unproven_passes(verdicts: Iterable[tuple[bool, bool]]) -> int:
    """Return the number of passes that the program could have manipulated.

    ``U = sum over responses of Pass(C, T) * (1 - tamper_proof(C, T))``, both 0 or 1: the passes of suites that were
    judged inside the program's process, that took helpers from it or compared its objects by its own rules (see
    docs/sandbox.md). Failures need no proof: a program gains nothing by them.

    Args:
        verdicts: For each response that was run, whether it passed and whether its verdict is tamper-proof: ``passed``
            and ``tamper_proof`` of its :class:`~lm_eval_codemind.execution.Outcome`.
    """
    return sum(passed and not tamper_proof for passed, tamper_proof in verdicts)
