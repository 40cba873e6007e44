"""A program that isn't right gains nothing by what tests swallow, hand over or ask for."""

import pytest

from lm_eval_codemind.sandbox import Job, Sandbox

UNIT = "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        "
GONE = {
    "swallowed by a bare except": (
        "import os\ndef f(): os._exit(0)\n",
        "def check(candidate):\n    try: candidate()\n    except: return\n    assert False\n",
    ),
    "an endless call": (
        "def f():\n    while True: pass\n",
        "def check(candidate):\n    try: candidate()\n    except: return\n    assert False\n",
    ),
    "too long an answer": (
        "def f(): return 'x' * (5 << 20)\n",
        "def check(candidate):\n    try: candidate()\n    except Exception: return\n    assert False\n",
    ),
    "unlike everything": (
        "class Z:\n    def __eq__(s, o): return True\ndef f(): return Z()\n",
        "def check(candidate):\n    assert candidate() != 3\n",
    ),
}
# Plain Python passes these: the program is asked about the tests' own values.
ASKED = {
    "a function that no result could take": (
        "class R:\n    def order(self, key): return True\ndef f(): return R()\n",
        "def check(candidate):\n    k = [lambda: 1][0]\n    try: candidate().order(k)\n    except Exception: return\n",
    ),
    "numpy led to an address": (
        "class A:\n    __array_interface__ = {'shape': (0,), 'typestr': '<f8', 'data': (1, False), 'version': 3}\n"
        "def f(): return A()\n",
        "import numpy as np\ndef check(candidate):\n    assert np.allclose(candidate(), 42.0)\n",
    ),
    "a name of the library": (
        "class math:\n    isclose = staticmethod(lambda *a: True)\ndef g(): return 0\n",
        "assert math.isclose(g(), 3.5)\n",
    ),
}
FLAGGED = {
    "told by a library": (
        "class R:\n    def difference(s, o): s.k = list(o); return []\n    def __iter__(s): return iter(s.k)\n"
        "class X:\n    def m(s): return R()\n",
        UNIT + "self.assertSetEqual(X().m(), {1, 2})\n",
    ),
    "asked for a verdict": (
        "class R:\n    def equals(s, o): return True\nclass X:\n    def m(s): return R()\n",
        UNIT + "self.assertTrue(X().m().equals([1, 2]))\n",
    ),
    "one object for all": (
        "class X:\n    one = None\n    def __new__(c, *a):\n        c.one = c.one or object.__new__(c)\n"
        "        return c.one\n    def plus(s, o): return s\n",
        UNIT + "self.assertEqual([X(1).plus(X(2))], [X(3)])\n",
    ),
    "its own comparison": (
        "class X:\n    def __init__(s, *a): pass\n    def __eq__(s, o): return True\n",
        UNIT + "self.assertEqual(X(1), X(2))\n",
    ),
}


@pytest.mark.parametrize("name", GONE)
def test_no_pass(name: str, sandbox: Sandbox) -> None:
    program, tests = GONE[name]
    outcome = sandbox.submit(Job.function(program, tests, "f" if "check" in tests else "")).result()
    assert not outcome.passed, outcome


@pytest.mark.parametrize("name", ASKED)
def test_a_pass_by_the_programs_own_word_is_flagged(name: str, sandbox: Sandbox) -> None:
    program, tests = ASKED[name]
    outcome = sandbox.submit(Job.function(program, tests, "f" if "check" in tests else "")).result()
    assert not (outcome.passed and outcome.tamper_proof), outcome


@pytest.mark.parametrize("name", FLAGGED)
def test_no_pass_without_a_flag(name: str, sandbox: Sandbox) -> None:
    program, tests = FLAGGED[name]
    outcome = sandbox.submit(Job.unittest(program, tests, "X")).result()
    assert not (outcome.passed and outcome.tamper_proof), outcome
