"""Chooses the calls that make good questions.

A question is good if nobody answers it by a look: the function does something, its result is none of its arguments, and
no single output is frequent.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.data.own import literals_of, unsuitable
from lm_eval_codemind.problems import Problem, beyond_prompt
from lm_eval_codemind.workshop.capture.trying import Tried
from lm_eval_codemind.workshop.proof.own import own_problem
from lm_eval_codemind.workshop.python.tracing import TraceFailed, result_of, tracing_job
from lm_eval_codemind.workshop.seeded import SeededPool

# Calls of a function; characters of a call and of an output; steps of an execution.
PER_FUNCTION, LONGEST_CALL, LONGEST_OUTPUT, LEAST_STEPS = 5, 400, 200, 3
# The shares of all problems that have the same output, and whose output is a literal of the call.
_MOST_ALIKE, _MOST_ECHOES = 0.06, 0.08
_MOST_STEPS = 1_000

_Problem = TypeVar("_Problem", bound=Problem)


def problem_of(tried: Tried, number: int) -> Problem:
    """Return a call as a problem. Its name is that of its function with a number."""
    name = f"{tried.function.module}.{tried.function.name}/{number}"
    return own_problem(name, tried.code, tried.call, None)


def reason_against(tried: Tried, lines: int) -> str:
    """Return why a call makes no good question; empty if it does.

    Args:
        lines: The most lines of a program.
    """
    if tried.label == "None":
        return "returns None"
    if len(tried.code.splitlines()) > lines:
        return f"the program has more than {lines} lines"
    if beyond_prompt(tried.code, tried.call, tried.label):
        return "the program is too long for a prompt"
    if len(tried.call) > LONGEST_CALL or len(tried.label) > LONGEST_OUTPUT:
        return "the call or its result is too long"
    if _is_in_call(tried.call, tried.label):
        return "the result is an argument"
    return unsuitable(problem_of(tried, 0))


def steps_of(problems: Sequence[Problem]) -> list[int]:
    """Return how many steps each program has on its call; 0 if it cannot be traced. Long ones are cut off."""
    jobs = [tracing_job(problem.code, problem.input, "", max_steps=_MOST_STEPS, max_value=1) for problem in problems]
    steps = []
    with SeededPool(1) as pool:
        for future in [pool.submit(job) for job in jobs]:
            try:
                steps.append(len(result_of(future.result())["steps"]))
            except TraceFailed:
                steps.append(0)
    return steps


def by_function(calls: Iterable[Tried]) -> list[Tried]:
    """Return calls with different outputs, at most :data:`PER_FUNCTION` of a function; exceptions only if need be."""
    groups: dict[tuple[str, str], list[Tried]] = defaultdict(list)
    for call in calls:
        groups[call.function.module, call.function.name].append(call)
    chosen = []
    for group in groups.values():
        different: dict[str, Tried] = {}
        for call in sorted(group, key=lambda each: each.form == "error"):
            different.setdefault(call.label, call)
        values = [call for call in different.values() if call.form != "error"]
        errors = [call for call in different.values() if call.form == "error"]
        chosen += [*values, *errors[: 1 if values else PER_FUNCTION]][:PER_FUNCTION]
    return chosen


def balanced(problems: Sequence[_Problem]) -> tuple[list[_Problem], list[_Problem]]:
    """Return the problems that stay, and those that go because their output is too frequent, or too easy to guess.

    Of the most frequent output, functions with most problems lose theirs first.
    """
    stay, gone = list(problems), list[_Problem]()
    while stay:
        counts = Counter(problem.output for problem in stay)
        output, number = counts.most_common(1)[0]
        echoes = [problem for problem in stay if _is_in_call(problem.input, str(problem.output))]
        if number > max(1, _MOST_ALIKE * len(stay)):
            worst = [problem for problem in stay if problem.output == output]
        elif len(echoes) > max(1, _MOST_ECHOES * len(stay)):
            worst = echoes
        else:
            break
        sizes = Counter(problem.problem_id.rpartition("/")[0] for problem in stay)
        last = max(worst, key=lambda problem: sizes[problem.problem_id.rpartition("/")[0]])
        stay.remove(last)
        gone.append(last)
    return stay, gone


def _is_in_call(call: str, output: str) -> bool:
    return any(same_computed(text, output, printed=False) for text in map(ast.unparse, literals_of(call)))
