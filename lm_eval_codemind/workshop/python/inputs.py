"""Inputs as trees of the literals that they pass to a program."""

import ast

from lm_eval_codemind.languages.python.inputs import (
    arguments_of,
    calls_of,
    handed_over,
    is_literal,
    program_names,
    test_in,
)
from lm_eval_codemind.workshop.python.mutation import Branch, source_tree


def call_tree(entry_point: str, call: str) -> Branch:
    """Return the input of a function as a tree of the literals that it passes.

    Raises:
        SyntaxError: If it is not an expression.
    """
    source = call.strip()
    body = ast.parse(source, mode="eval").body
    calls = calls_of(body, entry_point)
    return source_tree(source, arguments_of(calls[0]) if calls else [body])


def method_tree(code: str, test_code: str) -> Branch:
    """Return a test method as a tree of the literals that it passes to a program.

    Raises:
        SyntaxError: If it or the program does not parse.
    """
    test = test_in(ast.parse(test_code))
    return source_tree(test_code, handed_over(test, program_names(code)) if test else (), keys=False)


def states_value(code: str, test_code: str, output: str) -> bool:
    """Whether a test method contains an output, or an element of it, as a literal that it does not pass on."""
    value = ast.literal_eval(output)
    values = [value, *(value if isinstance(value, tuple) else ())]
    values = [each for each in values if isinstance(each, (str, list, tuple, dict, set)) and each]
    test = test_in(ast.parse(test_code))
    assert test is not None
    handed = {id(node) for node in handed_over(test, program_names(code))} if values else set()
    for node in ast.walk(test):
        if isinstance(node, ast.expr) and id(node) not in handed and is_literal(node):
            literal = ast.literal_eval(node)
            if any(type(literal) is type(each) and literal == each for each in values):
                return True
    return False
