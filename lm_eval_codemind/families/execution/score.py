"""Executions: how far is a predicted execution right, and is a right output right for the right reason?

An answer predicts n steps with m statements. ``matches`` says of each statement whether it is that of the step in its
place. With k the number of statements before the first wrong one,

``prefix = k / n``, and ``trace = 1 if k = n = m, else 0``.
"""

from collections.abc import Hashable, Sequence
from itertools import takewhile
from math import nan

from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.answers.forms import split, truth
from lm_eval_codemind.answers.normal import JSON, readings
from lm_eval_codemind.statistics import clustered_stderr_of


def same_step(answer: str, value: str, names: Sequence[str]) -> bool:
    """Whether an answer states what happens in a step: the value of loop variables, or whether a condition holds.

    Args:
        answer: Text of one value; the name of a variable may come first. For a condition, text such as ``yes``.
        value: The label, a literal.
        names: The variables that the step binds, none for a condition. Of several the label is a tuple, and the answer
            may have other brackets.
    """
    if not names:
        return truth(answer) is (value == "True")
    together = ", ".join(names)
    texts = list(readings(answer, together))
    if len(names) == 1:
        return any(same_output(JSON.get(text.strip(), text), value, printed=False) for text in texts)
    labels = split(value[1:-1])
    for text in map(str.strip, [*texts, *readings(answer, f"({together})")]):
        parts = split(text[1:-1] if text[:1] in "[(" and text[-1:] in "])" else text)
        if len(parts) == len(labels) == len(names) and all(
            same_step(part, label.strip(), [name]) for part, label, name in zip(parts, labels, names, strict=True)
        ):
            return True
    return False


def right_steps(matches: Sequence[bool]) -> int:
    """Return k, the number of statements before the first wrong one."""
    return sum(takewhile(bool, matches))


def prefix(matches: Sequence[bool], steps: int) -> float:
    """Return ``k / n``, the share of an execution of n steps before the first wrong statement, in [0, 1].

    An answer that goes on after the last step has a prefix of 1 and a trace of 0.
    """
    return min(right_steps(matches), steps) / steps


def trace(matches: Sequence[bool], steps: int) -> bool:
    """Whether all n steps are right and no statement follows them."""
    return right_steps(matches) == steps == len(matches)


def right_for_the_right_reason(traces: Sequence[float], outputs: Sequence[float]) -> float:
    """Return ``P(trace right | output right) = sum of t_i o_i / sum of o_i``; not a number without a right output.

    Args:
        traces: Response by response, 1 if the trace is right, else 0.
        outputs: Response by response, 1 if the output is right, else 0.
    """
    right = sum(outputs)
    return sum(t * o for t, o in zip(traces, outputs, strict=True)) / right if right else nan


def right_reason_stderr(traces: Sequence[float], outputs: Sequence[float], problems: Sequence[Hashable]) -> float:
    """Return the standard error of :func:`right_for_the_right_reason`, clustered by problem (delta method).

    With R the share and ``psi_i = o_i (t_i - R) / sum of o_i``, as in
    :func:`~lm_eval_codemind.statistics.clustered_stderr_of`.

    Returns:
        Not a number without a right output, or for fewer than two problems.
    """
    share, right = right_for_the_right_reason(traces, outputs), sum(outputs)
    if not right:
        return nan
    return clustered_stderr_of([o * (t - share) / right for t, o in zip(traces, outputs, strict=True)], problems)


def lucky(trace: float, output: float) -> float:
    """Return ``o (1 - t)``: 1 for a right output with a wrong trace, else 0."""
    return output * (1 - trace)
