"""The kinds of Python programs: functions, methods of classes, and scripts."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from lm_eval_codemind.answers.comparison import too_long
from lm_eval_codemind.answers.normal import readings, typed
from lm_eval_codemind.languages.base import Execution, Kind, PredictedInput, ScriptKind, Shown, Unfinished
from lm_eval_codemind.problems import Case, Problem

if TYPE_CHECKING:
    from lm_eval_codemind.languages.python.filled import MaskedInput
    from lm_eval_codemind.sandbox import Job, Limits

TEST_CASE = """

import unittest


class Test(unittest.TestCase):
    test = test
"""
RUN_TEST = "Test('test').test()"

# The sandbox gives every program the same random seeds, which would hide that an output is random.
_SEED_BY_CHANCE = """\
__import__("random").seed(__import__("os").urandom(16))
if "numpy" in __import__("sys").modules:
    __import__("sys").modules["numpy"].random.seed()
"""


class PythonKind(Kind):
    """A kind of Python program."""

    language = "python"

    @property
    def template(self) -> str:
        return self.name

    def output_type(self, output: str) -> str | None:
        """Return the class of a literal. Printed text that reads as no literal is a String."""
        from lm_eval_codemind.languages.python.complexity import literal_type

        return literal_type(output) or ("String" if self.printed else None)

    def handing_output(self, problem: Problem, function: str) -> str:
        """Return source that calls a function with the output, which is a value."""
        return f"{function}({problem.input.strip()})"

    def output_job(self, problem: Problem, code: str, input: str, limits: Limits) -> Job | None:
        from lm_eval_codemind.sandbox import Job

        execution = self.execution(dataclasses.replace(problem, code=code, input=input))
        program = after_future_imports(execution.module, _SEED_BY_CHANCE)
        if execution.expression is None:
            return Job.script(program, [(execution.stdin, None)], limits=limits, job_id=problem.problem_id)
        expressions = [f"{_SEED_BY_CHANCE}None", execution.expression.strip()]
        return Job.evaluate(program, expressions, limits=limits, job_id=problem.problem_id)

    def masked(self, problem: Problem) -> MaskedInput | None:
        """Return the input of a function or method without its arguments; None if it has no arguments to predict."""
        from lm_eval_codemind.languages.python.inputs import masked_input

        return masked_input(problem.code, problem.entry_point, problem.input, is_test=self.name == "method")

    def masked_input(self, problem: Problem) -> str | None:
        masked = self.masked(problem)
        return None if masked is None else masked.shown()

    def read_input(self, answer: str, problem: Problem) -> PredictedInput | None:
        masked = self.masked(problem)
        return None if masked is None else masked.read(answer)

    def default_inputs(self, problem: Problem) -> list[str]:
        from lm_eval_codemind.languages.python.defaults import default_inputs

        masked = self.masked(problem)
        return [] if masked is None else default_inputs(masked)

    def plain_inputs(self, problem: Problem) -> list[str]:
        """Return the inputs that are all empty, zero, or left to their defaults."""
        from lm_eval_codemind.languages.python.defaults import plain_inputs

        masked = self.masked(problem)
        return [] if masked is None else plain_inputs(masked, problem.code, problem.entry_point)


class Function(PythonKind):
    """A function: its output is the value of a call."""

    name = "function"

    def execution(self, problem: Problem) -> Execution:
        """Return the program, with the call as its expression."""
        return Execution(problem.code, problem.input)

    def suite_job(self, problem: Problem, code: str, *, limits: Limits | None = None) -> Job:
        from lm_eval_codemind.languages.python import names
        from lm_eval_codemind.sandbox import Job

        # The problem's context, and other parts of its program that the tests mention, such as a value.
        own = names.module_names(problem.context) | {problem.entry_point, "candidate"}
        missing = (names.free_names(ast.parse(problem.tests)) - own) & names.module_names(problem.code)
        statements = names.statements_binding(missing, ast.parse(problem.code)) if missing else []
        return Job.function(
            code,
            problem.tests,
            problem.entry_point,
            support="\n".join([problem.context, *map(ast.unparse, statements)]),
            limits=limits,
            job_id=problem.problem_id,
        )

    def witness_suite(self, problem: Problem) -> Problem | None:
        from lm_eval_codemind.languages.python.witnesses import function_suite, tolerance_of

        if not problem.witnesses:
            return None
        return dataclasses.replace(problem, tests=function_suite(problem.witnesses, tolerance_of(problem.tests)))

    def program(self, response: str, problem: Problem, **shown: Unpack[Shown]) -> str | Unfinished | None:
        from lm_eval_codemind.languages.python.code import extract_definition

        specification, original = shown.get("specification", ""), shown.get("original", "")
        code = extract_definition(response, problem.entry_point, specification, original)
        context = shown.get("context", "")
        if not isinstance(code, str) or not context.strip():
            return code
        return after_future_imports(code, context.strip("\n") + "\n\n")

    def extract_target(self, code: str, problem: Problem) -> str:
        from lm_eval_codemind.languages.python.code import extract_definition

        definition = extract_definition(f"```python\n{code.strip()}\n```", problem.entry_point)
        return definition if isinstance(definition, str) and definition else code

    def shown_test(self, problem: Problem) -> str:
        return problem.hint_test or f"assert {problem.input.strip()} == {problem.output}"

    def with_tests(self, problem: Problem, tests: str) -> Problem:
        context = f"{problem.context}\n{imports_of(problem.tests)}"
        return dataclasses.replace(problem, tests=tests, context=context)

    def known_inputs(self, problem: Problem) -> list[str]:
        """Return those of the problem and the suite's calls of the function that have only constants as arguments."""
        known = super().known_inputs(problem)
        for node in ast.walk(ast.parse(problem.tests)):
            match node:
                case ast.Call(ast.Name(name), arguments, keywords) if name in ("candidate", problem.entry_point):
                    inside = [part for argument in (*arguments, *keywords) for part in ast.walk(argument)]
                    if not any(isinstance(part, ast.Name) for part in inside):
                        known.append(ast.unparse(ast.Call(ast.Name(problem.entry_point), arguments, keywords)))
        return list(dict.fromkeys(known))


class Method(PythonKind):
    """A method of a class: a test method about it returns a value."""

    name = "method"

    def execution(self, problem: Problem) -> Execution:
        """Return the program with the test method as the only one of a ``unittest.TestCase``, and a call of it."""
        return Execution(f"{problem.code.rstrip()}\n\n\n{problem.input.rstrip()}\n{TEST_CASE}", RUN_TEST)

    def suite_job(self, problem: Problem, code: str, *, limits: Limits | None = None) -> Job:
        from lm_eval_codemind.sandbox import Job

        return Job.unittest(
            code,
            problem.tests,
            problem.entry_point.split(".")[0],
            support=imports_of(problem.code),
            limits=limits,
            job_id=problem.problem_id,
        )

    def witness_suite(self, problem: Problem) -> Problem | None:
        from lm_eval_codemind.languages.python.witnesses import method_suite

        return dataclasses.replace(problem, tests=method_suite(problem.witnesses)) if problem.witnesses else None

    def program(self, response: str, problem: Problem, **shown: Unpack[Shown]) -> str | Unfinished | None:
        from lm_eval_codemind.languages.python.code import MethodCode, extract_method
        from lm_eval_codemind.languages.python.methods import insert_method

        class_name, name = problem.entry_point.split(".")
        specification, original = shown.get("specification", ""), shown.get("original", "")
        method = extract_method(response, class_name, name, specification, original)
        return insert_method(shown.get("into", ""), class_name, method) if isinstance(method, MethodCode) else method

    def extract_target(self, code: str, problem: Problem) -> str:
        """Return the source of the problem's method in a program, with everything that it needs and C does not have.

        The method may need further members of the class. It may also need functions, imports and values outside of the
        class, directly or through each other.
        """
        from lm_eval_codemind.languages.python import names
        from lm_eval_codemind.languages.python.layout import source_of

        class_name, method_name = problem.entry_point.split(".")
        tree, original = ast.parse(code), ast.parse(problem.code)
        present = {names.shape(node) for node in original.body} - {None}
        known = set().union(*map(names.bound_names, names.definition(original, class_name).body))
        classes = {node.name for node in original.body if isinstance(node, ast.ClassDef)}
        owner = names.definition(tree, class_name)
        bound = [(node, names.bound_names(node)) for node in owner.body]
        members = [node for node, own in bound if method_name in own or (own and not own & known)]
        others = [
            node
            for node in tree.body
            if names.shape(node) not in present and not (isinstance(node, ast.ClassDef) and node.name in classes)
        ]
        wanted = set().union(*map(names.free_names, members))
        needed = names.statements_binding(wanted, ast.Module(others, []))
        lines = code.split("\n")
        first = owner.body[0]
        indent = lines[first.lineno - 1][: first.col_offset]
        sources = [source_of(node, lines, tree.body, "") for node in needed]
        sources += [source_of(node, lines, owner.body, indent) for node in members]
        return "\n\n".join(sources) + "\n"

    def own_answer(self, problem: Problem) -> str:
        from lm_eval_codemind.languages.python.code import MethodCode, extract_method

        class_name, name = problem.entry_point.split(".")
        method = extract_method(problem.code, class_name, name)
        if not isinstance(method, MethodCode):
            raise ValueError(f"{problem.problem_id}: its program defines no {problem.entry_point}")
        return method.source

    def shown_test(self, problem: Problem) -> str:
        returned = "" if problem.output is None else f"\n# returns {problem.output}"
        return problem.hint_test or problem.input.rstrip() + returned

    def handing_output(self, problem: Problem, function: str) -> str:
        return f"{problem.input.strip()}\n\n{function}(test(unittest.TestCase()))"


class Script(PythonKind, ScriptKind):
    """A script: it reads from standard input and prints."""

    def program(self, response: str, problem: Problem, **shown: Unpack[Shown]) -> str | Unfinished | None:
        from lm_eval_codemind.languages.python.code import extract_script

        return extract_script(response, shown.get("original", ""))

    def lookup(self, cases: Sequence[Case]) -> str | None:
        outputs = {case.input: case.output for case in cases}
        return f"import sys\n\nOUTPUTS = {outputs!r}\nsys.stdout.write(OUTPUTS[sys.stdin.read()])\n"

    def masked_input(self, problem: Problem) -> str | None:
        """Return the empty text, because the whole standard input is to be predicted."""
        return ""

    def default_inputs(self, problem: Problem) -> list[str]:
        from lm_eval_codemind.languages.python.defaults import default_texts

        return default_texts(problem.input)

    def plain_inputs(self, problem: Problem) -> list[str]:
        from lm_eval_codemind.languages.python.defaults import plain_texts

        return plain_texts(problem.input)

    def read_input(self, answer: str, problem: Problem) -> PredictedInput | None:
        """Return the text of standard input, without a label, a fence and invisible characters."""
        if too_long(answer, problem.input):
            return None
        # The layout of a response does not show how the text ends.
        recorded = problem.input.rstrip("\n")
        if any(text.removeprefix("\n").rstrip("\n") == recorded for text in readings(answer, free=True)):
            return PredictedInput(problem.input, recorded=True)
        text = typed(answer)
        return PredictedInput(text if not text or text.endswith("\n") else text + "\n", recorded=False)


def after_future_imports(code: str, statements: str) -> str:
    """Return a module with further statements after its ``from __future__`` imports."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # The error appears when it runs.
        body = []
    future = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    last = max((node.end_lineno or node.lineno for node in future), default=0)
    lines = code.split("\n")
    return "\n".join([*lines[:last], statements, *lines[last:]])


def imports_of(code: str) -> str:
    """Return the imports of a module. Suites use some of them without their own import."""
    nodes = [node for node in ast.parse(code).body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return "".join(f"{ast.unparse(node)}\n" for node in nodes)
