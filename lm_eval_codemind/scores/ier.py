"""Independent execution reasoning: does a model predict what a program computes?

``S_IER(L, C, I) = 1 if the predicted output equals C(I) else 0`` (arXiv 2402.09664, section on IER), and
``R_IER(L, B) = mean of S_IER over the benchmark B``. What "equals" means is a choice: by value for ``r_ier``, by text
as the CodeMind artifact compares for ``r_ier_text``.
"""

from collections.abc import Sequence

from lm_eval_codemind.answers.comparison import same_output, same_text


def s_ier(answer: str | None, output: str, printed: bool) -> bool:
    """Return S_IER of one response: whether the answer denotes the output; no answer never does.

    Args:
        answer: What the response states, None if it states nothing.
        output: C(I): a Python literal, or the text that the program prints.
        printed: Which of the two it is.
    """
    return answer is not None and same_output(answer, output, printed)


def s_ier_text(answer: str | None, output: str) -> bool:
    """Return S_IER of one response under the published comparison of texts."""
    return answer is not None and same_text(answer, output)


def r_ier(scores: Sequence[bool]) -> float:
    """Return R_IER, the mean of S_IER: over a benchmark, or over the responses to one problem.

    Raises:
        ValueError: If there are no scores.
    """
    if not scores:
        raise ValueError("R_IER of no scores is not defined")
    return sum(scores) / len(scores)
