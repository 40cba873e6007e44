"""Independent execution reasoning: does a model predict what a program computes?

``S_IER(L, C, I) = 1 if the predicted output equals C(I) else 0`` (arXiv 2402.09664, section on IER), and
``R_IER(L, B) = mean of S_IER over the benchmark B``. What "equals" means is a choice: by value for ``r_ier``, by text
as the CodeMind artifact compares for ``r_ier_text``.
"""

from collections.abc import Sequence

from lm_eval_codemind.answers.comparison import same_output


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


def same_text(answer: str, output: str) -> bool:
    """Whether an answer equals the output by CodeMind's published comparison.

    The rule reproduces every verdict that the CodeMind artifact recorded: strip both texts, remove spaces, replace
    double quotes with single ones and unify line ends. Then the texts must be identical.
    """
    return _published(answer) == _published(output)


def _published(text: str) -> str:
    return text.replace("\r\n", "\n").strip().replace(" ", "").replace('"', "'")


def r_fresh(fresh: Sequence[float]) -> float:
    """Return the share of a problem's fresh inputs whose output is predicted right.

    Args:
        fresh: ``S_IER`` on each fresh input of one problem, between 0 and 1; at least one.
    """
    return sum(fresh) / len(fresh)


def contamination_gap(original: float, fresh: Sequence[float]) -> float:
    """Return a model's loss from the published input of a problem to its fresh inputs.

    With K fresh inputs of a problem p,

        gap(p) = S_IER(p, original) - 1/K Σ_k S_IER(p, fresh_k)

    and ``contamination_gap`` is its mean over the problems. Its standard error is that of this mean: questions about
    the same program are one observation.

    Args:
        original: ``S_IER`` on the published input, between 0 and 1.
        fresh: As for :func:`r_fresh`.

    Returns:
        Between -1 and 1; 0 in expectation where only skill counts and the inputs are equally hard.
    """
    return original - r_fresh(fresh)
