"""The two scores of an answer in CRUXEval's form: ours, and the one behind the published results.

With C(I) the proven output of the program on its input, and ``ANSWER`` the text of a response,

- output, ours: ``1 if ANSWER denotes C(I) else 0``, by value, as in IER;
- input, ours: ``1 if C(I') = C(I) else 0`` for the input I' of the answer, as in input prediction;
- both, upstream's: ``1 if "assert C(I) == ANSWER" raises nothing else 0``, executed after the program. An output
  answer that contains the call ``f(I)`` is excluded, and so is an input answer that contains no ``f(``.

pass@k of n responses is :func:`lm_eval_codemind.harness.aggregations.pass_at_k` over our verdicts, and
:func:`upstream_pass_at_k` over upstream's.
Source: ``evaluation/utils_general.py`` of facebookresearch/cruxeval.
"""

import ast
from collections.abc import Sequence
from math import comb

from lm_eval_codemind.answers.comparison import too_long
from lm_eval_codemind.answers.literals import check_limits, parse_quietly


def excluded_upstream(answer: str, call: str, predicts_input: bool) -> bool:
    """Whether upstream leaves out the text that it cuts out of a response, without executing it.

    ``call`` is the call ``f(I)`` of the problem.
    """
    return "f(" not in answer if predicts_input else call in answer


def upstream_verdict(answer: str, output: str) -> bool | None:
    """Whether upstream's assertion passes, for a literal and for what does not parse; None if only execution can tell.

    Literals are compared by Python's ``==``, so that ``True`` equals ``1``. The output C(I) is a literal.
    """
    if too_long(answer, output):
        return None
    try:
        check_limits(answer)
        match parse_quietly(upstream_assertion(answer, output)).body:
            case [ast.Assert(ast.Compare(label, [ast.Eq()], [value]), None)]:
                return bool(ast.literal_eval(label) == ast.literal_eval(value))
    except SyntaxError:
        return False
    except (ValueError, TypeError, RecursionError, MemoryError):
        pass
    return None


def upstream_assertion(answer: str, output: str) -> str:
    """Return the statement that upstream executes after the program."""
    return f"assert {output} == {answer}"


def upstream_pass_at_k(verdicts: Sequence[bool | None], k: int) -> float:
    """Return pass@k of one problem as upstream computes it, without the excluded answers.

    Of n answers that are not excluded, c are right: ``pass@k = 1 - C(n - c, k) / C(n, k)``; 1 if ``n - c < k``, and 0
    if none is right.

    Args:
        verdicts: Of each response; None for an excluded answer.
        k: From 1 to the number of responses.
    """
    counted = [verdict for verdict in verdicts if verdict is not None]
    total, right = len(counted), sum(counted)
    if not right:
        return 0.0
    return 1.0 if total - right < k else 1.0 - comb(total - right, k) / comb(total, k)
