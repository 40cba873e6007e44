"""Extraction on every shape of the fixture, by running what was extracted; laws on arbitrary text."""

import ast
import contextlib
import io
import textwrap
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lm_eval_codemind.answers.literals import NotALiteralError
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.languages import Unfinished, kind_of
from lm_eval_codemind.languages.base import Shown
from lm_eval_codemind.languages.python import statements
from lm_eval_codemind.languages.python.code import MethodCode, extract_definition, extract_method, extract_script
from lm_eval_codemind.languages.python.filled import parse_source, same_source
from lm_eval_codemind.languages.python.methods import insert_method
from lm_eval_codemind.languages.python.statements import is_idle
from tests.run_files import read_rows

HERE = Path(__file__).parent
SHAPES: list[dict[str, Any]] = read_yaml(HERE / "code_shapes.yaml")

CLASS = '''\
import datetime


class Counter:
    """Counts."""

    def __init__(self):
        self.n = 0

    @staticmethod
    def zero():
        return None

    def add(self, k):
        return None

    def year(self):
        return datetime.datetime(2000, 1, 1).year

    def reset(self):
        self.n = 0
        return self.n
'''


def extract(shape: dict[str, Any]) -> str | Unfinished | None:
    find, response, header = shape.get("find", "double"), shape["response"], shape.get("header", "")
    original = shape.get("original", "")
    if find == "script":
        return extract_script(response, original)
    if "." in find:
        class_name, name = find.split(".")
        method = extract_method(response, class_name, name, header)
        return insert_method(CLASS, class_name, method) if isinstance(method, MethodCode) else method
    return extract_definition(response, find, header, original)


def test_there_are_a_hundred_shapes():
    assert len(SHAPES) >= 100
    assert len({shape["id"] for shape in SHAPES}) == len(SHAPES)


@pytest.mark.parametrize("shape", SHAPES, ids=[shape["id"] for shape in SHAPES])
def test_shape(shape):
    code = extract(shape)
    if shape["gives"] == "none":
        assert code is None
        return
    if shape["gives"] == "unfinished":
        assert isinstance(code, Unfinished) and code.source
        return
    assert isinstance(code, str)
    if shape["gives"] == "broken":
        with pytest.raises(SyntaxError):
            compile(code, "<shape>", "exec")
        return
    for text in shape.get("absent", []):
        assert text not in code
    if "exact" in shape:
        assert code == shape["exact"]
    if shape.get("find") == "script":
        output = io.StringIO()
        with contextlib.redirect_stdout(output), mock.patch("sys.stdin", io.StringIO(shape["call"])):
            exec(compile(code, "<shape>", "exec"), {"__name__": "__main__"})
        assert output.getvalue() == shape["gives"]
        return
    namespace: dict[str, Any] = {"__name__": "shape"}
    exec(compile(code, "<shape>", "exec", dont_inherit=True), namespace)
    value = eval(shape["call"], namespace)
    assert (list(value) if isinstance(value, tuple) else value) == shape["gives"]


PIECES = st.sampled_from([
    "def f(x):\n", "    return x\n", "```python\n", "```", "class C:\n", "    def m(self):\n", "        pass\n",
    "(", ")", '"""', "'", "\\\n", "\n", "if x:\n", "else:\n", "@d\n", "f = 1\n", "<think>", "</think>", "[PYTHON]",
    "\t", "\x00", "\ud800", "import os\n", "lambda: ", "for i in x:", "{", "]", "prose ", "#", "f'{", "0" * 5000,
    "async ", "await x\n", "return 1\n", "nonlocal x\n", "yield\n", "print(f(1))\n", "if __name__ == '__main__':\n",
])  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@given(TEXTS)
@example("for i in x:    return x\n    return x\n@d\n\n")
def test_never_raises(text):
    for code in (extract_definition(text, "f", "def f(x):"), extract_script(text)):
        assert code is None or isinstance(code, (str, Unfinished))
    method = extract_method(text, "C", "m", "def m(self):")
    if isinstance(method, MethodCode):
        insert_method("class C:\n    def m(self): ...\n", "C", method)


@given(st.text(alphabet=st.characters(blacklist_characters="`~|", blacklist_categories=["Cs"])))
def test_prose_around_a_fenced_answer_changes_nothing(prose):
    answer = "def f_unlikely(x):\n    return x + 1\n"
    response = f"Text: {' '.join(prose.split())}.\n\n```python\n{answer}```\n\nText: {' '.join(prose.split())}."
    if "<" in response or "[" in response:
        return
    assert extract_definition(response, "f_unlikely") == answer


@pytest.mark.parametrize("text", ["(" * 100_000, "(\n" * 5_000, "-" * 200_000 + "1", "f(" * 3000, "if x:\n" * 5000,
                                  "".join(" " * n + "if x:\n" for n in range(2000)), "```\n" * 20_000,
                                  '"""\n' * 9_999, "`" * 100_000])  # fmt: skip
def test_hostile_text_ends(text):
    extract_definition(text, "f", "def f(x):")
    extract_script(text)
    extract_method(text, "C", "m")


def test_insert_method_names_what_is_missing():
    method = extract_method("def nothing(self):\n    return 1\n", "Counter", "nothing")
    assert isinstance(method, MethodCode)
    with pytest.raises(ValueError, match=r"Counter\.nothing"):
        insert_method(CLASS, "Counter", method)


def test_recorded_whole_class_responses(shared_data):
    """Of a hundred real responses, three hold no class: two single methods and one without code."""
    rows = read_rows(shared_data / "recorded" / "classeval_gpt-3.5-turbo_class_greedy.jsonl.gz")
    missing = {row["task_id"] for row in rows if extract_definition(row["response"], row["class_name"]) is None}
    assert missing == {"ClassEval_19", "ClassEval_30", "ClassEval_72"}
    (response,) = (row["response"] for row in rows if row["task_id"] == "ClassEval_19")
    method = extract_method(response, "ChandrasekharSieve", "generate_primes")
    assert isinstance(method, MethodCode)
    assert "sieve[0] = sieve[1] = False" in method.source


@pytest.mark.proof
def test_the_parser_stops_when_its_budget_is_spent():
    parser, text = statements.Parser(), "x = 1\n" * 1000 + "x = 1"
    cost = 1001 * len("x = 1") + 1001 + statements._CALL
    parsed = [parser.parses(text) for _ in range(200)]
    assert parsed == [True] * ((statements.PARSE_BUDGET - 1) // cost) + [False] * (200 - parsed.count(True))


def test_a_class_of_stubs_with_a_constructor_is_a_stub():
    whole = "class C:\n    def __init__(self):\n        self.x = 1\n\n    def m(self):\n        return self.x\n"
    stub = "class C:\n    def __init__(self):\n        self.x = 1\n\n    def m(self):\n        pass\n"
    for response in (f"```\n{whole}```\n```\n{stub}```", f"```\n{stub}```\n```\n{whole}```"):
        assert extract_definition(response, "C") == whole
    only = "class C:\n    def __init__(self):\n        self.x = 1\n"
    assert extract_definition(f"```\n{whole}```\n```\n{only}```", "C") == only


def test_the_main_part_of_its_block_or_another_is_not_joined():
    main = "if __name__ == '__main__':\n    LIMIT = 5\n    print(f(1))\n"
    code = "def f(x):\n    return x < LIMIT\n"
    for response in (f"```\n{main}```\n```\n{code}```", f"```\n{code}\n{main}```"):
        assert extract_definition(response, "f") == code
    joined = extract_definition(f"```\nLIMIT = 5\n```\n```\n{code}```", "f")
    assert joined == f"LIMIT = 5\n{code}"


def test_a_call_on_another_variable_is_not_needed():
    code = "data = []\ndef f():\n    return data\n"
    calls = "log = []\nlog.append(open('x', 'w'))\n"
    assert extract_definition(f"```\n{calls}{code}```", "f") == code
    kept = extract_definition(f"```\n{code}data.append(1)\n```", "f")
    assert isinstance(kept, str) and "data.append(1)" in kept


def test_neither_imports_alone_nor_prose_that_parses_are_a_script():
    assert extract_script("```python\nimport sys\n```") is None
    assert extract_script("This is the answer:\n\nhello\nprint(input())\n") == "print(input())\n"


def test_a_faster_input_is_no_demo():
    script = "import builtins\nfrom sys import stdin\nbuiltins.input = stdin.readline\nprint(int(input()))\n"
    assert extract_script(f"```\nprint(input())\n```\n```\n{script}```") == script
    demo = script.replace("stdin.readline", "lambda: '5'")
    assert extract_script(f"```\nprint(input())\n```\n```\n{demo}```") == "print(input())\n"


def test_a_script_that_only_reads_a_file_is_no_demo():
    shown = "```\nprint(input())\n```\n```\nprint(open('{}'{}).read())\n```"
    assert extract_script(shown.format("in.txt", ", 'r'")) == "print(open('in.txt', 'r').read())\n"
    assert extract_script(shown.format("in.txt", ", 'w'")) == "print(input())\n"


def test_what_a_needed_function_needs_comes_from_another_block():
    base, rest = "def base(x):\n    return x\n", "def f(x):\n    return helper(x)\n"
    blocks = f"```\n{base}```\n```\ndef helper(x):\n    return base(x)\n\n\n{rest}```"
    assert "def base" in str(extract_definition(blocks, "f"))
    assert "def base" not in str(extract_definition(blocks.replace("base(x)\n\n", "x\n\n"), "f"))


def test_an_import_stays_although_only_another_block_uses_it():
    code = "import os\ndef f(x):\n    return x\n"
    assert extract_definition(f"```\n{code}```\n```\nprint(os.getcwd())\n```", "f") == code


def test_a_text_in_a_class_may_look_like_a_class():
    members = '    def k(self): ...\n\n    text = """\nclass D:\n    """\n\n    def m(self):\n        return 1\n'
    method = extract_method(f"```\nclass C:\n{members}```", "C", "m")
    assert isinstance(method, MethodCode) and method.source == "def m(self):\n    return 1"
    assert [name for name, _ in method.members] == ["k", "text"]


@pytest.mark.parametrize(("head", "is_member"), [
    ("def k(self)", True), ("def k(cls)", True), ("async def k(self, x=1)", True), ("def k(x)", False),
    ("def k()", False), ("def k(x, self)", False), ("def k(*self)", False), ("def k(*, self)", False),
    ("class k(self)", False),
])  # fmt: skip
def test_functions_next_to_a_method_are_members_if_they_take_an_object(head, is_member):
    method = extract_method(f"```\n{head}:\n    return 1\n\ndef m(self):\n    return k\n```", "C", "m")
    assert isinstance(method, MethodCode)
    assert [name for name, _ in method.members] == ["k"] * is_member
    assert [part.binds for part in method.prelude] == [{"k"}] * (not is_member)


def test_a_method_with_its_import_takes_the_place_of_the_other():
    answer = "from datetime import datetime\n\ndef year(self):\n    'The year.'\n    return datetime(2000, 1, 1).year\n"
    method = extract_method(answer, "C", "year")
    assert isinstance(method, MethodCode)
    program = "import datetime\n\nclass C:\n    def year(self):\n        y = 1999\n        return y\n\n    n = 1\n"
    assert insert_method(program, "C", method) == (
        "import datetime\n\nclass C:\n    def year(self):\n        'The year.'\n"
        "        from datetime import datetime\n        return datetime(2000, 1, 1).year\n\n    n = 1\n"
    )
    method = extract_method("import math\n\ndef year(self):\n    return math.pi\n", "C", "year")
    assert isinstance(method, MethodCode)
    assert insert_method(program, "C", method) == (
        "import datetime\n\nimport math\nclass C:\n    def year(self):\n        return math.pi\n\n    n = 1\n"
    )


def test_a_class_that_its_method_names_is_not_its_prelude():
    method = extract_method("class C:\n    def m(self):\n        return C()\n", "C", "m")
    assert isinstance(method, MethodCode) and method.prelude == ()


def test_members_of_one_statement_have_a_fixed_order():
    method = extract_method("class C:\n    d, c, b, a = range(4)\n\n    def m(self):\n        return 1\n", "C", "m")
    assert isinstance(method, MethodCode) and [name for name, _ in method.members] == ["a", "b", "c", "d"]


def test_a_body_that_only_imports_is_no_answer():
    assert extract_definition("import math", "f", "def f(x):") is None
    assert extract_definition("import math\nreturn math.pi", "f", "def f(x):") is not None


def body_of(program: str, name: str) -> list[str]:
    """Return the statements of a function or method, without its docstring."""
    named = (node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.FunctionDef) and node.name == name)
    return [ast.unparse(node) for node in next(named).body if not is_idle(node)]


@pytest.mark.parametrize("margin", ["", "    ", "        "])
def test_the_body_alone_of_each_sample_problem_is_read(margin):
    asked = [problem for problem in load_benchmark("sample") if problem.kind != "script"]
    assert len(asked) == 19
    for problem in asked:
        name = problem.entry_point.rpartition(".")[2]
        body = body_of(problem.code, name)
        shown = Shown(into=problem.code, context=problem.context, specification=problem.specification)
        program = kind_of(problem).program(textwrap.indent("\n".join(body), margin), problem, **shown)
        assert isinstance(program, str) and body_of(program, name) == body


def test_a_function_around_a_stub_is_a_stub():
    whole = "def f(x):\n    def g(y):\n        return y\n\n    return g(x)\n"
    stub = 'def f(x):\n    def g(y):\n        """Return y."""\n'
    assert extract_definition(f"```\n{whole}```\n```\n{stub}```", "f") == whole


def preferred(first: str, second: str) -> str:
    """Return which of two scripts is the answer."""
    script = extract_script(f"```\n{first}\n```\n```\n{second}\n```")
    assert isinstance(script, str)
    return {f"{first}\n": "first", f"{second}\n": "second"}[script]


@pytest.mark.parametrize("statement", [
    "sys.stdin = io.StringIO('5')", "builtins.input = f", "input = lambda: '5'", "input = f", "if x:\n    input = f",
    "patch('sys.stdin', x)", "patch('builtins.input')", 'patch("sys.stdin")', "open('a', 'w')", "open('a', 'x')",
    "open('a', 'ab')", "x.stdin = 3", "open('a', x, 'w')",
])  # fmt: skip
def test_statements_that_give_input_make_a_demo(statement):
    assert preferred("print(input())", f"{statement}\nprint(input())") == "first"


@pytest.mark.parametrize("statement", [
    "input = sys.stdin.readline", "builtins.input = sys.stdin.readline", "x.input = stdin", "open('a', 'r')",
    "open('a')", "open('a', mode)", "input = f(1)", "input = f.x", "my.inputs = 3", "x.myinput = 3", "my_input = f",
    "y = input", "reopen('a', 'w')", "f('stdin')", "f('sys.stdin.x')", "stdin = f", "open(f(1), 'w')",
])  # fmt: skip
def test_statements_that_give_no_input_make_no_demo(statement):
    assert preferred("print(input())", f"{statement}\nprint(input())") == "second"


@pytest.mark.parametrize("statement", [
    "x = input()", "f(input, 1)", "f(1, input)", "g = input", "x = open('a')", "sys.stdin.read()", "fileinput.input()",
    "f(stdin)", "f(my.open(1))", "g = open\ng = 1",
])  # fmt: skip
def test_a_script_that_reads_is_preferred(statement):
    assert preferred(f"{statement}\nprint(1)", "print(2)") == "first"


@pytest.mark.parametrize("statement", [
    "my_input()", "inputs()", "x = 'Sample input:'", "reopen(1)", "f(stdins)", "f(fileinputs)", "openx(1)",
    "x = 'input'", "x = input + 1", "f(mystdin)",
])  # fmt: skip
def test_names_that_resemble_those_of_readers(statement):
    assert preferred(f"{statement}\nprint(1)", "print(2)") == "second"


@pytest.mark.parametrize("statement", ["print(x)", "sys.stdout.f(x)", "f.write(x)", "g(print)", "g = stdout"])
def test_a_script_that_prints_is_preferred(statement):
    assert preferred(f"x = input()\n{statement}", "y = input()\nf(y)") == "first"


@pytest.mark.parametrize("statement", ["myprint(x)", "prints(x)", "stdouts.f(x)", "rewrite(x)", "writes(x)"])
def test_names_that_resemble_those_of_printers(statement):
    assert preferred(f"x = input()\n{statement}", "y = input()\nf(y)") == "second"


@pytest.mark.parametrize(("statement", "needed"), [
    ("sys.setrecursionlimit(5)", True), ("sys.set_int_max_str_digits(0)", True), ("threading.stack_size(5)", True),
    ("random.seed(1)", True), ("warnings.simplefilter('ignore')", True), ("warnings.filterwarnings('ignore')", True),
    ("random.shuffle(y)", False), ("seed(1)", False), ("x = random.seed(1)", False), ("from m import *", True),
    ("from m import a", True), ("assert f(1)", False), ("y = 1", False), ("f.x = 1", True), ("f.x[0].y = 1", True),
    ("f[0] = 1", True), ("del f.x", True), ("g.x = 1", False), ("f(1)", False), ("f.x(1)", False),
    ("print(f(1))", False),
])  # fmt: skip
def test_what_a_definition_needs(statement, needed):
    code = "def f(x):\n    return x\n"
    expected = f"{statement}\n{code}" if needed else code
    assert extract_definition(f"```\n{statement}\n{code}```", "f") == expected


@pytest.mark.parametrize(("text", "count"), [
    ("a = 1\n    b = 2", 2), ("a = 1\n\tb = 2", 2), ("a = 1\n\n    b = 2", 2), ("  a = 1\n  b = 2", 2),
    ("if x:\n    y", 1), ("\n\na = 1\n", 1), ("\n    a = 1\n    b = 2\n", 2), ("a = 1\n    if b:\n        c", 2),
    ("# c\n    a", 1), ("a = '''\n  x'''", 1), ("", 0),
])  # fmt: skip
def test_the_statements_of_a_text_that_may_be_indented(text, count):
    assert len(parse_source(text)) == count


@pytest.mark.parametrize("text", ["a b", "(", "a\n  b\n c", "  a\nb", "a\n b\n  c", ")", "'" * 100_001])
def test_a_text_that_is_no_source(text):
    with pytest.raises(NotALiteralError):
        parse_source(text)


@pytest.mark.parametrize(("text", "other", "same"), [
    ("f(1)", "f( 1 ) # c", True), ("f('a')", 'f("a")', True), ("u'a'", "'a'", True), ("f(1)", "f((1))", True),
    ("-1", "- 1", True), ("f(1)", "f(2)", False), ("f(", "f(", False), ("f(1)", "f(1)\ng", False),
    ("f(1)\ng", "f(1)", False), ("f(a=1)", "f(a=2)", False), ("f(a=1)", "f(b=1)", False), ("f(1)", "g(1)", False),
    ("1", "1.0", False), ("True", "1", False), ("def f(x: int): pass", "def f(x): pass", False), ("[1]", "(1)", False),
    ("x", "x()", False),
])  # fmt: skip
def test_texts_of_the_same_code(text, other, same):
    assert same_source(text, other) is same
