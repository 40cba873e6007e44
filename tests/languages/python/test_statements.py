"""The statements of a text, which of them do something, and how a tree is written as source."""

import ast
import sysconfig
from pathlib import Path

import pytest

from lm_eval_codemind.languages.blocks import Block, blocks, unwrapped
from lm_eval_codemind.languages.python.statements import Parser, Statement, is_idle
from lm_eval_codemind.languages.python.unparse import UnsupportedSyntaxError, unparse

DECORATED = "@d\n@e\ndef f():\n    return 1"
BRANCHES = "if x:\n    a = 1\nelse:\n    a = 2"
HANDLED = "try:\n    a = 1\nexcept E:\n    pass\n\nfinally:\n    b = 1"


@pytest.mark.parametrize(("text", "sources"), [
    ("x = 1\ny = 2", ["x = 1", "y = 2"]), ("Here is code:\nx = 1\n", ["x = 1"]),
    ("    x = 1\n    y = 2", ["x = 1", "y = 2"]), ("# note\n    x = 1\n", ["x = 1"]),
    ("    x = 1\ny = 2", ["x = 1", "y = 2"]), (f"A text.\n{DECORATED}\nMore prose here.", [DECORATED]),
    ("A text.\n@d\n\nclass C:\n    pass\nMore prose here.", ["@d\n\nclass C:\n    pass"]),
    (f"A text.\n{BRANCHES}\nMore prose here.", [BRANCHES]), (f"A text.\n{HANDLED}\nMore prose here.", [HANDLED]),
    ("x = f(\n    1,\n)\nSo it goes", ["x = f(\n    1,\n)"]),
    ("  def f():\n      return 1\n\nMore prose here.", ["def f():\n    return 1"]), ("", []), ("# only\n", []),
    ("Prose alone.", []),
])  # fmt: skip
def test_prose_around_statements_is_left_out(text, sources):
    statements, broken = Parser().statements(text, 3)
    assert [part.source for part in statements] == sources and not broken
    assert all(part.node is not None and part.block == 3 for part in statements)


@pytest.mark.parametrize(("text", "last"), [
    ("def f(x):\n    return (x +", "def f(x):\n    return (x +"), ("x = [1,\n     2", "x = [1,\n     2"),
    ("x = 'abc", "x = 'abc"), ("y = 1\ndef f():\n    '''doc", "def f():\n    '''doc"),
    ("y is good\nwhile True:", "while True:"), ("y = 1\ntry:\n    x = 1", "try:\n    x = 1"),
])  # fmt: skip
def test_the_last_statement_may_be_unfinished(text, last):
    statements, _ = Parser().statements(text)
    assert [part.node is None for part in statements] == [False] * (len(statements) - 1) + [True]
    assert statements[-1].source == last and statements[-1].uses == frozenset()
    assert statements[-1].binds == ({"f"} if last.startswith("def") else set())


@pytest.mark.parametrize(("text", "sources", "code"), [
    ("def f(:\n    pass\nx = 1", ["x = 1"], ["def f(:\n    pass"]), ("print 'a'\nx = 1", ["x = 1"], []),
    ("for i in x:\n    print i\n", [], ["for i in x:\n    print i"]),
    ("@d(1)\n@e.f\n\nclass C(:\n    pass\ny", ["y"], ["@d(1)\n@e.f\n\nclass C(:\n    pass"]),
    ("for i, j in x: y z", [], ["for i, j in x: y z"]),
])  # fmt: skip
def test_code_that_does_not_parse_costs_only_itself(text, sources, code):
    statements, broken = Parser().statements(text)
    assert ([part.source for part in statements], broken) == (sources, code) and not Parser().parses(text)


@pytest.mark.parametrize("text", [
    "well, x = 1 is\nx = 1", "    x = 1\nelse:\n    y = 2", "    x = 1\ny = 2 of it", "    y = 2 z",
    "    x = 1\n    y z", "  if x y:", "x = y z",
])  # fmt: skip
def test_a_fence_parses_as_a_whole(text):
    assert Parser().statements(text, fenced=True) == ([], [text])


@pytest.mark.parametrize("line", [
    "@@ Response:", "@Response: see below", "@ you there", "@", "Response:", "class Response is below", "def of f",
    "for each x in the list: double it", "for all x, y in z: w", "print the result", "It's", "(see",
    "f (see below)", "x = is", "if you need it:", '"""', "{", "1. f", "for x in y",
])  # fmt: skip
def test_a_line_that_is_not_code_costs_one_line(line):
    for text in (f"{line}\n{DECORATED}", f"{line}\n\n{DECORATED}\n{line}\nMore prose here.", f"{DECORATED}\n{line}"):
        statements, broken = Parser().statements(text)
        assert [part.source for part in statements if part.node] == [DECORATED] and not broken
        assert all(part.node for part in statements[:-1])
    statements, broken = Parser().statements(f"{line}\n    x = 1")
    assert broken or any("x = 1" in part.source for part in statements)


@pytest.mark.parametrize(("source", "idle"), [
    ("hello", True), ("'text'", True), ("x + 1", True), ("x: int", True), ("x: int = 1", False), ("x = 1", False),
    ("f()", False), ("(y := 1)", False), ("def f(): pass", False),
])  # fmt: skip
def test_statements_without_an_effect(source, idle):
    assert is_idle(ast.parse(source).body[0]) is idle


def test_names_that_a_statement_binds_and_uses():
    (part,), _ = Parser().statements("def f(x):\n    global y\n    y = x + z\n    return len(y)")
    assert part.binds == {"f", "y"} and part.uses == {"y", "z", "len"} and not part.is_future
    (part,), _ = Parser().statements("from __future__ import annotations")
    assert part.is_future and part.binds == {"annotations"}


@pytest.mark.parametrize(("text", "code"), [
    ("x = '<code>&lt;</code>' + y", "x = '<code>&lt;</code>' + y"),
    ("[PYTHON]\nx = '&lt;'\n[/PYTHON]", "\n\nx = '&lt;'\n\n"), ("<code>x = '&lt;'</code>", "\nx = '&lt;'\n"),
    ("<b>x = '&lt;'</b>", "<b>x = '&lt;'</b>"), ("> x = 1\n> y = 2", "x = 1\ny = 2"),
    (">x = 1\n>\n> y = 2", "x = 1\n\ny = 2"), ("> x = 1\ny = 2", "> x = 1\ny = 2"),
    ("> if a > b:\n>     c", "if a > b:\n    c"), ("1 x = 1\n2 y = 2", "x = 1\ny = 2"),
    ("9 | if x:\n10 |     y = 2", "if x:\n    y = 2"),
    (" 9 if x:\n10     y = 2", "if x:\n    y = 2"), ("9 if x:\n10    y = 2", "if x:\n   y = 2"),
    ("1 x = 1\n3 y = 2", "1 x = 1\n3 y = 2"), ("1 x = 1", "1 x = 1"),
    ("text\n1: x = 1\n\n2: y = 2", "text\nx = 1\n\ny = 2"), ("1: x = 1\n2: y = 2\ntext", "x = 1\ny = 2\ntext"),
    (">>> def f():\n...     return 1", "def f():\n    return 1"), (">>> f()\n1", ">>> f()\n1"),
    ("\ufeffx\u00a0= 1\u200b", "x = 1"),
])  # fmt: skip
def test_a_block_is_unwrapped(text, code):
    assert unwrapped(text) == code


@pytest.mark.parametrize(("response", "expected"), [
    ("a\n```python\nx\n```\nb", [("a\n", False, ""), ("x\n", True, "python"), ("\nb", False, "")]),
    ("```py title='a.py'\nx\n```", [("x\n", True, "py")]),
    ("```\nx\n```\nb:\n```\ny\n```", [("x\n", True, ""), ("\nb:\n", False, ""), ("y\n", True, "")]),
    ("````\n```\nx\n```\n````", [("x\n", True, "")]),
    ("````python\n```python\nx\n```\n````", [("x\n", True, "python")]),
    ("~~~~md\nx y\n~~~py\nx\n~~~\n~~~~", [("x y\n", False, ""), ("x\n", True, "py")]),
    ("```text\nx\n```", [("x\n", True, "text")]), ("```text\nx y\n```", [("x y\n", False, "")]),
    ("````py\nx = '''\n```\ny\n```\n'''\n````", [("x = '''\n```\ny\n```\n'''\n", True, "py")]),
    ("```\nx = '''\n```\n'''\n```\n", [("x = '''\n```\n'''\n", True, "")]),
    ("```\nx\n```java\ny\n```", [("x\n", False, ""), ("y\n", True, "java")]), ("```\nx", [("x", False, "")]),
    ("```\nx y\n~~~\nz\n```", [("x y\n", False, ""), ("z\n", False, "")]), ("x = 1\n</", [("x = 1\n", False, "")]),
    ("~~~\nx\n```\ny\n~~~", [("x\n", False, ""), ("y\n", False, "")]),
    ("~~~\nx\n~~~", [("x\n", True, "")]), ("```python x = 1```", [("x = 1", True, "python")]),
])  # fmt: skip
def test_blocks(response, expected):
    parser = Parser()
    assert blocks(response, parser.parses) == [Block(*block) for block in expected]


def test_of_a_long_response_the_end_is_read():
    code = "x = 12\n"
    for blanks, text in ((150_000 - 7, "x = 12"), (150_000 - 6, " = 12"), (150_000 - 1, "")):
        whole = [block.text.strip("\n") for block in blocks(code + "\n" * blanks, Parser().parses)]
        assert "".join(whole) == text


def test_a_long_block_with_several_closing_fences_is_whole():
    code = "s = '''\n" + "x\n" * 15_000 + "```\n```\n```\n'''\n"
    assert blocks(f"```\n{code}```\n", Parser().parses) == [Block(code, True)]


LIBRARY = Path(sysconfig.get_path("stdlib"))


def normal(tree: ast.AST) -> str:
    """Return a dump without what does not change a program's meaning: the `u` in front of strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(tree)


@pytest.mark.proof
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


@pytest.mark.parametrize("line", [
    "async def f(:", "async  def f(:", "def  f (:", "def f\t(:", "class C: x y", "@a.b\ndef f(:", "@a(1) x\ndef f(:",
    "@a \t\n@b\nasync\tdef f(:", "for x,y in z: a b", "for x, y in z: a b", "for (x, y) in z: a b",
    "for x.a in z: a b", "for x[0] in z: a b", "for *x in z: a b", "for\tx\tin\ty: z w", "for x in  y: z w",
    "\n@a\n\nclass C(:",
])  # fmt: skip
def test_how_code_that_does_not_parse_begins(line):
    statements, broken = Parser().statements(f"y = 1\n{line}\n    p q\nz = 1")
    assert [part.source for part in statements] == ["y = 1", "z = 1"] and broken == [f"{line.lstrip()}\n    p q"]


@pytest.mark.parametrize("line", [
    "def f x:", "deff(:", "define f(:", "classes (", "asyncdef f(:", "for x,  y in z: a b", "for x in y",
    "for x y in z: a b", "for x inz: a b", "forx in y: z w", "for x in y z", "for x+y in z: a b", "for {x} in z: a b",
    "def", "class (", "the def f(:", "a for x in y: z w",
])  # fmt: skip
def test_how_prose_may_begin(line):
    statements, broken = Parser().statements(f"y = 1\n{line}\n    p q\nz = 1")
    assert [part.source for part in statements] == ["y = 1", "z = 1"] and not broken


@pytest.mark.parametrize("line", [
    "x = (1", "x =(1", "x=(1", "x(1", "x.y (1", "x  (1", "x\t= (1", "for x in y:", "while x:", "if x:", "with x as y:",
    "try:", "try: \t", "while (x", "x = '''a", "print (1", "    x = [", "for (x,", "return (1",
])  # fmt: skip
def test_how_the_statement_begins_that_a_text_ends_in(line):
    statements, broken = Parser().statements(f"Some prose here.\n{line}")
    assert [(part.source, part.node) for part in statements] == [(line, None)] and not broken


@pytest.mark.parametrize("line", [
    "x == (1", "whilex:", "ifx:", "withx:", "trying:", "x: (1", "x[0] = (1", "if x: # (", "x += (1", "(1", "x y = (1",
    "if x: y = (1", "else:", "x - y(1", "# (",
])  # fmt: skip
def test_prose_that_a_text_ends_in(line):
    assert Parser().statements(f"Some prose here.\n{line}") == ([], [])


@pytest.mark.parametrize("source", [
    "if x:\n    a = 1\nelif y:\n    b = 1", "if x:\n    a = 1\nelse :\n    b = 1",
    "try:\n    a = 1\nexcept (E, F) as e:\n    b = 1", "try:\n    a = 1\nexcept:\n    b = 1",
    "try:\n    a = 1\nfinally:\n    b = 1", "x = f(\n    1\n)", "x = [\n    1\n]", "x = {\n    1\n}",
    "x = f(\n    1\n).y", "@d(\n    1)\ndef f():\n    return 1", "@d\n\n\n@e\n\ndef f():\n\n    return 1",
    "while x:\n    a\nelse:\n    b",
])  # fmt: skip
def test_lines_at_the_margin_that_continue_a_statement(source):
    statements, broken = Parser().statements(f"Prose here.\n{source}\nMore prose.")
    assert [part.source for part in statements] == [source] and not broken
    statements, _ = Parser().statements(f"Prose here.\n{source}\nz = 1\nMore prose.")
    assert [part.source for part in statements] == [source, "z = 1"]


@pytest.mark.parametrize("name", ["elsewhere", "exception", "finallyx", "elif_"])
def test_a_name_that_begins_like_a_word_that_continues_a_statement(name):
    statements, _ = Parser().statements(f"Prose here.\nif x:\n    a = 1\n{name} = 1\nMore prose.")
    assert [part.source for part in statements] == ["if x:\n    a = 1", f"{name} = 1"]


@pytest.mark.parametrize(("decorators", "prose"), [(50, 0), (51, 1)])
def test_a_definition_has_at_most_fifty_decorators(decorators, prose):
    lines = [*["@d"] * decorators, "def f():", "    return 1"]
    statements, _ = Parser().statements("\n".join(["Prose here.", *lines, "More prose."]))
    assert [part.source for part in statements] == ["\n".join(lines[prose:])]


def test_a_decorator_belongs_to_a_definition():
    statements, broken = Parser().statements("Prose here.\n@d\nx = 1\ny = 2\nMore prose.")
    assert [part.source for part in statements] == ["x = 1", "y = 2"] and not broken


def test_a_tab_is_as_wide_as_eight_blanks():
    statements, _ = Parser().statements("Prose here.\n\tif x:\n\t    y = 1\n        z = 1\nMore prose.")
    assert [part.source for part in statements] == ["if x:\n    y = 1", "z = 1"]


@pytest.mark.parametrize("text", [
    "def f(", "def f(x):", "x = 1 if y", "x = 'a", 'x = """a', "def f():\n    x = (1,\n    y", "f(1,", "x = [",
    "def f(x)", "class C", "for x in", "for x in y", "while", "try:\n    x = 1\nexcept", "x = lambda", "x = y +",
    "x = y.", "x =", "import", "from x import", "x = {1:", "def f(a, b", "if x:\n    y = 1\nelse:", "async def f",
    "with x as", "x = not", "assert", "x = 1 +\n\n", "def f():\n    return (1\n\n\n", "try:\n    x = 1\n",
])  # fmt: skip
def test_a_fence_that_ends_inside_code(text):
    statements, broken = Parser().statements(f"y = 1\n{text}", fenced=True)
    assert [part.source.rstrip() for part in statements] == ["y = 1", text.rstrip()]
    assert [part.node is None for part in statements] == [False, True] and not broken


def test_statements_have_the_number_of_their_block():
    statements, _ = Parser().statements("Some prose here.\nx = 1\ny = (", 7)
    assert [(part.source, part.block) for part in statements] == [("x = 1", 7), ("y = (", 7)]


def test_a_line_of_nine_blanks_is_inside_of_one_with_a_tab():
    _, broken = Parser().statements("Prose here.\n\tdef f(:\n         y z\nMore prose.")
    assert broken == ["\tdef f(:\n         y z"]


def test_the_parser_reads_a_million_characters_and_two_thousand_statements():
    # A call costs 400 characters, and a line one.
    assert Parser().parses("x" * 999_598) and not Parser().parses("x" * 999_599)
    assert len(Parser().statements("x = 1\n" * 2001)[0]) == 2000


@pytest.mark.parametrize(("line", "name"), [
    ("async  def f(", "f"), ("async\tdef f(", "f"), ("class  C(", "C"), ("@d\ndef  f(", "f"), ("    def f(", "f"),
    ("def f(\n    def g(", "f"), ("x = (", ""), ("f(def_ (", ""), ("x.def f(", ""),
])  # fmt: skip
def test_the_name_that_an_unfinished_definition_binds(line, name):
    assert Statement(line, None).binds == ({name} if name else set()) and Statement(line, None).uses == set()
