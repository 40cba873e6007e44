import ast

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.build import read_proven
from lm_eval_codemind.data.facts.runtime_inputs import (
    SEE,
    RuntimeInput,
    inputs_of,
    without_docstrings,
    without_expectations,
)
from runtime_questions import is_written, literals_in

BODY = """\
expected = {'a': [1, 2]}
box = Box(2)
size = 2
for k in box:
    self.assertIn(k, 'ab')
    self.assertTrue(box.add(k))
self.assertEqual(box.get('a'), 3)
self.assertAlmostEqual(12.56, box.area(), delta=0.01)
self.assertEqual(expected, box.items)
self.assertEqual(box.first(), box.last(), size)
self.assertRaises(KeyError, box.get, 'b')
box.grow(size)
"""


def test_nothing_is_left_of_what_is_expected() -> None:
    assert without_expectations(BODY).split("\n") == [
        "box = Box(2)",
        "size = 2",
        "for k in box:",
        "    box.add(k)",
        f"{SEE}(box.get('a'))",
        f"{SEE}(box.area())",
        f"{SEE}(box.items)",
        f"{SEE}(box.first())",
        f"{SEE}(box.last())",
        "self.assertRaises(KeyError, box.get, 'b')",
        "box.grow(size)",
    ]


def test_docstrings_go_and_nothing_else() -> None:
    code = '''"""Doc."""
import math

def f(x):
    """Return x.

    >>> f(1)
    1
    """
    text = "# no comment"
    return x

class C:
    "Only this."
'''
    stripped = without_docstrings(code)
    assert ">>>" not in stripped and "Doc." not in stripped
    assert ast.unparse(ast.parse(stripped)).split("\n") == [
        "import math", "", "def f(x):",
       "    text = '# no comment'", "    return x", "", "class C:", '    """Only this."""',
    ]  # fmt: skip


def test_what_can_be_read_off_a_prompt() -> None:
    code = "def f(x):\n    y = [1, -2]\n    return 'abcdef' + str(x)\n"
    literals = literals_in(code, "f(17)")
    prompt = f"{code}\nf(17)"
    for value in ("[1, -2]", "-2", "17", "'cde'", "True", "None", "[]", "''"):
        assert is_written(value, prompt, literals), value
    for value in ("[1]", "3", "'xyz'", "7", "1.0"):
        assert not is_written(value, prompt, literals), value
    # In the text of a prompt, but no literal of it.
    assert is_written("12", "# 12 of them", set()) and not is_written("1", "# 12 of them", set())


def test_no_input_shows_a_result(upstream: Upstream) -> None:
    """No assertion but those about exceptions, no name that says expected, no docstring, no carriage return."""
    for name in ("reval_humaneval", "reval_classeval", "avatar"):
        for problem in read_proven(name, upstream):
            for run_input in inputs_of(problem):
                if run_input.expression is None:
                    assert "\r" not in run_input.input
                    continue
                assert "expect" not in run_input.input
                if problem.kind == "method":
                    used = [set(_names(node)) for node in ast.parse(run_input.input).body if isinstance(node, ast.Expr)]
                    bound = {*_bound(run_input.code), *_bound(run_input.input), "self", problem.entry_point}
                    assert all(names & bound for names in used), (problem.problem_id, run_input.number)
                calls = [node.func for node in ast.walk(ast.parse(run_input.input)) if isinstance(node, ast.Call)]
                names = [call.attr for call in calls if isinstance(call, ast.Attribute)]
                assert {each for each in names if each.startswith("assert")} <= {"assertRaises"}
                assert ">>>" not in run_input.code


def _names(tree: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


def _bound(source: str) -> list[str]:
    """Names that a source defines or assigns, without those that it imports."""
    nodes = list(ast.walk(ast.parse(source)))
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return stored + [node.name for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))]


def test_targets_of_loops_have_no_parentheses_and_an_asked_tuple_has() -> None:
    body = without_expectations("for a, b in pairs:\n    use(a, b)\nself.assertEqual((f(1), f(2)), (1, 2))")
    assert body.split("\n") == ["for a, b in pairs:", "    use(a, b)", f"{SEE}((f(1), f(2)))"]
    shown = RuntimeInput("0", "", body, "", "", "test()").masked(["(1, 2)"])
    assert shown.endswith("assert (f(1), f(2)) == ??")
