import ast
import sysconfig
from pathlib import Path

import pytest

from lm_eval_codemind.transforms import UnsupportedSyntaxError, unparse

LIBRARY = Path(sysconfig.get_path("stdlib"))


def normal(tree: ast.AST) -> str:
    """Return a dump without what does not change a program's meaning: the `u` in front of strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(tree)


@pytest.mark.slow
def test_the_standard_library_comes_back_as_the_same_tree():
    checked = 0
    for path in sorted(LIBRARY.glob("*.py")):
        for node in ast.parse(path.read_bytes()).body:
            module = ast.Module([node], [])
            try:
                text = unparse(module)
            except UnsupportedSyntaxError:
                continue
            assert normal(ast.parse(text)) == normal(module), f"{path}:{node.lineno}"
            checked += 1
    assert checked > 3000


@pytest.mark.parametrize(("source", "text"), [
    ('f\'{d["k"]!r:>{d["w"]}} {{}}\'', 'f\'{d["k"]!r:>{d["w"]}} {{}}\''), ("f\"{'a'}{d['k']}\"", 'f\'{"a"}{d["k"]}\''),
    ("f\"it's {d['k']}\"", "f\"it's {d['k']}\""), ("f'{b\"k\"}'", "f'{b\"k\"}'"), ("f'{f\"{x}\"}'", "f'{f\"{x}\"}'"),
    ("f'{x!r:>{width}}'; 'k'", "f'{x!r:>{width}}'\n'k'"), ("f'{x}\\n'", "f'{x}\\n'"),
])  # fmt: skip
def test_f_strings_are_the_same_on_every_version(source, text):
    tree = ast.parse(source)
    before = ast.dump(tree)
    assert unparse(tree) == text + "\n"
    assert ast.dump(tree) == before == ast.dump(ast.parse(text))


@pytest.mark.parametrize("text", ["it's", 'a "quote"', "back\\slash", "line\nbreak"])
def test_a_string_that_python_3_11_cannot_read_inside_an_f_string_is_refused(text):
    tree = ast.JoinedStr([ast.FormattedValue(ast.Constant(text), -1)])
    with pytest.raises(UnsupportedSyntaxError, match="inside an f-string"):
        unparse(tree)


def test_blank_lines_are_around_definitions_and_after_imports():
    code = '''"""Text

with a blank line."""
import a
import b


x = 1


@decorated
class C:
    """First.

    Second.
    """

    def f(self):
        return 1

    z = 1


if x:
    def g():
        pass
'''
    assert unparse(ast.parse(code)) == code


def test_a_statement_and_an_expression_are_written_without_a_line_feed_at_the_end():
    (statement,) = ast.parse("class C:\n    def f(self): pass").body
    assert unparse(statement) == "class C:\n    def f(self):\n        pass"
    assert unparse(ast.parse("f( 1 )", mode="eval").body) == "f(1)"
    assert unparse(ast.parse("")) == ""
