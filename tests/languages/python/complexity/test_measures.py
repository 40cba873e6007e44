"""The measures of Python programs: by hand, and as other programs compute them."""

import ast
from pathlib import Path

import pytest

from lm_eval_codemind.languages.base import CONSTRUCTS, OUTPUT_TYPES
from lm_eval_codemind.languages.python.complexity import (
    cyclomatic_complexity,
    dependencies,
    lines_of_code,
    literal_type,
    measure,
    unit_complexities,
)
from lm_eval_codemind.languages.python.kinds import Script

SIZES = {"humaneval": 164, "cruxeval": 800, "classeval": 400, "avatar": 86, "transformed": 386}


def test_a_program_that_does_not_parse_is_refused():
    for measured in (cyclomatic_complexity, lines_of_code):
        with pytest.raises(SyntaxError):
            measured("def f(:\n    pass")


@pytest.mark.parametrize(("source", "expected"), [
    ("", 0), ('"""Doc\n\nof a module."""\nx = 1', 1), ('def f():\n    """Doc."""\n    return 1', 2),
    ('def f():\n    """Doc."""', 2), ("match a:\n    case 1: b\n    case _: c", 5),
])  # fmt: skip
def test_lines_of_the_normal_form(source, expected):
    assert lines_of_code(source) == expected


@pytest.mark.proof
def test_agrees_with_the_lines_that_the_standard_library_prints():
    class WithoutDocstrings(ast.NodeTransformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            super().generic_visit(node)
            documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            if documented and ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
            return node

    for name in ("ast", "argparse", "dataclasses", "inspect", "tarfile", "typing", "asyncio/streams"):
        source = (Path(ast.__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        printed = ast.unparse(WithoutDocstrings().visit(ast.parse(source)))
        assert lines_of_code(source) == sum(bool(line.strip()) for line in printed.splitlines()), name


def test_a_deep_tree_is_counted():
    assert lines_of_code("x = " + " + ".join(["1"] * 2000)) == 1


@pytest.mark.parametrize(("body", "expected"), [
    ("pass", 1), ("if a:\n        pass", 2),
    ("if a:\n        pass\n    elif b:\n        pass\n    else:\n        pass", 3), ("return 1 if a else 2", 2),
    ("for x in a:\n        pass", 2), ("for x in a:\n        pass\n    else:\n        pass", 3),
    ("while a and b or c:\n        pass", 4),
    ("try:\n        pass\n    except A:\n        pass\n    except B:\n        pass\n    finally:\n        pass", 3),
    ("return [x for x in a if x if x > 1]", 4),
    ("match a:\n     case 1:\n      b\n     case [b]:\n      b\n     case _:\n      b", 3), ("assert a and b", 3),
    ("with a:\n        pass", 1), ("return lambda x: x or 1", 2),
])  # fmt: skip
def test_each_decision_point_of_a_function(body, expected):
    assert cyclomatic_complexity(f"def f(a, b, c):\n    {body}\n") == expected


def test_a_program_is_the_sum_of_its_units():
    code = """\
import os
class A:
    def m(self):
        def inner(x):
            return x and 1
        if self:
            return inner
def g():
    pass
for i in range(3):
    g()
"""
    assert unit_complexities(code) == {("m", 3): 2, ("inner", 4): 2, ("g", 8): 1, ("<module>", 0): 2}
    assert cyclomatic_complexity(code) == 7


def test_imports_definitions_and_docstrings_are_no_unit():
    assert cyclomatic_complexity('"""Doc."""\nfrom typing import List\n\ndef f(x):\n    return x\n') == 1
    assert cyclomatic_complexity("") == 1


@pytest.mark.parametrize("benchmark", SIZES)
def test_every_unit_of_every_program_has_the_complexity_that_radon_gives(programs, benchmark):
    visitors = pytest.importorskip("radon.visitors")

    def of_functions(functions: list) -> dict[tuple[str, int], int]:
        units = {}
        for function in functions:
            units[(function.name, function.lineno)] = function.complexity
            units.update(of_functions(function.closures))
        return units

    def of_classes(classes: list) -> dict[tuple[str, int], int]:
        units = {}
        for item in classes:
            units.update(of_functions(item.methods))
            units.update(of_classes(item.inner_classes))
        return units

    assert len(programs[benchmark]) == SIZES[benchmark]
    for code in programs[benchmark]:
        visitor = visitors.ComplexityVisitor.from_code(code)
        expected = of_functions(visitor.functions) | of_classes(visitor.classes)
        units = unit_complexities(code)
        assert units.pop(("<module>", 0), 1) == visitor.complexity and units == expected


@pytest.mark.parametrize(("code", "expected"), [
    ("def f(x):\n  return x", 0), ("def f(x):\n  return f(x - 1) if x else 0", 0),
    ("def g(x):\n  return x\ndef f(x):\n  return g(x) + g(x + 1)", 1),
    ("def f(xs):\n  return map(g, xs)\ndef g(x):\n  return x", 1),
    ("def f(x):\n  def g(y):\n    return y\n  return g(x)", 1),
    ("def g(x):\n  return x\ndef f(g):\n  return 1\nprint(f(2))", 1),
    ("class A:\n  def m(self):\n    return self.n()\n  def n(self):\n    return self.m()", 2),
    ("class A:\n  def m(this):\n    return [this.n() for _ in range(3)]\n  def n(self):\n    return self.x", 1),
    ("class A:\n  @staticmethod\n  def m(x):\n    return x.n()\n  def n(self):\n    return A.m(self)", 1),
    ("class A:\n  @property\n  def p(self):\n    return 1\n  def n(self):\n    return self.p", 1),
    ("class A:\n  def n(self):\n    return n()\ndef n():\n  return 1", 1),
    ("class A:\n  def n(self):\n    return 1\n  def m(self):\n    return n()", 0),
    ("class B:\n  def n(self):\n    return 1\nclass A(B):\n  def m(self):\n    return self.n()", 1),
    ("class B:\n  def __init__(self):\n    self.x = 1\ndef f():\n  return B()", 1),
    ("class A(A):\n  def m(self):\n    return self.n()", 0),
    ("class A:\n  def m(self):\n    def g():\n      return self.n()\n    return g()\n  def n(self):\n    pass", 2),
    ("def f(x):\n  x.g()\ndef g():\n  pass", 0),
])  # fmt: skip
def test_pairs_of_functions(code, expected):
    assert dependencies(code) == expected


@pytest.mark.parametrize(("code", "tags", "nested"), [
    ("x = 1", ("basic",), 0),
    ("x = [i for i in y for j in i] if z else 0", ("basic",), 0), ("for i in x:\n  pass", ("for",), 0),
    ("while x:\n  pass", ("while",), 0),
    ("for i in x:\n  while i:\n    pass", ("for", "while", "nested_loop"), 1),
    ("for i in x:\n  if i:\n    for j in i:\n      pass", ("for", "if", "nested_loop"), 2),
    ("if x:\n  pass\nelif y:\n  pass\nelse:\n  pass", ("if",), 0),
    ("if x:\n  pass\nelse:\n  if y:\n    pass", ("if", "nested_if"), 1),
    ("if x:\n  pass\nelif y:\n  if z:\n    pass", ("if", "nested_if"), 1),
    ("if x:\n  for i in x:\n    if i:\n      pass", ("for", "if", "nested_if"), 2),
    ("try:\n  if x:\n    pass\nfinally:\n  pass", ("if", "try"), 1),
    ("match x:\n  case 1:\n    if x:\n      pass", ("if", "match"), 1),
    ("for i in x:\n  def f(y):\n    for j in y:\n      pass", ("for",), 0),
    ("async def f(x):\n  async for i in x:\n    pass", ("for",), 0),
])  # fmt: skip
def test_tags_and_nesting(code, tags, nested):
    measures = measure(code)
    assert measures is not None and (measures.constructs, measures.nc) == (tags, nested)


@pytest.mark.proof
@pytest.mark.parametrize("benchmark", SIZES)
def test_every_program_has_the_constructs_that_another_parser_finds(programs, benchmark):
    parso = pytest.importorskip("parso")
    kinds = {"for_stmt": "for", "while_stmt": "while", "if_stmt": "if", "try_stmt": "try"}

    def constructs(node, around: tuple[str, ...] = ()):
        if node.type in ("funcdef", "classdef", "lambdef"):
            around = ()
        if node.type in kinds:
            yield kinds[node.type], around
            around = (*around, kinds[node.type])
        for child in getattr(node, "children", ()):
            yield from constructs(child, around)

    for code in programs[benchmark]:
        pairs = list(constructs(parso.parse(code)))
        tags = {kind for kind, _ in pairs}
        tags |= {"nested_loop" for kind, around in pairs if kind in ("for", "while") and {"for", "while"} & {*around}}
        tags |= {"nested_if" for kind, around in pairs if kind == "if" and "if" in around}
        measures = measure(code)
        assert measures is not None
        assert measures.constructs == tuple(tag for tag in CONSTRUCTS if tag in (tags or {"basic"}))
        assert measures.nc == sum(bool(around) for _, around in pairs)


def test_an_f_string_that_only_newer_versions_read_has_no_measures():
    assert measure("text = f'{names['a']}'\n") is None
    assert measure("text = f'{names[\"a\"]}' + 'a'\nother = f'{f\"{1}\"}'\n") is not None


TYPES = {
    "Int": ["1"],
    "Decimal": ["-1.5", "float('inf')", "nan"],
    "List": ["[nan]", "[1, 2]"],
    "Tuple": ["(inf, -inf)", "(1, 2)"],
    "Object": ["{'a': nan}", "{'a': 1}", "{1, 2}", "set()", "None"],
    "String": ["'a'", "b'a'"],
    "Binary": ["True"],
    None: ["f(1)", "[1,", "[" * 6_000_000, "[" * 6_000_000 + "]" * 6_000_000],
}


def test_types_of_literals():
    assert {*TYPES} - {None} <= {*OUTPUT_TYPES}
    for expected, literals in TYPES.items():
        assert [literal_type(literal) for literal in literals] == [expected] * len(literals)


def test_types_of_printed_texts():
    types = {"670\n": "Int", "Yes\n": "String", "1 2\n": "String", "": "String", "0.5": "Decimal"}
    assert {text: Script().output_type(text) for text in types} == types
