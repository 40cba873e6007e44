"""Questions about runtime behaviour: what an input shows, and what can be answered without execution."""

import ast
from collections import Counter

import pytest

from flow_rules import arguments, decisions, iterations
from lm_eval_codemind.data.facts.runtime_inputs import (
    SEE,
    RuntimeInput,
    inputs_of,
    without_docstrings,
    without_expectations,
)
from lm_eval_codemind.data.facts.runtime_labels import load_labels
from lm_eval_codemind.workshop.build import read_proven
from lm_eval_codemind.workshop.proof.runtime_questions import is_written, literals_in
from lm_eval_codemind.workshop.python.runtime_rules import END, Point, points, reachable

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


def test_nothing_is_left_of_what_is_expected():
    assert without_expectations(BODY).split("\n") == [
        *("box = Box(2)", "size = 2", "for k in box:", "    box.add(k)"),
        *(f"{SEE}(box.{seen})" for seen in ("get('a')", "area()", "items", "first()", "last()")),
        *("self.assertRaises(KeyError, box.get, 'b')", "box.grow(size)"),
    ]
    body = without_expectations("for a, b in pairs:\n    use(a, b)\nself.assertEqual((f(1), f(2)), (1, 2))")
    assert body.split("\n") == ["for a, b in pairs:", "    use(a, b)", f"{SEE}((f(1), f(2)))"]
    shown = RuntimeInput("0", "", body, "", "", "test()").masked(["(1, 2)"])
    assert shown.endswith("assert (f(1), f(2)) == ??")


def test_docstrings_go_and_nothing_else():
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


def test_what_can_be_read_off_a_prompt():
    code = "def f(x):\n    y = [1, -2]\n    return 'abcdef' + str(x)\n"
    literals = literals_in(code, "f(17)")
    prompt = f"{code}\nf(17)"
    for value in ("[1, -2]", "-2", "17", "'cde'", "True", "None", "[]", "''"):
        assert is_written(value, prompt, literals), value
    for value in ("[1]", "3", "'xyz'", "7", "1.0"):
        assert not is_written(value, prompt, literals), value
    # A set is written in any order.
    words = sorted(map(str, range(50)))
    program, backwards = f"x = {{{', '.join(map(repr, words))}}}", f"{{{', '.join(map(repr, words[::-1]))}}}"
    assert is_written(backwards, "", literals_in(program))
    # In the text of a prompt, but no literal of it.
    assert is_written("12", "# 12 of them", set()) and not is_written("1", "# 12 of them", set())


def test_no_input_shows_a_result(upstream):
    """No assertion but those about exceptions, no name that says expected, no docstring, no carriage return."""
    for name in ("reval_humaneval", "reval_classeval", "avatar"):
        for problem in read_proven(name, upstream):
            for run_input in inputs_of(problem):
                if run_input.expression is None:
                    assert "\r" not in run_input.input
                    continue
                assert "expect" not in run_input.input
                if problem.kind == "method":
                    bound = {*_bound(run_input.code), *_bound(run_input.input), "self", problem.entry_point}
                    for node in (node for node in ast.parse(run_input.input).body if isinstance(node, ast.Expr)):
                        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                        assert names & bound, (problem.problem_id, run_input.number)
                calls = [node.func for node in ast.walk(ast.parse(run_input.input)) if isinstance(node, ast.Call)]
                names = [call.attr for call in calls if isinstance(call, ast.Attribute)]
                assert {each for each in names if each.startswith("assert")} <= {"assertRaises"}
                assert ">>>" not in run_input.code


def _bound(source: str) -> list[str]:
    """Names that a source defines or assigns, without those that it imports."""
    nodes = list(ast.walk(ast.parse(source)))
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return stored + [node.name for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))]


CODE = """\
def g(a):
    b = a + 1
    return b

def f(xs):
    t = 0
    for x in xs:
        if x > 3:
            t += g(x)
        else:
            continue
    while t:
        t -= 1; t += 0
        if t == 2: break
    if t:
        return 1
    return t
"""


def test_what_comes_next_by_the_syntax_tree_and_what_is_reachable():
    """By hand. Lines that statements share are not there: 13, 14."""
    by_line = {line: (point.kind, point.context, point.enters, point.skips) for line, point in points(CODE).items()}
    assert by_line == {
        2: ("statement", "", 3, 3),
        # The only call of g is on line 9, after which the loop goes on.
        3: ("return", "", 7, 7),
        6: ("statement", "", 7, 7),
        7: ("for", "", 8, 12),
        8: ("if", "loop", 9, 11),
        9: ("statement", "then", 2, 2),
        11: ("statement", "else", 7, 7),
        12: ("while", "", 13, 15),
        15: ("if", "", 16, 17),
        16: ("return", "guard", END, END),
        17: ("return", "after", END, END),
    }
    assert points(CODE)[7].variables == ("x", "xs", "t") and points(CODE)[2].variables == ("b", "a")
    # A condition that always holds leaves no choice.
    code = "n = 0\nwhile True:\n    n += 1\n    if n > 3:\n        break\nif __name__ == '__main__':\n    print(n)\n"
    assert (points(code)[2].enters, points(code)[2].skips) == (3, 3)
    assert (points(code)[6].enters, points(code)[6].skips) == (7, 7)
    code = "class C:\n def __init__(self): self.a()\n def a(self): pass\n def b(self): self.c()\n def c(self): pass\n"
    assert reachable(code, "C()") == {"__init__", "a"}
    assert reachable(code, "C().b()") == {"__init__", "a", "b", "c"}


@pytest.mark.parametrize("name", ["reval_humaneval", "reval_classeval", "cruxeval", "avatar", "sample"])
def test_no_rule_on_the_syntax_tree_answers_the_shipped_questions(upstream, name):
    """And no state can be read off the prompt, coverage is balanced, and outputs rarely end the prompt."""
    labels = load_labels(name)
    executed: Counter[bool] = Counter()
    rules: Counter[str] = Counter()
    known = 0
    for problem in read_proven(name, upstream):
        for run_input in inputs_of(problem):
            of_input = labels.get(problem.problem_id, {}).get(run_input.number)
            if of_input is None or of_input.reason:
                continue
            prompt = f"{run_input.code}\n{run_input.set_up}\n{run_input.input}"
            sources = [run_input.code, run_input.set_up, *([] if run_input.expression is None else [run_input.input])]
            literals = literals_in(*sources)
            called = reachable(run_input.code, run_input.input) if run_input.expression is not None else set()
            for label in of_input.labels:
                point: Point = points(run_input.code)[label.line]
                if "c" in label.asked:
                    executed[label.executed] += 1
                    known += point.context != "" and (not point.function or point.function in called or not called)
                if "p" in label.asked:
                    assert label.next_line is not None
                    rules["asked"] += 1
                    rules["enters"] += point.enters == label.next_line
                    rules["skips"] += point.skips == label.next_line
                if "s" in label.asked:
                    assert label.value is not None and not is_written(label.value, prompt, literals)
    assert executed[True] == executed[False] > 0 and known == executed.total()
    assert max(rules["enters"], rules["skips"]) <= 0.55 * rules["asked"]


NESTED = """\
def f(xs, n=2):
    for i, x in enumerate(xs):
        if x > n:
            return x
        for j in range(n):
            while j:
                j -= 1
    for y in g(xs):
        pass
    return [z for z in xs]
"""


@pytest.mark.parametrize(("document", "expected"), [
    ({"code": NESTED, "input": "f([1, 2], n=3)"}, {"xs": [1, 2], "n": 3}),
    ({"code": NESTED, "shown": '{"self": {}, "args": {"xs": [1]}, "kwargs": {"n": 4}}'}, {"xs": [1], "n": 4}),
    ({"code": "print(input())", "input": "3 4"}, {}), ({"code": "print(input())", "shown": "3 4"}, {}),
    ({"code": NESTED, "input": "g(open('x'))"}, {}),
])  # fmt: skip
def test_arguments(document, expected):
    assert arguments(document) == expected


def test_iterations_follow_the_iterable_and_decisions_are_as_many():
    loops = iterations(NESTED, {"xs": [7, 8], "n": 2})
    assert loops == {2: {"i": [0, 1], "x": [7, 8]}, 5: {"j": [0, 1, 0, 1]}, 8: {"y": []}, 10: {"z": [7, 8]}}
    assert iterations(NESTED, {})[5] == {"j": []}
    truths = decisions(NESTED, {"xs": [7, 8], "n": 2}, last=True)
    assert truths == {3: [False, True], 6: [True, True, True, False]}


@pytest.mark.parametrize("text", ["__import__('os').listdir()", "(lambda: xs)()", "xs.pop()", "range(10**9)"])
def test_nothing_of_the_program_runs(text):
    values = [1]
    assert iterations(f"for i in {text}:\n    pass\n", {"xs": values}) == {1: {"i": []}} and values == [1]
