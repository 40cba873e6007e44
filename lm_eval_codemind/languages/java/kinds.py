"""The kinds of Java programs: whole programs that read from standard input and print, and methods of a class."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.languages.base import Execution, Kind, ScriptKind, Shown, Unfinished
from lm_eval_codemind.problems import Case, Problem

if TYPE_CHECKING:
    from lm_eval_codemind.sandbox import Job, Limits

_LOOKUP = """\
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

public class Main {{
    public static void main(String[] args) throws java.io.IOException {{
        Map<String, String> outputs = new HashMap<>();
{puts}\
        System.out.print(outputs.get(new String(System.in.readAllBytes(), StandardCharsets.UTF_8)));
    }}
}}
"""


class _JavaKind(Kind):
    language = "java"

    def output_type(self, output: str) -> str | None:
        """Return the class of ``OUTPUT_TYPES`` of what a program printed.

        Text that reads as one number, truth value or list, as Java prints these, is of that class; all other text is
        String.
        """
        if output.strip() in ("true", "false"):
            return "Binary"
        # Texts in quotes or parentheses, and Python's own words, are only text here.
        return {int: "Int", float: "Decimal", list: "List"}.get(type(literal_or(output, output)), "String")


class Script(ScriptKind, _JavaKind):
    """A program with a ``main`` method. Nothing seeds what it leaves to chance."""

    def start(self, code: str) -> str:
        """Return the class that the reader of responses chooses."""
        from lm_eval_codemind.languages.java.code import main_class

        return main_class(code)

    def program(self, response: str, problem: Problem, **shown: Unpack[Shown]) -> str | Unfinished | None:
        from lm_eval_codemind.languages.java.code import extract_program

        return extract_program(response, shown.get("original", ""))

    def extract_target(self, code: str, problem: Problem) -> str:
        from lm_eval_codemind.languages.java.syntax import parse_valid

        parse_valid(code)
        return code

    def lookup(self, cases: Sequence[Case]) -> str | None:
        # JSON's escapes are Java's.
        puts = "".join(f"        outputs.put({json.dumps(case.input)}, {json.dumps(case.output)});\n" for case in cases)
        return _LOOKUP.format(puts=puts)


class Function(_JavaKind):
    """A method of a class ``Solution``, which a suite of assertions calls."""

    name = "function"

    def execution(self, problem: Problem) -> Execution:
        """Return the program; by itself it prints nothing."""
        return Execution(problem.code, None)

    def suite_job(self, problem: Problem, code: str, *, limits: Limits | None = None) -> Job:
        from lm_eval_codemind.languages.java import suites

        return suites.suite_job(problem, code, limits)

    def program(self, response: str, problem: Problem, **shown: Unpack[Shown]) -> str | Unfinished | None:
        """Return the class with the method; imports and methods that it lacks are those of ``into``."""
        from lm_eval_codemind.languages.java.code import extract_class, with_members

        answer = extract_class(response, problem.entry_point, shown.get("original", ""))
        return with_members(answer, shown.get("into", "")) if isinstance(answer, str) else answer

    def extract_target(self, code: str, problem: Problem) -> str:
        """Return the types of the program, without imports."""
        from lm_eval_codemind.languages.java.syntax import parse_valid

        tree = parse_valid(code)
        return "\n\n".join(tree.text(node) for node in tree.types) + "\n"

    def with_tests(self, problem: Problem, tests: str) -> Problem:
        from lm_eval_codemind.languages.java import suites
        from lm_eval_codemind.languages.java.syntax import parse

        imports = "\n".join(parse(problem.tests).imports)
        return dataclasses.replace(problem, tests=suites.as_suite(tests, imports))
