"""What answers score that need no execution, on the programs of the user."""

import ast
from collections import Counter
from collections.abc import Sequence

from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.data.own import literals_of
from lm_eval_codemind.problems import Problem


def baselines(problems: Sequence[Problem]) -> dict[str, float]:
    """Return the accuracy of three rules for the output, each in [0, 1].

    - ``constant``: the most frequent output, always;
    - ``echo``: the first literal of the input, of a script all of it;
    - ``last literal``: the last literal of the input, of a script its last word.

    ``accuracy = right outputs / problems``. Outputs are compared as IER compares an answer.

    Args:
        problems: At least one, each with its output.
    """
    guesses = [_guesses(problem) for problem in problems]
    outputs = [str(problem.output) for problem in problems]
    constant = Counter(outputs).most_common(1)[0][1]

    def share(place: int) -> float:
        pairs = zip(problems, guesses, outputs, strict=True)
        right = [same_output(guess[place], output, problem.kind == "script") for problem, guess, output in pairs]
        return sum(right) / len(problems)

    return {"constant": constant / len(problems), "echo": share(0), "last literal": share(1)}


def _guesses(problem: Problem) -> tuple[str, str]:
    if problem.kind == "script":
        return problem.input, (problem.input.split() or [""])[-1]
    literals = [
        (node.lineno, node.col_offset, -(node.end_lineno or 0), -(node.end_col_offset or 0), ast.unparse(node))
        for node in literals_of(problem.input)
    ]
    if not literals:
        return "", ""
    # The last literal is the one that ends last, and the longest of these.
    last = max(literals, key=lambda literal: (-literal[2], -literal[3], -literal[0], -literal[1]))
    return min(literals)[-1], last[-1]
