"""A problem's whole test suite as a job for the sandbox, with any program in the place of the problem's own."""

from __future__ import annotations

import ast

from lm_eval_codemind.execution import Case, Job, Limits
from lm_eval_codemind.languages.python.names import free_names, module_names, statements_binding
from lm_eval_codemind.problems import Problem

# Problems whose own programs use between one and six seconds of processor time: near the usual limit, what is right
# would pass on one machine and not on another. Of a class, all its methods are judged by the same suite.
_SLOW = {
    "ClassEval_34",
    "ClassEval_35",
    "MBPP_123",
    "atcoder_ABC132_F",
    "atcoder_ABC172_D",
    "atcoder_AGC046_B",
}
_LIMITS_OF_SLOW = Limits(cpu_seconds=60, wall_seconds=120)


def limits_of(problem_id: str) -> Limits:
    """Return what a program that answers a problem may use."""
    return _LIMITS_OF_SLOW if problem_id.partition("@")[0] in _SLOW else Limits()


def suite_job(problem: Problem, code: str, *, limits: Limits | None = None, only: tuple[str, ...] = ()) -> Job:
    """Return the job that checks `code` against all tests of a problem.

    Args:
        problem: The problem whose tests are run. What they need of imports and helpers comes from the problem, not
            from the program.
        code: A complete program: a module with the function or the class, or a script.
        limits: What the program may use; see :func:`limits_of` if None.
        only: For methods: the test classes, or ``Class.method``, to run instead of all of them.

    Raises:
        ValueError: if the problem has no tests.
    """
    limits = limits or limits_of(problem.problem_id)
    if problem.kind == "script":
        cases = [Case(case.input, case.output) for case in problem.cases]
        return Job.script(code, cases, limits=limits, job_id=problem.problem_id)
    if problem.kind == "function":
        return Job.function(
            code,
            problem.tests,
            problem.entry_point,
            support=_function_support(problem),
            limits=limits,
            job_id=problem.problem_id,
        )
    return Job.unittest(
        code,
        problem.tests,
        problem.entry_point.split(".")[0],
        only=only,
        support=imports_of(problem.code),
        limits=limits,
        job_id=problem.problem_id,
    )


def test_names(problem: Problem) -> list[str]:
    """Return the test methods of a problem's ``unittest`` suite as ``Class.method``, in the order of the source."""
    return [
        f"{node.name}.{item.name}"
        for node in ast.parse(problem.tests).body
        if isinstance(node, ast.ClassDef)
        for item in node.body
        if isinstance(item, ast.FunctionDef) and item.name.startswith("test")
    ]


def _function_support(problem: Problem) -> str:
    """Return the problem's context and what else of its program the tests mention, such as a value they pass."""
    own = module_names(problem.context) | {problem.entry_point, "candidate"}
    missing = (free_names(ast.parse(problem.tests)) - own) & module_names(problem.code)
    statements = statements_binding(missing, ast.parse(problem.code)) if missing else []
    return "\n".join([problem.context, *map(ast.unparse, statements)])


def imports_of(code: str) -> str:
    """Return the imports of a module: suites use some of them without importing them."""
    nodes = [node for node in ast.parse(code).body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return "".join(f"{ast.unparse(node)}\n" for node in nodes)
