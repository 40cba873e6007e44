"""What answers score that need no execution, on the programs of the user."""

import ast
from collections import Counter
from collections.abc import Sequence

from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.data.own import OwnProblem, literals_of
from lm_eval_codemind.families.runtime.items import OUTPUT, PATH, STATE, Fields
from lm_eval_codemind.families.runtime.selection import follows
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


def input_baselines(asked: Sequence[OwnProblem]) -> dict[str, float]:
    """Return what two rules score on questions about inputs, each in [0, 1]; nothing if there are none.

    - ``echo of the output``: the output as the only argument, or as standard input;
    - ``trivial input``: one that is empty, zero or left to its defaults.

    ``r_input = right inputs / questions``. The proof of the programs executed both.
    """
    right = {
        "echo of the output": sum(problem.echoes for problem in asked),
        "trivial input": sum(problem.plain for problem in asked),
    }
    return {name: number / len(asked) for name, number in right.items() if asked}


def runtime_baselines(asked: Sequence[tuple[str, Fields]]) -> dict[str, float]:
    """Return what three rules score on questions about runtime behaviour, each in [0, 1], for each kind that is asked.

    - ``constant state``: the most frequent value with its type, always;
    - ``next line of the file``: for a path, the line of the program that the next statement in its text starts on;
    - ``constant output``: the most frequent output, always.

    ``accuracy = right answers / questions of the kind``. Of ``coverage_balanced`` every constant answer has a half.

    Args:
        asked: Each question's kind and its columns.
    """
    kinds = {name: [fields for kind, fields in asked if kind == name] for name in (STATE, PATH, OUTPUT)}
    right = {
        "constant state": (STATE, _most_frequent(kinds[STATE])),
        "next line of the file": (PATH, sum(map(follows, kinds[PATH]))),
        "constant output": (OUTPUT, _most_frequent(kinds[OUTPUT])),
    }
    return {name: number / len(kinds[kind]) for name, (kind, number) in right.items() if kinds[kind]}


def _most_frequent(asked: Sequence[Fields]) -> int:
    return max(Counter(fields["answer"] for fields in asked).values(), default=0)


def _guesses(problem: Problem) -> tuple[str, str]:
    if problem.kind == "script":
        return problem.input, (problem.input.split() or [""])[-1]
    # Of literals with the same start or end, the first one here is the longest.
    literals = literals_of(problem.input)
    if not literals:
        return "", ""
    first = min(literals, key=lambda node: (node.lineno, node.col_offset))
    last = max(literals, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
    return ast.unparse(first), ast.unparse(last)
