"""What the workshop does with Python programs of a kind: it transforms them, changes their inputs and compares them."""

import abc
import ast
import re
from collections.abc import Sequence
from itertools import islice
from random import Random

from lm_eval_codemind.languages.python import python_kind
from lm_eval_codemind.languages.python.kinds import RUN_TEST, TEST_CASE, Function, Method, PythonKind, Script
from lm_eval_codemind.languages.python.names import DEFINITIONS
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits
from lm_eval_codemind.workshop.python.inputs import call_tree, method_tree, states_value
from lm_eval_codemind.workshop.python.mutation import Branch, changed_inputs, string_constants, text_tree
from lm_eval_codemind.workshop.python.stdin_format import StdinFormat

# The number of changes of a script's input that are tried for each one that is wanted.
_MORE = 10


class WorkshopKind(PythonKind):
    """A kind of Python program, with what transforming and comparing its programs needs."""

    def public_names(self, problem: Problem) -> set[str] | None:
        """Return the names that a program's tests may use; None if they use none."""
        if self.printed:
            return None
        return set(re.findall(r"[^\W\d]\w*", f"{problem.tests} {problem.input} {problem.entry_point}"))

    def focus(self, problem: Problem) -> list[str] | None:
        """Return the functions and methods that a problem is about; None for the whole program."""
        return None if self.printed else [problem.entry_point]

    def test_names(self, problem: Problem) -> Sequence[str]:
        """Return the names of the suite's tests, as ``only`` of :meth:`suite_job` takes them."""
        return ()

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
        known = set(self.known_inputs(problem))
        tree = self.input_tree(problem, base)
        changed = changed_inputs(tree, string_constants(problem.code), rng, count, bold=bold)
        return [text for text in changed if text not in known]

    @abc.abstractmethod
    def observing_job(self, code: str, inputs: Sequence[str], limits: Limits) -> Job:
        """Return the job that runs a program on inputs and observes its values, output, exceptions and side effects."""


class WorkshopFunction(Function, WorkshopKind):
    """A function."""

    def input_tree(self, problem: Problem, input: str) -> Branch:
        return call_tree(problem.entry_point, input)

    def focus(self, problem: Problem) -> list[str] | None:
        return needed_functions(problem.code, problem.entry_point)

    def observing_job(self, code: str, inputs: Sequence[str], limits: Limits) -> Job:
        return Job.evaluate(code, [observing_call(text) for text in inputs], limits=limits)


class WorkshopMethod(Method, WorkshopKind):
    """A method of a class."""

    def input_tree(self, problem: Problem, input: str) -> Branch:
        return method_tree(problem.code, input)

    def states_output(self, problem: Problem) -> bool:
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
        return Job.evaluate(code, [f"{text.rstrip()}\n{TEST_CASE}\n{RUN_TEST}" for text in inputs], limits=limits)


class WorkshopScript(Script, WorkshopKind):
    """A script."""

    def input_tree(self, problem: Problem, input: str) -> Branch:
        return text_tree(input)

    def changed_inputs(self, problem: Problem, base: str, rng: Random, count: int, bold: bool = False) -> list[str]:
        """Return inputs in the format that the problem's input and its test cases show."""
        known = self.known_inputs(problem)
        format = StdinFormat(known)
        # Most changes break a format that ties numbers to each other.
        tree, tries = self.input_tree(problem, base), count * _MORE
        changed = changed_inputs(tree, string_constants(problem.code), rng, tries, format.pools(), bold)
        return list(islice((text for text in changed if text not in known and format.allows(text)), count))

    def observing_job(self, code: str, inputs: Sequence[str], limits: Limits) -> Job:
        return Job.script(code, [(text, None) for text in inputs], limits=limits)


_KINDS: dict[str, WorkshopKind] = {kind.name: kind for kind in (WorkshopFunction(), WorkshopMethod(), WorkshopScript())}


def workshop_kind(problem: Problem) -> WorkshopKind:
    """Return the kind of a Python problem's program.

    Raises:
        UserError: If the problem is not one in Python.
    """
    return _KINDS[python_kind(problem).name]


def observing_call(call: str) -> str:
    """Return an expression for the value of a call and its arguments after the call."""
    node = ast.parse(call.strip(), mode="eval").body
    if not isinstance(node, ast.Call) or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return call
    arguments = ", ".join(ast.unparse(argument) for argument in node.args)
    return f"_arguments = [{arguments}]\n_result = {ast.unparse(node.func)}(*_arguments)\n(_result, _arguments)"


def needed_functions(code: str, entry_point: str) -> list[str]:
    """Return the functions of a module that one of them needs, itself included, going by the names they mention."""
    functions = {node.name: node for node in ast.parse(code).body if isinstance(node, DEFINITIONS)}
    needed: list[str] = []
    waiting = [entry_point]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in needed:
            needed.append(name)
            waiting += [node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)]
    return needed
