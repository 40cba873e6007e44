import ast
from pathlib import Path

import pytest

from lm_eval_codemind.languages.python.complexity import lines_of_code


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", 0),
        ("x = 1; y = 2; z = 3", 3),
        ("x = [\n  1,\n  2,\n]", 1),
        ("# comment\n\n\nx = 1  # more\n", 1),
        ('"""Doc\n\nof a module."""\nx = 1', 1),
        ('def f():\n    """Doc."""\n    return 1', 2),
        ('def f():\n    """Doc."""', 2),
        ("if a: b\nelif c: d\nelse: e", 6),
        ("if a:\n    b\nelse:\n    if c:\n        d", 4),
        ("for i in x:\n    y\nelse:\n    z", 4),
        ("try:\n    a\nexcept E:\n    b\nelse:\n    c\nfinally:\n    d", 8),
        ("with a as b, c as d: e", 2),
        ("match a:\n    case 1: b\n    case _: c", 5),
        ("@one\n@two\nclass A: pass", 4),
        ("lambda x: (x,\n x)", 1),
    ],
)
def test_lines_of_the_normal_form(source: str, expected: int) -> None:
    assert lines_of_code(source) == expected


def test_agrees_with_the_lines_that_the_standard_library_prints() -> None:
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


def test_what_does_not_parse_has_no_lines() -> None:
    with pytest.raises(SyntaxError):
        lines_of_code("def f(:\n    pass")


def test_a_deep_tree_is_counted() -> None:
    assert lines_of_code("x = " + " + ".join(["1"] * 2000)) == 1
