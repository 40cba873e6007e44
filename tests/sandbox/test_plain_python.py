# ruff: noqa: E501
"""Right programs come out as under plain Python, and wrong ones as well: where modules and the process matter."""

from textwrap import indent
from typing import Any

import pytest

from lm_eval_codemind.sandbox import Job, Outcome, Sandbox, Status


def suite(program: str, tests: str) -> Job:
    """Return a job of assertions on ``candidate``, or else of the lines of one test method of a class ``X``."""
    if "candidate" in tests:
        return Job.function(program, "def check(candidate):\n" + indent(tests, "    "), "f")
    head = "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
    return Job.unittest(program, head + indent(tests, "        "), "X")


def plain(job: Job) -> bool:
    """Whether plain Python passes it, all in one namespace."""
    # Dataclasses look for their module.
    space: dict[str, Any] = {"__name__": "builtins"}
    try:
        exec(compile(job.program, "program", "exec", dont_inherit=True), space)
        exec(compile(job.tests, "tests", "exec", dont_inherit=True), space)
        if job.kind == "function":
            space["check"](space["f"])
        else:
            space["T"]("test").debug()
    except Exception:
        return False
    return True


# Name: program and tests. They are right unless the name says what must not be.
# fmt: off
CASES = {
    "named tuple with methods": (
        "from typing import NamedTuple\nclass X(NamedTuple):\n    a: int\n    b: int = 2\n"
        "    def swap(self): return X(self.b, self.a)\n"
        "    def __add__(self, o): return X(self.a + o.a, self.b + o.b)\n",
        "p = X(1)\nself.assertEqual(p, (1, 2))\nself.assertEqual(p.swap(), X(2, 1))\n"
        "self.assertEqual(p._asdict(), {'a': 1, 'b': 2})\nself.assertEqual(p._replace(a=5).a, 5)\na, b = p\n"
        "self.assertEqual(b, 2)\nself.assertEqual((p + p).a, 2)\nself.assertEqual(repr(p), 'X(a=1, b=2)')\n"
        "self.assertEqual(X._fields, ('a', 'b'))"),
    "dataclass": (
        "from dataclasses import dataclass, field\n@dataclass(order=True, frozen=True)\nclass X:\n    a: int\n"
        "    b: tuple = ()\n",
        "self.assertEqual(X(1), X(1))\nself.assertNotEqual(X(1), X(2))\nself.assertLess(X(1), X(2))\n"
        "self.assertEqual(len({X(1), X(1)}), 1)\nself.assertEqual(repr(X(1)), 'X(a=1, b=())')\n"
        "self.assertEqual(sorted([X(3), X(2)])[0].a, 2)\nself.assertEqual({X(1): 5}[X(1)], 5)"),
    "enumeration": (
        "import enum\nclass X(enum.Enum):\n    RED = 1\n    BLUE = 2\n    def label(self): return self.name.lower()\n",
        "self.assertEqual(X(1), X.RED)\nself.assertIs(X['BLUE'], X.BLUE)\n"
        "self.assertEqual([m.value for m in X], [1, 2])\nself.assertEqual(X.RED.label(), 'red')\n"
        "self.assertEqual(len(X), 2)\nself.assertNotEqual(X.RED, 1)\nself.assertEqual(str(X.RED), 'X.RED')\n"
        "with self.assertRaises(ValueError): X(9)\nself.assertIn(X.RED, X)"),
    "own exceptions": (
        "class Base(Exception): pass\nclass Low(Base):\n    def __init__(self, need, have):\n"
        "        super().__init__(f'need {need}'); self.need = need; self.have = have\n"
        "    def __str__(self): return f'{self.need}>{self.have}'\nclass X:\n    def pay(self, n):\n"
        "        raise Low(n, 1)\n",
        "with self.assertRaises(Base) as caught: X().pay(5)\nself.assertIsInstance(caught.exception, Low)\n"
        "self.assertEqual(caught.exception.need, 5)\nself.assertEqual(str(caught.exception), '5>1')\n"
        "self.assertTrue(issubclass(Low, Base))"),
    "library exceptions": (
        "import json, statistics, subprocess, zipfile, decimal\ndef f(k):\n    if k == 0: json.loads('[1')\n"
        "    if k == 1: statistics.mean([])\n    if k == 2: open('/nowhere')\n    if k == 3: {}['x']\n"
        "    if k == 4: raise SystemExit(3)\n    if k == 5: raise KeyError('a', 'b')\n"
        "    if k == 6: decimal.Decimal('x')\n    if k == 7: int('z')\n",
        "import json, statistics, decimal\n"
        "for k, kind in enumerate([json.JSONDecodeError, statistics.StatisticsError, FileNotFoundError, KeyError,\n"
        "                          SystemExit, KeyError, decimal.InvalidOperation, ValueError]):\n"
        "    try: candidate(k)\n    except kind as e:\n"
        "        if k == 0: assert e.pos == 2 and e.lineno == 1 and e.doc == '[1'\n"
        "        if k == 2: assert e.errno == 2 and e.filename == '/nowhere'\n"
        "        if k == 3: assert e.args == ('x',) and str(e) == \"'x'\"\n        if k == 4: assert e.code == 3\n"
        "    else: assert False"),
    "a list that is kept, and must not be": (
        "class X:\n    def __init__(s, items): s.items = items\n    def add(s, i): s.items.append(i)\n",
        "own = [1]\nx = X(own)\nx.add(2)\nself.assertEqual(own, [1])"),
    "a default argument that is kept, and must not be": ("def f(x, seen=[]):\n    seen.append(x)\n    return seen\n",
        "a = candidate(1)\nb = candidate(2)\nassert a == [1]"),
    "functions": ("def f(n):\n    'Makes one.'\n    def add(x, y=1): return n + x + y\n    return add\n",
        "g = candidate(1)\nassert g(1) == 3 and g.__name__ == 'add' and candidate.__doc__ == 'Makes one.'\n"
        "assert candidate.__name__ == 'f' and list(map(g, [1, 2])) == [3, 4] and callable(g)"),
    "signatures": ("def f(a, b: int = 2): return 1\n",
        "import inspect\nassert str(inspect.signature(candidate)) == '(a, b: int = 2)'"),
    "values": (
        "import array, collections, datetime, decimal, ipaddress, pathlib, types, uuid, zoneinfo\ndef f():\n"
        "    return [array.array('i', [1]), collections.ChainMap({'a': 1}), {'a': 1}.keys(), memoryview(b'x'),\n"
        "            uuid.UUID(int=1), pathlib.Path('/a/b'), ipaddress.ip_address('::1'), types.SimpleNamespace(a=[1]),\n"
        "            datetime.timezone.utc, datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc),\n"
        "            collections.defaultdict(lambda: 7, {'a': 1}), frozenset({1}), {1: 2}.values(), types.MappingProxyType({1: 2})]\n",
        "import array, collections, datetime, ipaddress, pathlib, types, uuid\n"
        "a, c, k, m, u, p, i, s, z, t, d, z2, v, y = candidate()\n"
        "assert a == array.array('i', [1]) and c == {'a': 1} and k == {'a'} and m == b'x' and u == uuid.UUID(int=1)\n"
        "assert p == pathlib.Path('/a/b') and i == ipaddress.ip_address('::1') and s == types.SimpleNamespace(a=[1])\n"
        "assert z == datetime.timezone.utc and t.isoformat() == '2024-01-01T00:00:00+00:00' and d['b'] == 7\n"
        "assert d == {'a': 1, 'b': 7} and list(v) == [2] and y == {1: 2}"),
    "arrays": (
        "import numpy as np\ndef f():\n"
        "    return [np.ma.array([1, 2], mask=[0, 1]), np.matrix([[1, 2]]), np.float32(1.5),\n"
        "            np.array([(1, 2.0)], dtype=[('a', 'i4'), ('b', 'f8')]), np.array([[1], None], dtype=object)]\n",
        "import numpy as np\nm, x, s, r, o = candidate()\n"
        "assert m.mask.tolist() == [False, True] and (x * x.T)[0, 0] == 5\n"
        "assert s.dtype == 'float32' and r['b'][0] == 2.0 and o.tolist() == [[1], None]"),
    "generators": ("def f(n):\n    got = yield n\n    yield got\n",
        "import types\ng = candidate(1)\n"
        "assert isinstance(g, types.GeneratorType) and next(g) == 1 and g.send(5) == 5\ntry: next(g)\n"
        "except StopIteration: pass\nelse: assert False"),
    "captured output": ("class X:\n    def hi(s): print('hi')\n",
        "import io, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out): X().hi()\n"
        "self.assertEqual(out.getvalue(), 'hi\\n')"),
    "the seed": ("import random\ndef f(): return random.random()\n",
        "import random\nrandom.seed(3)\na = candidate()\nrandom.seed(3)\nassert a == random.random()"),
    "callbacks": ("def f(g, xs): return sorted(xs, key=g)\n",
        "calls = []\nassert candidate(lambda x: calls.append(x) or -x, [1, 2]) == [2, 1]\nassert calls == [1, 2]"),
    "copies": ("class X:\n    def __init__(s): s.a = [1]\n",
        "import copy\nx = X()\ny = copy.deepcopy(x)\ny.a.append(2)\nself.assertEqual((x.a, y.a), ([1], [1, 2]))"),
}
# fmt: on


@pytest.fixture(scope="module")
def outcomes(sandbox: Sandbox) -> dict[str, Outcome]:
    return dict(zip(CASES, sandbox.run(suite(*case) for case in CASES.values()), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_as_in_plain_python_and_says_that_the_program_shared_the_process(name, outcomes):
    right = "must not be" not in name
    assert plain(suite(*CASES[name])) is right
    assert (outcomes[name].passed, outcomes[name].tamper_proof) == (right, False), outcomes[name]


# fmt: off
SCRIPTS = {
    "a file for standard input": (
        "import sys, os, mmap\nprint(os.fstat(0).st_size, sys.stdin.fileno())\n"
        "print(mmap.mmap(0, 0, prot=mmap.PROT_READ)[:3])\nprint(sys.stdin.readline().strip())\nsys.stdin.seek(0)\n"
        "print(sys.stdin.read().split())\n",
        "a b\nc\n", "6 0\nb'a b'\na b\n['a', 'b', 'c']\n"),
    "the end of a script": (
        "import atexit, threading, time\nclass A:\n    def __del__(self): print('del')\natexit.register(print, 'exit')\n"
        "a = A()\nthreading.Thread(target=lambda: (time.sleep(0.05), print('thread'))).start()\nprint('main')\n",
        "", "main\nthread\nexit\ndel\n"),
    "the end of a script that leaves": (
        "import atexit, sys\natexit.register(print, 'exit')\nprint('main')\nsys.exit()\n", "", "main\nexit\n"),
    "a file nobody closed": ("out = open(1, 'w', closefd=False)\nout.write('x')\n", "", "x\n"),
    "its own source": (
        "print(open(__file__).readline().strip())  # here\n", "", "print(open(__file__).readline().strip())  # here\n"),
    "the line of a traceback": (
        "import traceback\ntry:\n    {}['k']\nexcept KeyError:\n    shown = traceback.format_exc()\n"
        "    print(shown.splitlines()[-2 - ('^' in shown)].strip())\n",
        "", "{}['k']\n"),
}
# fmt: on


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_run_to_their_very_end(name, sandbox):
    program, stdin, expected = SCRIPTS[name]
    outcome = sandbox.submit(Job.script(program, [(stdin, expected)])).result()
    assert outcome.status is Status.PASSED, outcome
