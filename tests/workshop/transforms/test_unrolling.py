"""Loops replaced by what they did: shapes by hand, and generated programs, which must give the same unrolled."""

import ast
import json
import sys
import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_codemind.workshop.transforms.unrolling import MAX_CHARACTERS, Execution, Unrollable, unrolled
from loop_recorder import literal_of, record
from prove_unrolled import executions, has_loops, instrumented, ran_a_loop


def run_of(code: str, expression: str = "f()") -> list[Execution]:
    """Record a run in this process; what it gives has been through JSON, as what is shipped."""
    before = sys.stdin
    try:
        recorded = json.loads(json.dumps(record(instrumented(code), expression, "", 20_000)))
    finally:
        sys.stdin = before
        sys.modules.pop("program", None)
    return executions(recorded)


def unroll(code: str, expression: str = "f()") -> str:
    text = unrolled(code, run_of(code, expression))
    assert value(text, expression) == value(code, expression)
    assert not has_loops(text)
    return text


def value(code: str, expression: str = "f()") -> Any:
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(code, namespace)
    return eval(expression, namespace)


# The body of a function f, and the same unrolled.
# fmt: off
SHAPES = {
    "break, continue and else": ("""
        out = []
        for x in (1, 2, 3):
            if x == 2: continue
            if x == 3: break
            out.append(x)
        else: out.append("else")
        return out
        """, "out = []\nx = 1\nout.append(x)\nx = 2\nx = 3\nreturn out"),
    "the decision that led to a jump, and the return that ended the run": ("""
        won = False
        for x in (1, 2, 3, 4):
            if x == 2:
                won = True
                break
        for x in (5, 6):
            if x > 5:
                if won: return x
                break
            else:
                won = x > 4
                continue
        return 0
        """,
        "won = False\nx = 1\nx = 2\nif x == 2:\n    won = True\n"
        "x = 5\nif x > 5:\n    pass\nelse:\n    won = x > 4\n"
        "x = 6\nif x > 5:\n    if won:\n        return x\nreturn 0"),
    "a while loop's else, and a condition with an effect": ("""
        q = [3]
        n = 2
        while n > 1: n -= 1
        else: n = 9
        while q and q.pop(): n += 1
        return n
        """, "q = [3]\nn = 2\nn -= 1\nn = 9\nq and q.pop()\nn += 1\nq and q.pop()\nreturn n"),
    "values that are changed come from the iterator": ("""
        grid = [[1], [2]]
        for i, row in enumerate(grid): row.append(i)
        return grid
        """,
        "grid = [[1], [2]]\niterator = iter(enumerate(grid))\ni, row = next(iterator)\nrow.append(i)\n"
        "i, row = next(iterator)\nrow.append(i)\nreturn grid"),
    "an iterator that others use, too": ("""
        it = iter([1, 2, 3, 4])
        out = []
        for x in it: out.append(x + next(it))
        return out
        """,
        "it = iter([1, 2, 3, 4])\nout = []\niterator = iter(it)\nx = next(iterator)\nout.append(x + next(it))\n"
        "x = next(iterator)\nout.append(x + next(it))\nreturn out"),
    "a loop that never ran, and other conditions": ("""
        out = [x for x in range(3)]
        if out:
            for x in out[:1]:
                if x == 0: out.append(9)
        else:
            for x in out: print(x)
        return out
        """, "out = [x for x in range(3)]\nif out:\n    x = 0\n    if x == 0:\n        out.append(9)\nreturn out"),
    "try around jumps": ("""
        out = []
        for x in ("1", "a", "3", "4"):
            try:
                int(x)
                if x == "3": break
            except ValueError: continue
            finally: out.append("finally")
            out.append(x)
        return out
        """,
        "out = []\n"
        "x = '1'\ntry:\n    int(x)\nexcept ValueError:\n    pass\nfinally:\n    out.append('finally')\nout.append(x)\n"
        "x = 'a'\ntry:\n    int(x)\nexcept ValueError:\n    pass\nfinally:\n    out.append('finally')\n"
        "x = '3'\ntry:\n    int(x)\nexcept ValueError:\n    pass\nfinally:\n    out.append('finally')\nreturn out"),
}
# fmt: on


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    body, expected = SHAPES[name]
    text = unroll("def f():" + textwrap.indent(textwrap.dedent(body), "    "))
    assert textwrap.dedent(text.partition("\n")[2]).strip("\n") == expected


CALLS = """
class Bag:
    def __init__(self):
        self.items = []

    def add(self, n):
        for i in range(n):
            self.items.append(i)
        return self

def fact(n):
    product = 1
    for i in range(n):
        product *= i + 1
    return product + (fact(n - 1) if n else 0)

def same(x):
    for i in range(2):
        x += i
    return x

def f():
    return Bag().add(1).add(2).items, fact(2), [same(x) for x in (1, 2, 3)], list(map(same, [4]))
"""


def test_functions_are_specialised_to_their_calls():
    text = unroll(CALLS)
    assert "Bag().add(1).add_2(2).items, fact(2), [same(x) for x in (1, 2, 3)]" in text
    assert "fact_2(n - 1)" in text and "fact_3(n - 1)" in text and "same_2" not in text


@pytest.mark.parametrize(("reason", "code"), [
    ("indirect", "def g(n):\n  for i in range(n): pass\n  return n\ndef f(): return list(map(g, [1, 2]))"),
    ("repeated", "def g(n):\n  for i in range(n): n += i\n  return n\ndef f(): return [g(n) for n in [1, 2]]"),
    ("size", "def f():\n  t = 0\n  for i in range(2000): t += i\n  return t"),
    ("size", "def f():\n  for i in range(30000): pass"),
    ("syntax", "class A:\n  for i in range(3): x = i\ndef f(): return A.x"),
    ("syntax", "def f():\n  for i in range(3):\n    try: pass\n    finally: break\n  return i"),
])  # fmt: skip
def test_what_cannot_be_unrolled_has_a_reason(reason, code):
    with pytest.raises(Unrollable) as raised:
        unrolled(code, run_of(code))
    assert raised.value.reason == reason


def test_scripts_and_programs_without_a_loop_that_runs():
    script = "total = 0\nfor x in range(2):\n    total += x\n"
    run = run_of(script, "total")
    assert unrolled(script, run) == "total = 0\nx = 0\ntotal += x\nx = 1\ntotal += x\n" and ran_a_loop(run)
    assert not ran_a_loop(run_of("def f(n=0):\n    if n:\n        for i in []: pass\n"))
    assert not has_loops("def f(): return [x for x in range(3)]")


def test_literals_are_immutable():
    assert [literal_of(v) for v in (1, "a", (1, (2,)), None, -0.5)] == ["1", "'a'", "(1, (2,))", "None", "-0.5"]
    assert [literal_of(v) for v in ([1], ([1],), {1}, float("nan"), "x" * 300, object())] == [None] * 6


CONDITIONS = st.sampled_from(["t % 2", "t % 3 == 1", "t > 6", "len(out) % 2 == 0", "helper(t) > 3", "not out"])
SIMPLE = st.sampled_from(["t += 1", "out.append(t)", "t = helper(t)", "out += [y for y in range(t % 3)]", "t -= 2"])
HEADS = st.sampled_from(
    ["for {v} in range(3):", "for {v} in list(out)[:3]:", "for {v}, z in enumerate([[t], [2]]):", "while guard(3):"]
)


@st.composite
def suites(draw: st.DrawFn, depth: int = 0, looped: bool = False) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["simple", "if"] + (["jump"] if looped else []) + (["loop", "try"] if depth < 3 else [])
        kind = draw(st.sampled_from(kinds)) if depth < 4 else "simple"
        if kind == "simple":
            lines.append(draw(SIMPLE))
        elif kind == "jump":
            lines += [f"if {draw(CONDITIONS)}:", "    " + draw(st.sampled_from(["break", "continue", "return out"]))]
        elif kind == "if":
            lines += [f"if {draw(CONDITIONS)}:", *_indented(draw(suites(depth + 1, looped)))]
            if draw(st.booleans()):
                lines += ["else:", *_indented(draw(suites(depth + 1, looped)))]
        elif kind == "try":
            lines += ["try:", *_indented(draw(suites(depth + 1, looped))), "    [][t % 2]"]
            lines += ["except IndexError:", *_indented(draw(suites(depth + 1, looped)))]
            lines += ["finally:", f"    {draw(SIMPLE)}"]
        else:
            lines += [draw(HEADS).format(v=f"x{depth}"), *_indented(draw(suites(depth + 1, True)))]
            if draw(st.booleans()):
                lines += ["else:", *_indented(draw(suites(depth + 1, looped)))]
    return lines


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


PROGRAM = """
turns = [0]

def guard(n):
    # One loop inside another takes the turns at which the outer one would end.
    turns[0] += 1
    return turns[0] % (n + 1) != 0 and turns[0] < 60

def helper(t):
    while t > 5:
        t -= 3
    return t

def f():
    out, t = [], 4
{}
    return out, t
"""


@settings(max_examples=60, deadline=None)
@given(suites())
def test_generated_programs_give_the_same(lines):
    code = PROGRAM.format("\n".join(_indented(lines)))
    ast.parse(code)
    try:
        unroll(code)
    except Unrollable as error:
        assert error.reason == "size"


def test_the_limit_is_kept():
    code = "def f():\n    t = 0\n    for i in range(300):\n        t += i\n    return t"
    assert len(unroll(code)) <= MAX_CHARACTERS
