"""Static and dynamic measures of how complex a program is: what the analyses set against the scores."""

from lm_eval_codemind.languages.base import tags_of
from lm_eval_codemind.languages.python.complexity.constructs import constructs
from lm_eval_codemind.languages.python.complexity.cyclomatic import cyclomatic_complexity
from lm_eval_codemind.languages.python.complexity.dependencies import dependencies
from lm_eval_codemind.languages.python.lines import lines_of_code
from lm_eval_codemind.problems import Complexity


def measure(code: str, loop_length: int | None = None) -> Complexity | None:
    """Return the measures of a program; None if it is empty or does not parse.

    Args:
        code: Python source.
        loop_length: LL, where it is known: it takes an execution, see ``utils/measure_loops.py``.
    """
    if not code.strip():
        return None
    try:
        found = constructs(code)
        return Complexity(
            cc=cyclomatic_complexity(code),
            loc=lines_of_code(code),
            dep=dependencies(code),
            # Control constructs inside another one of the same function: three loops inside each other have NC = 2.
            nc=sum(bool(around) for _, around in found),
            ll=loop_length,
            constructs=tags_of(found),
        )
    except (SyntaxError, ValueError, RecursionError):
        return None
