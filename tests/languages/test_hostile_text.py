"""Readers of code end soon on long text that is made to be slow."""

import ast
import itertools

import pytest

from lm_eval_codemind.answers.literals import parse_quietly
from lm_eval_codemind.languages.java.code import extract_class, extract_program
from lm_eval_codemind.languages.python import statements
from lm_eval_codemind.languages.python.code import extract_definition, extract_method, extract_script

LENGTH = 250_000
BEFORE = ("", "```python\ndef f(x):\n", "```java\nclass A {", "def f(x):\n")
PIECES = [
    "x = 1\n", '"""\n', "def f(\n", "def f(x):\n    return x\n", "class A:\n", 
    "class C:\n    def m(self):\n        return 1\n",
    "```\n", "```python\n", "~~~\n", "`", "(", "(\n", "[", "{", "}", "f(", "if x:\n", "@d\n", "'", "\\\n",
    "> ", "1 | x\n", "[PYTHON]",
    "prose words here. ", "<code>\n", "<think>\n", "print(f(1))\n", ">>> def f(x):\n",
    "```\ndef f(x):\n    return x\n```\n",
    "class A {", "/*", "import a.b.c;", "public static int f(int a,\n", "public class ",
    "class A { public static void main(String[] a) { System.in.read(); } }\n",
]  # fmt: skip


@pytest.mark.proof
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("piece", "before"), list(zip(PIECES, itertools.cycle(BEFORE), strict=False)))
def test_every_reader_ends_soon(piece, before, monkeypatch):
    received: list[int] = []

    def counted(source: str) -> ast.Module:
        received.append(len(source))
        return parse_quietly(source)

    monkeypatch.setattr(statements, "parse_quietly", counted)
    text = (before + piece * (LENGTH // len(piece)))[:LENGTH]
    for read in (
        lambda: extract_definition(text, "f", "def f(x):", "def f(x):\n    return 2\n"),
        lambda: extract_method(text, "C", "m", "def m(self):"),
        lambda: extract_script(text, "print(input())"),
    ):
        received.clear()
        read()
        assert sum(received) <= statements.PARSE_BUDGET
    extract_program(text, "class Q {}")
    extract_class(text, "f", "class Q {}")
