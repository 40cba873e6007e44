"""Dynamic semantics reasoning (DSR): can a model simplify a program that was transformed into a longer equivalent?

C is a program, C+ its transformed version, C' the model's simplification of C+, and T the tests of C. LoC counts lines
as :func:`~lm_eval_codemind.languages.python.complexity.lines_of_code` does (arXiv 2402.09664, DSR, equation 5)::

    S_DSR(L, C, T) = Pass(C', T) * LoC(C) * (1 - floor(LoC(C') / LoC(C+))) / max(LoC(C'), LoC(C)), never below 0
    R_DSR(L, B)    = mean of S_DSR over the benchmark B

A C' that executes texts as code (``exec``, ``eval``, ``compile``), as C does not, counts as long as C+.
"""

from rapidfuzz.distance import Levenshtein


def s_dsr(passed: bool, original: int, transformed: int, answer: int) -> float:
    """Return S_DSR of one response.

    It is 0 if C' fails a test or is at least as long as C+. It is 1 if C' passes and is at most as long as C. Otherwise
    it is LoC(C) / LoC(C'). The equation becomes negative if C' is at least twice as long as C+; the score is 0 then.

    Args:
        passed: Whether C' passes all tests.
        original: LoC(C), at least 1.
        transformed: LoC(C+), at least 1.
        answer: LoC(C'); 0 if the response has no program.

    Raises:
        ValueError: If a count is too small.
    """
    if original < 1 or transformed < 1 or answer < 0:
        raise ValueError(f"S_DSR is not defined for LoC(C)={original}, LoC(C+)={transformed}, LoC(C')={answer}")
    if not passed:
        return 0.0
    return max(0.0, original * (1 - answer // transformed) / max(answer, original))


def shorter(passed: bool, transformed: int, answer: int) -> bool:
    """Whether C' passes all tests and has fewer lines than C+."""
    return passed and answer < transformed


def similarity(answer: str, original: str) -> float:
    """Return the similarity of two texts: 1 minus their edit distance divided by the length of the longer one.

    The distance is Levenshtein's: insertions, deletions and replacements of one character. Two empty texts are equal.
    """
    return Levenshtein.normalized_similarity(answer, original)
