"""The two scores of an answer in CRUXEval's form: ours, and the one behind the published results.

With C(I) the proven output of the program on its input, and ``ANSWER`` the text of a response,

- output, ours: ``1 if ANSWER denotes C(I) else 0``, by value, as in IER;
- input, ours: ``1 if C(I') = C(I) else 0`` for the input I' of the answer, as in input prediction;
- both, upstream's: ``1 if "assert C(I) == ANSWER" raises nothing else 0``, executed after the program. An output
  answer that contains the call ``f(I)`` is wrong, and so is an input answer that contains no ``f(``.

pass@k of n responses is :func:`lm_eval_codemind.harness.pass_at_k.pass_at_k` over either verdict.
Source: ``evaluation/utils_general.py`` of facebookresearch/cruxeval.
"""

from lm_eval_codemind.answers.comparison import too_long
from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal


def excluded_upstream(answer: str, call: str, predicts_input: bool) -> bool:
    """Whether upstream counts the text that it cuts out of a response as wrong without executing it.

    ``call`` is the call ``f(I)`` of the problem.
    """
    return "f(" not in answer if predicts_input else call in answer


def upstream_verdict(answer: str, output: str) -> bool | None:
    """Whether upstream's assertion passes, for a literal; None if only execution can tell.

    Literals are compared by Python's ``==``, so that ``True`` equals ``1``. The output C(I) is a literal.
    """
    if too_long(answer, output):
        return None
    try:
        return bool(parse_literal(answer.strip()) == parse_literal(output))
    except NotALiteralError:
        return None


def upstream_assertion(answer: str, output: str) -> str:
    """Return the statement that upstream executes after the program, with ``True`` as the value if it passes."""
    return f"assert {output} == {answer}\nTrue"
