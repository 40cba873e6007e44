"""The tracer on programs of every shape; what is expected was worked out by hand, and holds for every version."""

import ast
import textwrap
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_codemind.languages.python.recorder import record, units, written
from lm_eval_codemind.languages.python.tracing import Trace, Value, read_trace, trace
from watching import Watching, runs


def traced(program: str, expression: str = "f()", watch: dict[int, list[str]] | None = None, **options: int) -> Trace:
    """Trace a program in this process."""
    program_units = units(ast.parse(program))
    watches = {number: watch[unit.line] for number, unit in enumerate(program_units) if watch and unit.line in watch}
    plain = record(program, script=False, expression=expression, make=Watching, watches=watches, **options)
    return read_trace(plain, program_units)


def lines(seen: Trace) -> str:
    return " ".join(str(step.line) for step in seen.steps)


@dataclass
class Shape:
    """A program, the lines of its steps, and labels: (line, variable) -> value after and next line, of each run."""

    code: str
    steps: str
    labels: dict[tuple[int, str], list[tuple[str | None, int | None]]]


SHAPES = {
    "a loop, twice round": Shape(
        """\
        def f():
            t = 0
            for i in [3, 4]:
                t += i
            return t
        """,
        "2 3 4 3 4 3 5",
        {(3, "i"): [("3", 4), ("4", 4), ("4", 5)], (4, "t"): [("3", 3), ("7", 3)], (5, "t"): [("7", None)]},
    ),
    "while True, left by break": Shape(
        """\
        def f():
            n = 1
            while True:
                n -= 1
                if n < 0:
                    break
            return n
        """,
        "2 3 4 5 3 4 5 6 7",
        {(4, "n"): [("0", 5), ("-1", 5)], (6, "n"): [("-1", 7)]},
    ),
    "a call: the value is there when the caller goes on": Shape(
        """\
        def g(x):
            x += 1
            return x
        def f():
            x = 5
            y = g(x)
            return x
        """,
        "5 6 2 3 7",
        {(2, "x"): [("6", 3)], (6, "y"): [("6", 2)], (6, "x"): [("5", 2)], (3, "x"): [("6", 7)]},
    ),
    "recursion: each frame has its own values": Shape(
        """\
        def f(n=2):
            if n == 0:
                return 1
            m = n * f(n - 1)
            return m
        """,
        "2 4 2 4 2 3 5 5",
        {(4, "m"): [("2", 2), ("1", 2)], (5, "m"): [("1", 5), ("2", None)], (3, "n"): [("0", 5)]},
    ),
    "comprehensions and lambdas belong to their line": Shape(
        """\
        def f():
            x = 1
            y = [x + k for x in [7, 8]
                 for k in [0]]
            z = sorted([2, 1], key=lambda x: -x)
            w = {k: v for k, v in {1: 2}.items()}, {k for k in [1]}
            v = sum(k for k in y)
            return v
        """,
        "2 3 5 6 7 8",
        {(3, "y"): [("[7, 8]", 5)], (3, "x"): [("1", 5)], (5, "z"): [("[2, 1]", 6)], (7, "v"): [("15", 8)]},
    ),
    "a lambda that calls a function": Shape(
        """\
        def g(x):
            return -x
        def f():
            z = list(map(lambda x: g(x), [1, 2]))
            return z
        """,
        "4 2 2 5",
        {(4, "z"): [("[-1, -2]", 2)], (2, "x"): [("1", 2), ("2", 5)]},
    ),
    "a generator goes on in its own frame": Shape(
        """\
        def g(n):
            for i in range(n):
                x = yield i
            return 5
        def f():
            t = 0
            for k in g(2):
                t += k
            return t
        """,
        "6 7 2 3 8 7 2 3 8 7 2 4 9",
        {(3, "x"): [("None", 8), ("None", 8)], (3, "i"): [("0", 8), ("1", 8)], (8, "t"): [("0", 7), ("1", 7)]},
    ),
    "yield from gives the value that was returned": Shape(
        """\
        def g():
            yield 1
            return 2
        def h():
            x = yield from g()
            yield x
        def f():
            return list(h())
        """,
        "8 5 2 3 6",
        {(5, "x"): [("2", 2)], (6, "x"): [("2", None)]},
    ),
    "a generator that is closed where it waits": Shape(
        """\
        def g():
            x = yield 1
            yield x
        def f():
            k = g()
            n = next(k)
            k.close()
            return n
        """,
        "5 6 2 7 8",
        {(6, "n"): [("1", 2)], (2, "x"): [(None, 7)]},
    ),
    "coroutines": Shape(
        """\
        async def g(a):
            return a + 1
        async def h(a):
            b = await g(a)
            return b
        def f():
            try:
                h(1).send(None)
            except StopIteration as e:
                r = e.value
            return r
        """,
        "7 8 4 2 5 9 10 11",
        {(4, "b"): [("2", 2)], (5, "b"): [("2", 9)], (10, "r"): [("2", 11)], (8, "r"): [(None, 4)]},
    ),
    "exceptions: values at the end of the line that raises": Shape(
        """\
        def g(x):
            x += 1
            y = x / 0
            return y
        def f():
            t = 1
            try:
                t = g(t)
                t = 9
            except (KeyError, ZeroDivisionError) as e:
                t += 5
            else:
                t = 7
            finally:
                t += 100
            return t
        """,
        "6 7 8 2 3 10 11 15 16",
        {(3, "x"): [("2", 10)], (3, "y"): [(None, 10)], (8, "t"): [("1", 2)], (9, "t"): [], (15, "t"): [("106", 16)]},
    ),
    "finally after return": Shape(
        """\
        def f():
            n = 0
            for i in range(2):
                try:
                    if i:
                        continue
                    n += 1
                finally:
                    n += 10
            try:
                return n
            finally:
                n = -1
        """,
        "2 3 4 5 7 9 3 4 5 6 9 3 10 11 13",
        {(9, "n"): [("11", 3), ("21", 3)], (11, "n"): [("21", 13)], (13, "n"): [("-1", None)]},
    ),
    "with: leaving it is not a step, what it calls is": Shape(
        """\
        class C:
            def __init__(self):
                self.n = 0
            def __enter__(self):
                return self
            def __exit__(self, *rest):
                self.n += 1
                return True
        def f():
            c = C()
            for i in range(2):
                with c as d:
                    d.n += 10
                    if i:
                        raise ValueError
            return c.n
        """,
        "10 3 11 12 5 13 14 7 8 11 12 5 13 14 15 7 8 11 16",
        {
            (13, "d.n"): [("10", 14), ("21", 14)],
            (14, "d.n"): [("10", 7), ("21", 15)],
            (15, "c.n"): [("21", 7)],
            (7, "self.n"): [("11", 8), ("22", 8)],
            (16, "c.n"): [("22", None)],
        },
    ),
    "decorators": Shape(
        """\
        def deco(fn):
            def inner(*a):
                k = fn(*a)
                return k
            return inner
        def f():
            @deco
            @deco
            def g(
                a,
            ):
                return a
            return g(4)
        """,
        "7 2 5 2 5 13 3 3 12 4 4",
        {(3, "k"): [("4", 3), ("4", 12)], (12, "a"): [("4", 4)], (4, "k"): [("4", 4), ("4", None)]},
    ),
    "several statements on a line": Shape(
        """\
        def f():
            x = 1; y = x + 1; x = 5
            if x: y += 1
            if not x: y = 0
            return y
        """,
        "2 2 2 3 3 4 5",
        {(2, "x"): [("5", 3)], (2, "y"): [("2", 3)], (3, "y"): [("3", 4)], (4, "y"): [("3", 5)]},
    ),
    "a loop on one line runs once a turn": Shape(
        """\
        def f():
            x = 1
            for j in [2, 3]: x *= j
            while x > 5: x -= 1
            return x
        """,
        "2 3 3 3 3 3 4 4 4 5",
        {(3, "x"): [("2", 3), ("6", 3), ("6", 4)], (4, "x"): [("5", 4), ("5", 5)]},
    ),
    "nested functions and nonlocal": Shape(
        """\
        def f():
            n = 0
            def up():
                nonlocal n
                n += 1
                return n
            up()
            m = up() + n
            return m
        """,
        "2 3 7 5 6 8 5 6 9",
        {(5, "n"): [("1", 6), ("2", 6)], (7, "n"): [("1", 5)], (8, "m"): [("4", 5)]},
    ),
    "attributes, tuples and private names": Shape(
        """\
        class A:
            def __init__(self):
                self.__t = [0, 0]
                self.d = {}
            def put(self, i):
                self.__t[i - 1] += 4
                self.d[i] = self.__t
                self.d[i][0], i = 9, 0
                return self
        def f():
            a = A()
            a.put(2)
            return a
        """,
        "11 3 4 12 6 7 8 9 13",
        {
            (3, "self.__t"): [("[0, 0]", 4)],
            (6, "self.__t"): [("[0, 4]", 7)],
            (6, "(i, self.d)"): [("(2, {})", 7)],
            (8, "self.d"): [("{2: [9, 4]}", 9)],
        },
    ),
    "a value is what it was then, not what became of it": Shape(
        """\
        def f():
            a = [1]
            b = a
            b.append(2)
            del a
            return b
        """,
        "2 3 4 5 6",
        {(2, "a"): [("[1]", 3)], (4, "a"): [("[1, 2]", 5)], (5, "a"): [(None, 6)], (6, "b"): [("[1, 2]", None)]},
    ),
    "match": Shape(
        """\
        def f():
            for n in (1, (2, 3)):
                match n:
                    case 1:
                        r = 1
                    case (a, b) if a > b:
                        r = 2
                    case (a, b):
                        r = a + b
            return r
        """,
        "2 3 4 5 2 3 4 6 8 9 2 10",
        {(5, "r"): [("1", 2)], (9, "r"): [("5", 2)], (7, "r"): []},
    ),
    "a class inside, and statements that do nothing": Shape(
        '''\
        def f():
            """Doc."""
            class K:
                """Doc."""
                z = 1
                def m(self):
                    pass
                    ...
                    return self.z
            assert K.z
            return K().m()
        ''',
        "3 4 5 6 10 11 7 8 9",
        {(5, "z"): [("1", 6)], (9, "self.z"): [("1", None)]},
    ),
    "one statement over several lines": Shape(
        """\
        def g(*a):
            return a
        def f():
            x = g(
                1,
                [2
                 ],
            )
            if (
                x
                and len(x) > 5
            ):
                x = 0
            return x
        """,
        "4 2 9 14",
        {(4, "x"): [("(1, [2])", 2)], (9, "x"): [("(1, [2])", 14)]},
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape(name: str) -> None:
    shape = SHAPES[name]
    watch: dict[int, list[str]] = {}
    for line, variable in shape.labels:
        watch.setdefault(line, []).append(variable)
    seen = traced(textwrap.dedent(shape.code), watch=watch)
    assert lines(seen) == shape.steps
    for (line, variable), expected in shape.labels.items():
        pairs = []
        for run in runs(seen, line):
            value = run.values.get(variable)
            pairs.append((value and value.literal, None if run.next is None else seen.steps[run.next].line))
        assert pairs == expected, (line, variable)


def test_how_a_step_ends() -> None:
    seen = traced("def g():\n    int('x')\ndef f():\n    try:\n        g()\n    except ValueError:\n        return 1\n")
    assert [step.end for step in seen.steps] == ["line", "line", "exception", "line", "return"]


def test_a_trace_stops_at_its_limit_and_the_program_goes_on() -> None:
    seen = traced("def f():\n    n = 0\n    while n < 50:\n        n += 1\n    return n\n", max_steps=10)
    assert seen.truncated and len(seen.steps) == 10 and seen.output and seen.output.literal == "50"


def test_code_of_the_program_is_not_run_for_a_value() -> None:
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


def test_what_does_not_exist_has_no_value() -> None:
    seen = traced("class A: n = 1\ndef f():\n    a = A()\n    return a\n", watch={3: ["z", "a.x", "a.n"]})
    *missing, there = seen.steps[0].values.values()
    assert missing == [None] * 2 and there is not None and there.literal == "1"


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        ({3, 1, 2}, "{1, 2, 3}"),
        (set(), "set()"),
        (frozenset({"b", "a"}), "frozenset({'a', 'b'})"),
        ({"b": 1, "a": (2,)}, "{'b': 1, 'a': (2,)}"),
        ([float("inf"), -0.0, 1j, b"x", None, ...], "[float('inf'), -0.0, 1j, b'x', None, Ellipsis]"),
        (object(), None),
        ([1, len], None),
        (type("S", (str,), {})("x"), None),
        ("x" * 200, None),
        ([10**99], None),
    ],
)
def test_literals(value: object, literal: str | None) -> None:
    assert written(value, 100) == literal


def test_a_value_that_contains_itself_has_no_literal() -> None:
    value: list[object] = []
    value.append(value)
    assert written(value, 10**9) is None


def test_in_the_sandbox() -> None:
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
def test_the_trace_is_what_the_program_logs_of_itself(body: list[str], a: int, b: int) -> None:
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
