"""The kinds of Python programs: functions, methods of classes, and scripts."""

from __future__ import annotations

import abc
import ast
import dataclasses
import re
from collections.abc import Collection, Sequence
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Unpack

from lm_eval_codemind.languages.base import Execution, Kind, PredictedInput, ScriptKind, Shown, Unfinished
from lm_eval_codemind.languages.python import names
from lm_eval_codemind.problems import Case, Problem

if TYPE_CHECKING:
    from lm_eval_codemind.languages.python.filled import MaskedInput
    from lm_eval_codemind.sandbox import Job, Limits
    from lm_eval_codemind.workshop.python.mutation import Branch

# The number of changes of a script's input that are tried for each one that is wanted.
_MORE = 10

_TEST_CASE = """

import unittest


class Test(unittest.TestCase):
    test = test
"""
_RUN_TEST = "Test('test').test()"

# The sandbox gives every program the same random seeds, which would hide that an output is random.
_SEED_BY_CHANCE = """\
__import__("random").seed(__import__("os").urandom(16))
if "numpy" in __import__("sys").modules:
    __import__("sys").modules["numpy"].random.seed()
"""


class PythonKind(Kind):
    """A kind of Python program, with what transforming and comparing its programs needs."""

    language = "python"

    @property
    def template(self) -> str:
        return self.name

    def output_type(self, output: str) -> str | None:
        """Return the class of a literal. Printed text that reads as no literal is a String."""
        from lm_eval_codemind.languages.python.complexity import literal_type

        return literal_type(output) or ("String" if self.printed else None)

    def masked_output(self, problem: Problem) -> str:
        """Return source with ``??`` in place of the output; ``??`` alone for a script."""
        return f"assert {problem.input.strip()} == ??"

    def public_names(self, problem: Problem) -> set[str] | None:
        """Return the names that a program's tests may use; None if they use none."""
        if self.printed:
            return None
        return set(re.findall(r"[^\W\d]\w*", f"{problem.tests} {problem.input} {problem.entry_point}"))

    def code_following_misleading_test(self, problem: Problem) -> str | None:
        from lm_eval_codemind.workshop.python import hint_tests

        return hint_tests.code_following_misleading_test(problem)

    def with_hint(self, problem: Problem, seed: int, telling: Collection[int] = ()) -> Problem:
        from lm_eval_codemind.workshop.python import hint_tests

        return hint_tests.with_hint(problem, seed, telling)

    def focus(self, problem: Problem) -> list[str] | None:
        """Return the functions and methods that a problem is about; None for the whole program."""
        return None if self.printed else [problem.entry_point]

    def test_names(self, problem: Problem) -> Sequence[str]:
        """Return the names of the suite's tests, as ``only`` of :meth:`suite_job` takes them."""
        return ()

    def output_job(self, problem: Problem, code: str, input: str, limits: Limits) -> Job | None:
        from lm_eval_codemind.sandbox import Job

        execution = self.execution(problem, code=code, input=input)
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

    def input_answer(self, problem: Problem) -> str:
        return problem.input.strip()

    def read_input(self, answer: str, problem: Problem) -> PredictedInput | None:
        masked = self.masked(problem)
        return None if masked is None else masked.read(answer)

    @abc.abstractmethod
    def input_tree(self, problem: Problem, input: str) -> Branch:
        """Return an input in the form of ``problem.input`` as a tree of its changeable parts.

        Raises:
            SyntaxError: If it does not parse.
        """

    def states_output(self, problem: Problem) -> bool:
        """Whether the input itself states the output that it expects."""
        return False

    def changed_inputs(self, problem: Problem, base: str, rng: Random, count: int, bold: bool = False) -> list[str]:
        """Return new inputs with the structure and types of a known one. No test of the problem has them.

        Args:
            bold: Whether the edits may be large enough that the program takes other branches.
        """
        from lm_eval_codemind.workshop.python.mutation import changed_inputs

        known = set(self.known_inputs(problem))
        tree = self.input_tree(problem, base)
        changed = changed_inputs(tree, names.string_constants(problem.code), rng, count, bold=bold)
        return [text for text in changed if text not in known]

    @abc.abstractmethod
    def observing_job(self, code: str, inputs: Sequence[str], limits: Limits) -> Job:
        """Return the job that runs a program on inputs and observes its values, output, exceptions and side effects."""


class Function(PythonKind):
    """A function: its output is the value of a call."""

    name = "function"

    def execution(self, problem: Problem, *, code: str | None = None, input: str | None = None) -> Execution:
        """Return the program, with the call as its expression."""
        return Execution(problem.code if code is None else code, problem.input if input is None else input)

    def suite_job(self, problem: Problem, code: str, *, limits: Limits | None = None, only: Sequence[str] = ()) -> Job:
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

    def program(self, response: str, problem: Problem, **shown: Unpack[Shown]) -> str | Unfinished | None:
        from lm_eval_codemind.languages.python.code import extract_definition

        specification, original = shown.get("specification", ""), shown.get("original", "")
        code = extract_definition(response, problem.entry_point, specification, original)
        context = shown.get("context", "")
        if not isinstance(code, str) or not context.strip():
            return code
        lines = code.split("\n")
        future = [line for line in lines if line.startswith("from __future__")]
        rest = [line for line in lines if not line.startswith("from __future__")]
        return "\n".join([*future, context.strip("\n"), "", "", *rest]).lstrip("\n")

    def extract_target(self, code: str, problem: Problem) -> str:
        from lm_eval_codemind.languages.python.code import extract_definition

        definition = extract_definition(f"```python\n{code.strip()}\n```", problem.entry_point)
        return definition if isinstance(definition, str) and definition else code

    def shown_test(self, problem: Problem) -> str:
        return problem.hint_test or f"assert {problem.input.strip()} == {problem.output}"

    def with_tests(self, problem: Problem, tests: str) -> Problem:
        context = f"{problem.context}\n{imports_of(problem.tests)}"
        return dataclasses.replace(problem, tests=tests, context=context)

    def input_tree(self, problem: Problem, input: str) -> Branch:
        from lm_eval_codemind.languages.python.inputs import call_tree

        return call_tree(problem.entry_point, input)

    def focus(self, problem: Problem) -> list[str] | None:
        return names.needed_functions(problem.code, problem.entry_point)

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

    def observing_job(self, code: str, inputs: Sequence[str], limits: Limits) -> Job:
        from lm_eval_codemind.sandbox import Job

        return Job.evaluate(code, [observing_call(text) for text in inputs], limits=limits)


class Method(PythonKind):
    """A method of a class: a test method about it returns a value."""

    name = "method"

    def execution(self, problem: Problem, *, code: str | None = None, input: str | None = None) -> Execution:
        """Return the program with the test method as the only one of a ``unittest.TestCase``, and a call of it."""
        program = problem.code if code is None else code
        test = problem.input if input is None else input
        return Execution(f"{program.rstrip()}\n\n\n{test.rstrip()}\n{_TEST_CASE}", _RUN_TEST)

    def suite_job(self, problem: Problem, code: str, *, limits: Limits | None = None, only: Sequence[str] = ()) -> Job:
        from lm_eval_codemind.sandbox import Job

        return Job.unittest(
            code,
            problem.tests,
            problem.entry_point.split(".")[0],
            only=only,
            support=imports_of(problem.code),
            limits=limits,
            job_id=problem.problem_id,
        )

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
        from lm_eval_codemind.languages.python.layout import source_of

        class_name, method_name = problem.entry_point.split(".")
        tree, original = ast.parse(code), ast.parse(problem.code)
        present = {names.shape(node) for node in original.body} - {None}
        known = set().union(*map(names.bound_names, names.definition(original, class_name).body))
        owner = names.definition(tree, class_name)
        bound = [(node, names.bound_names(node)) for node in owner.body]
        members = [node for node, own in bound if method_name in own or (own and not own & known)]
        others = [node for node in tree.body if names.shape(node) not in present and not isinstance(node, ast.ClassDef)]
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

    def masked_output(self, problem: Problem) -> str:
        return f"{problem.input.strip()}\n\nassert test(unittest.TestCase()) == ??"

    def input_tree(self, problem: Problem, input: str) -> Branch:
        from lm_eval_codemind.languages.python.inputs import method_tree

        return method_tree(problem.code, input)

    def states_output(self, problem: Problem) -> bool:
        from lm_eval_codemind.languages.python.inputs import states_value

        return states_value(problem.code, problem.input, problem.output or "")

    def test_names(self, problem: Problem) -> list[str]:
        """Return the test methods of the suite as ``Class.method``, in the order of the source."""
        return [
            f"{node.name}.{item.name}"
            for node in ast.parse(problem.tests).body
            if isinstance(node, ast.ClassDef)
            for item in node.body
            if isinstance(item, ast.FunctionDef) and item.name.startswith("test")
        ]

    def observing_job(self, code: str, inputs: Sequence[str], limits: Limits) -> Job:
        from lm_eval_codemind.sandbox import Job

        return Job.evaluate(code, [f"{text.rstrip()}\n{_TEST_CASE}\n{_RUN_TEST}" for text in inputs], limits=limits)


class Script(PythonKind, ScriptKind):
    """A script: it reads from standard input and prints."""

    def program(self, response: str, problem: Problem, **shown: Unpack[Shown]) -> str | Unfinished | None:
        from lm_eval_codemind.languages.python.code import extract_script

        return extract_script(response, shown.get("original", ""))

    def lookup(self, cases: Sequence[Case]) -> str | None:
        outputs = {case.input: case.output for case in cases}
        return f"import sys\n\nOUTPUTS = {outputs!r}\nsys.stdout.write(OUTPUTS[sys.stdin.read()])\n"

    def masked_output(self, problem: Problem) -> str:
        return "??"

    def masked_input(self, problem: Problem) -> str | None:
        """Return the empty text, because the whole standard input is to be predicted."""
        return ""

    def input_answer(self, problem: Problem) -> str:
        return problem.input

    def read_input(self, answer: str, problem: Problem) -> PredictedInput | None:
        """Return the text of standard input, without a label, a fence and invisible characters."""
        from lm_eval_codemind.answers.comparison import too_long
        from lm_eval_codemind.answers.normal import readings, typed

        if too_long(answer, problem.input):
            return None
        # The layout of a response does not show how the text ends.
        recorded = problem.input.rstrip("\n")
        if any(text.removeprefix("\n").rstrip("\n") == recorded for text in readings(answer, free=True)):
            return PredictedInput(problem.input, recorded=True)
        text = typed(answer)
        return PredictedInput(text if not text or text.endswith("\n") else text + "\n", recorded=False)

    def input_tree(self, problem: Problem, input: str) -> Branch:
        from lm_eval_codemind.workshop.python.mutation import text_tree

        return text_tree(input)

    def changed_inputs(self, problem: Problem, base: str, rng: Random, count: int, bold: bool = False) -> list[str]:
        """Return inputs in the format that the problem's input and its test cases show."""
        from lm_eval_codemind.workshop.python.mutation import changed_inputs
        from lm_eval_codemind.workshop.python.stdin_format import StdinFormat

        known = self.known_inputs(problem)
        format = StdinFormat(known)
        # Most changes break a format that ties numbers to each other.
        tree, tries = self.input_tree(problem, base), count * _MORE
        changed = changed_inputs(tree, names.string_constants(problem.code), rng, tries, format.pools(), bold)
        return list(islice((text for text in changed if text not in known and format.allows(text)), count))

    def observing_job(self, code: str, inputs: Sequence[str], limits: Limits) -> Job:
        from lm_eval_codemind.sandbox import Job

        return Job.script(code, [(text, None) for text in inputs], limits=limits)


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
    nodes = [node for node in ast.parse(code).body if isinstance(node, names.IMPORTS)]
    return "".join(f"{ast.unparse(node)}\n" for node in nodes)


def observing_call(call: str) -> str:
    """Return an expression for the value of a call and its arguments after the call."""
    node = ast.parse(call.strip(), mode="eval").body
    if not isinstance(node, ast.Call) or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return call
    arguments = ", ".join(ast.unparse(argument) for argument in node.args)
    return f"_arguments = [{arguments}]\n_result = {ast.unparse(node.func)}(*_arguments)\n(_result, _arguments)"
