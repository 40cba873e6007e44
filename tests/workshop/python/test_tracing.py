"""The tracer on programs of every shape; what is expected was worked out by hand, and holds for every version."""

import ast
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.languages.python.units import units
from lm_eval_codemind.workshop.python.recorder import record, written
from lm_eval_codemind.workshop.python.tracing import Trace, Value, read_trace, runs_of, trace
from watching import Watching

FILE = Path(__file__).with_name("tracing_shapes.yaml")
SHAPES: list[dict[str, Any]] = read_yaml(FILE)


def traced(program: str, expression: str = "f()", watch: dict[int, list[str]] | None = None, **options: int) -> Trace:
    """Trace a program in this process."""
    program_units = units(ast.parse(program))
    watches = {number: watch[unit.line] for number, unit in enumerate(program_units) if watch and unit.line in watch}
    plain = record(program, script=False, expression=expression, make=Watching, watches=watches, **options)
    return read_trace(plain, program_units)


def lines(seen: Trace) -> str:
    return " ".join(str(step.line) for step in seen.steps)


@pytest.mark.parametrize("shape", SHAPES, ids=[shape["name"] for shape in SHAPES])
def test_shape(shape):
    labels = [(*label.split(" ", 1), expected) for label, expected in shape["labels"].items()]
    watch: dict[int, list[str]] = {}
    for line, variable, _ in labels:
        watch.setdefault(int(line), []).append(variable)
    seen = traced(shape["code"], watch=watch)
    assert lines(seen) == shape["steps"]
    for line, variable, expected in labels:
        pairs = []
        for run in runs_of(seen, int(line)):
            value = run.values.get(variable)
            pairs.append([value and value.literal, None if run.next is None else seen.steps[run.next].line])
        assert pairs == expected, (line, variable)


def test_how_a_step_ends():
    seen = traced("def g():\n    int('x')\ndef f():\n    try:\n        g()\n    except ValueError:\n        return 1\n")
    assert [step.end for step in seen.steps] == ["line", "line", "exception", "line", "return"]


def test_a_trace_stops_at_its_limit_and_the_program_goes_on():
    seen = traced("def f():\n    n = 0\n    while n < 50:\n        n += 1\n    return n\n", max_steps=10)
    assert seen.truncated and len(seen.steps) == 10 and seen.output and seen.output.literal == "50"


def test_code_of_the_program_is_not_run_for_a_value():
    """Neither properties nor ``__getattr__`` or ``__repr__`` of the program's classes."""
    code = """\
class A(dict):
    @property
    def p(self): return 1 / 0
    def __getattr__(self, name): return 1 / 0
    def __repr__(self): return 1 / 0
def f():
    a = A(k=3)
    return a
"""
    seen = traced(code, watch={7: ["a", "a.p", "a.q"]})
    values = seen.steps[0].values
    assert {name: value and value.literal for name, value in values.items()} == {"a": None, "a.p": None, "a.q": None}
    assert all(value is not None for value in values.values())


def test_what_does_not_exist_has_no_value():
    seen = traced("class A: n = 1\ndef f():\n    a = A()\n    return a\n", watch={3: ["z", "a.x", "a.n"]})
    *missing, there = seen.steps[0].values.values()
    assert missing == [None] * 2 and there is not None and there.literal == "1"


@pytest.mark.parametrize(("value", "literal"), [
    ({3, 1, 2}, "{1, 2, 3}"), (set(), "set()"), (frozenset({"b", "a"}), "frozenset({'a', 'b'})"),
    ({"b": 1, "a": (2,)}, "{'b': 1, 'a': (2,)}"),
    ([float("inf"), -0.0, 1j, b"x", None, ...], "[float('inf'), -0.0, 1j, b'x', None, Ellipsis]"), (object(), None),
    ([1, len], None), (type("S", (str,), {})("x"), None), ("x" * 200, None), ([10**99], None),
])  # fmt: skip
def test_literals(value, literal):
    assert written(value, 100) == literal


def test_a_value_that_contains_itself_has_no_literal():
    value: list[object] = []
    value.append(value)
    assert written(value, 10**9) is None


def test_in_the_sandbox():
    seen = trace("def f(x):\n    y = x + 1\n    return y\n", "f(3)", max_steps=100, max_value=100)
    assert lines(seen) == "2 3" and seen.steps[0].values == {"x": Value("int", "3"), "y": Value("int", "4")}
    script = trace("n = int(input())\nprint(n + 1)\n", stdin="4\n", max_steps=100, max_value=100)
    assert lines(script) == "1 2" and script.stdout == "5\n"


# Programs that log themselves: each statement is preceded by a call that writes down its line and, of the same frame,
# what its variables hold by then.
_simple = st.sampled_from(["a = b + 1", "b += a", "a, b = b, a % 7", "xs.append(a)", "b = len([k for k in xs if k])",
                           "a = g(b)", "b = max(xs, key=lambda k: -k, default=0)"])  # fmt: skip
_body = st.recursive(
    st.lists(_simple, min_size=1, max_size=3),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(st.sampled_from(["if a % 2:", "for k in range(2):", "with c:"]), inner).map(
            lambda pair: [pair[0], *(f"    {line}" for line in pair[1])]
        ),
        st.tuples(inner, inner).map(
            lambda pair: ["try:", *(f"    {line}" for line in pair[0]), "    a = 1 // (b % 2)",
                          "except ZeroDivisionError:", *(f"    {line}" for line in pair[1])]
        ),
    ),
    max_leaves=6,
)  # fmt: skip
_HEAD = """\
class C:
    def __enter__(self): return self
    def __exit__(self, *rest): return False
c = C()
def g(n):
    n = n % 5
    return n
def f(a, b):
    xs = []
"""


@settings(max_examples=60, deadline=None)
@given(_body, st.integers(0, 3), st.integers(0, 3))
def test_the_trace_is_what_the_program_logs_of_itself(body, a, b):
    code = _HEAD + "".join(f"    {line}\n" for line in body) + "    return xs\n"
    log: list[tuple[int, tuple[object, ...]]] = []

    def note(line: int, *values: object) -> None:
        log.append((line, (values[0], values[1], repr(values[2]))))

    space: dict[str, object] = {"note": note}
    exec(compile(_logging(code), "logging", "exec"), space)
    space["f"](a, b)  # type: ignore[operator]
    watch = {number + 1: ["a", "b", "xs"] for number in range(len(code.splitlines()))}
    seen = traced(code, f"f({a}, {b})", watch)
    # Headers of loops and handlers are not logged, since nothing can be written before a second look at them.
    unlogged = ("for", "except", "with", "try")
    text = code.splitlines()
    steps = [
        (before, step)
        for before, step in pairwise(step for step in seen.steps if step.frame == 0)
        if step.line > 9 and not text[step.line - 1].strip().startswith(unlogged)
    ]
    assert [step.line for _, step in steps] == [line for line, _ in log]
    # What holds before a step is what held after the step before it in the same frame.
    for (before, _), (_, (x, y, zs)) in zip(steps, log, strict=True):
        assert [value and value.literal for value in before.values.values()] == [repr(x), repr(y), zs]


def _logging(code: str) -> ast.Module:
    tree = ast.parse(code)
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "f")

    def with_notes(body: list[ast.stmt]) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for statement in body:
            if not isinstance(statement, (ast.For, ast.With, ast.Try)) and statement.lineno > 9:
                statements += ast.parse(f"note({statement.lineno}, a, b, xs)").body
            for name in ("body", "orelse", "finalbody"):
                if getattr(statement, name, None):
                    setattr(statement, name, with_notes(getattr(statement, name)))
            for handler in getattr(statement, "handlers", ()):
                handler.body = with_notes(handler.body)
            statements.append(statement)
        return statements

    function.body = with_notes(function.body)
    return ast.fix_missing_locations(tree)
