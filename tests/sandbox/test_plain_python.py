# ruff: noqa: E501
"""Right programs come out as under plain Python, and wrong ones as well: each kind of thing that tests look at."""

from __future__ import annotations

from typing import Any

import pytest

from lm_eval_codemind.sandbox import Job, Outcome, Sandbox, Status


def suite(kind: str, program: str, tests: str) -> Job:
    """Return a job of assertions (``f``), or of the lines of one test method (``X``)."""
    if kind == "f":
        body = "".join(f"    {line}\n" for line in tests.strip().splitlines())
        return Job.function(program, f"def check(candidate):\n{body}", "f")
    body = "".join(f"        {line}\n" for line in tests.strip().splitlines())
    return Job.unittest(program, f"import unittest\nclass T(unittest.TestCase):\n    def test(self):\n{body}", "X")


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
            case = space["T"]("test")
            case.debug()
    except Exception:
        return False
    return True


# Name: kind, program, tests, whether it is right, and whether it is judged from outside.
CASES: dict[str, tuple[str, str, str, bool, bool]] = {
    "dict subclass": (
        "X",
        "from collections import OrderedDict\n"
        "class X(OrderedDict):\n"
        "    def __init__(self, size): super().__init__(); self.size = size\n"
        "    def get(self, key):\n"
        "        if key not in self: return -1\n"
        "        self.move_to_end(key); return self[key]\n"
        "    def put(self, key, value):\n"
        "        self[key] = value; self.move_to_end(key)\n"
        "        if len(self) > self.size: self.popitem(last=False)\n",
        "c = X(2)\nc.put(1, 1); c.put(2, 2)\nself.assertEqual(c.get(1), 1)\nc.put(3, 3)\n"
        "self.assertEqual(c.get(2), -1)\nself.assertEqual(list(c), [1, 3])\nself.assertIn(3, c)\n"
        "self.assertIsInstance(c, dict)\nself.assertEqual(dict(c), {1: 1, 3: 3})\nself.assertEqual(c.size, 2)\n"
        "c[9] = 9\nself.assertEqual(c.get(9), 9)\nself.assertEqual(len(c), 3)",
        True,
        True,
    ),
    "dict with its own defaults": (
        "X",
        "class X(dict):\n    def __missing__(self, key): return key * 2\n    def __getattr__(self, name): return self[name]\n",
        "d = X(a=1)\nself.assertEqual(d['b'], 'bb')\nself.assertEqual(d['a'], 1)\nself.assertNotIn('b', d)\n"
        "self.assertEqual(d.a, 1)",
        True,
        True,
    ),
    "list subclass with its own methods": (
        "X",
        "class X(list):\n    def append(self, item):\n        if item in self: return\n        super().append(item)\n"
        "    def top(self): return self[-1]\n",
        "x = X([1])\nx.append(1)\nx.append(2)\nself.assertEqual(x, [1, 2])\nself.assertEqual(x.top(), 2)\n"
        "x.extend([5])\nself.assertEqual(x.top(), 5)\nself.assertEqual(sum(x), 8)\nself.assertEqual(x[1:], [2, 5])\n"
        "self.assertEqual([0] + x, [0, 1, 2, 5])\nself.assertTrue(issubclass(X, list))",
        True,
        True,
    ),
    "str subclass": (
        "f",
        "class S(str):\n    def shout(self): return self.upper() + '!'\ndef f(t): return S(t)\n",
        "r = candidate('a')\nassert r == 'a' and isinstance(r, str) and r.shout() == 'A!' and r + 'b' == 'ab'",
        True,
        True,
    ),
    "named tuple with methods": (
        "X",
        "from typing import NamedTuple\nclass X(NamedTuple):\n    a: int\n    b: int = 2\n"
        "    def swap(self): return X(self.b, self.a)\n    def __add__(self, o): return X(self.a + o.a, self.b + o.b)\n",
        "p = X(1)\nself.assertEqual(p, (1, 2))\nself.assertEqual(p.swap(), X(2, 1))\nself.assertEqual(p._asdict(), "
        "{'a': 1, 'b': 2})\nself.assertEqual(p._replace(a=5).a, 5)\na, b = p\nself.assertEqual(b, 2)\n"
        "self.assertEqual((p + p).a, 2)\nself.assertEqual(repr(p), 'X(a=1, b=2)')\nself.assertEqual(X._fields, ('a', 'b'))",
        True,
        True,
    ),
    "dataclass": (
        "X",
        "from dataclasses import dataclass, field\n@dataclass(order=True, frozen=True)\nclass X:\n    a: int\n"
        "    b: tuple = ()\n",
        "self.assertEqual(X(1), X(1))\nself.assertNotEqual(X(1), X(2))\nself.assertLess(X(1), X(2))\n"
        "self.assertEqual(len({X(1), X(1)}), 1)\nself.assertEqual(repr(X(1)), 'X(a=1, b=())')\n"
        "self.assertEqual(sorted([X(3), X(2)])[0].a, 2)\nself.assertEqual({X(1): 5}[X(1)], 5)",
        True,
        True,
    ),
    "unhashable": (
        "X",
        "class X:\n    def __init__(self, a): self.a = a\n    def __eq__(self, o): return self.a == o.a\n",
        "with self.assertRaises(TypeError): hash(X(1))\nwith self.assertRaises(TypeError): {X(1)}",
        True,
        True,
    ),
    "enumeration": (
        "X",
        "import enum\nclass X(enum.Enum):\n    RED = 1\n    BLUE = 2\n    def label(self): return self.name.lower()\n",
        "self.assertEqual(X(1), X.RED)\nself.assertIs(X['BLUE'], X.BLUE)\nself.assertEqual([m.value for m in X], [1, 2])\n"
        "self.assertEqual(X.RED.label(), 'red')\nself.assertEqual(len(X), 2)\nself.assertNotEqual(X.RED, 1)\n"
        "self.assertEqual(str(X.RED), 'X.RED')\nwith self.assertRaises(ValueError): X(9)\nself.assertIn(X.RED, X)",
        True,
        True,
    ),
    "string enumeration": (
        "f",
        "import enum\nclass C(str, enum.Enum):\n    A = 'a'\nclass F(enum.IntFlag):\n    R = 4\n    W = 2\n"
        "def f(): return [C.A, F.R | F.W]\n",
        "c, g = candidate()\nassert c == 'a' and c.name == 'A' and c.value == 'a'\nassert g == 6 and g & 2",
        True,
        True,
    ),
    "own exceptions": (
        "X",
        "class Base(Exception): pass\nclass Low(Base):\n    def __init__(self, need, have):\n"
        "        super().__init__(f'need {need}'); self.need = need; self.have = have\n"
        "    def __str__(self): return f'{self.need}>{self.have}'\n"
        "class X:\n    def pay(self, n):\n        raise Low(n, 1)\n",
        "with self.assertRaises(Base) as caught: X().pay(5)\nself.assertIsInstance(caught.exception, Low)\n"
        "self.assertEqual(caught.exception.need, 5)\nself.assertEqual(str(caught.exception), '5>1')\n"
        "self.assertTrue(issubclass(Low, Base))",
        True,
        False,
    ),
    "exceptions without their names": (
        "f",
        "class E(ValueError):\n    def __init__(self, code, text): super().__init__(text); self.code = code\n"
        "    def __str__(self): return f'E{self.code}'\n"
        "def f(n):\n    try: return 1 // n\n    except ZeroDivisionError as e: raise E(7, 'zero') from e\n",
        "try: candidate(0)\nexcept ValueError as e:\n    assert e.code == 7 and str(e) == 'E7' and e.args == ('zero',)\n"
        "    assert isinstance(e.__cause__, ZeroDivisionError) and type(e).__name__ == 'E'\nelse: assert False",
        True,
        True,
    ),
    "library exceptions": (
        "f",
        "import json, statistics, subprocess, zipfile, decimal\n"
        "def f(k):\n    if k == 0: json.loads('[1')\n    if k == 1: statistics.mean([])\n    if k == 2: open('/nowhere')\n"
        "    if k == 3: {}['x']\n    if k == 4: raise SystemExit(3)\n    if k == 5: raise KeyError('a', 'b')\n"
        "    if k == 6: decimal.Decimal('x')\n    if k == 7: int('z')\n",
        "import json, statistics, decimal\n"
        "for k, kind in enumerate([json.JSONDecodeError, statistics.StatisticsError, FileNotFoundError, KeyError,\n"
        "                          SystemExit, KeyError, decimal.InvalidOperation, ValueError]):\n"
        "    try: candidate(k)\n    except kind as e:\n"
        "        if k == 0: assert e.pos == 2 and e.lineno == 1 and e.doc == '[1'\n"
        "        if k == 2: assert e.errno == 2 and e.filename == '/nowhere'\n"
        "        if k == 3: assert e.args == ('x',) and str(e) == \"'x'\"\n        if k == 4: assert e.code == 3\n"
        "    else: assert False",
        True,
        True,
    ),
    "exceptions returned": (
        "f",
        "def f(): return [ValueError('a', 1)]\n",
        "r = candidate()[0]\nassert isinstance(r, ValueError) and r.args == ('a', 1) and str(r) == \"('a', 1)\"",
        True,
        True,
    ),
    "inheritance": (
        "X",
        "class Shape:\n    def area(self): return 0\n    def name(self): return type(self).__name__\n"
        "class X(Shape):\n    def __init__(self, r): self.r = r\n    def area(self): return self.r ** 2\n",
        "x = X(2)\nself.assertIsInstance(x, Shape)\nself.assertIsInstance(x, X)\nself.assertNotIsInstance(Shape(), X)\n"
        "self.assertEqual(x.name(), 'X')\nself.assertEqual(X.__name__, 'X')\nself.assertTrue(issubclass(X, Shape))",
        True,
        False,
    ),
    "operators": (
        "X",
        "import functools\n@functools.total_ordering\nclass X:\n    def __init__(s, a): s.a = a\n"
        "    def __add__(s, o): return X(s.a + (o.a if isinstance(o, X) else o))\n    __radd__ = __add__\n"
        "    def __iadd__(s, o): s.a += o; return s\n    def __sub__(s, o): return X(s.a - o.a)\n"
        "    def __mul__(s, k): return X(s.a * k)\n    def __rmul__(s, k): return s * k\n    def __neg__(s): return X(-s.a)\n"
        "    def __abs__(s): return X(abs(s.a))\n    def __pow__(s, k): return X(s.a ** k)\n"
        "    def __eq__(s, o): return isinstance(o, X) and s.a == o.a\n    def __lt__(s, o): return s.a < o.a\n"
        "    def __bool__(s): return s.a != 0\n    def __len__(s): return s.a\n    def __getitem__(s, i): return s.a + i\n"
        "    def __contains__(s, i): return i == s.a\n    def __int__(s): return s.a\n    def __hash__(s): return hash(s.a)\n"
        "    def __divmod__(s, o): return divmod(s.a, o)\n    def __and__(s, o): return X(s.a & o.a)\n"
        "    def __reversed__(s): return iter([s.a])\n    def __invert__(s): return X(~s.a)\n",
        "self.assertEqual(X(1) + X(2), X(3))\nself.assertEqual(sum([X(1), X(2)]), X(3))\nself.assertEqual(2 * X(3), X(6))\n"
        "self.assertEqual(-X(1), X(-1))\nself.assertEqual(abs(X(-4)), X(4))\nself.assertEqual(X(2) ** 3, X(8))\n"
        "self.assertTrue(X(1) <= X(1) < X(2))\nself.assertFalse(X(0))\nself.assertEqual(len(X(5)), 5)\n"
        "self.assertEqual(X(5)[2], 7)\nself.assertIn(5, X(5))\nself.assertNotIn(4, X(5))\nself.assertEqual(int(X(3)), 3)\n"
        "x = X(1)\ny = x\nx += 4\nself.assertIs(x, y)\nself.assertEqual(x.a, 5)\nself.assertEqual(max(X(1), X(9)).a, 9)\n"
        "self.assertEqual(divmod(X(7), 2), (3, 1))\nself.assertEqual((X(6) & X(3)).a, 2)\nself.assertEqual(~X(0), X(-1))\n"
        "with self.assertRaises(TypeError): X(1) @ 2\nself.assertEqual(list(reversed(X(4))), [4])",
        True,
        True,
    ),
    "operators in assertions": (
        "f",
        "class V:\n    def __init__(s, x): s.x = x\n    def __add__(s, o): return V(s.x + o.x)\n"
        "    def __mul__(s, k): return V(s.x * k)\n    def __eq__(s, o): return s.x == o.x\ndef f(x): return V(x)\n",
        "assert (candidate(1) + candidate(2)).x == 3\nassert (candidate(2) * 4).x == 8\nassert candidate(1) == candidate(1)",
        True,
        True,
    ),
    "iteration and context": (
        "X",
        "class X:\n    def __init__(s): s.log = []\n    def __enter__(s): s.log.append('in'); return s\n"
        "    def __exit__(s, kind, error, trace):\n        s.log.append(kind.__name__ if kind else 'out')\n"
        "        return kind is KeyError\n    def __iter__(s):\n        yield 1\n        yield 2\n"
        "    def __call__(s, *a, **k): return len(a) + len(k)\n",
        "with X() as x: pass\nself.assertEqual(x.log, ['in', 'out'])\nwith x: raise KeyError(1)\n"
        "self.assertEqual(x.log[-1], 'KeyError')\nwith self.assertRaises(ValueError):\n    with x: raise ValueError\n"
        "self.assertEqual(list(x), [1, 2])\nself.assertEqual(x(1, 2, k=3), 3)\nself.assertTrue(callable(x))\n"
        "a, b = x\nself.assertEqual(b, 2)",
        True,
        True,
    ),
    "attributes": (
        "X",
        "class X:\n    kind = 'k'\n    def __init__(self): self.a = [1]; self._b = 2\n    @property\n"
        "    def double(self): return self._b * 2\n    @double.setter\n    def double(self, v): self._b = v // 2\n"
        "    @classmethod\n    def make(cls): return cls()\n    @staticmethod\n    def two(): return 2\n",
        "x = X()\nx.double = 10\nself.assertEqual(x._b, 5)\nx.new = {'z': 1}\nself.assertEqual(x.new, {'z': 1})\n"
        "x.new['y'] = 2\nself.assertEqual(x.new, {'z': 1, 'y': 2})\ndel x.new\nself.assertFalse(hasattr(x, 'new'))\n"
        "self.assertEqual(X.make().a, [1])\nX.kind = 'n'\nself.assertEqual(x.kind, 'n')\nself.assertEqual(X.two(), 2)\n"
        "with self.assertRaises(AttributeError): x.nothing\nself.assertEqual(getattr(x, 'nothing', 3), 3)",
        True,
        True,
    ),
    "inner lists": (
        "X",
        "class X:\n    def __init__(s): s.rows = [[0], [0]]\n    def first(s): return s.rows[0]\n"
        "    def total(s): return sum(map(sum, s.rows))\n",
        "x = X()\nrow = x.first()\nrow.append(4)\nself.assertEqual(x.total(), 4)\nx.rows[1][0] = 6\n"
        "self.assertEqual(x.total(), 10)\nself.assertIs(x.first(), x.rows[0])\nfor r in x.rows: r.clear()\n"
        "self.assertEqual(x.total(), 0)",
        True,
        True,
    ),
    "a list that is kept": (
        "X",
        "class X:\n    def __init__(s, items): s.items = items\n    def add(s, i): s.items.append(i)\n",
        "own = [1]\nx = X(own)\nx.add(2)\nself.assertEqual(own, [1, 2])\nown.append(3)\nself.assertEqual(x.items, [1, 2, 3])",
        True,
        True,
    ),
    "a list that is kept, and must not be": (
        "X",
        "class X:\n    def __init__(s, items): s.items = items\n    def add(s, i): s.items.append(i)\n",
        "own = [1]\nx = X(own)\nx.add(2)\nself.assertEqual(own, [1])",
        False,
        True,
    ),
    "a list that is handed out, and must not be": (
        "f",
        "_cache = {}\ndef f(n):\n    if n not in _cache: _cache[n] = list(range(n))\n    return _cache[n]\n",
        "candidate(2).append(9)\nassert candidate(2) == [0, 1]",
        False,
        True,
    ),
    "a default argument that is kept, and must not be": (
        "f",
        "def f(x, seen=[]):\n    seen.append(x)\n    return seen\n",
        "a = candidate(1)\nb = candidate(2)\nassert a == [1]",
        False,
        True,
    ),
    "arguments changed in place": (
        "f",
        "import numpy\ndef f(a, *, b, c=None, d=None):\n    a[0].append(1); b['k'].add(2); b['n'] = 1\n"
        "    if c is not None: c[0].extend('x')\n    if d is not None: d *= 2\n",
        "import numpy as np\na, b, c, d = [[]], {'k': set()}, ([],), np.array([1, 2])\ncandidate(a, b=b, c=c, d=d)\n"
        "assert a == [[1]] and b == {'k': {2}, 'n': 1} and c == (['x'],) and d.tolist() == [2, 4]",
        True,
        True,
    ),
    "shared rows, and a cycle": (
        "f",
        "def f():\n    row = [0, 0]\n    grid = [row, row]\n    loop = [1]\n    loop.append(loop)\n    return grid, loop\n",
        "grid, loop = candidate()\ngrid[0][0] = 5\nassert grid[1] == [5, 0] and loop[1] is loop",
        True,
        True,
    ),
    "functions": (
        "f",
        "def f(n):\n    'Makes one.'\n    def add(x, y=1): return n + x + y\n    return add\n",
        "g = candidate(1)\nassert g(1) == 3 and g.__name__ == 'add' and candidate.__doc__ == 'Makes one.'\n"
        "assert candidate.__name__ == 'f' and list(map(g, [1, 2])) == [3, 4] and callable(g)",
        True,
        True,
    ),
    "signatures": (
        "f",
        "def f(a, b: int = 2): return 1\n",
        "import inspect\nassert str(inspect.signature(candidate)) == '(a, b: int = 2)'",
        True,
        False,
    ),
    "functions of the library handed over": (
        "f",
        "def f(g, xs): return [g(x) for x in xs]\n",
        "import math, re\nassert candidate(math.sqrt, [4]) == [2.0] and candidate(len, ['ab']) == [2]\n"
        "assert candidate(str.upper, ['a']) == ['A'] and candidate(re.compile('a').search, ['b']) == [None]",
        True,
        False,
    ),
    "values": (
        "f",
        "import array, collections, datetime, decimal, ipaddress, pathlib, types, uuid, zoneinfo\n"
        "def f():\n    return [array.array('i', [1]), collections.ChainMap({'a': 1}), {'a': 1}.keys(), memoryview(b'x'),\n"
        "            uuid.UUID(int=1), pathlib.Path('/a/b'), ipaddress.ip_address('::1'), types.SimpleNamespace(a=[1]),\n"
        "            datetime.timezone.utc, datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc),\n"
        "            collections.defaultdict(lambda: 7, {'a': 1}), frozenset({1}), {1: 2}.values(), types.MappingProxyType({1: 2})]\n",
        "import array, collections, datetime, ipaddress, pathlib, types, uuid\n"
        "a, c, k, m, u, p, i, s, z, t, d, z2, v, y = candidate()\n"
        "assert a == array.array('i', [1]) and c == {'a': 1} and k == {'a'} and m == b'x' and u == uuid.UUID(int=1)\n"
        "assert p == pathlib.Path('/a/b') and i == ipaddress.ip_address('::1') and s == types.SimpleNamespace(a=[1])\n"
        "assert z == datetime.timezone.utc and t.isoformat() == '2024-01-01T00:00:00+00:00' and d['b'] == 7\n"
        "assert d == {'a': 1, 'b': 7} and list(v) == [2] and y == {1: 2}",
        True,
        True,
    ),
    "arrays": (
        "f",
        "import numpy as np\ndef f():\n    return [np.ma.array([1, 2], mask=[0, 1]), np.matrix([[1, 2]]), np.float32(1.5),\n"
        "            np.array([(1, 2.0)], dtype=[('a', 'i4'), ('b', 'f8')]), np.array([[1], None], dtype=object)]\n",
        "import numpy as np\nm, x, s, r, o = candidate()\nassert m.mask.tolist() == [False, True] and (x * x.T)[0, 0] == 5\n"
        "assert s.dtype == 'float32' and r['b'][0] == 2.0 and o.tolist() == [[1], None]",
        True,
        True,
    ),
    "generators": (
        "f",
        "def f(n):\n    got = yield n\n    yield got\n",
        "import types\ng = candidate(1)\nassert isinstance(g, types.GeneratorType) and next(g) == 1 and g.send(5) == 5\n"
        "try: next(g)\nexcept StopIteration: pass\nelse: assert False",
        True,
        True,
    ),
    "objects with links": (
        "X",
        "class X:\n    def __init__(s, v, n=None): s.v = v; s.n = n\n    def push(s, v): s.n = X(v, s.n); return s\n",
        "a = X(1)\na.push(2).push(3)\nself.assertEqual(a.n.v, 3)\nself.assertEqual(a.n.n.v, 2)\nself.assertIsNone(a.n.n.n)\n"
        "b = X(5)\na.n = b\nself.assertIs(a.n, b)",
        True,
        True,
    ),
    "captured output": (
        "X",
        "class X:\n    def hi(s): print('hi')\n",
        "import io, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out): X().hi()\n"
        "self.assertEqual(out.getvalue(), 'hi\\n')",
        True,
        False,
    ),
    "the seed": (
        "f",
        "import random\ndef f(): return random.random()\n",
        "import random\nrandom.seed(3)\na = candidate()\nrandom.seed(3)\nassert a == random.random()",
        True,
        False,
    ),
    "callbacks": (
        "f",
        "def f(g, xs): return sorted(xs, key=g)\n",
        "calls = []\nassert candidate(lambda x: calls.append(x) or -x, [1, 2]) == [2, 1]\nassert calls == [1, 2]",
        True,
        False,
    ),
    "copies": (
        "X",
        "class X:\n    def __init__(s): s.a = [1]\n",
        "import copy\nx = X()\ny = copy.deepcopy(x)\ny.a.append(2)\nself.assertEqual((x.a, y.a), ([1], [1, 2]))",
        True,
        False,
    ),
    "a class that lies about its length": (
        "X",
        "class X:\n    def __len__(s): return -1\n",
        "with self.assertRaises(ValueError): len(X())",
        True,
        True,
    ),
    "abstract classes": (
        "X",
        "from abc import ABC, abstractmethod\nfrom collections.abc import Mapping\nclass X(Mapping):\n"
        "    def __init__(s, d): s.d = d\n    def __getitem__(s, k): return s.d[k]\n    def __iter__(s): return iter(s.d)\n"
        "    def __len__(s): return len(s.d)\n",
        "from collections.abc import Mapping\nx = X({'a': 1})\nself.assertIsInstance(x, Mapping)\nself.assertEqual(dict(x), {'a': 1})\n"
        "self.assertEqual(x.get('b', 2), 2)\nself.assertEqual(list(x.items()), [('a', 1)])\nself.assertIn('a', x)",
        True,
        True,
    ),
}


@pytest.fixture(scope="module")
def outcomes(sandbox: Sandbox) -> dict[str, Outcome]:
    """The outcome of each case."""
    jobs = [suite(*case[:3]) for case in CASES.values()]
    return dict(zip(CASES, sandbox.run(jobs), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_as_in_plain_python(name: str, outcomes: dict[str, Outcome]) -> None:
    *parts, right, _ = CASES[name]
    assert plain(suite(*parts)) is right
    assert outcomes[name].passed is right, outcomes[name]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case[4]])
def test_what_needs_the_process_is_judged_in_it_and_says_so(name: str, outcomes: dict[str, Outcome]) -> None:
    assert not outcomes[name].tamper_proof


SCRIPTS = {
    "a file for standard input": (
        "import sys, os, mmap\nprint(os.fstat(0).st_size, sys.stdin.fileno())\n"
        "print(mmap.mmap(0, 0, prot=mmap.PROT_READ)[:3])\nprint(sys.stdin.readline().strip())\nsys.stdin.seek(0)\n"
        "print(sys.stdin.read().split())\n",
        "a b\nc\n", "6 0\nb'a b'\na b\n['a', 'b', 'c']\n",
    ),
    "the end of a script": (
        "import atexit, threading, time\nclass A:\n    def __del__(self): print('del')\natexit.register(print, 'exit')\n"
        "a = A()\nthreading.Thread(target=lambda: (time.sleep(0.05), print('thread'))).start()\nprint('main')\n",
        "", "main\nthread\nexit\ndel\n",
    ),
    "the end of a script that leaves": (
        "import atexit, sys\natexit.register(print, 'exit')\nprint('main')\nsys.exit()\n", "", "main\nexit\n",
    ),
    "a file nobody closed": ("out = open(1, 'w', closefd=False)\nout.write('x')\n", "", "x\n"),
    "its own source": ("print(open(__file__).readline().strip())  # here\n", "", "print(open(__file__).readline().strip())  # here\n"),
    "the line of a traceback": (
        "import traceback\ntry:\n    {}['k']\nexcept KeyError:\n    print(traceback.format_exc().splitlines()[-2 - ('^' in traceback.format_exc())].strip())\n",
        "", "{}['k']\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_run_to_their_very_end(name: str, sandbox: Sandbox) -> None:
    program, stdin, expected = SCRIPTS[name]
    outcome = sandbox.submit(Job.script(program, [(stdin, expected)])).result()
    assert outcome.status is Status.PASSED, outcome
